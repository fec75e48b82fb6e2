"""Regions in a picture: shapes one sees through, curves as thin rings, half-spaces as discs."""

from __future__ import annotations

import numpy as np

from manikin.goals import Ball, Box, Capsule, Circle, HalfSpace, Region
from manikin.pictures.surface import Surface, between, box, disc, frame_along, ring, sphere

# Lengths as shares of the figure's size.
PLANE = 0.35
CURVE = 0.004


def draw_region(
    region: Region, near: np.ndarray, size: float, color: np.ndarray
) -> tuple[list[Surface], list[Surface]]:
    """The solid surfaces and those one sees through of a region.

    near: a point of the world, beside which a half-space is drawn. size: the figure's.
    """
    solid: list[Surface] = []
    clear: list[Surface] = []
    for clause in region.clauses():
        for piece in clause:
            if isinstance(piece, Circle):
                frame = frame_along(np.asarray(piece.center), np.asarray(piece.normal))
                solid.append(ring(piece.radius, CURVE * size).moved(frame).painted(color))
            elif isinstance(piece, HalfSpace):
                normal = np.asarray(piece.normal)
                foot = near - piece.distance(near) * normal
                frame = frame_along(foot, normal)
                clear.append(disc(PLANE * size).moved(frame).painted(color))
            elif isinstance(piece, Ball):
                frame = frame_along(np.asarray(piece.center), np.zeros(3))
                clear.append(sphere(piece.radius).moved(frame).painted(color))
            elif isinstance(piece, Box):
                frame = np.eye(4)
                frame[:3, :3], frame[:3, 3] = piece.rotation, np.asarray(piece.center)
                edges = np.maximum(np.asarray(piece.size), 1e-4 * size)
                clear.append(box(*edges).moved(frame).painted(color))
            elif isinstance(piece, Capsule):
                ends = np.asarray(piece.a), np.asarray(piece.b)
                clear.append(between(*ends, piece.radius, piece.radius).painted(color))
    return solid, clear
