"""Signed distances of round shapes on grids, and their smooth union.

The smooth minimum of a and b over a width k is min(a, b) − h² k / 4 with h = max(1 − |a − b| / k, 0): where one is
smaller by more than k it is that one, and where they are equal k/4 is filled in between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.figure.segment import Shape

FAR = 1.0


@dataclass(frozen=True)
class Blob:
    """A shape in the frame of the grid. kind: ``"cone"``, a tapered capsule from a to b; ``"egg"``, an ellipsoid.

    numbers: of a cone two points and two radii (8); of an egg its centre, radii and axes as rows (15).
    width: metres over which it melts into what was there before.
    """

    kind: str
    numbers: np.ndarray
    width: float

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The corners of a box around it."""
        n = self.numbers
        if self.kind == "cone":
            low, high = np.minimum(n[:3], n[3:6]), np.maximum(n[:3], n[3:6])
            return low - max(n[6:]), high + max(n[6:])
        half = np.sqrt(((n[6:].reshape(3, 3) * n[3:6, None]) ** 2).sum(axis=0))
        return n[:3] - half, n[:3] + half

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Signed distances of points (…, 3): exact for cones, to first order near the surface of eggs."""
        n = self.numbers
        if self.kind == "egg":
            local = (points - n[:3]) @ n[6:].reshape(3, 3).T
            one = np.linalg.norm(local / n[3:6], axis=-1)
            two = np.linalg.norm(local / n[3:6] ** 2, axis=-1)
            return np.where(two > 1e-9, one * (one - 1.0) / np.maximum(two, 1e-9), -float(n[3:6].min()))
        along = n[3:6] - n[:3]
        length = float(np.linalg.norm(along))
        off = points - n[:3]
        taper = float(n[7] - n[6])
        if length <= abs(taper) + 1e-9:
            center, radius = (n[:3], n[6]) if n[6] >= n[7] else (n[3:6], n[7])
            return np.linalg.norm(points - center, axis=-1) - radius
        direction = along / length
        u = off @ direction
        h = np.linalg.norm(off - u[..., None] * direction, axis=-1)
        m = taper / length
        s = np.clip((u + h * m / np.sqrt(1.0 - m * m)) / length, 0.0, 1.0)
        return np.sqrt(h**2 + (u - s * length) ** 2) - (n[6] + s * taper)


def cone(a: np.ndarray, b: np.ndarray, first: float, last: float, width: float) -> Blob:
    """A tapered capsule from point to point."""
    return Blob("cone", np.concatenate([a, b, [first, last]]).astype(float), width)


def egg(center: np.ndarray, radii: np.ndarray, width: float, axes: np.ndarray | None = None) -> Blob:
    """An ellipsoid; axes: its directions as rows, by default the grid's."""
    turn = np.eye(3) if axes is None else axes
    return Blob("egg", np.concatenate([center, radii, turn.ravel()]).astype(float), width)


def of_shape(shape: Shape, frame: np.ndarray, width: float, thicker: float = 1.0) -> Blob | None:
    """A round shape of a segment at a frame; None for others."""
    place = frame @ shape.placement
    size = shape.size * thicker
    if shape.kind == "sphere":
        return egg(place[:3, 3], np.full(3, size[0]), width)
    if shape.kind == "ellipsoid":
        return egg(place[:3, 3], size, width, place[:3, :3].T)
    if shape.kind == "tapered_capsule":
        return cone(place[:3, 3], place[:3, 3] + shape.size[2] * place[:3, 2], size[0], size[1], width)
    return None


def smooth_minimum(a: np.ndarray, b: np.ndarray, width: float) -> np.ndarray:
    """min(a, b), rounded over `width`."""
    if width <= 0.0:
        return np.minimum(a, b)
    h = np.maximum(1.0 - np.abs(a - b) / width, 0.0)
    return np.minimum(a, b) - 0.25 * width * h * h


@dataclass
class Grid:
    """Points origin + spacing · (i, j, k), and a field over them."""

    origin: np.ndarray
    spacing: float
    values: np.ndarray

    @classmethod
    def around(cls, low: np.ndarray, high: np.ndarray, spacing: float) -> Grid:
        """An empty field over a box."""
        shape = np.ceil((high - low) / spacing).astype(int) + 1
        return cls(np.asarray(low, dtype=float), spacing, np.full(shape, FAR))

    def window(self, low: np.ndarray, high: np.ndarray) -> tuple[slice, slice, slice]:
        """The part of the grid in a box."""
        first = np.clip(np.floor((low - self.origin) / self.spacing).astype(int), 0, None)
        last = np.minimum(np.ceil((high - self.origin) / self.spacing).astype(int) + 1, self.values.shape)
        x, y, z = (slice(int(a), int(max(a, b))) for a, b in zip(first, last, strict=True))
        return x, y, z

    def points(self, part: tuple[slice, slice, slice]) -> np.ndarray:
        """The points of a part, (…, 3)."""
        lines = [self.origin[k] + self.spacing * np.arange(part[k].start, part[k].stop) for k in range(3)]
        return np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1)

    def add(self, blob: Blob) -> None:
        """Melt a shape into the field, where it can matter."""
        low, high = blob.bounds()
        reach = blob.width + 3.0 * self.spacing
        part = self.window(low - reach, high + reach)
        if all(s.stop > s.start for s in part):
            self.values[part] = smooth_minimum(
                self.values[part], blob.distance(self.points(part)), blob.width
            )
