"""Memory of the damped search: two flat arrays beside those of the tree and of the rows of goals.

``G``  int64    counts, where each section begins, which variables drive what, and what each part means
``H``  float64  coefficients, ranges, the pull, what counts as met, and the workspace; at an aligned address

A *strip* is three rows of the Jacobian: a residual (`residuals`), or three single rows (`rows`). The *chain* of a
motion are the variables that move it, those nearest to the root first; a residual has columns for those alone.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.kernels.damped.active_set import MOST
from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import aligned_zeros, lane_view1, lane_view2
from manikin.kernels.memory.lanes import WIDTH
from manikin.kernels.memory.sections import Layout

COUNTS = (
    "motions values padded drives dofs variables parts residuals strips chains width entries linear rows listed "
    "idle single last"
)
(
    MOTIONS,
    VALUES,
    PADDED,
    DRIVES,
    DOFS,
    VARIABLES,
    PARTS,
    RESIDUALS,
    STRIPS,
    CHAINS,
    WIDE,
    ENTRIES,
    LINEAR,
    ROWS,
    LISTED,
    IDLE,
    SINGLE,
    LAST,
) = range(18)
_LAYOUT = Layout("G H", COUNTS)
#: Numbers of a residual: its site, target and axes (`residuals.errors`).
NUMBERS = 32

#: Axis values, their sines and cosines: at the beginning, which is aligned.
Values, _view_values = _LAYOUT.tuple_of("Values", H="values (padded)  trig (2, padded)")
#: Of each axis value its drives first[v] … first[v + 1]: the variable, how much of it, and of it scaled; what the other
#: coordinates make of it. single: 1 where each has just one drive. variable_of: of each coordinate, or −1.
Drives, view_drives = _LAYOUT.tuple_of(
    "Drives",
    G="first (values + 1)  which (drives)  variable_of (dofs)  single ()",
    H="coefficient scaled (drives)  fixed (values)",
)
#: Of each chain its length, variables, and the column of each variable (or −1); how many of their columns, the first
#: of both, two of them have in common. Columns are sums over the entries first[c] … first[c + 1], ordered by column:
#: what a motion's component (`ROTATES`, `SLIDES`, or which axis of a block of three) does, times share.
Chains, view_chains = _LAYOUT.tuple_of(
    "Chains",
    G="length (chains)  variable (chains, width)  place (chains, variables)  shared (chains, chains) "
    "first (chains + 1)  motion component column (entries)",
    H="share (entries)",
)
#: What may be a residual, those with variables in common next to each other: the part, its kind, motion and chain, the
#: group of those that depend on each other. And what is at present, a strip each: kind, motion, chain, the row of
#: ``number``, the first strip of its group, the root of its weight, the square of the miss to stop at, 1 where it is
#: hard.
Strips, view_strips = _LAYOUT.tuple_of(
    "Strips",
    G="of_part of_kind of_motion of_chain of_group (residuals)",
    H=f"kind motion chain part begin root stop hard (strips)  number (residuals, {NUMBERS})",
)
#: One number a variable: ranges of the step (infinite where it wraps), the true ones, the root of the metric, 1 where a
#: whole rotation fits, the most that it may change in a second; the range that the pull leads to, and how strongly (0:
#: not at all); 1 for those of a base that the pull leads back to where it stood (`stand`).
Bounds, view_bounds = _LAYOUT.tuple_of(
    "Bounds",
    H="lower upper true_lower true_upper scale wraps speed pull_low pull_high pull_share stays (variables)",
)
#: Options: whether the pull leads to the start (1) instead of to its range; whether the search goes on until it is
#: where it leads to (1), or only on its way (0); what a hard row weighs in the potential; seconds since the start was
#: left, or 0.
PULL_TO_START, PULL_TO_THE_END, HARD_WEIGHT, SECONDS = range(4)
OPTIONS = 4
#: stop: of each row, near enough to leave a start alone; allowed: of each part, what counts as reached.
Limits, view_limits = _LAYOUT.tuple_of("Limits", H=f"stop (rows)  allowed (parts)  option ({OPTIONS})")
#: follows: 1 for each part whose target is where the start has it; tell: which of the misses that are reported is its
#: own, or −1. Idle coordinates, which no row moves, go to where the pull leads at once.
Parts, view_parts = _LAYOUT.tuple_of(
    "Parts", G="follows tell (parts)  idle (idle)", H="idle_low idle_high (idle)"
)
#: base: the step, scaled; wish: what the rows want of it, with the other sign; d_low, d_high: how far it may go. e,
#: right and solved: one number a row of the system; last_step, last_plain: the last step, and what it was before it was
#: extrapolated; older_step, older_change: the step before it, and how the plain one changed over it.
Work, view_work = _LAYOUT.tuple_of(
    "Work",
    H="x x_new base free wish slope pull d_low d_high last_step last_plain older_step older_change (variables) "
    "e e_new right solved (3 * strips)  jacobian (strips, width, 3)  tiles factor (strips, strips, 9)",
)
#: Single rows. alone: 1 for parts that are no residuals, and how many there are; held: on which end each was held
#: last, linear ones first. Of those listed for a step: the row (−1: linear), what it is, on which end it is held, its
#: factor, how far it may go, its place in the system, its variables from the first to behind the last, 1 + the part
#: whose edges share one point, the derivative. Of each row of the system which one it is, its damping, its least
#: pivot, and its square over all variables. multiplier: of each row of the goals. twist: of each axis value.
Scalars, view_scalars = _LAYOUT.tuple_of(
    "Scalars",
    H="alone (parts)  alone_count (1)  held (linear + rows)  multiplier (rows) "
    "row state side factor low high place begin past support (listed)  derivative (listed, variables) "
    "listed damping least whole (3 * strips)",
)
#: Changes of the set that holds a step (`active_set`), one column of a border each; the guess, and the set.
Border, view_border = _LAYOUT.tuple_of(
    "Border",
    H=f"solved ({MOST}, 3 * strips)  pull ({MOST}, variables)  cross small ({MOST}, {MOST}) "
    f"concerns index kind on lost right z ({MOST})  spare (3 * strips) "
    "was_free side base_wrong force aim d (variables)  was_held row_side row_force row_aim (listed)",
)

#: Where axis values, sines and cosines are, one by one and four at a time, and the frames that they make.
Place = namedtuple("Place", "values trig frames spins wide wide_trig")
#: All that a search sees: tree and space, the above, and how many residuals there are at present.
Search = namedtuple("Search", "tree space drives chains strips bounds place work residuals")
#: The same of single rows: measures, the tree's sweep, linear rows, and what is asked of them.
Rows = namedtuple("Rows", "M sweep method limits scalars border last hard_weight")


@kernel
def view_place(G, H, sweep):
    """Values, sines and cosines of one problem; frames and spins are those of its sweep."""
    values = _view_values(G, H)
    k = G[PADDED] // WIDTH
    return Place(
        values.values,
        values.trig,
        sweep.frames,
        sweep.spins,
        lane_view1(H, 0, k),
        lane_view2(H, G[PADDED], 2, k),
    )


def whole(size: int) -> int:
    """Rounded up to whole lanes."""
    return -(-size // WIDTH) * WIDTH


def allocate(counts: Mapping[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """G, with its head, and H at an aligned address, for these counts (those left out are 0)."""
    (ints,), (size,) = _LAYOUT.allocate_some(counts, 1)
    return ints, aligned_zeros(size)


def sections(made: Any, ints: np.ndarray, reals: np.ndarray) -> Any:
    """A tuple of sections as NumPy views."""
    return _LAYOUT.sections(made, ints, reals)
