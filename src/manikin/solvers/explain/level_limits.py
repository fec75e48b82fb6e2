"""What holds a solution of the descent by levels: limits, what one more degree would buy, contradicting goals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels.levels.descent import descend
from manikin.kernels.rows.entries import jacobian_at
from manikin.solvers.explain.limits import coupling_unit, in_words, one_more
from manikin.solvers.methods.general import bring_in
from manikin.solvers.methods.levels import HARD, HARD_TOLERANCE
from manikin.solvers.solution import ERRORS, Limit

if TYPE_CHECKING:
    from manikin.goals import Goal
    from manikin.solvers.methods.levels import Levels
    from manikin.solvers.solution import Solution

# A multiplier counts above this share of the weights and the potential.
_COUNTS = 1e-6
_TOUCH = 1e-9


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
    space = levels.packed.sections.space
    step, _ = one_more(limit)
    lower, upper, place = space.row_lower, space.row_upper, limit.row
    if place is None:
        lower, upper, place = space.lower, space.upper, solution.figure.index(limit.name)
    if limit.side != "upper":
        lower[place] -= step
    if limit.side != "lower":
        upper[place] += step
    return solution._out[ERRORS:] - levels.run(solution.q.copy()).misses


def level_redundancy(solution: Solution) -> int:
    """Variables less the rank of what the goals, as they stand at the solution, ask of them."""
    assert solution._levels is not None
    levels = solution._levels.copy()
    levels.choose(solution._outcome.choice)
    packed, M = levels.packed, levels.M
    levels.measure(solution.q)
    by_value = np.zeros((len(M.value), len(packed.sections.sweep.values)))
    by_coordinate = np.zeros((len(M.value), solution.figure.n))
    jacobian_at(*levels.arrays[:6], by_value, by_coordinate)
    tree = packed.sections.tree
    drives = np.zeros((by_value.shape[1], solution.figure.n))
    np.add.at(drives, (tree.drive_axis, tree.drive_dof), tree.drive_coefficient)
    at_an_end = (M.value <= M.lower + _TOUCH) | (M.value >= M.upper - _TOUCH)
    asked = (M.weight > 0.0) & (M.level < levels.last) & at_an_end & (M.near != 0.0)
    rows = (by_value @ drives + by_coordinate)[asked][:, packed.variables]
    equal = [r for r, coupling in enumerate(packed.couplings) if coupling.equality]
    rows = np.vstack([rows, packed.sections.space.row[equal][:, packed.variables]])
    largest = np.abs(rows).max(initial=1.0)
    return len(packed.variables) - int(np.linalg.matrix_rank(rows, tol=1e-7 * largest))


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
