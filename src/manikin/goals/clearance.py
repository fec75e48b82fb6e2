"""The figure's own segments clear of each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Figure
from manikin.figure.checks import near
from manikin.goals.goal import FigureGoal, number
from manikin.goals.part import Part, rows
from manikin.goals.shapes import capsules_of, rest_distances

# Metres: segments nearer than this at rest count as touching there.
_TOUCHING = 0.002


@dataclass(frozen=True, eq=False)
class SelfClearance(FigureGoal):
    """The figure's segments at least ``margin`` metres clear of each other: one measure a pair.

    segments: names or patterns of those that mind; all that have a shape by default.
    ignore: pairs of names or patterns that may touch: ``[("left_hand", "left_thigh")]``.

    Left out are pairs that a joint connects (over one segment in between as well), pairs that nothing moves
    against each other, and pairs that touch, within the margin, when the figure is at rest.
    """

    margin: float = 0.0
    segments: str | Sequence[str] | None = None
    ignore: Sequence[tuple[str, str]] = ()
    weight: float = 1.0
    hard: bool = False
    noun = "clearance"
    settled_by: ClassVar[bool] = True

    def _check(self) -> None:
        number(self, "margin")
        for pair in self._pairs_to_ignore():
            if len(pair) != 2 or not all(isinstance(name, str) for name in pair):
                raise GoalError(f"{self.label()}: ignore must be pairs of names, got {pair!r}")
        if self.segments is not None and not isinstance(self.segments, str):
            listed = tuple(self.segments) if isinstance(self.segments, Iterable) else (self.segments,)
            if not listed or not all(isinstance(name, str) for name in listed):
                raise GoalError(f"{self.label()}: segments must be names or patterns, got {self.segments!r}")
            self._set("segments", listed)
        self._set("ignore", tuple(tuple(pair) for pair in self.ignore))

    def _pairs_to_ignore(self) -> list[tuple[str, ...]]:
        try:
            return [(pair,) if isinstance(pair, str) else tuple(pair) for pair in self.ignore]
        except TypeError:
            raise GoalError(f"{self.label()}: ignore must be pairs of names, got {self.ignore!r}") from None

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of segments that are kept apart."""
        figure = self.pose.figure
        capsules = {name: capsules_of(figure, name, self.label()) for name in self._names(figure)}
        capsules = {name: rows for name, rows in capsules.items() if len(rows)}
        names = list(capsules)
        touching = rest_distances(figure, capsules) <= max(self.margin, 0.0) + _TOUCHING
        together = _connected(figure)
        return [
            (a, b)
            for i, a in enumerate(names)
            for j, b in enumerate(names[i + 1 :], i + 1)
            if not touching[i, j] and b not in together[a] and not self._ignored(a, b)
        ]

    def _names(self, figure: Figure) -> list[str]:
        if self.segments is None:
            return [name for name, segment in figure.segments.items() if segment.shapes]
        found: dict[str, None] = {}
        for pattern in [self.segments] if isinstance(self.segments, str) else self.segments:
            matched = [name for name in figure.segments if name == pattern or fnmatchcase(name, pattern)]
            if not matched:
                raise GoalError(
                    f"{self.label()}: figure {figure.name!r} has no segment {pattern!r}; "
                    f"{near(pattern, figure.segments)}"
                )
            found |= dict.fromkeys(matched)
        return list(found)

    def _ignored(self, a: str, b: str) -> bool:
        return any(
            (fnmatchcase(a, one) and fnmatchcase(b, other)) or (fnmatchcase(b, one) and fnmatchcase(a, other))
            for one, other in self.ignore
        )

    def parts(self) -> tuple[Part, ...]:
        """One measure a pair: the least distance between them."""
        figure = self.pose.figure
        return tuple(
            Part(
                "apart",
                **rows(self.weight, [self.margin], [math.inf]),
                site=a,
                other=b,
                hard=self.hard,
                capsules=capsules_of(figure, a, self.label()),
                other_capsules=capsules_of(figure, b, self.label()),
            )
            for a, b in self.pairs()
        )


def _connected(figure: Figure) -> dict[str, set[str]]:
    """The segments that two joints or fewer connect with each, and those that move with it."""
    beside: dict[str, set[str]] = {name: set() for name in figure.segments}
    for joint in figure.joints.values():
        if joint.parent in beside and joint.child in beside:
            beside[joint.parent].add(joint.child)
            beside[joint.child].add(joint.parent)
    result = {
        name: near | {far for middle in near for far in beside[middle]} for name, near in beside.items()
    }
    motion = np.asarray(figure.tree.segment_motion)
    names = list(figure.segments)
    for i, name in enumerate(names):
        result[name] |= {names[j] for j in np.flatnonzero(motion == motion[i])}
    return result
