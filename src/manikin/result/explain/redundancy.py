"""Degrees of freedom left over: variables less the rank of what the goals ask of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.kernels.residuals.entries import jacobian_at, measure_at
from manikin.plan.measuring import pack_measures

if TYPE_CHECKING:
    from manikin.plan.packing import Packed
    from manikin.result.solution import Solution

# Nearer to an end of its range than this, a row asks for something.
_TOUCH = 1e-9
# Part of the largest entry below which a singular value counts as zero.
_NOTHING = 1e-7


def redundancy(solution: Solution) -> int:
    """Variables less the rank of the rows of the goals, as they stand at the solution, and of equal couplings."""
    if solution._by_levels:
        assert solution._levels is not None
        levels = solution._levels.copy()
        levels.choose(solution._outcome.choice)
        levels.measure(solution.q)
        return _left(levels.packed, levels.arrays[:6], levels.M, levels.last)
    goals = solution._goals
    parts = [part for goal in goals for part in goal.parts() if part.potential is None]
    figure, free, couplings = solution._packed.origin
    sites = [goal.site for goal in goals]
    measuring = pack_measures(figure, None, parts, free=free, couplings=couplings, sites=sites)
    packed = measuring.packed
    arrays = (packed.structure, packed.parameters, packed.workspace, measuring.ms, measuring.mr, measuring.mw)
    measure_at(*arrays, solution.q)
    return _left(packed, arrays, measuring.sections, np.inf)


def _left(packed: Packed, arrays: tuple[np.ndarray, ...], M: Any, last: float) -> int:
    """Variables less the rank of the rows that are measured, of levels before the last, and of equal couplings."""
    n = packed.origin[0].n
    by_value = np.zeros((len(M.value), len(packed.sections.sweep.values)))
    by_coordinate = np.zeros((len(M.value), n))
    jacobian_at(*arrays, by_value, by_coordinate)
    tree = packed.sections.tree
    drives = np.zeros((by_value.shape[1], n))
    np.add.at(drives, (tree.drive_axis, tree.drive_dof), tree.drive_coefficient)
    at_an_end = (M.value <= M.lower + _TOUCH) | (M.value >= M.upper - _TOUCH)
    asked = (M.weight > 0.0) & (M.level < last) & at_an_end & (M.near != 0.0)
    rows = (by_value @ drives + by_coordinate)[asked][:, packed.variables]
    equal = [r for r, coupling in enumerate(packed.couplings) if coupling.equality]
    rows = np.vstack([rows, packed.sections.space.row[equal][:, packed.variables]])
    largest = np.abs(rows).max(initial=1.0)
    return len(packed.variables) - int(np.linalg.matrix_rank(rows, tol=_NOTHING * largest))
