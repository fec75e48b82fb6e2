"""What holds a solution of the descent by levels: limits, what one more degree would buy, contradicting goals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.levels import HARD, HARD_TOLERANCE
from manikin.engines.starts.inside import bring_in
from manikin.kernels.levels.descent import descend
from manikin.result.explain.limits import coupling_unit, in_words, let_go
from manikin.result.solution import ERRORS, Limit

if TYPE_CHECKING:
    from manikin.engines.levels import Levels
    from manikin.goals import Goal
    from manikin.result.solution import Solution

# A multiplier counts above this share of the weights and the potential.
_COUNTS = 1e-6


def level_limits(solution: Solution) -> tuple[Limit, ...]:
    """The limits that held the first level that fell short, the strongest first."""
    levels, outcome = solution._levels, solution._outcome
    if levels is None or outcome.at_end is None or outcome.linear is None or solution.status == "infeasible":
        return ()
    figure, packed = solution.figure, levels.packed
    space = packed.sections.space
    least = _COUNTS * (1.0 + solution.potential)
    found = []
    for j, force in zip(packed.variables, outcome.at_end, strict=True):
        strength = 2.0 * abs(force)
        if strength > least and space.lower[j] != space.upper[j]:
            side = "lower" if force > 0.0 else "upper"
            end = space.lower[j] if force > 0.0 else space.upper[j]
            name = figure.dofs[j]
            found.append(Limit(name, side, float(end), figure.dof(name).unit, float(strength)))
    for r, force in enumerate(outcome.linear):
        coupling = packed.couplings[r]
        length = float(np.linalg.norm(space.row[r][packed.variables]))
        strength = 2.0 * abs(force) / length if length > 0.0 else 0.0
        if strength > least:
            side = "equal" if coupling.equality else "lower" if force > 0.0 else "upper"
            end = coupling.upper if side == "upper" else coupling.lower
            unit = coupling_unit(figure, coupling)
            found.append(Limit(in_words(figure, coupling, side), side, end, unit, float(strength), r))
    return tuple(sorted(found, key=lambda limit: -limit.multiplier))


def level_gains(solution: Solution, limit: Limit) -> np.ndarray:
    """By how much each part's miss would shrink with one more degree (or centimetre): solved, not guessed."""
    assert solution._levels is not None
    levels = solution._levels.copy()
    levels.choose(solution._outcome.choice)
    levels.choices = [
        [numbers[which]] for numbers, which in zip(levels.choices, solution._outcome.choice, strict=True)
    ]
    levels.chosen = [0] * len(levels.choices)
    let_go(levels.packed, solution.figure, limit)
    return solution._out[ERRORS:] - levels.run(solution.q.copy()).misses


def _possible(levels: Levels, starts: list[np.ndarray]) -> bool:
    """Whether the hard goals that are switched on are met from one of the starts."""
    for start in starts:
        q = start.copy()
        if not bring_in(levels.packed, q):
            return False
        levels.D.held_lower[:], levels.D.held_upper[:] = levels.M.lower, levels.M.upper
        descend(*levels.arrays, q, HARD, levels.budget, 0.0)
        mine = (levels.M.level == HARD) & (levels.M.weight > 0.0)
        if np.abs(levels.outside()[mine]).max(initial=0.0) <= HARD_TOLERANCE:
            return True
    return False


def contradicting_goals(solution: Solution) -> list[Goal]:
    """A smallest set of hard goals that could not be met together, found by leaving out one after another."""
    assert solution._levels is not None
    levels = solution._levels.copy()
    levels.choose(solution._outcome.choice)
    starts = [np.array(solution.q), np.array(solution._start)]
    kept = []
    for place, goal in enumerate(solution._goals):
        hard = any(levels.parts[number].hard for number in levels.choices[place][levels.chosen[place]])
        if not (hard and levels.active[place]):
            continue
        levels.write(place, goal, active=False)
        if _possible(levels, starts):
            levels.write(place, goal, active=True)
            kept.append(goal)
    return kept
