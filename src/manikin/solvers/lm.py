"""The method ``"lm"``: Levenberg–Marquardt inside the ranges, run by the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels import layout, lm_layout
from manikin.kernels import terms as kernel_terms

if TYPE_CHECKING:
    from manikin.solvers.packing import Packed

# Rows of a term at most, by its kind.
_ROWS = {kernel_terms.PLANE: 1, kernel_terms.AXES: 9}


def suits(packed: Packed) -> bool:
    """Whether the fast path serves this problem: goals of known kinds, and no linear constraints among them."""
    kinds = packed.sections.terms.kind
    return (
        len(packed.variables) > 0
        and packed.terms > 0
        and int(packed.structure[layout.ROWS]) == 0
        and bool((kinds <= kernel_terms.AIM).all())
    )


def prepare(packed: Packed) -> tuple[np.ndarray, np.ndarray]:
    """N and V of `kernels.lm_layout` for a problem that suits."""
    tree, space = packed.sections.tree, packed.sections.space
    place = np.full(len(space.lower), -1)
    place[packed.variables] = np.arange(len(packed.variables))
    drives = np.flatnonzero(place[tree.drive_dof] >= 0)
    drives = drives[np.argsort(tree.drive_axis[drives], kind="stable")]
    count = np.bincount(tree.drive_axis[drives], minlength=len(tree.offset))
    first = np.concatenate(([0], np.cumsum(count)))
    which = place[tree.drive_dof[drives]]
    rows = sum(_ROWS.get(int(kind), 3) for kind in packed.sections.terms.kind)
    ints, reals = lm_layout.allocate(
        first, which, len(packed.variables), rows, int(packed.structure[layout.MOTIONS])
    )
    bounds = lm_layout.bounds(ints, reals)
    bounds.true_lower[:] = space.lower[packed.variables]
    bounds.true_upper[:] = space.upper[packed.variables]
    wraps = (space.periodic != 0) & (bounds.true_upper - bounds.true_lower >= 2.0 * np.pi)
    bounds.lower[:] = np.where(wraps, -np.inf, bounds.true_lower)
    bounds.upper[:] = np.where(wraps, np.inf, bounds.true_upper)
    bounds.wraps[:] = wraps
    bounds.scale[:] = np.sqrt(space.metric[packed.variables])
    coefficient = tree.drive_coefficient[drives]
    reals[: len(drives)] = coefficient
    reals[len(drives) : 2 * len(drives)] = coefficient * bounds.scale[which]
    return ints, reals
