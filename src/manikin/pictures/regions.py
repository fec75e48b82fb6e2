"""Regions as surfaces: obstacles and furniture that stand in the picture, and the places that goals ask for."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np

from manikin.errors import PoseError
from manikin.figure import transforms
from manikin.goals import Ball, Box, Capsule, Circle, Goal, HalfSpace, Outside, Region
from manikin.goals.region import Primitive
from manikin.pictures import color as colors
from manikin.pictures.surface import Surface, between, box, frame_along, ring, sphere

# Of a figure's size: how thick a curve is drawn, how thick the edges of a region, how thin a box may get.
CURVE = 0.006
EDGE = 0.0028
THINNEST = 0.002


def body_of(piece: Primitive, size: float) -> Surface | None:
    """The surface of a piece in the world; None for a half-space, which has no end.

    size: the figure's, metres: a curve is drawn as thick as suits it.
    """
    if isinstance(piece, Box):
        edges = np.maximum(np.asarray(piece.size), THINNEST * size)
        frame = transforms.rotation(piece.rotation)
        frame[:3, 3] = piece.center
        return box(*(float(edge) for edge in edges)).moved(frame)
    if isinstance(piece, Ball):
        return sphere(piece.radius).moved(frame_along(np.asarray(piece.center), np.zeros(3)))
    if isinstance(piece, Capsule):
        return between(np.asarray(piece.a), np.asarray(piece.b), piece.radius, piece.radius)
    if isinstance(piece, Circle):
        frame = frame_along(np.asarray(piece.center), np.asarray(piece.normal))
        return ring(piece.radius, CURVE * size).moved(frame)
    return None


def edges_of(piece: Primitive, size: float) -> list[Surface]:
    """Thin rods along the edges of a box; for a ball or a capsule rings about it."""
    thick = EDGE * size
    if isinstance(piece, Box):
        half = 0.5 * np.asarray(piece.size)
        corner = {
            signs: np.asarray(piece.center) + piece.rotation @ (np.array(signs) * half)
            for signs in product((-1, 1), repeat=3)
        }
        return [
            between(corner[a], corner[b], thick, thick)
            for a, b in product(corner, repeat=2)
            if a < b and sum(x != y for x, y in zip(a, b, strict=True)) == 1
        ]
    if isinstance(piece, Ball):
        return [
            ring(piece.radius, thick).moved(frame_along(np.asarray(piece.center), way)) for way in np.eye(3)
        ]
    if isinstance(piece, Capsule):
        ends = np.asarray(piece.a), np.asarray(piece.b)
        return [ring(piece.radius, thick).moved(frame_along(end, ends[1] - ends[0])) for end in ends]
    return []


def obstacles(goals: Iterable[Goal]) -> list[Region]:
    """The regions that goals ask to stay out of, those of one piece or a union of such."""
    return [
        piece
        for goal in goals
        if isinstance(goal, Outside)
        for clause in goal.region.clauses()
        for piece in clause
        if len(clause) == 1
    ]


def things_of(given: Iterable[Any], size: float) -> list[Surface]:
    """Painted surfaces of regions, or of pairs of a region and a colour; of an intersection, all its pieces."""
    found = []
    for entry in given:
        region, color = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, None)
        if not isinstance(region, Region):
            raise PoseError(
                f"picture: things must be regions, or pairs of a region and a colour, got {entry!r}"
            )
        paint = colors.THING if color is None else colors.parse(color, "things: color")
        for clause in region.clauses():
            for piece in clause:
                surface = body_of(piece, size)
                if surface is not None:
                    found.append(surface.painted(paint))
    return found


def planes(region: Region) -> list[HalfSpace]:
    """The half-spaces among a region's pieces."""
    return [piece for clause in region.clauses() for piece in clause if isinstance(piece, HalfSpace)]
