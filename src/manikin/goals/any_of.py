"""The best of several goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Self

from manikin.errors import GoalError
from manikin.goals.goal import FigureGoal, Goal
from manikin.goals.registry import register
from manikin.goals.words import listed, ordinal
from manikin.residuals.block import Block

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.goals.words import Told


@register
@dataclass(frozen=True, eq=False)
class AnyOf(FigureGoal):
    """Any one of ``goals``, the solver takes the best: the nearer of two handles, hundreds of grasps of one object.

    goals: a list; an entry may be a tuple of goals that are met together, as one grasp by two hands.
    """

    goals: Sequence[Any]
    _: KW_ONLY
    weight: float = 1.0
    hard: bool = False
    noun = "choice"
    offers_choice = True
    told_as_one = True
    settled_by: ClassVar[bool] = True

    @property
    def means_start(self) -> bool:  # type: ignore[override]
        """Whether some choice keeps what the start has."""
        return any(goal.means_start for choice in self.choices() for goal in choice)

    @property
    def in_python(self) -> bool:  # type: ignore[override]
        """Whether some choice is a function in Python."""
        return any(goal.in_python for choice in self.choices() for goal in choice)

    def _check(self) -> None:
        try:
            entries = [entry if isinstance(entry, Goal) else tuple(entry) for entry in self.goals]
        except TypeError:
            raise GoalError(f"{self.label()}: goals must be a list of goals or of tuples of goals") from None
        if not entries:
            raise GoalError(f"{self.label()}: there must be at least one goal to choose")
        for place, entry in enumerate(entries):
            for goal in (entry,) if isinstance(entry, Goal) else entry or (None,):
                if not isinstance(goal, Goal):
                    raise GoalError(f"{self.label()}: choice {place} is not a goal but {goal!r}")
        self._set("goals", tuple(entries))

    def choices(self) -> tuple[tuple[Goal, ...], ...]:
        """The goals of every choice."""
        return tuple((entry,) if isinstance(entry, Goal) else entry for entry in self.goals)

    def settle(self, pose: Pose) -> Self:
        """With all choices settled."""
        settled = super().settle(pose)
        goals = [tuple(goal.settle(pose) for goal in choice) for choice in self.choices()]
        object.__setattr__(settled, "goals", tuple(goals))
        return settled

    def alternatives(self) -> tuple[tuple[Block, ...], ...]:
        """Those of every choice, one after the other; `chosen` tells which choice one belongs to."""
        return tuple(parts for _, parts in self._numbered())

    def chosen(self, alternative: int) -> int:
        """The place in ``goals`` of the choice that an alternative belongs to; the goal has to be settled."""
        return self._numbered()[alternative][0]

    def _numbered(self) -> list[tuple[int, tuple[Block, ...]]]:
        found = []
        for place, choice in enumerate(self.choices()):
            for combination in product(*(self._hardened(goal).alternatives() for goal in choice)):
                parts = tuple(
                    part.scaled(self.weight, hard=self.hard) for each in combination for part in each
                )
                found.append((place, parts))
        return found

    def _hardened(self, goal: Goal) -> Goal:
        if not self.hard or getattr(goal, "hard", True):
            return goal
        hard: Goal = replace(goal, hard=True)  # type: ignore[call-arg]
        return hard.settle(self.pose)

    def words(self, told: Told) -> str:
        """Which alternative was taken, and how far that is from met."""
        choices = self.choices()
        taken = listed(list(dict.fromkeys(inner.subject() for inner in choices[told.choice])))
        which = f"the {ordinal(told.choice)} of {len(choices)} alternatives"
        if told.met:
            return f"{taken} took {which} ({told.off} off)"
        return f"{taken} took {which} and misses it by {told.off}"
