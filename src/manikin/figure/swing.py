"""Limits on the swing of a ball joint: a cone, an ellipse, a polygon.

A ball joint's first two coordinates are its swing s = (s1, s2), a rotation vector at right angles to the twist's
axis: the axis leans over by |s| radians, in the direction of s turned by 90°. In this plane a cone of half-angle a is
the disc |s| ≤ a, an ellipse is ((s1 − c1)/a)² + ((s2 − c2)/b)² ≤ 1, and a polygon is a linear coupling an edge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from manikin.errors import FigureError
from manikin.figure import checks
from manikin.figure.coupling import Coupling
from manikin.figure.segment import Record

# A point this far outside, in radians, is rounding.
_SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class Ellipse(Record):
    """((s1 − c1)/a)² + ((s2 − c2)/b)² ≤ 1, in radians; a cone when a = b and the centre is 0.

    radii: (a, b), above 0 and at most π.
    center: (c1, c2).
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

        With c and h the middle and half the width of each range and p = −lower · upper = h² − c², the squares of its
        radii are h1² + c2² p1/p2 and h2² + c1² p2/p1.
        """
        ends = np.array([checks.vector(each, (2,), "swing ellipse: range") for each in (first, second)])
        if not ((ends[:, 0] < 0.0) & (ends[:, 1] > 0.0)).all():
            raise FigureError(f"swing ellipse: both ranges must hold 0 inside, got {ends.tolist()}")
        center, half, p = ends.mean(axis=1), 0.5 * np.ptp(ends, axis=1), -ends.prod(axis=1)
        return cls(np.sqrt(half**2 + (center**2 / p)[::-1] * p), center)

    @property
    def middle(self) -> np.ndarray:
        """The centre."""
        return self.center

    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """The smallest box around it: its lower and its upper corner."""
        return self.center - self.radii, self.center + self.radii

    def holds(self, point: Sequence[float] | np.ndarray, slack: float = _SLACK) -> bool:
        """Whether a swing is inside, to `slack` radians."""
        u = (np.asarray(point, dtype=float) - self.center) / (self.radii + slack)
        return float(u @ u) <= 1.0

    def polygon(self, sides: int) -> Polygon:
        """The polygon of this many corners on the ellipse, which lies inside it."""
        turn = 2.0 * math.pi * np.arange(sides) / sides
        return Polygon(self.center + self.radii * np.column_stack([np.cos(turn), np.sin(turn)]))


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
    """((q[first] − center_1)/radius_1)² + ((q[second] − center_2)/radius_2)² ≤ 1, over places in q; radians.

    ``numpy.array(figure.cones).reshape(-1, 6)`` has one a row.
    """

    first: int
    second: int
    center_1: float
    center_2: float
    radius_1: float
    radius_2: float

    def value(self, q: np.ndarray) -> Any:
        """The left side, at most 1 inside; q may have batch axes in front."""
        u = (q[..., self.first] - self.center_1) / self.radius_1
        v = (q[..., self.second] - self.center_2) / self.radius_2
        return u * u + v * v

    def nearest(self, q: np.ndarray) -> tuple[float, float]:
        """The swing inside that is nearest to the one in q: that one itself if it is inside."""
        if self.value(q) <= 1.0:
            return float(q[self.first]), float(q[self.second])
        x, y = float(q[self.first]) - self.center_1, float(q[self.second]) - self.center_2
        near = _nearest_on_ellipse(abs(x), abs(y), self.radius_1, self.radius_2)
        return self.center_1 + math.copysign(near[0], x), self.center_2 + math.copysign(near[1], y)

    def distance(self, q: np.ndarray) -> float:
        """How far the swing in q is outside, radians; 0 inside."""
        near = self.nearest(q)
        return math.hypot(q[self.first] - near[0], q[self.second] - near[1])

    def brought_in(self, q: np.ndarray) -> np.ndarray:
        """q with its swing at the nearest one inside, so that no rounding leaves `value` above 1."""
        result = np.array(q, dtype=float)
        swing, center = [self.first, self.second], np.array([self.center_1, self.center_2])
        result[swing] = self.nearest(result)
        away, shrink = result[swing] - center, 1e-16
        while self.value(result) > 1.0:
            result[swing] = center + (1.0 - shrink) * away
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
