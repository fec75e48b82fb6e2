"""A goal measured between two parts of the figure."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from manikin.errors import GoalError
from manikin.figure import transforms
from manikin.goals.goal import Goal
from manikin.goals.inside import Inside
from manikin.goals.placement import Placement
from manikin.goals.position import Position
from manikin.goals.region import Region
from manikin.goals.registry import register
from manikin.residuals.block import Block

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.goals.words import Told


@register
@dataclass(frozen=True, eq=False)
class Relative(Goal):
    """A goal for ``site`` measured in the frame of the site ``other``: hand on hip, two hands on one box.

    goal: a goal for the same site, its targets in the frame of ``other``; or, shorter, a 3-vector (a position), a 4×4
        transform (a placement) or a region (inside it); or None, to keep what the start pose has.

    Hard, it closes a loop: ``Relative("left_hand", "right_hand", hard=True)`` keeps two hands joined as they are.
    """

    other: str
    goal: Any = None
    _: KW_ONLY
    weight: float = 1.0
    hard: bool = False
    noun = "relation"
    told_as_one = True
    settled_by: ClassVar[bool] = True

    @property
    def means_start(self) -> bool:  # type: ignore[override]
        """Whether it keeps what the start has."""
        return self.goal is None or self.goal.means_start

    @property
    def in_python(self) -> bool:  # type: ignore[override]
        """Whether the inner goal is a function in Python."""
        return self.goal is not None and self.goal.in_python

    def _check(self) -> None:
        if not isinstance(self.other, str) or not self.other:
            raise GoalError(f"{self.label()}: other must be the name of a site, got {self.other!r}")
        if self.other == self.site:
            raise GoalError(f"{self.label()}: a site cannot be measured from itself")
        if self.goal is not None:
            self._set("goal", self._as_goal(self.goal))

    def _as_goal(self, given: Any) -> Goal:
        if isinstance(given, Goal):
            if given.site != self.site:
                raise GoalError(
                    f"{self.label()}: its goal is for {given.site!r}; it must be for {self.site!r} too"
                )
            return given
        if isinstance(given, Region):
            return Inside(self.site, given)
        try:
            numbers = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.shape == (3,):
            return Position(self.site, numbers)
        if numbers.shape == (4, 4):
            return Placement(self.site, numbers[:3, 3], numbers)
        raise GoalError(
            f"{self.label()}: goal must be a goal, a 3-vector, a 4×4 transform, a region or None, got {given!r}"
        )

    def settle(self, pose: Pose) -> Self:
        """With the inner goal settled too: one that keeps the start keeps it as seen from the other site."""
        settled = super().settle(pose)
        if self.goal is not None and self.goal.settled_by:
            object.__setattr__(settled, "goal", self.goal.settle(pose))
        return settled

    def alternatives(self) -> tuple[tuple[Block, ...], ...]:
        """The inner goal's, measured from the other site."""
        pose = self.pose
        inner = self.goal
        if inner is None or type(inner).__name__ == "Pin":
            seen = transforms.inverse(pose.matrix(self.other)) @ pose.matrix(self.site)
            if inner is None:
                parts = self._hardened(Placement(self.site, seen[:3, 3], seen)).parts()
            else:
                parts = inner.parts_at(seen)
            return (tuple(replace(self._from(part), follows=True) for part in parts),)
        return tuple(
            tuple(self._from(part) for part in choice) for choice in self._hardened(inner).alternatives()
        )

    def _hardened(self, inner: Goal) -> Goal:
        """The inner goal, hard where this one is: its measures may differ then."""
        if self.hard and not getattr(inner, "hard", False):
            hard: Goal = replace(inner, hard=True)  # type: ignore[call-arg]
            return hard.settle(self.pose) if inner.settled_by else hard
        return inner

    def _from(self, part: Block) -> Block:
        if not part.site or part.base or part.other:
            raise GoalError(f"{self.label()}: a goal of this kind has no frame to be measured in")
        return replace(part.scaled(self.weight, hard=self.hard), base=self.other)

    def words(self, told: Told) -> str:
        """In the frame of the other site."""
        if self.goal is not None and self.goal.noun == "region":
            where = f"its region as {self.other} sees it"
            if told.met:
                return f"{self.subject()} is inside {where}"
            return f"{self.subject()} is {told.off} outside {where}"
        if told.met:
            return f"{self.subject()} is where it should be from {self.other} ({told.off} off)"
        return f"{self.subject()} is {told.off} off where it should be from {self.other}"
