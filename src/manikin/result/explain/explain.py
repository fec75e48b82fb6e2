"""The result in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from manikin.goals import Goal, Objective
from manikin.goals.words import Told, amount
from manikin.result.explain import left
from manikin.result.explain.contradictions import (
    broken_promises,
    conflicting_constraints,
    contradicting_goals,
)
from manikin.result.explain.limits import gains, one_more
from manikin.result.explain.reach import ALONE, out_of_reach

if TYPE_CHECKING:
    from manikin.result.reports import ActiveConstraint, Measured
    from manikin.result.solution import Solution

# Limits that are named, the strongest first, and the share of the strongest's gain below which one is left out.
_MOST_LIMITS = 3
_WORTH_NAMING = 0.05
# A goal is far from met when one more degree of no limit gains this share of the miss.
_FAR = 0.01
# A start that was off by less was off by rounding only.
_ROUNDING = 1e-8


def place(limit: ActiveConstraint) -> str:
    """Where a limit is: −0.07 rad (−4°), or 0.3 m."""
    value = f"{limit.value:.2f}".replace("-", "−")
    if limit.unit == "rad":
        return f"{value} rad ({math.degrees(limit.value):.0f}°)".replace("-", "−")
    return f"{value} {limit.unit}".rstrip()


def tried(starts: int) -> str:
    """How much was tried: "from this start", "from 17 starts"."""
    return "from this start" if starts == 1 else f"from {starts} starts"


def reasons_of(solution: Solution) -> list[tuple[ActiveConstraint, np.ndarray]]:
    """The limits worth naming, each with the gain of every part."""
    limits = solution.active_constraints()[:_MOST_LIMITS]
    return [(limit, gains(solution, limit) if limit.unit else np.zeros(0)) for limit in limits]


def _reason(limit: ActiveConstraint, gain: float | None, unit: str) -> str:
    text = f"{limit.name} is at its limit of {place(limit)}"
    if limit.row is not None:
        text = f"the constraint {limit.name} holds it"
    if gain is not None and gain > 0.0:
        text += f"; one more {one_more(limit)[1]} would gain {amount(gain, unit)}"
    return text


def _missed(
    solution: Solution,
    what: str,
    index: int,
    miss: Measured,
    reasons: list[tuple[ActiveConstraint, np.ndarray]],
) -> str:
    """One missed goal: by how much, in the words of ``what``, and what holds it."""
    if solution.at_velocity_limit:
        names = ", ".join(solution.at_velocity_limit[:_MOST_LIMITS])
        more = len(solution.at_velocity_limit) - _MOST_LIMITS
        names += f" and {more} more" if more > 0 else ""
        return f"{what}: {names} moved as far as velocity limits allow in {solution.dt:g} s."
    if left.left_limits(solution):
        return f"{what}: {left.why(solution)}."
    if solution.status == "time_limit" and not solution.feasible:
        return f"{what}: the solver was stopped after {solution.time_limit:g} s, before what is hard was met."
    if solution.details.get("outside"):
        return f"{what}: {left.outside(solution)}."
    if solution.status in ("iteration_limit", "time_limit"):
        return f"{what}: the solver was stopped before it was done."
    said = []
    best = 0.0
    for limit, gain in reasons:
        value = float(gain[index]) if len(gain) else None
        if value is not None:
            best = max(best, value)
            if value <= _WORTH_NAMING * best or value <= 0.0:
                continue
        said.append(_reason(limit, value, miss.unit))
    if said:
        why = ""
        if 0.0 < best < _FAR * miss.amount:
            sizes = [other.amount for other in solution.measured if other.unit == miss.unit]
            worst = miss.unit == "m" and miss.amount >= max(sizes) and not miss.goal.yields
            why = "it gives way to other goals; "
            if worst:
                proved = out_of_reach(solution, miss.goal)
                why = (
                    "it is far out of reach; "
                    if proved
                    else f"no way to it was found {tried(solution.starts)}; "
                )
        return f"{what}: {why}{'; '.join(said)}."
    if reasons:
        return f"{what}: the limits that hold the figure serve other goals."
    free = "no limit stands in the way"
    proved = out_of_reach(solution, miss.goal) if miss.unit == "m" else ""
    if proved:
        until = "" if proved == ALONE else " as long as the hard goals hold"
        return f"{what}: {free}; it is out of reach{until}."
    others = _others(solution, miss.goal)
    found = f"{free}; no pose that meets it was found {tried(solution.starts)}"
    if any(not getattr(other, "hard", False) for other in others):
        return f"{what}: {found}, or the goals pull against each other."
    return f"{what}: {found} as long as the hard goals hold." if others else f"{what}: {found}."


def _others(solution: Solution, goal: Goal) -> list[Goal]:
    """The goals besides this one that are switched on and ask for something."""
    return [other for other in solution.goals if other is not goal and not isinstance(other, Objective)]


def _contradiction(solution: Solution) -> list[str]:
    """Hard goals that cannot be met, each with its miss in the pose that comes nearest to them all."""
    missed = [miss for miss in solution.measured if not miss.reached]
    goals = contradicting_goals(solution)
    lines = [
        f"  {goal.label()}, missed by "
        + ", ".join(amount(miss.amount, miss.unit) for miss in missed if miss.goal is goal)
        for goal in goals
        if any(miss.goal is goal for miss in missed)
    ] + [f"  {goal.label()}, met" for goal in goals if not any(miss.goal is goal for miss in missed)]
    if not goals:
        return ["No pose was found that meets all hard goals, though no one of them stands in the way alone."]
    if len(goals) == 1:
        return ["No pose was found that meets this hard goal:", *lines]
    return ["No pose was found that meets these hard goals together:", *lines]


def _infeasible(solution: Solution) -> list[str]:
    if own := broken_promises(solution):
        return own
    if solution.explained.hard_miss > 0.0:
        return _contradiction(solution)
    names = conflicting_constraints(solution)
    return [
        "No pose satisfies all linear constraints within the joints' ranges. These cannot hold together:"
        if len(names) > 1
        else "No pose satisfies this linear constraint within the joints' ranges:",
        *(f"  {name}" for name in names),
    ]


def _told_as_one(solution: Solution) -> dict[int, Told]:
    """Every goal of which one sentence tells all misses, by its place, with what is measured of it."""
    places = [place for place, goal in enumerate(solution.goals) if goal.told_as_one]
    if not places:
        return {}
    levels, chosen, found = solution.explained.rows(), solution.choices, {}
    for place in places:
        goal = solution.goals[place]
        numbers = levels.choices[place][solution.explained.choice[place]]
        found[place] = Told(
            [miss for miss in solution.measured if miss.goal is goal],
            solution.pose,
            solution.anchor,
            [levels.parts[number] for number in numbers],
            [levels.M.value[levels.measuring.rows(number)].copy() for number in numbers],
            chosen.get(goal, 0),
        )
    return found


def _sentence(
    solution: Solution,
    goal: Goal,
    one: Told,
    misses: Sequence[Measured],
    first: int,
    reasons: list[tuple[ActiveConstraint, np.ndarray]],
) -> str:
    """The line of some misses of a goal, with the reasons of the worst; first: the number of the first of them."""
    said = goal.words(one)
    if one.met:
        return f"{said}."
    offset, worst = max(enumerate(misses), key=lambda pair: (not pair[1].reached, pair[1].amount))
    return _missed(solution, said, first + offset, worst, reasons)


def _used_up(solution: Solution) -> list[str]:
    """That the work which a solve may do by default was used up, if it was."""
    if not solution.used_up:
        return []
    return [
        f"What a solve may do by default was used up {tried(solution.starts)}; time_limit=60 allows for a minute."
    ]


def explain(solution: Solution, goals: Iterable[Goal] | None = None) -> str:
    """One line a goal, with the limits that hold those that are missed, and what happened to the start.

    goals: those that are told of, by default all.
    """
    told_of = None if goals is None else {id(goal) for goal in goals}
    lines = []
    for name, (was, now) in solution.corrected_start.items():
        if abs(now - was) < _ROUNDING:
            continue
        unit = solution.figure.dof(name).unit
        ends = f"from {amount(was, unit)} to {amount(now, unit)}"
        lines.append(f"The start was outside the constraints: {name} was brought {ends}.")
    if solution.status == "infeasible":
        return "\n".join([*lines, *_infeasible(solution), *_used_up(solution)])
    if not solution.feasible:
        lines += broken_promises(solution, every=True)
    reasons = reasons_of(solution) if solution.status == "stationary" else []
    whole = _told_as_one(solution)
    part = 0
    for place, goal in enumerate(solution.goals):
        own = [miss for miss in solution.measured if miss.goal is goal]
        first, part = part, part + len(own)
        if isinstance(goal, Objective) or (told_of is not None and id(goal) not in told_of):
            continue
        if goal.arguments().get("weight") == 0.0:
            lines.append(f"{goal.subject()}: its {goal.kind().replace('_', ' ')} goal is switched off.")
        elif place in whole:
            lines.append(_sentence(solution, goal, whole[place], own, first, reasons))
        else:
            for offset, miss in enumerate(own):
                one = Told([miss], solution.pose, solution.anchor)
                lines.append(_sentence(solution, goal, one, [miss], first + offset, reasons))
    if left.left_limits(solution) and not solution.reached:
        lines.append(left.sentence(solution))
    if not lines and solution.goals:
        return "Nothing has to be met: objectives alone choose the pose."
    if not lines and np.array_equal(solution.q, solution.raw.start):
        return "There are no goals: the pose is the start."
    if not lines:
        return "There are no goals: the pose is the start, brought to where the figure's constraints hold."
    lines += _used_up(solution)
    if solution.status == "stationary" and solution.starts == 1 and not solution.used_up:
        lines.append("Nothing nearby is better. Other starts may be: restarts=20 tries twenty.")
    return "\n".join(lines)
