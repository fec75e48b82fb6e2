"""The distance from any point to a workspace, from below: what is stored of W[i].

For any set W the function d(p, W)² − |p|² = min over w of (|w|² − 2 p·w) is concave. So between the nodes of a grid,
with t the share of the way along each axis of the cell,

    d(p, W)²  ≥  Σ weights · d(node, W)²  −  Σ over axes of t (1 − t) spacing².

This is a proof of second order for sets of any dimension: solids, shells, planes, arcs. Beside the set it loses most of
a spacing h, far from it h²/4d. A distance also falls by no more than the way walked, so beside the set it is read from
afar: d(p) ≥ d(p + s n) − s, n the direction that the distance grows in.

A hinge's grid is over (ρ, z, φ) about its axis, all others over (x, y, z). Points are columns, (3, count).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

# How far from the set, and from how far away, distances are read beside it, in spacings. Read from 3 and 8 spacings,
# the proved distance of goals 1 cm outside a seven-hinge arm is 7 mm at spacings of 17 mm; read in place it is 0.
BESIDE, AFAR = 6.0, (3.0, 8.0)
#: What is subtracted from a stored squared distance, of itself, for rounding.
ROUNDING = 1e-6


class Distance(Protocol):
    """A set of points that the distance to is known from below."""

    def distance(self, points: np.ndarray) -> np.ndarray:
        """A proved lower bound of each point's distance, (count,); 0 within."""


@dataclass(frozen=True, eq=False)
class Point:
    """The site itself, W[n + 1]."""

    place: np.ndarray

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Exactly."""
        return np.linalg.norm(points - self.place[:, None], axis=0)


@dataclass(frozen=True, eq=False)
class Arc:
    """W[n] of a hinge: the site's circle about the axis, or the part of it over low ≤ q ≤ high."""

    place: np.ndarray
    low: float
    high: float

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Exactly."""
        x, y, z = points
        rho, radius = np.hypot(x, y), float(np.hypot(self.place[0], self.place[1]))
        span, over = self.high - self.low, np.zeros(len(rho))
        if span < 2.0 * np.pi:
            start = np.arctan2(self.place[1], self.place[0]) + self.low
            turn = np.mod(np.arctan2(y, x) - start, 2.0 * np.pi)
            over = np.where(turn > span, np.minimum(turn - span, 2.0 * np.pi - turn), 0.0)
        flat = (rho - radius) ** 2 + 4.0 * rho * radius * np.sin(0.5 * over) ** 2
        return np.sqrt(flat + (z - self.place[2]) ** 2)


@dataclass(frozen=True, eq=False)
class Stretch:
    """W[n] of a slide: the site's way over low ≤ q ≤ high."""

    place: np.ndarray
    low: float
    high: float

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Exactly."""
        x, y, z = points - self.place[:, None]
        return np.sqrt(x**2 + y**2 + (z - np.clip(z, self.low, self.high)) ** 2)


@dataclass(frozen=True, eq=False)
class Ball:
    """A ball about the origin that holds the set, where nothing closer is proved."""

    radius: float

    def distance(self, points: np.ndarray) -> np.ndarray:
        """To the ball."""
        return np.maximum(np.linalg.norm(points, axis=0) - self.radius, 0.0)


@dataclass(frozen=True, eq=False)
class Grid:
    """Where the nodes are: ``counts`` along (ρ, z, φ) or (x, y, z), from ``origin`` in steps of ``spacing``.

    An axis along which the set has no extent has one node. About a hinge, ρ begins at 0 and φ goes once around, the
    first angle stored again at the end.
    """

    round: bool
    counts: tuple[int, int, int]
    origin: np.ndarray
    spacing: np.ndarray

    @property
    def side(self) -> float:
        """Metres between neighbours, the widest."""
        wide = self.spacing * (np.array(self.counts) > 1)
        return float(max(wide[:2]) if self.round else max(wide))

    @property
    def stored(self) -> tuple[int, int, int]:
        """The shape of the table."""
        a, b, c = self.counts
        return (a, b, c + 1) if self.round else self.counts

    @property
    def top(self) -> np.ndarray:
        """The greatest coordinates: the hull of the nodes reaches no farther than the polygon's sides."""
        top = self.origin + self.spacing * (np.array(self.counts) - 1)
        if self.round:
            top[0] *= np.cos(0.5 * self.spacing[2]) * (1.0 - 1e-12)
        return top


class Table:
    """Squared distances at the nodes of a grid whose hull holds the set.

    far: a coarser table with a wider hull, for points outside this one's. Beyond a hull the distance is that to it and
    the one from there as two legs of a right angle, which may be 0.7 of the whole.
    """

    def __init__(self, grid: Grid, squared: np.ndarray, far: Table | None = None) -> None:
        self.grid, self.squared, self.far = grid, squared, far
        _, n1, n2 = grid.stored
        strides = np.array([n1 * n2, n2, 1])
        counts = np.array(grid.counts)
        self._strides = np.where((counts > 1) | np.array([False, False, grid.round]), strides, 0)
        self._top = grid.top

    @property
    def nbytes(self) -> int:
        """The bytes that it takes."""
        return self.squared.nbytes + (0 if self.far is None else self.far.nbytes)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """A proved lower bound of each point's distance, (count,); 0 within and, by little, beside."""
        squared, slope = self._read(points)
        best = np.sqrt(squared)
        h = self.grid.side
        length = np.linalg.norm(slope, axis=0)
        near = np.flatnonzero((best < BESIDE * h) & (length > 0.0))
        if len(near):
            at, n, found = points[:, near], slope[:, near] / length[near], best[near]
            for s in AFAR:
                squared, slope = self._read(at + s * h * n)
                found = np.maximum(found, np.sqrt(squared) - s * h)
                length = np.linalg.norm(slope, axis=0)
                n = np.where(length > 0.0, slope / np.where(length > 0.0, length, 1.0), n)
            best[near] = found
        if self.far is not None:
            beyond = np.flatnonzero(self._outside(points))
            if len(beyond):
                best[beyond] = np.maximum(best[beyond], self.far.distance(points[:, beyond]))
        return best

    def _outside(self, points: np.ndarray) -> np.ndarray:
        """Which points are outside the hull, (count,)."""
        x, y, z = points
        places = [np.hypot(x, y), z] if self.grid.round else [x, y, z]
        low, high = self.grid.origin, self._top
        return np.any([(v < a) | (v > b) for v, a, b in zip(places, low, high, strict=False)], axis=0)

    def _read(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Squared distances from below, and which way they grow."""
        grid = self.grid
        if grid.round:
            first, angle = np.hypot(points[0], points[1]), np.arctan2(points[1], points[0])
            first, outside, inside = _within(first, 0.0, self._top[0])
            half = 0.5 * grid.spacing[2]
            u = np.mod(angle, 2.0 * np.pi) / grid.spacing[2]
            k2 = np.minimum(u.astype(np.int64), grid.counts[2] - 1)
            u = (u - k2 - 0.5) * grid.spacing[2]
            # The point lies on the chord between the two points at this radius on the neighbouring rays.
            first = first * np.cos(u) / np.cos(half)
            t2 = np.clip(0.5 + 0.5 * np.tan(u) / np.tan(half), 0.0, 1.0)
            chord = 2.0 * first * np.sin(half)
            loss = t2 * (1.0 - t2) * chord**2
        else:
            first, outside, inside = _within(points[0], grid.origin[0], self._top[0])
            third, more, free = _within(points[2], grid.origin[2], self._top[2])
            k2, t2 = self._cell(third, 2)
            outside, loss = outside + more, t2 * (1.0 - t2) * grid.spacing[2] ** 2
        second, more, level = _within(points[2 if grid.round else 1], grid.origin[1], self._top[1])
        outside = outside + more
        k0, t0 = self._cell(first, 0)
        k1, t1 = self._cell(second, 1)
        loss = loss + t0 * (1.0 - t0) * grid.spacing[0] ** 2 + t1 * (1.0 - t1) * grid.spacing[1] ** 2
        d0, d1, d2 = self._strides
        at = k0 * d0 + k1 * d1 + k2
        v = self.squared
        c = [v[at + offset] for offset in (0, d2, d1, d1 + d2, d0, d0 + d2, d0 + d1, d0 + d1 + d2)]
        s0, s1, s2 = 1.0 - t0, 1.0 - t1, 1.0 - t2
        a0, a1 = s2 * c[0] + t2 * c[1], s2 * c[2] + t2 * c[3]
        b0, b1 = s2 * c[4] + t2 * c[5], s2 * c[6] + t2 * c[7]
        a, b = s1 * a0 + t1 * a1, s1 * b0 + t1 * b1
        low = np.maximum(s0 * a + t0 * b - loss, 0.0) + outside
        g0 = (b - a) / grid.spacing[0] + inside
        g1 = (s0 * (a1 - a0) + t0 * (b1 - b0)) / grid.spacing[1] + level
        g2 = s0 * (s1 * (c[1] - c[0]) + t1 * (c[3] - c[2])) + t0 * (s1 * (c[5] - c[4]) + t1 * (c[7] - c[6]))
        if not grid.round:
            return low, np.stack([g0, g1, g2 / grid.spacing[2] + free])
        rho = np.hypot(points[0], points[1])
        c_, s_ = np.cos(angle), np.sin(angle)
        g2 = g2 / (grid.spacing[2] * np.maximum(rho, 1e-9))
        return low, np.stack([c_ * g0 - s_ * g2, s_ * g0 + c_ * g2, g1])

    def _cell(self, value: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
        """The node below, and the share of the way to the next."""
        count = self.grid.counts[axis]
        if count == 1:
            return np.zeros(len(value), np.int64), np.zeros(len(value))
        u = (value - self.grid.origin[axis]) / self.grid.spacing[axis]
        k = np.clip(u.astype(np.int64), 0, count - 2)
        return k, np.clip(u - k, 0.0, 1.0)


def _within(value: np.ndarray, low: float, high: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values brought into the hull, the squares of what is outside, and twice that way: the square's slope.

    The hull is convex and holds the set: the way to the hull and the way on from there meet at an obtuse angle.
    """
    inside = np.clip(value, low, high)
    out = value - inside
    return inside, out**2, 2.0 * out
