"""Why a solve fell short, as data: out of reach, in conflict, held by limits, or not found.

Each goal that is missed is solved for alone, beside the hard goals, from several starts. One that is not met even so
is held by limits, where one more degree of some limit would gain a share of its miss; else it is out of reach where
that is proved (`result.explain.reach`), and not found where it is not. If every one can be met alone, they are in
conflict: a smallest set that cannot be met together is found by leaving out one goal after another. If all can be met
together after all, from another start, the solve had not found the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.goals import Goal
from manikin.result.explain.contradictions import broken_promises, contradicting_goals, least_together
from manikin.result.explain.explain import reasons_of, tried
from manikin.result.explain.reach import out_of_reach

if TYPE_CHECKING:
    from manikin.result.reports import ActiveConstraint
    from manikin.result.solution import Solution

OUT_OF_REACH, CONFLICT, LIMITS, NOT_FOUND, CONTRADICTION = (
    "out of reach",
    "conflict",
    "limits",
    "not found",
    "contradiction",
)
# A limit holds a goal back when one more degree (or centimetre) of it gains this share of the miss.
_SHARE = 0.01
# Starts that are tried for each question.
_STARTS = 16


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Why a solution falls short.

    kind: ``"out of reach"`` (proved), ``"limits"`` (they hold some goal back), ``"conflict"`` (each can be met, but not
        all), ``"not found"`` (another start reaches them, or no start that was tried does, without a proof that none
        can) or ``"contradiction"`` (hard goals or linear constraints).
    goals: those concerned: out of reach, held, or in conflict with each other.
    errors: by how much each missed goal gave way: metres or radians, of a Placement its position's.
    limits: the limits that hold the first of them, each with what one more degree or centimetre would gain.
    nearest: where the site of each goal that cannot be met alone comes nearest to it, 4×4.
    text: the same in a sentence.
    """

    kind: str
    goals: tuple[Goal, ...]
    errors: Mapping[Goal, float] = field(default_factory=lambda: MappingProxyType({}))
    limits: tuple[tuple[ActiveConstraint, float], ...] = ()
    nearest: Mapping[Goal, np.ndarray] = field(default_factory=lambda: MappingProxyType({}))
    text: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        return {
            "kind": self.kind,
            "goals": [goal.label() for goal in self.goals],
            "errors": {goal.label(): amount for goal, amount in self.errors.items()},
            "limits": [{"name": limit.name, "side": limit.side, "gain": gain} for limit, gain in self.limits],
            "nearest": {goal.label(): frame.tolist() for goal, frame in self.nearest.items()},
            "text": self.text,
        }


def diagnose(solution: Solution) -> Diagnosis | None:
    """Why the solution falls short; None where every goal is reached."""
    if solution.reached:
        return None
    gives = {miss.goal: miss.amount for miss in reversed(solution.measured) if not miss.reached}
    if solution.status == "infeasible":
        return _contradiction(solution, gives)
    missed = [goal for goal in solution.goals if goal in gives]
    alone = {goal: _solve(solution, [goal]) for goal in missed}
    beyond = [goal for goal, found in alone.items() if not found.reached]
    if beyond:
        return _beyond(solution, alone, beyond, gives)
    if _solve(solution, list(solution.goals)).reached:
        return Diagnosis(NOT_FOUND, tuple(missed), gives, text="Another start reaches every goal.")
    together = _conflicting(solution, missed)
    names = ", ".join(goal.label() for goal in together)
    return Diagnosis(CONFLICT, tuple(together), gives, text=f"These cannot all be met together: {names}.")


def _contradiction(solution: Solution, gives: Mapping[Goal, float]) -> Diagnosis:
    goals: Sequence[Goal] = ()
    words = "Linear constraints contradict each other."
    if own := broken_promises(solution):
        return Diagnosis(CONTRADICTION, (), gives, text=" ".join(line.strip() for line in own))
    if solution.explained.hard_miss > 0.0:
        goals = contradicting_goals(solution)
        words = "Hard goals contradict each other: " + ", ".join(goal.label() for goal in goals) + "."
    return Diagnosis(CONTRADICTION, tuple(goals), gives, text=words)


def _hard(solution: Solution) -> list[Goal]:
    return [goal for goal in solution.goals if getattr(goal, "hard", False)]


def _solve(solution: Solution, goals: Sequence[Goal]) -> Solution:
    """These goals and the hard ones, from the solution and from other starts."""
    asked = [goal for goal in solution.goals if goal in goals or goal in _hard(solution)]
    other = solution.problem.replace(goals=asked, natural=True)
    return other.solve(solution.q, restarts=_STARTS)


def _beyond(
    solution: Solution, alone: Mapping[Goal, Solution], beyond: Sequence[Goal], gives: Mapping[Goal, float]
) -> Diagnosis:
    """Goals that are not met even alone: held by limits, out of reach, or not found."""
    nearest = {goal: alone[goal].pose.matrix(goal.site) for goal in beyond if goal.site}
    first = alone[beyond[0]]
    place = next(k for k, miss in enumerate(first.measured) if miss.goal is beyond[0])
    amount = next(miss.amount for miss in first.measured if miss.goal is beyond[0] and not miss.reached)
    held = [(limit, float(gain[place])) for limit, gain in reasons_of(first) if len(gain)]
    helping = tuple((limit, gain) for limit, gain in held if gain >= _SHARE * amount)
    label = beyond[0].label()
    if helping:
        names = ", ".join(limit.name for limit, _ in helping)
        return Diagnosis(
            LIMITS, tuple(beyond), gives, helping, nearest, f"{label} is held by limits: {names}."
        )
    proved = [goal for goal in beyond if out_of_reach(solution, goal)]
    if proved:
        words = f"{proved[0].label()} is out of reach."
        return Diagnosis(OUT_OF_REACH, tuple(proved), gives, tuple(held), nearest, words)
    words = f"{label}: no pose that meets it was found {tried(first.starts)}."
    return Diagnosis(NOT_FOUND, tuple(beyond), gives, tuple(held), nearest, words)


def _conflicting(solution: Solution, missed: Sequence[Goal]) -> list[Goal]:
    """A smallest set of goals, some of the missed among them, that cannot be met together."""
    hard = _hard(solution)
    order = [*(goal for goal in solution.goals if goal not in missed), *missed]
    asked = [goal for goal in order if goal not in hard]
    return least_together(solution.goals, lambda goals: _solve(solution, goals).reached, asked)
