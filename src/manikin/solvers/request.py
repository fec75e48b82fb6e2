"""What a problem asks for at one moment: its goals, which of them are switched on, and targets that moved since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from manikin.goals.target import with_target

if TYPE_CHECKING:
    from manikin.goals import Goal


class Request:
    """Immutable, so that solutions keep it while the problem goes on; goals with moved targets are made when asked for.

    moved: targets by the index of their goal, checked already.
    """

    __slots__ = ("_goals", "_whole", "active", "moved")

    def __init__(self, goals: Sequence[Goal], active: Sequence[bool], moved: Mapping[int, Any]) -> None:
        self._goals = goals
        self.active = active
        self.moved = moved
        self._whole: tuple[Goal, ...] | None = None

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals with their targets; made once. What moved stays known: a judge that was packed writes only that."""
        if self._whole is None:
            goals = list(self._goals)
            for k, target in self.moved.items():
                goals[k] = with_target(goals[k], target)
            self._whole = tuple(goals)
        return self._whole

    def goal(self, k: int) -> Goal:
        """One goal; cheaper than all, where its target has not moved."""
        return self.goals[k] if k in self.moved else self._goals[k]

    def with_goal(self, k: int, goal: Goal, active: bool) -> Request:
        """The same with another goal in one place."""
        goals, switched = list(self.goals), list(self.active)
        goals[k], switched[k] = goal, active
        return Request(tuple(goals), tuple(switched), {})

    def with_targets(self, targets: Mapping[int, Any]) -> Request:
        """The same with other targets."""
        return Request(self._goals, self.active, {**self.moved, **targets} if self.moved else targets)
