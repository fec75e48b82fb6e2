"""Surfaces as triangles with a normal at every corner, and those of the simple shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import asin, cos, pi, sin

import numpy as np

from manikin.errors import FigureError
from manikin.figure import transforms

# Corners of a circle: at 100 pixels of radius an edge is 0.2 pixels off the circle.
SECTORS = 48


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles.

    corners: (t, 3, 3) float32, metres; counter-clockwise seen from outside.
    normals: (t, 3, 3) float32, unit, out of the surface, one a corner.
    colors: (t, 3) float32, linear RGB from 0 to 1, or None for the figure's own.
    """

    corners: np.ndarray
    normals: np.ndarray
    colors: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.corners)

    def moved(self, placement: np.ndarray) -> Surface:
        """The surface carried by a rigid 4×4 transform."""
        turn = placement[:3, :3].T.astype(np.float32)
        corners = turned(self.corners.reshape(-1, 3), turn) + placement[:3, 3].astype(np.float32)
        normals = turned(self.normals.reshape(-1, 3), turn)
        return Surface(corners.reshape(-1, 3, 3), normals.reshape(-1, 3, 3), self.colors)

    def stretched(self, scale: Sequence[float] | np.ndarray) -> Surface:
        """The surface scaled along its axes; a mirroring scale keeps the outside outside."""
        factors = np.asarray(scale, dtype=np.float32)
        mirrored = np.prod(factors) < 0.0
        normals = self.normals * (np.prod(factors) / factors if np.all(factors) else 1.0)
        normals = unit(normals * np.float32(-1.0 if mirrored else 1.0))
        corners = self.corners * factors
        if mirrored:
            corners, normals = corners[:, ::-1], normals[:, ::-1]
        return Surface(np.ascontiguousarray(corners), np.ascontiguousarray(normals), self.colors)

    def painted(self, color: Sequence[float] | np.ndarray) -> Surface:
        """The surface in one linear colour."""
        colors = np.broadcast_to(np.asarray(color, dtype=np.float32), (len(self), 3))
        return Surface(self.corners, self.normals, colors)


def unit(vectors: np.ndarray) -> np.ndarray:
    """The vectors along the last axis with length 1; zero stays zero."""
    lengths = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))
    return vectors / np.maximum(lengths, np.float32(1e-20))[..., None]


#: Rows of a product that NumPy's library computes without starting threads, which cost more than they save here.
_ROWS = 1 << 14


def turned(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """(p, 3) points times a 3×3 matrix."""
    if len(points) <= _ROWS:
        return points @ matrix
    return np.concatenate([points[k : k + _ROWS] @ matrix for k in range(0, len(points), _ROWS)])


def along(vectors: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """(n,), the dot products of (n, 3) vectors with one."""
    x, y, z = direction
    return vectors[:, 0] * x + vectors[:, 1] * y + vectors[:, 2] * z


def bounds(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest of (p, k) points along each axis, of which there must be one.

    Rows are taken many at a time, which is some ten times as fast as one by one.
    """
    points = np.ascontiguousarray(points)
    count, wide = points.shape
    whole = count - count % 64
    parts = [points[whole:]]
    if whole:
        blocks = points[:whole].reshape(-1, 64 * wide)
        parts += [blocks.min(axis=0).reshape(64, wide), blocks.max(axis=0).reshape(64, wide)]
    few = np.concatenate(parts)
    return few.min(axis=0), few.max(axis=0)


def joined(surfaces: Iterable[Surface]) -> Surface:
    """Several surfaces as one; they all have colours, or none has."""
    parts = list(surfaces)
    if not parts:
        empty = np.zeros((0, 3, 3), np.float32)
        return Surface(empty, empty)
    colors = [part.colors for part in parts if part.colors is not None]
    return Surface(
        np.concatenate([part.corners for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate(colors) if colors else None,
    )


def lathe(*strips: np.ndarray, sectors: int = SECTORS) -> Surface:
    """The surface that profiles sweep about z; each is (p, 4): radius, height, and the normal's two parts.

    A profile runs from low to high on the outside, so that its left is inside.
    """
    angles = np.linspace(0.0, 2.0 * pi, sectors + 1)
    c, s = np.cos(angles), np.sin(angles)
    c[-1], s[-1] = c[0], s[0]
    found: list[np.ndarray] = []
    for strip in strips:
        profile = np.asarray(strip, dtype=float)
        radius, height, out, up = profile.T[:, :, None]
        level = 0.0 * c
        both = (radius * c, radius * s, height + level, out * c, out * s, up + level)
        grid = np.stack(both, axis=-1).astype(np.float32)
        # A ring that is a point has no triangle on its side, nor has a step of no length any.
        steps = np.linalg.norm(np.diff(profile[:, :2], axis=0), axis=1) > 1e-12
        low = np.flatnonzero(steps & (profile[:-1, 0] > 1e-12))
        high = np.flatnonzero(steps & (profile[1:, 0] > 1e-12))
        for rows, corners in ((low, ((0, 0), (0, 1), (1, 1))), (high, ((0, 0), (1, 1), (1, 0)))):
            sides = [grid[rows + above, after : after + sectors] for above, after in corners]
            found.append(np.stack(sides, axis=2).reshape(-1, 3, 6))
    whole = np.concatenate(found)
    return Surface(np.ascontiguousarray(whole[..., :3]), np.ascontiguousarray(whole[..., 3:]))


def arc(radius: float, height: float, start: float, end: float, sectors: int = SECTORS) -> np.ndarray:
    """A profile around (0, height) from one elevation to another, in radians, a little coarser than the circles."""
    steps = sectors / 4.8 * abs(end - start) / (pi / 2)
    angles = np.linspace(start, end, max(2, int(np.ceil(steps - 1e-9)) + 1))
    c, s = np.cos(angles), np.sin(angles)
    return np.stack([np.maximum(radius * c, 0.0), height + radius * s, c, s], axis=-1)


def sphere(radius: float, *, sectors: int = SECTORS) -> Surface:
    """A sphere about the origin."""
    return lathe(arc(radius, 0.0, -pi / 2, pi / 2, sectors), sectors=sectors)


def ellipsoid(x: float, y: float, z: float, *, sectors: int = SECTORS) -> Surface:
    """An ellipsoid about the origin by its three radii."""
    return sphere(1.0, sectors=sectors).stretched((x, y, z))


def cylinder(radius: float, length: float, top: float | None = None, *, sectors: int = SECTORS) -> Surface:
    """A cylinder along z about the origin, or a cone when the top has another radius."""
    end, half = radius if top is None else top, length / 2
    slope = unit(np.array([length, radius - end]))
    side = np.array([[radius, -half, *slope], [end, half, *slope]])
    below = np.array([[0.0, -half, 0.0, -1.0], [radius, -half, 0.0, -1.0]])
    above = np.array([[end, half, 0.0, 1.0], [0.0, half, 0.0, 1.0]])
    return lathe(below, side, above, sectors=sectors)


def tapered_capsule(start: float, end: float, length: float, *, sectors: int = SECTORS) -> Surface:
    """The hull of two spheres, one at the origin, one at z = length: a cone between them that touches both."""
    if abs(start - end) >= length:
        larger, height = (start, 0.0) if start >= end else (end, length)
        return lathe(arc(larger, height, -pi / 2, pi / 2, sectors), sectors=sectors)
    tangent = asin((start - end) / length)
    low = arc(start, 0.0, -pi / 2, tangent, sectors)
    return lathe(np.concatenate([low, arc(end, length, tangent, pi / 2, sectors)]), sectors=sectors)


def capsule(radius: float, length: float, *, sectors: int = SECTORS) -> Surface:
    """A capsule along z about the origin; the length is that of its straight part."""
    if length <= 0.0:
        return sphere(radius, sectors=sectors)
    low = arc(radius, -length / 2, -pi / 2, 0.0, sectors)
    return lathe(np.concatenate([low, arc(radius, length / 2, 0.0, pi / 2, sectors)]), sectors=sectors)


def box(x: float, y: float, z: float, *, sectors: int = 8) -> Surface:
    """A box about the origin by its edges, each bevelled by a fortieth of the shortest so that it catches light.

    A bevel is two strips, however many sectors circles have elsewhere.
    """
    half = np.array([x, y, z]) / 2
    bevel = min(x, y, z) / 40
    # A ball's octants moved apart are the corners of a rounded box.
    ball = sphere(1.0, sectors=8)
    signs = np.where(ball.corners.mean(axis=1) >= 0.0, 1.0, -1.0)
    corners = [bevel * ball.corners + (signs * (half - bevel))[:, None]]
    normals = [ball.normals]
    quads: list[tuple[np.ndarray, np.ndarray]] = []
    for axis in range(3):
        quads += _faces(half, bevel, axis) + _bevels(half, bevel, axis)
    for points, directions in quads:
        order = [[0, 1, 2], [0, 2, 3]]
        if np.cross(points[1] - points[0], points[2] - points[0]) @ directions.sum(axis=0) < 0.0:
            order = [[2, 1, 0], [3, 2, 0]]
        corners.append(points[order])
        normals.append(directions[order])
    return Surface(np.concatenate(corners).astype(np.float32), np.concatenate(normals).astype(np.float32))


def _faces(half: np.ndarray, bevel: float, axis: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The two faces of a box across one axis: four points and four normals each."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    found = []
    for sign in (-1.0, 1.0):
        points, directions = np.zeros((4, 3)), np.zeros((4, 3))
        points[:, axis], directions[:, axis] = sign * half[axis], sign
        points[:, u] = np.array([-1, 1, 1, -1]) * (half[u] - bevel)
        points[:, v] = np.array([-1, -1, 1, 1]) * (half[v] - bevel)
        found.append((points, directions))
    return found


def _bevels(half: np.ndarray, bevel: float, axis: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The four rounded edges of a box along one axis, two strips each: four points and four normals."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    found = []
    for su, sv, first in product((-1.0, 1.0), (-1.0, 1.0), (0.0, pi / 4)):
        points, directions = np.zeros((4, 3)), np.zeros((4, 3))
        angles = np.array([first, first + pi / 4, first + pi / 4, first])
        directions[:, u], directions[:, v] = su * np.cos(angles), sv * np.sin(angles)
        points[:, axis] = np.array([-1, -1, 1, 1]) * (half[axis] - bevel)
        points[:, u] = su * (half[u] - bevel) + bevel * directions[:, u]
        points[:, v] = sv * (half[v] - bevel) + bevel * directions[:, v]
        found.append((points, directions))
    return found


def between(
    start: np.ndarray, end: np.ndarray, first: float, last: float, *, sectors: int = SECTORS
) -> Surface:
    """A tapered capsule from point to point, or a ball where they are one."""
    along = np.asarray(end, dtype=float) - start
    length = float(np.linalg.norm(along))
    surface = tapered_capsule(first, last, length, sectors=sectors)
    return surface.moved(frame_along(np.asarray(start, dtype=float), along))


def frame_along(origin: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """A 4×4 frame at a point with its z axis along a direction."""
    length = float(np.linalg.norm(direction))
    result = transforms.translation(origin)
    if length > 1e-12:
        result[:3, :3] = transforms.basis(np.asarray(direction, dtype=float) / length)
    return result


_SIMPLE: dict[str, Callable[..., Surface]] = {
    "box": box,
    "sphere": sphere,
    "cylinder": cylinder,
    "capsule": capsule,
    "tapered_capsule": tapered_capsule,
    "ellipsoid": ellipsoid,
}


@lru_cache(maxsize=1024)
def simple(kind: str, size: tuple[float, ...], sectors: int = SECTORS) -> Surface:
    """The surface of a shape that is no mesh, in its own frame, its circles with so many corners."""
    if kind not in _SIMPLE:
        raise FigureError(
            f"shape {kind!r}: pictures do not know how to draw it; expected one of: {', '.join(_SIMPLE)}"
        )
    return _SIMPLE[kind](*size, sectors=sectors)


def enough_sectors(radius: float, extent: float, off: float = 0.1) -> int:
    """Corners of a circle of a figure's such that no one sees them, from 8 to 64: 16 for a finger, 56 for a head.

    A chord is off its arc by r π²/2n²: here by so many pixels where the figure fills 800.
    """
    most = extent / 800 * off
    return int(np.clip(8 * np.ceil(pi * np.sqrt(radius / (2.0 * most)) / 8), 8, 64))


def ring(radius: float, thickness: float, *, sectors: int = 2 * SECTORS) -> Surface:
    """A torus about z at the origin; an eighth of the sectors go round its tube."""
    turns = np.linspace(0.0, 2.0 * pi, max(sectors // 8, 5) + 1)
    profile = [
        [radius + thickness * cos(a - pi), thickness * sin(a - pi), cos(a - pi), sin(a - pi)] for a in turns
    ]
    return lathe(np.array(profile), sectors=sectors)


def disc(radius: float) -> Surface:
    """A flat disc about z at the origin, seen from both sides."""
    return lathe(np.array([[radius, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]]), sectors=96)
