"""The posture people take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from manikin.errors import GoalError
from manikin.figure.checks import near
from manikin.figure.human.natural import STYLES
from manikin.goals.goal import Goal
from manikin.goals.objective import Objective
from manikin.goals.registry import register
from manikin.residuals.block import Block

if TYPE_CHECKING:
    from manikin.figure.human.natural_posture import Preferred


@register
@dataclass(frozen=True, eq=False)
class Natural(Objective):
    """Towards the posture people take for what the other goals ask: Σ wⱼ (q − q*)ⱼ², q* and w out of recordings.

    A human's solves begin at q* and prefer it among equals by default (``natural=False`` of `solve` and `Problem`
    switches that off). As a goal it is followed to its end, and a style may be chosen where people differ.

    style: ``"stand"``, ``"stoop"``, ``"squat"``, ``"sit"`` or ``"kneel"``; by default what is most usual.

    q* depends on hands, feet, head, pelvis or seat, and gaze, whichever have goals (Position, Placement, Pin, Aim).
    It is for figures made by `human`.
    """

    style: str | None = None
    _: KW_ONLY
    weight: float = 1.0
    noun = "posture"
    settled_by: ClassVar[bool] = True

    def _check(self) -> None:
        if self.style is not None and not (isinstance(self.style, str) and self.style in STYLES):
            raise GoalError(f"{self.label()}: unknown style {self.style!r}; {near(str(self.style), STYLES)}")

    @property
    def style_number(self) -> int | None:
        """The number of the style, where one was chosen."""
        return None if self.style is None else STYLES.index(self.style)

    def among(self, goals: Sequence[Goal]) -> Self:
        """The same beside these goals, which say what is asked for."""
        return self._with("_goals", tuple(goals))

    def preferring(self, preferred: Preferred) -> Self:
        """The same with the posture known already."""
        return self._with("_preferred", preferred)

    def _with(self, name: str, value: Any) -> Self:
        from copy import copy

        other = copy(self)
        object.__setattr__(other, name, value)
        return other

    def preferred(self) -> Preferred:
        """Values and weights of all coordinates."""
        from manikin.goals.asked import Asked

        known = self.__dict__.get("_preferred")
        if known is not None:
            return known
        goals = self.__dict__.get("_goals", ())
        figure = self.pose.figure
        asked = Asked(figure, goals, np.ones(figure.n, bool))
        return asked.preferred(goals, self.pose.q, self.style_number)

    def parts(self) -> tuple[Block, ...]:
        """A row for every coordinate."""
        found = self.preferred()
        places = np.arange(len(found.q))
        return self._linear(places, found.weight, np.ones(len(places)), found.q, moves=False)
