"""Proof that a goal is out of reach: it is farther away than the figure is long.

However the joints between two points of a figure turn, the points are no farther apart than the bones between them are
long together, slides drawn out to the ends of their ranges, and no nearer than the longest bone is longer than all the
others. One of the points is the goal's site; the other stands still, in the world where the chain begins, or as a hard
goal holds it. As the distance of a point from its target, line, plane or region changes by no more than the point
moves, a goal whose distance at the standing point is more than that length cannot be met.

Limits of hinges are not looked at, so much that is out of reach is not proved to be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from manikin.figure import transforms
from manikin.goals import Goal

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.result.solution import Solution

ALONE, WITH_HARD = "alone", "with hard goals"
_ROUNDING = 1e-9


@dataclass
class _Way:
    """A way down the tree: where it leaves the frame it begins in, and the longest that each bone after that can be."""

    start: np.ndarray
    shortest: list[float] = field(default_factory=list)
    longest: list[float] = field(default_factory=list)

    def add(self, low: float, high: float) -> None:
        self.shortest.append(low)
        self.longest.append(high)


def out_of_reach(solution: Solution, goal: Goal) -> str:
    """``"alone"`` where no pose of the figure meets the goal, ``"with hard goals"`` where none does that meets the hard
    goals too; "" where neither is proved.
    """
    off = getattr(goal, "weight", 1.0) == 0.0
    if off or goal.distance(np.zeros(3), solution.anchor) is None:
        return ""
    spans = Spans(solution.figure, solution.problem.free, solution.q)
    at, nearest, farthest = spans.from_world(goal.site)
    if _beyond(solution, goal, at, nearest, farthest):
        return ALONE
    for other, fixed in _standing(solution, goal):
        nearest, farthest = spans.between(other, goal.site)
        if _beyond(solution, goal, fixed, nearest, farthest):
            return WITH_HARD
    return ""


def _beyond(solution: Solution, goal: Goal, at: np.ndarray, nearest: float, farthest: float) -> bool:
    """Whether no point at these distances from ``at`` is where the goal wants it."""
    distance = goal.distance(at, solution.anchor)
    assert distance is not None
    enough = solution.problem.tolerance[0] + _ROUNDING * (1.0 + distance)
    if distance - farthest > enough:
        return True
    return goal.place(solution.anchor) is not None and nearest - distance > enough


def _standing(solution: Solution, goal: Goal) -> Iterator[tuple[str, np.ndarray]]:
    """The sites that active hard goals hold at a point, and where."""
    for other in solution.goals:
        if other is not goal and getattr(other, "hard", False):
            place = other.place(solution.anchor)
            if place is not None:
                yield other.site, place.point


class Spans:
    """How near and how far two points of a figure can be from each other within the ranges of what is free.

    free: (n,), whether each coordinate may move. q: where those are that may not.
    """

    def __init__(self, figure: Figure, free: np.ndarray, q: np.ndarray) -> None:
        self.figure = figure
        tree = self.figure.tree
        low, high = np.where(free, self.figure.lower, q), np.where(free, self.figure.upper, q)
        self.low, self.high = tree.axis_offset.copy(), tree.axis_offset.copy()
        for axis, dof, c in zip(tree.drive_axis, tree.drive_dof, tree.drive_coefficient, strict=True):
            ends = sorted((c * low[dof], c * high[dof]))
            self.low[axis] += ends[0]
            self.high[axis] += ends[1]
        for axis, curve in zip(tree.curve_axis, tree.curves, strict=True):
            self.low[axis], self.high[axis] = curve.extremes(self.low[axis], self.high[axis])

    def from_world(self, site: str) -> tuple[np.ndarray, float, float]:
        """The point of the world where a site's chain begins to move, and the site's least and greatest distance."""
        way = self._down(self._path(site), site)
        return way.start, *_reach(way.shortest, way.longest)

    def between(self, one: str, other: str) -> tuple[float, float]:
        """The least and the greatest distance of two sites."""
        paths = self._path(one), self._path(other)
        shared = 0
        while shared < min(map(len, paths)) and paths[0][shared] == paths[1][shared]:
            shared += 1
        first, second = (
            self._down(path[shared:], site) for path, site in zip(paths, (one, other), strict=True)
        )
        span = float(np.linalg.norm(first.start - second.start))
        return _reach([span, *first.shortest, *second.shortest], [span, *first.longest, *second.longest])

    def _path(self, site: str) -> list[int]:
        """The motions from the root to a site."""
        place = list(self.figure.segments).index(self.figure.sites[site].segment)
        return self.figure.tree.path(int(self.figure.tree.segment_motion[place]))

    def _down(self, path: Sequence[int], site: str) -> _Way:
        """The way to a site from the frame that its first motion hangs on."""
        tree, where = self.figure.tree, self.figure.sites[site]
        frame, way = np.eye(4), None
        for i in path:
            frame = frame @ transforms.unpack(tree.placement[i])
            axis, values = int(tree.axis[i]), tree.values_of(i)
            if (self.low[values] == self.high[values]).all():
                frame = frame @ tree.moved(i, self.low)
                continue
            way = _lengthened(way, frame)
            frame = np.eye(4)
            if tree.slides[i]:
                ends = self.low[axis], self.high[axis]
                least = 0.0 if ends[0] <= 0.0 <= ends[1] else min(map(abs, ends))
                way.add(least, max(map(abs, ends)))
            elif not tree.kinds[i].stays:
                way.add(0.0, math.inf)
        place = list(self.figure.segments).index(where.segment)
        return _lengthened(way, frame @ transforms.unpack(tree.segment_placement[place]) @ where.placement)


def _lengthened(way: _Way | None, frame: np.ndarray) -> _Way:
    """The way with one more bone, from the origin to that of ``frame``; the first says where the way begins."""
    if way is None:
        return _Way(frame[:3, 3].copy())
    bone = float(np.linalg.norm(frame[:3, 3]))
    way.add(bone, bone)
    return way


def _reach(shortest: Sequence[float], longest: Sequence[float]) -> tuple[float, float]:
    """The least and the greatest distance between the ends of a chain of bones."""
    total = math.fsum(longest) if all(map(math.isfinite, longest)) else math.inf
    if total == math.inf:
        return 0.0, math.inf
    least = max(
        (2.0 * low - total + (high - low) for low, high in zip(shortest, longest, strict=True)), default=0.0
    )
    return max(0.0, least), total
