"""Degrees of freedom left over: variables less the rank of what the goals ask of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels.residuals.entries import jacobian_at

if TYPE_CHECKING:
    from manikin.result.solution import Solution

# Nearer to an end of its range than this, a row asks for something.
_TOUCH = 1e-9
# Part of the largest entry below which a singular value counts as zero.
_NOTHING = 1e-7


def redundancy(solution: Solution) -> int:
    """Variables less the rank of the rows of the goals, as they stand at the solution, and of equal couplings."""
    levels = solution.explained.rows()
    packed, M = levels.packed, levels.M
    n = packed.origin[0].n
    by_value = np.zeros((len(M.value), len(packed.sections.sweep.values)))
    by_coordinate = np.zeros((len(M.value), n))
    jacobian_at(*levels.arrays[:6], by_value, by_coordinate)
    tree = packed.sections.tree
    drives = np.zeros((by_value.shape[1], n))
    np.add.at(drives, (tree.drive_axis, tree.drive_dof), tree.drive_coefficient)
    at_an_end = (M.value <= M.lower + _TOUCH) | (M.value >= M.upper - _TOUCH)
    asked = (M.weight > 0.0) & (M.level < levels.last) & at_an_end & (M.near != 0.0)
    rows = (by_value @ drives + by_coordinate)[asked][:, packed.variables]
    equal = [r for r, coupling in enumerate(packed.couplings) if coupling.equality]
    rows = np.vstack([rows, packed.sections.space.row[equal][:, packed.variables]])
    largest = np.abs(rows).max(initial=1.0)
    return len(packed.variables) - int(np.linalg.matrix_rank(rows, tol=_NOTHING * largest))
