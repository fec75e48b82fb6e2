"""Memory of the search: two flat arrays beside those of the tree and of the goals, and two more where it runs in lanes.

``G``  int64    counts, where each section begins, which variables drive what, and what each part means
``H``  float64  coefficients, ranges, the pull, what counts as met, and the workspace; at an aligned address
``L``  float64  the workspace of four searches side by side, four numbers an item
``C``  float64  what differs between the problems of a batch, four numbers an item

A *strip* is three rows of the Jacobian: a residual (`residuals`), or three single rows (`rows`). The *chain* of a
motion are the variables that move it, those nearest to the root first; a residual has columns for those alone.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import aligned_zeros, lane_view1, lane_view2
from manikin.kernels.memory.lanes import WIDTH, widen
from manikin.kernels.memory.path import T_HEAD
from manikin.kernels.memory.sections import Layout
from manikin.kernels.search.state import STATE

COUNTS = (
    "motions values padded drives dofs variables parts residuals numbers strips chains width entries linear rows "
    "listed changes idle single last"
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
    NUMBERED,
    STRIPS,
    CHAINS,
    WIDE,
    ENTRIES,
    LINEAR,
    ROWS,
    LISTED,
    CHANGES,
    IDLE,
    SINGLE,
    LAST,
) = range(20)
_LAYOUT = Layout("G H L C", COUNTS, "L C")
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
    H=f"kind motion chain part begin root stop hard (strips)  number (numbers, {NUMBERS})",
)
#: One number a variable: ranges of the step (infinite where it wraps), the true ones, the root of the metric, 1 where a
#: whole rotation fits, the most that it may change in a second; the range that the pull leads to, and how strongly (0:
#: not at all); 1 for those of a base that the pull leads back to where it stood (`stand`); where seeds are drawn from
#: (an infinite ``low``: about the start), and their sequence.
Bounds, view_bounds = _LAYOUT.tuple_of(
    "Bounds",
    H="lower upper true_lower true_upper scale wraps speed pull_low pull_high pull_share stays "
    "low width alpha shift (variables)",
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
#: base: the step, scaled; free: 0 where an end holds it; wish: what the rows want of it, with the other sign; e, right
#: and solved: one number a row of the system; state: `state`.
_WORK = (
    f"x x_new base free wish slope pull (variables)  e e_new right solved (3 * strips)  state ({STATE}) "
    "jacobian (strips, width, 3)  tiles factor (strips, strips, 9)"
)
#: d_low, d_high: how far a step may go; last_step, last_plain: the last step, and what it was before it was
#: extrapolated; older_step, older_change: the step before it, and how the plain one changed over it.
Work, view_work = _LAYOUT.tuple_of(
    "Work", H=_WORK + "d_low d_high last_step last_plain older_step older_change (variables)"
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
    H="solved (changes, 3 * strips)  pull (changes, variables)  cross small (changes, changes) "
    "concerns index kind on lost right z (changes)  spare (3 * strips) "
    "was_free side base_wrong force aim d (variables)  was_held row_side row_force row_aim (listed)",
)

#: Where axis values, sines and cosines are, one by one and four at a time, and the frames that they make.
Place = namedtuple("Place", "values trig frames spins wide wide_trig")
#: All that a search sees: tree and space, the above; how many residuals there are at present, and how many of their
#: rows are not filled up with zeros.
Search = namedtuple("Search", "tree space drives chains strips bounds place work residuals rows")
#: The same of single rows: measures, the tree's sweep, linear rows, and what is asked of them.
Rows = namedtuple("Rows", "M sweep method limits scalars border last hard_weight")

#: Four searches side by side: as `Place` and `Work`.
_LanePlace, _view_lane_place = _LAYOUT.tuple_of(
    "LanePlace", L="values (padded)  trig (2, padded)  frames (motions + 1, 12)  spins (motions + 1, 9)"
)
LaneWork, view_lane_work = _LAYOUT.tuple_of("LaneWork", L=_WORK)
#: The same, (items, lanes) number by number.
LaneNumbers, view_lane_numbers = _LAYOUT.by_number("LaneNumbers", LaneWork, "x x_new state")
#: What differs between the problems of a batch: the parts' numbers, the squares of their misses, axis values that do
#: not vary, where each is bounded and its seeds are drawn from; budget and patience; placements.
BATCH = (
    f"parameters (parts, {NUMBERS})  squares (parts)  fixed (values)  lower upper true_lower true_upper low width "
    "(variables)  limits (2)  placement (motions + 1, 12)"
)
Batch, view_batch = _LAYOUT.tuple_of("Batch", C=BATCH)
BatchNumbers, view_batch_numbers = _LAYOUT.by_number("BatchNumbers", Batch, " ".join(Batch._fields))

#: Items of a table after its head (`memory.path`): an address and a size for each of S R W, MS MR MW, G and H; then for
#: those of six hinges with a closed form.
T_S, T_R, T_W, T_MS, T_MR, T_MW, T_G, T_H, T_SIX = (T_HEAD + 2 * k for k in range(9))


def table(budget: int, *arrays: np.ndarray) -> np.ndarray:
    """A table for these arrays; whoever keeps it keeps them."""
    addresses = [number for a in arrays for number in (a.ctypes.data, a.size)]
    return np.array([budget, *[0] * (T_HEAD - 1), *addresses], np.int64)


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


@kernel
def view_lane_place(G, L):
    """The same in lanes, the frames and spins too; the world's is set."""
    own = _view_lane_place(G, L)
    for c in range(12):
        own.frames[0, c] = widen(1.0 if c == 0 or c == 4 or c == 8 else 0.0)
    k = G[VALUES]
    values = lane_view1(L, 0, k)
    return Place(values, own.trig, own.frames, own.spins, values, own.trig)


def whole(size: int) -> int:
    """Rounded up to whole lanes."""
    return -(-size // WIDTH) * WIDTH


def allocate(counts: Mapping[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """G, with its head, and H at an aligned address, for these counts (those left out are 0)."""
    (ints,), (size, _, _) = _LAYOUT.allocate_some(counts, 1)
    return ints, aligned_zeros(size)


def lane_arrays(ints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """L and C for the problem of G."""
    _, (_, lanes, batch) = _LAYOUT.allocate_some(dict(enumerate(ints[: len(COUNTS.split())].tolist())), 1)
    return aligned_zeros(WIDTH * lanes), aligned_zeros(WIDTH * batch)


def sections(made: Any, ints: np.ndarray, reals: np.ndarray) -> Any:
    """A tuple of sections as NumPy views."""
    return _LAYOUT.sections(made, ints, reals)
