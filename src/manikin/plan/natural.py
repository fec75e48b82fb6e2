"""Where a human's solve begins, and what it prefers among equals: the posture people take for what is asked.

A solve of a human begins at that posture q* instead of at the start it was given, which goes on to say what no goal
tells: where pins are, how the fingers lie. A start that has all sites within 3 cm of their targets already, as in
dragging, is begun at, and pulled towards q*.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import GoalError
from manikin.figure.human.natural_posture import Preferred, is_human
from manikin.goals import Natural
from manikin.goals.asked import Asked
from manikin.goals.objective import Objective

if TYPE_CHECKING:
    from collections.abc import Sequence

    from manikin.figure import Figure
    from manikin.goals import Goal
    from manikin.plan.specification import Specification


class NaturalStart:
    """The natural posture of one problem's targets."""

    def __init__(self, asked: Asked, goals: tuple[Goal, ...], free: np.ndarray, wish: int | None) -> None:
        self.asked = asked
        figure = asked.figure
        self._goals, self._free = goals, free
        self.rest = figure.rest
        self.hangs = free & asked.posture.hanging
        self.wish = wish
        self.style: int | None = None

    @cached_property
    def moves(self) -> np.ndarray:
        """Which coordinates take the posture, (n,): those that some goal depends on."""
        return self._free & _concerned(self.asked.figure, self._goals)

    def preferred(self, goals: Sequence[Goal], begun: np.ndarray, style: int | None = None) -> Preferred:
        """Values and weights for the targets of these goals; what no goal moves stays as in ``begun``, but arms and
        neck that are at rest there: beside a trunk that bends they hang, and the head looks ahead.
        """
        if style is None:
            style = self.style
        found = self.asked.preferred(goals, begun, style)
        found.q = np.where(self.moves | (self.hangs & (begun == self.rest)), found.q, begun)
        at = self.asked.looked_at(goals)
        if at is not None:
            found.q = self.asked.posture.look(found.q, at, self.moves)
        return found

    def is_near(self, goals: Sequence[Goal], begun: np.ndarray) -> bool:
        """Whether the start is so near to the targets that the search begins there."""
        return self.wish is None and self.asked.is_near(goals, begun)


def _concerned(figure: Figure, goals: tuple[Goal, ...]) -> np.ndarray:
    """Which coordinates move some goal's site; all, where a goal is about the whole figure."""
    moved = np.zeros(figure.n, bool)
    for goal in goals:
        if isinstance(goal, Objective):
            continue
        if goal.site not in figure.sites:
            moved[:] = True
            break
        moved[[figure.index(name) for name in figure.chain(figure.root, goal.site)]] = True
    moved |= [figure.dof(name).joint == "root" for name in figure.dofs]
    return moved


def natural_start(spec: Specification, goals: tuple[Goal, ...]) -> NaturalStart | None:
    """That of these goals: for humans, unless it is switched off or another objective says what is preferred."""
    index = next((k for k, goal in enumerate(goals) if isinstance(goal, Natural)), None)
    if index is not None:
        _refuse_several_styles(goals)
    if index is None and (not spec.natural or not is_human(spec.figure)):
        return None
    if index is None and any(isinstance(goal, Objective) for goal in goals):
        return None
    asked = Asked(spec.figure, goals, spec.free)
    if index is None and not asked.says_something:
        return None
    found = NaturalStart(asked, goals, spec.free, index)
    if index is not None:
        found.style = goals[index].style_number  # type: ignore[attr-defined]
    return found


def _refuse_several_styles(goals: tuple[Goal, ...]) -> None:
    """A GoalError where people would have to do two things at once: only the first would be begun at."""
    styles = dict.fromkeys(goal.style for goal in goals if isinstance(goal, Natural))
    if len(styles) > 1:
        said = " and ".join(repr(style) for style in styles)
        raise GoalError(f"natural: one style at a time, got {said}; keep one Natural among the goals")
