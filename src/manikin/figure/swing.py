"""Limits on the swing of a ball joint: a cone, an ellipse, a polygon.

A ball joint's first two coordinates are its swing s = (s1, s2), a rotation vector at right angles to the twist's
axis: the axis leans over by |s| radians, in the direction of s turned by 90°. In this plane a cone of half-angle a is
the disc |s| ≤ a, an ellipse is (s1/a)² + (s2/b)² ≤ 1, and a polygon is a linear coupling an edge.

The plane is a map of directions that is true from its middle only, so off centre a cone is no disc in it. It is a disc
as its own centre sees directions: with σ the swing from the centre's direction to that of s (`figure.lean`), a cone
about c is |σ| ≤ a, an ellipse (σ1/a)² + (σ2/b)² ≤ 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from manikin.errors import FigureError
from manikin.figure import checks, lean
from manikin.figure.coupling import Coupling
from manikin.figure.segment import Record

# A point this far outside, in radians, is rounding.
_SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class Ellipse(Record):
    """(σ1/a)² + (σ2/b)² ≤ 1, in radians, σ the swing as its centre sees it: a true cone of directions when a = b.

    radii: (a, b), above 0 and at most π.
    center: the swing (c1, c2) of its middle.
    """

    radii: Any
    center: Any = (0.0, 0.0)

    def __post_init__(self) -> None:
        radii = checks.vector(self.radii, (2,), "swing ellipse: radii")
        if not ((radii > 0.0) & (radii <= math.pi)).all():
            raise FigureError(f"swing ellipse: radii must be above 0 and at most π, got {radii.tolist()}")
        self._set(radii=radii, center=checks.vector(self.center, (2,), "swing ellipse: center"))

    @classmethod
    def through(cls, first: Sequence[float], second: Sequence[float]) -> Ellipse:
        """The ellipse through the ends of two ranges, (lower, upper) each, either with the other swing at 0.

        In the plane, with c and h the middle and half the width of each range and p = −lower · upper = h² − c², the
        squares of its radii are h1² + c2² p1/p2 and h2² + c1² p2/p1. From there Newton's method finds the ellipse of
        directions.
        """
        ends = np.array([checks.vector(each, (2,), "swing ellipse: range") for each in (first, second)])
        if not ((ends[:, 0] < 0.0) & (ends[:, 1] > 0.0)).all():
            raise FigureError(f"swing ellipse: both ranges must hold 0 inside, got {ends.tolist()}")
        center, half, p = ends.mean(axis=1), 0.5 * np.ptp(ends, axis=1), -ends.prod(axis=1)
        radii = np.sqrt(half**2 + (center**2 / p)[::-1] * p)
        if center.any():
            center, radii = _through(ends, center, radii)
        return cls(radii, center)

    @property
    def middle(self) -> np.ndarray:
        """The centre."""
        return self.center

    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """The smallest box around it in the plane of the swing: its lower and its upper corner."""
        if not self.center.any():
            return -self.radii, self.radii.copy()
        if self.holds([math.pi, 0.0]):  # straight back is a circle of swings
            return np.full(2, -math.pi), np.full(2, math.pi)
        turns = 2.0 * math.pi * np.arange(720) / 720
        edge, step = self._edge(turns), turns[1]
        low, high = np.empty(2), np.empty(2)
        for k in range(2):
            for found, sign in ((low, -1.0), (high, 1.0)):
                at = turns[int(np.argmax(sign * edge[:, k]))]
                found[k] = sign * _farthest(partial(self._reach, k, sign), at - step, at + step)
        return low, high

    def _reach(self, k: int, sign: float, turn: float) -> float:
        """How far out its edge is at an angle round it, along one of the swings."""
        return sign * float(self._edge(turn)[k])

    def _edge(self, turn: Any) -> np.ndarray:
        """The swings of its edge at angles round it."""
        return lean.leaning(self.center, self.radii * np.stack([np.cos(turn), np.sin(turn)], axis=-1))

    def holds(self, point: Sequence[float] | np.ndarray, slack: float = _SLACK) -> bool:
        """Whether a swing is inside, to `slack` radians."""
        u = lean.seen_from(self.center, point) / (self.radii + slack)
        return float(u @ u) <= 1.0

    def polygon(self, sides: int) -> Polygon:
        """The polygon of this many corners on the ellipse, which lies inside it.

        Where the ellipse is so far off centre that the plane shows it bent inwards, its corners are on the largest
        smaller ellipse for which all edges lie inside.
        """
        turn = 2.0 * math.pi * np.arange(sides) / sides
        shape = self.radii * np.column_stack([np.cos(turn), np.sin(turn)])
        if not self.center.any():
            return Polygon(shape)
        low, high = 0.0, 1.0
        if self._has_edges_inside(shape):
            low = 1.0
        for _ in range(50 if low == 0.0 else 0):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._has_edges_inside(middle * shape) else (low, middle)
        return Polygon(lean.leaning(self.center, low * shape))

    def _has_edges_inside(self, shape: np.ndarray) -> bool:
        """Whether the straight edges between corners, given as the centre sees them, are convex and inside."""
        corners = lean.leaning(self.center, shape)
        along = np.roll(corners, -1, axis=0) - corners
        after = np.roll(along, -1, axis=0)
        bend = along[:, 0] * after[:, 1] - along[:, 1] * after[:, 0]
        part = np.linspace(0.0, 1.0, 65)[1:-1, None, None]
        u = lean.seen_from(self.center, corners + part * along) / self.radii
        return bool((np.sign(bend[0]) * bend > 0.0).all() and ((u * u).sum(axis=-1) <= 1.0 + _SLACK).all())


def _through(ends: np.ndarray, center: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centre and radii of the ellipse through the ends of two ranges, by Newton's method from those in the plane."""
    points = np.array([[ends[0, 0], 0.0], [ends[0, 1], 0.0], [0.0, ends[1, 0]], [0.0, ends[1, 1]]])

    def off(x: np.ndarray) -> np.ndarray:
        return ((lean.seen_from(x[:2], points) / x[2:]) ** 2).sum(axis=1) - 1.0

    x = np.concatenate([center, radii])
    for _ in range(50):
        step = 1e-6 * np.eye(4)
        slopes = np.column_stack([(off(x + h) - off(x - h)) / 2e-6 for h in step])
        move = np.linalg.lstsq(slopes, -off(x), rcond=None)[0]
        x = x + move * min(1.0, 0.3 / max(float(np.abs(move).max()), 1e-300))
        if np.abs(off(x)).max() < 1e-13:
            break
    if not np.abs(off(x)).max() < 1e-9 or not ((x[2:] > 0.0) & (x[2:] <= math.pi)).all():
        raise FigureError(f"swing ellipse: there is none through the ends of {ends.tolist()}")
    return x[:2], x[2:]


def _farthest(value: Callable[[float], float], low: float, high: float) -> float:
    """The largest value between two numbers around one maximum (golden section)."""
    ratio = 0.6180339887498949
    for _ in range(60):
        one, two = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (one, high) if value(one) < value(two) else (low, two)
    return value(0.5 * (low + high))


@dataclass(frozen=True, eq=False)
class Polygon(Record):
    """A convex polygon in the plane of the swing: its corners, (k, 2), radians, in order, either way round.

    Corners on a straight edge are dropped, and the rest stored anticlockwise.
    """

    points: Any

    def __post_init__(self) -> None:
        try:
            points = checks.frozen(self.points)
        except (TypeError, ValueError):
            raise FigureError(f"swing polygon: expected points of two numbers, got {self.points!r}") from None
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3:
            raise FigureError(
                f"swing polygon: expected three or more points of two numbers, got {self.points!r}"
            )
        if not np.isfinite(points).all():
            raise FigureError(f"swing polygon: expected finite numbers, got {points.tolist()}")
        self._set(points=checks.frozen(_anticlockwise(points)))

    @property
    def middle(self) -> np.ndarray:
        """The mean of its corners."""
        return self.points.mean(axis=0)

    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """The smallest box around it: its lower and its upper corner."""
        return self.points.min(axis=0), self.points.max(axis=0)

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Unit normals outwards, (k, 2), and ends d, (k,): inside is normals · s ≤ d."""
        along = np.roll(self.points, -1, axis=0) - self.points
        normals = np.column_stack([along[:, 1], -along[:, 0]])
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        return normals, (normals * self.points).sum(axis=1)

    def holds(self, point: Sequence[float] | np.ndarray, slack: float = _SLACK) -> bool:
        """Whether a swing is inside, to `slack` radians."""
        normals, ends = self.edges()
        return bool((normals @ np.asarray(point, dtype=float) <= ends + slack).all())


#: What may limit a swing.
SwingLimit = Ellipse | Polygon


def _anticlockwise(points: np.ndarray) -> np.ndarray:
    """The corners in mathematical order, without those on straight edges; an error if they are not convex."""
    size = np.ptp(points, axis=0).max()
    apart = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1) > 1e-9 * max(size, 1e-300)
    kept = points[apart]
    x, y = kept.T
    area = 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    if len(kept) < 3 or abs(area) < 1e-9 * size * size:
        raise FigureError(f"swing polygon: it has no area: {points.tolist()}")
    if area < 0.0:
        kept = kept[::-1]
    before, after = kept - np.roll(kept, 1, axis=0), np.roll(kept, -1, axis=0) - kept
    bend = np.arctan2(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0], (before * after).sum(axis=1))
    if bend.min() < -1e-9 or abs(bend.sum() - 2.0 * math.pi) > 1e-6:
        raise FigureError(
            f"swing polygon: it must be convex, its points in order around it, got {points.tolist()}"
        )
    return kept[bend > 1e-9]


class Cone(NamedTuple):
    """(σ1/radius_1)² + (σ2/radius_2)² ≤ 1, σ the swing (q[first], q[second]) as the swing (center_1, center_2) sees it
    (`figure.lean`): the swing itself where that is 0. Radians, over places in q.

    ``numpy.array(figure.cones).reshape(-1, 6)`` has one a row.
    """

    first: int
    second: int
    center_1: float
    center_2: float
    radius_1: float
    radius_2: float

    def seen(self, q: np.ndarray) -> np.ndarray:
        """σ, (…, 2); q may have batch axes in front."""
        return lean.seen_from(self[2:4], np.asarray(q)[..., [self.first, self.second]])

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The swing at these shares of the radii, as the centre sees it: on the edge where x² + y² = 1."""
        found = lean.leaning(self[2:4], (x * self.radius_1, y * self.radius_2))
        return float(found[0]), float(found[1])

    def value(self, q: np.ndarray) -> Any:
        """The left side, at most 1 inside; q may have batch axes in front."""
        u = self.seen(q) / np.array(self[4:6])
        return (u * u).sum(axis=-1)

    def _nearest_seen(self, q: np.ndarray) -> np.ndarray:
        """σ of the nearest swing inside."""
        seen = self.seen(q)
        if self.value(q) <= 1.0:
            return seen
        near = _nearest_on_ellipse(abs(float(seen[0])), abs(float(seen[1])), self.radius_1, self.radius_2)
        return np.copysign(near, seen)

    def nearest(self, q: np.ndarray) -> tuple[float, float]:
        """The swing inside that is nearest to the one in q, as the centre sees them: that one itself if inside."""
        if self.value(q) <= 1.0:
            return float(q[self.first]), float(q[self.second])
        found = lean.leaning(self[2:4], self._nearest_seen(q))
        return float(found[0]), float(found[1])

    def distance(self, q: np.ndarray) -> float:
        """How far the swing in q is outside, radians, as the centre sees it; 0 inside."""
        return float(np.linalg.norm(self.seen(q) - self._nearest_seen(q)))

    def brought_in(self, q: np.ndarray) -> np.ndarray:
        """q with its swing at the nearest one inside, so that no rounding leaves `value` above 1."""
        result = np.array(q, dtype=float)
        if self.value(result) <= 1.0:
            return result
        swing, seen, shrink = [self.first, self.second], self._nearest_seen(result), 1e-16
        result[swing] = lean.leaning(self[2:4], seen)
        while self.value(result) > 1.0:
            result[swing] = lean.leaning(self[2:4], (1.0 - shrink) * seen)
            shrink *= 2.0
        return result


def _nearest_on_ellipse(x: float, y: float, a: float, b: float) -> tuple[float, float]:
    """The point of (x/a)² + (y/b)² = 1 nearest to x, y ≥ 0 outside.

    The difference is along the normal: x = u(1 + t/a²), y = v(1 + t/b²) for a t > 0, and
    (a x/(a² + t))² + (b y/(b² + t))² = 1 falls with t; bisected between 0 and max(a, b) |(x, y)|.
    """
    low, high = 0.0, max(a, b) * math.hypot(x, y)
    for _ in range(200):
        t = 0.5 * (low + high)
        if not low < t < high:
            break
        if (a * x / (a * a + t)) ** 2 + (b * y / (b * b + t)) ** 2 > 1.0:
            low = t
        else:
            high = t
    return a * a * x / (a * a + high), b * b * y / (b * b + high)


def couplings(name: str, dofs: Sequence[str], limit: Polygon) -> list[Coupling]:
    """A polygon's edges as linear constraints among the two swings of a joint, but those that the box has already."""
    found = []
    for k, (normal, end) in enumerate(zip(*limit.edges(), strict=True), start=1):
        if np.abs(normal).min() > 1e-12:
            total = {dofs[0]: float(normal[0]), dofs[1]: float(normal[1])}
            found.append(Coupling(total, upper=float(end), name=f"{name}_swing_{k}"))
    return found
