"""Triangles for shapes and bones, for files that hold nothing but triangles."""

from __future__ import annotations

import math

import numpy as np

from manikin.figure import Shape

Surface = tuple[np.ndarray, np.ndarray]
_AROUND, _RINGS = 20, 10


def of_shape(shape: Shape) -> Surface | None:
    """Vertices (V, 3) in the segment's frame and triangles (F, 3); None for a mesh in a file of its own."""
    size = shape.size.tolist()
    if shape.kind == "box":
        vertices, triangles = _box(size)
    elif shape.kind in ("sphere", "ellipsoid"):
        vertices, triangles = _lathe(*_arc(1.0, 0.0, -math.pi / 2, math.pi / 2))
        vertices = vertices * (size * 3 if len(size) == 1 else size)
    elif shape.kind == "cylinder":
        r, h = size[0], 0.5 * size[1]
        vertices, triangles = _lathe([0.0, r, r, 0.0], [-h, -h, h, h])
    elif shape.kind == "capsule":
        r, h = size[0], 0.5 * size[1]
        vertices, triangles = _tapered(r, r, 2.0 * h)
        vertices = vertices - [0.0, 0.0, h]
    elif shape.kind == "tapered_capsule":
        vertices, triangles = _tapered(*size)
    else:
        return None
    return vertices @ shape.placement[:3, :3].T + shape.placement[:3, 3], triangles


def of_bone(end: np.ndarray, width: float = 0.1) -> Surface | None:
    """A bone as an octahedron from the origin to `end`, thickest at a fifth of its length; None where it has no
    length.
    """
    length = float(np.linalg.norm(end))
    if not length > 1e-9:
        return None
    z = end / length
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    r, h = width * length, 0.2 * length
    vertices = np.array([np.zeros(3), h * z + r * x, h * z + r * y, h * z - r * x, h * z - r * y, end])
    ring = [(1, 2), (2, 3), (3, 4), (4, 1)]
    triangles = [(0, b, a) for a, b in ring] + [(5, a, b) for a, b in ring]
    return vertices, np.array(triangles)


def joined(surfaces: list[Surface]) -> Surface:
    """Several surfaces as one."""
    first, vertices, triangles = 0, [], []
    for points, faces in surfaces:
        vertices.append(points)
        triangles.append(faces + first)
        first += len(points)
    return np.concatenate(vertices), np.concatenate(triangles)


def normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals at the vertices, the mean of the faces' by area; z where there is none."""
    corners = vertices[triangles]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(total, triangles[:, k], areas)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    flat = length[:, 0] < 1e-30
    result = total / np.where(length < 1e-30, 1.0, length)
    result[flat] = [0.0, 0.0, 1.0]
    return result


def split(vertices: np.ndarray, triangles: np.ndarray) -> Surface:
    """Every triangle with corners of its own, so that edges stay sharp."""
    return vertices[triangles.ravel()], np.arange(3 * len(triangles)).reshape(-1, 3)


def _box(size: list[float]) -> Surface:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return split(corners, np.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]))


def _arc(radius: float, center: float, low: float, high: float) -> tuple[list[float], list[float]]:
    """Radii and heights of a circle's arc, from angle low to high above the horizon."""
    angles = np.linspace(low, high, _RINGS)
    return (radius * np.cos(angles)).tolist(), (center + radius * np.sin(angles)).tolist()


def _tapered(first: float, second: float, length: float) -> Surface:
    """Balls at 0 and at z = length and the cone that touches both; one ball where it holds the other."""
    if length <= abs(first - second):
        radius, center = (first, 0.0) if first >= second else (second, length)
        return _lathe(*_arc(radius, center, -math.pi / 2, math.pi / 2))
    lean = math.asin((first - second) / length)
    low, high = _arc(first, 0.0, -math.pi / 2, lean), _arc(second, length, lean, math.pi / 2)
    return _lathe(low[0] + high[0], low[1] + high[1])


def _lathe(radii: list[float], heights: list[float]) -> Surface:
    """A profile turned about z, closed at both ends by its own points on the axis."""
    angles = np.linspace(0.0, 2.0 * math.pi, _AROUND, endpoint=False)
    around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    vertices = np.concatenate(
        [
            np.column_stack([radius * around, np.full(_AROUND, height)])
            for radius, height in zip(radii, heights, strict=True)
        ]
    )
    triangles = []
    for ring in range(len(radii) - 1):
        for k in range(_AROUND):
            a, b = ring * _AROUND + k, ring * _AROUND + (k + 1) % _AROUND
            triangles += [(a, b, b + _AROUND), (a, b + _AROUND, a + _AROUND)]
    return vertices, np.array(triangles)
