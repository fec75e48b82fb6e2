"""The exact workspace of a chain of hinges in a plane: annuli and arcs.

W[n] is the arc that the end describes about the last hinge; W[i] is W[i+1], moved by the link between them, swept about
hinge i over its range (korein-badler-1981). The boundary of a swept set lies on

- the set's own boundary, turned to either end of the range, and
- circles about the hinge through those points of its boundary that are nearest, farthest, or corners.

So each W[i] has a finite list K[i] of *candidate circles* (a point is one of radius 0) that its boundary is part of:
K[i] is K[i+1] turned both ways, and circles of all critical radii of K[i+1]. Whether a point is in W[i] is then decided
exactly: as hinge i turns, the point moves on a circle in the frame of W[i+1], is inside or outside between crossings of
candidate circles, and one point between two crossings tells. The boundary itself is what of the candidates' arcs has
the set on one side only; area follows by Green's theorem, arc by arc.

The number of candidates about squares with each hinge: up to three take milliseconds to seconds, more are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure.movable import movable

if TYPE_CHECKING:
    from manikin.figure import Figure

#: Hinges at most.
MOST = 3
_TURN = 2.0 * np.pi
# Of the chain's length: rounding of a place, and how far beside an arc one looks.
_ROUNDING, _ASIDE = 1e-11, 1e-7


@dataclass(frozen=True)
class Arc:
    """Part of the boundary: the circle about `center`, from `first` on to `last` counter-clockwise.

    inside: +1 where the set lies towards the centre, −1 where it lies outside of the circle.
    """

    center: tuple[float, float]
    radius: float
    first: float
    last: float
    inside: int

    def points(self, count: int = 32) -> np.ndarray:
        """Points along it, (count, 2)."""
        angle = np.linspace(self.first, self.last, count)
        return np.array(self.center) + self.radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _turned(points: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([[c, s], [-s, c]])


def _unique(circles: np.ndarray, size: float) -> np.ndarray:
    """The circles (x, y, radius) that differ by more than rounding."""
    unit = 10.0 * _ROUNDING * size
    _, kept = np.unique(np.round(circles / unit), axis=0, return_index=True)
    return circles[np.sort(kept)]


def _crossings(a: np.ndarray, b: np.ndarray, size: float) -> np.ndarray:
    """Where circles a and b (x, y, radius, arrays of the same length) meet, (2, count, 2); NaN where they do not."""
    d = b[:, :2] - a[:, :2]
    distance = np.linalg.norm(d, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        along = (distance**2 + a[:, 2] ** 2 - b[:, 2] ** 2) / (2.0 * distance)
        square = a[:, 2] ** 2 - along**2
        square = np.where((square < 0.0) & (square > -((_ROUNDING**0.5 * size) ** 2) * 1e-1), 0.0, square)
        aside = np.sqrt(square)
        unit = d / distance[:, None]
    normal = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    middle = a[:, :2] + along[:, None] * unit
    found = np.stack([middle + aside[:, None] * normal, middle - aside[:, None] * normal])
    found[:, distance <= _ROUNDING * size] = np.nan
    return found


class PlanarWorkspace:
    """The set that the end of a planar chain reaches.

    vectors: from each hinge to the next and from the last to the end, all angles at zero, (n, 2). limits: of each hinge
    its lower and upper angle, radians; a range of a whole turn or more, or an infinite one, is no limit. The chain's
    own plane is x, y, its first hinge the origin.
    """

    def __init__(self, vectors: Any, limits: Sequence[tuple[float, float]] | None = None) -> None:
        self.vectors = np.array(vectors, dtype=float).reshape(-1, 2)
        n = len(self.vectors)
        if not 1 <= n <= MOST or not np.isfinite(self.vectors).all():
            raise FigureError(
                f"planar workspace: 1 to {MOST} hinges are wanted, with finite vectors, got {n}"
            )
        ends = np.array(limits if limits is not None else [(-np.inf, np.inf)] * n, dtype=float).reshape(-1, 2)
        if len(ends) != n or np.isnan(ends).any() or (ends[:, 0] > ends[:, 1]).any():
            raise FigureError(
                f"planar workspace: a lower and an upper limit for each of {n} hinges are wanted"
            )
        self.whole = ends[:, 1] - ends[:, 0] >= _TURN
        self.limits = np.where(self.whole[:, None], [[-np.pi, np.pi]], ends)
        self.size = float(np.linalg.norm(self.vectors, axis=1).sum()) or 1.0
        self.candidates = self._candidates()

    @classmethod
    def of(
        cls,
        figure: Figure,
        site: str,
        free: str | Iterable[str] | None = None,
        *,
        fixed: str | Iterable[str] | None = None,
    ) -> PlanarWorkspace:
        """The workspace of a site on hinges whose axes are parallel, in the plane across them.

        `frame` then takes the plane's coordinates into the world.
        """
        from manikin.reach.chain import planar_chain

        vectors, limits, frame = planar_chain(figure, site, movable(figure, free, fixed))
        made = cls(vectors, limits)
        made.frame = frame
        return made

    frame: np.ndarray = np.eye(4)
    """4×4: the plane's x, y and normal, and the first hinge, in the world."""

    def distal(self, first: int) -> PlanarWorkspace:
        """W[first], counted from 1: of the chain without its first hinges, in its own plane with all before at zero."""
        if not 1 <= first <= len(self.vectors):
            raise FigureError(f"planar workspace: there are W[1] to W[{len(self.vectors)}], not W[{first}]")
        return PlanarWorkspace(self.vectors[first - 1 :], [tuple(ends) for ends in self.limits[first - 1 :]])

    def _candidates(self) -> list[np.ndarray]:
        """Candidate circles of each W[i], (count, 3)."""
        found: list[np.ndarray] = []
        inner = np.zeros((1, 3))
        for i in range(len(self.vectors) - 1, -1, -1):
            moved = inner + np.append(self.vectors[i], 0.0)
            radii = self._critical(moved)
            parts = [np.column_stack([np.zeros((len(radii), 2)), radii])]
            if not self.whole[i]:
                for end in self.limits[i]:
                    parts.append(np.column_stack([_turned(moved[:, :2], end), moved[:, 2]]))
            inner = _unique(np.vstack(parts), self.size)
            found.insert(0, inner)
        return found

    def _critical(self, circles: np.ndarray) -> np.ndarray:
        """Distances from the origin of what is nearest, farthest or a crossing."""
        distance = np.linalg.norm(circles[:, :2], axis=1)
        radii = [distance + circles[:, 2], np.abs(distance - circles[:, 2])]
        i, j = np.triu_indices(len(circles), 1)
        if len(i):
            points = _crossings(circles[i], circles[j], self.size).reshape(-1, 2)
            radii.append(np.linalg.norm(points[np.isfinite(points).all(axis=1)], axis=1))
        every = np.concatenate(radii)
        unit = 10.0 * _ROUNDING * self.size
        _, kept = np.unique(np.round(every / unit), return_index=True)
        return every[kept]

    def contains(self, points: Sequence[Sequence[float]] | np.ndarray) -> np.ndarray:
        """Whether each point, (…, 2), is reached, to 1e-10 of the chain's length."""
        given = np.asarray(points, dtype=float)
        flat = given.reshape(-1, 2)
        found = np.zeros(len(flat), bool)
        for first in range(0, len(flat), 20_000):
            found[first : first + 20_000] = self._inside(0, flat[first : first + 20_000])
        return found.reshape(given.shape[:-1])

    def _inside(self, i: int, points: np.ndarray) -> np.ndarray:
        """Whether points are in W[i + 1], in its frame."""
        low, high = self.limits[i]
        slack = 10.0 * _ROUNDING * self.size
        radius = np.linalg.norm(points, axis=1)
        if i == len(self.vectors) - 1:
            arm = float(np.linalg.norm(self.vectors[i]))
            on = np.abs(radius - arm) <= slack
            turn = self._angle(points) - self._angle(self.vectors[i][None])[0]
            return np.logical_and(on, self._within(i, turn, radius))
        # The angles at which the point, seen from the next frame, is on a candidate circle.
        inner = self.candidates[i + 1] + np.append(self.vectors[i], 0.0)
        distance = np.linalg.norm(inner[:, :2], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            cosine = (radius[:, None] ** 2 + distance**2 - inner[:, 2] ** 2) / (
                2.0 * radius[:, None] * distance
            )
        near = np.abs(np.abs(cosine) - 1.0) < 1e-9
        half = np.arccos(np.clip(np.where((np.abs(cosine) <= 1.0) | near, cosine, np.nan), -1.0, 1.0))
        toward = self._angle(points)[:, None] - self._angle(inner[:, :2])
        angles = np.concatenate([toward - half, toward + half], axis=1)
        angles = low + np.mod(angles - low, _TURN)
        angles = np.where(np.isfinite(angles), np.minimum(angles, high), low)
        angles = np.sort(
            np.column_stack([np.full(len(points), low), angles, np.full(len(points), high)]), axis=1
        )
        tries = np.concatenate([0.5 * (angles[:, 1:] + angles[:, :-1]), angles], axis=1)
        which = np.repeat(np.arange(len(points)), tries.shape[1])
        c, s = np.cos(tries).ravel(), np.sin(tries).ravel()
        x, y = points[which, 0], points[which, 1]
        seen = np.column_stack([c * x + s * y, c * y - s * x]) - self.vectors[i]
        reach = float(np.linalg.norm(self.vectors[i + 1 :], axis=1).sum())
        close = np.linalg.norm(seen, axis=1) <= reach + slack
        inside = np.zeros(len(seen), bool)
        inside[close] = self._inside(i + 1, seen[close])
        return np.asarray(inside.reshape(len(points), tries.shape[1]).any(axis=1))

    def least_turn(self, i: int, point: np.ndarray, about: float) -> float | None:
        """The turn of hinge i + 1 nearest to ``about`` that brings a point of its frame into W[i + 2]; None where none
        does. It is ``about`` itself, or an angle at which the point crosses a candidate circle, to 1e-9 rad."""
        low, high = self.limits[i]
        inner = self.candidates[i + 1] + np.append(self.vectors[i], 0.0)
        radius, distance = float(np.linalg.norm(point)), np.linalg.norm(inner[:, :2], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            cosine = (radius**2 + distance**2 - inner[:, 2] ** 2) / (2.0 * radius * distance)
        cosine = np.where(np.abs(cosine) <= 1.0 + 1e-9, np.clip(cosine, -1.0, 1.0), np.nan)
        toward = np.arctan2(point[1], point[0]) - self._angle(inner[:, :2])
        angles = np.concatenate([toward - np.arccos(cosine), toward + np.arccos(cosine)])
        angles = low + np.mod(angles[np.isfinite(angles)] - low, _TURN)
        angles = np.unique(np.concatenate([[low, high], angles[angles <= high]]))
        middle = 0.5 * (angles[1:] + angles[:-1])
        now = min(max(about, low), high)
        tried = np.append(middle, now)
        c, s = np.cos(tried), np.sin(tried)
        seen = np.column_stack([c * point[0] + s * point[1], c * point[1] - s * point[0]]) - self.vectors[i]
        inside = self._inside(i + 1, seen)
        if inside[-1]:
            return now
        # Between crossings it is inside or outside: the nearest end of a stretch inside, a billionth into it.
        best: float | None = None
        for k in np.flatnonzero(inside[:-1]):
            room = min(1e-9, 0.25 * (angles[k + 1] - angles[k]))
            turn = float(min(max(now, angles[k] + room), angles[k + 1] - room))
            if best is None or abs(turn - about) < abs(best - about):
                best = turn
        return best

    @staticmethod
    def _angle(vectors: np.ndarray) -> np.ndarray:
        return np.arctan2(vectors[:, 1], vectors[:, 0])

    def _within(self, i: int, angle: np.ndarray, radius: np.ndarray) -> np.ndarray:
        """Whether an angle, up to whole turns, is in the range of hinge i, to rounding of a place at this radius."""
        low, high = self.limits[i]
        slack = 10.0 * _ROUNDING * self.size / np.maximum(radius, _ROUNDING * self.size)
        inside = np.mod(angle - low + slack, _TURN) <= high - low + 2.0 * slack
        return np.full(len(angle), True) if self.whole[i] else np.asarray(inside)

    @cached_property
    def boundary(self) -> tuple[Arc, ...]:
        """The arcs that bound the set; none of a single hinge, whose set is an arc itself."""
        if len(self.vectors) == 1:
            return ()
        circles = self.candidates[0]
        circles = circles[circles[:, 2] > _ASIDE * self.size]
        arcs: list[tuple[np.ndarray, float, float]] = []
        for k, circle in enumerate(circles):
            others = np.delete(circles, k, axis=0)
            meets = _crossings(np.repeat(circle[None], len(others), axis=0), others, self.size).reshape(-1, 2)
            meets = meets[np.isfinite(meets).all(axis=1)] - circle[:2]
            cuts = np.unique(np.append(np.mod(self._angle(meets), _TURN), [0.0, np.pi]))
            cuts = np.append(cuts, cuts[0] + _TURN)
            arcs += [(circle, a, b) for a, b in pairwise(cuts) if b - a > 1e-9]
        middle = np.array([0.5 * (a + b) for _, a, b in arcs])
        rays = np.stack([np.cos(middle), np.sin(middle)], axis=1)
        centers = np.array([circle[:2] for circle, _, _ in arcs])
        radii = np.array([circle[2] for circle, _, _ in arcs])[:, None]
        aside = _ASIDE * self.size
        within = self.contains(centers + (radii - aside) * rays)
        beyond = self.contains(centers + (radii + aside) * rays)
        return tuple(
            Arc((float(c[0]), float(c[1])), float(c[2]), float(a), float(b), 1 if within[k] else -1)
            for k, (c, a, b) in enumerate(arcs)
            if within[k] != beyond[k]
        )

    @cached_property
    def area(self) -> float:
        """Its area, ½ ∮ (x dy − y dx), each arc in closed form."""
        total = 0.0
        for arc in self.boundary:
            (x, y), r = arc.center, arc.radius
            turn = arc.last - arc.first
            part = r * r * turn
            part += r * (
                x * (np.sin(arc.last) - np.sin(arc.first)) - y * (np.cos(arc.last) - np.cos(arc.first))
            )
            total += 0.5 * arc.inside * part
        return float(total)

    def __repr__(self) -> str:
        return f"PlanarWorkspace({len(self.vectors)} hinges, {len(self.boundary)} arcs, {self.area:.4g} m²)"
