"""The goals of which one sentence tells all misses, with what was measured of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manikin.goals.words import Told

if TYPE_CHECKING:
    from manikin.result.solution import Solution


def told(solution: Solution) -> dict[int, Told]:
    """Every goal that is told as one, by its place."""
    levels = solution._levels
    if levels is None or not any(goal.told_as_one for goal in solution._goals):
        return {}
    levels = levels.copy()
    levels.choose(solution._outcome.choice)
    levels.measure(solution.q)
    chosen, found = solution.choices, {}
    for place, goal in enumerate(solution._goals):
        if not goal.told_as_one:
            continue
        numbers = levels.choices[place][solution._outcome.choice[place]]
        found[place] = Told(
            [miss for miss in solution.misses if miss.goal is goal],
            solution.pose,
            solution.anchor,
            [levels.parts[number] for number in numbers],
            [levels.M.value[levels.measuring.rows(number)].copy() for number in numbers],
            chosen.get(goal, 0),
        )
    return found
