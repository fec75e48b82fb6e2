"""What the compiled search reads of a problem (`kernels.search.layout`): what drives what, the chains of residuals, and
what each variable may do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.kernels.search import layout
from manikin.plan.columns import Columns, arrange, drives_of, one_each
from manikin.plan.packing import BEYOND

if TYPE_CHECKING:
    from manikin.plan.packing import Packed


def laid_out(
    packed: Packed,
    which: np.ndarray,
    kinds: np.ndarray,
    moved: np.ndarray,
    scale: np.ndarray,
    counts: Mapping[int, int],
) -> tuple[np.ndarray, np.ndarray, Columns]:
    """G and H, and the columns of the residuals.

    which: the parts that may be residuals; kinds, moved: of each its kind, and the motion that carries it. scale: of
    each variable the root of the metric. counts: those that the tree and the variables do not tell.
    """
    tree, variables = packed.sections.tree, packed.variables
    dofs, n, values = len(packed.sections.space.lower), len(packed.variables), len(tree.offset)
    variable_of = np.full(dofs, -1, np.int64)
    variable_of[variables] = np.arange(n)
    drive = drives_of(tree, variable_of)
    columns, tie = arrange(tree, moved, *drive[:2], n)
    share = drive[2] * scale[drive[1]]
    first, drives, coefficient = one_each(*drive) if n else drive
    known = {
        layout.MOTIONS: len(tree.parent) - 1,
        layout.VALUES: values,
        layout.PADDED: layout.whole(values),
        layout.DRIVES: len(drives),
        layout.DOFS: dofs,
        layout.VARIABLES: n,
        layout.RESIDUALS: len(which),
        layout.CHAINS: len(columns.length),
        layout.WIDE: columns.variable.shape[1],
        layout.ENTRIES: len(columns.motion),
        layout.LINEAR: len(packed.couplings),
        layout.SINGLE: int(np.array_equal(first, np.arange(values + 1))),
    }
    ints, reals = layout.allocate({**known, **counts})
    driven, chains, strips = (
        layout.sections(made, ints, reals) for made in (layout.Drives, layout.Chains, layout.Strips)
    )
    driven.first[:], driven.which[:], driven.variable_of[:] = first, drives, variable_of
    driven.coefficient[:] = coefficient
    driven.scaled[:] = coefficient * scale[drives]
    chains.length[:], chains.first[:], chains.shared[:] = columns.length, columns.begin, columns.shared
    chains.variable[:, : columns.variable.shape[1]], chains.place[:] = columns.variable, columns.place
    chains.motion[:], chains.component[:] = columns.motion, columns.component
    chains.column[:] = columns.column
    chains.share[:] = np.append(share, 0.0)[tie]
    order = columns.order
    strips.of_part[:], strips.of_motion[:] = which[order], moved[order]
    strips.of_kind[:] = kinds[order]
    strips.of_chain[:], strips.of_group[:] = columns.block, columns.group
    return ints, reals, columns


def write_ranges(bounds: Any, packed: Packed, scale: np.ndarray) -> None:
    """The ranges of the variables, which of them wrap, their metric and speeds."""
    space, variables, figure = packed.sections.space, packed.variables, packed.origin[0]
    lower, upper = space.lower[variables], space.upper[variables]
    wraps = (space.periodic != 0) & (upper - lower >= 2.0 * np.pi)
    bounds.wraps[:], bounds.scale[:], bounds.speed[:] = wraps, scale, figure.velocity[variables]
    for end, value, none in ((bounds.lower, lower, -np.inf), (bounds.upper, upper, np.inf)):
        end[:] = np.where(wraps, none, np.clip(value, -BEYOND, BEYOND))
    bounds.true_lower[:], bounds.true_upper[:] = (np.clip(end, -BEYOND, BEYOND) for end in (lower, upper))
