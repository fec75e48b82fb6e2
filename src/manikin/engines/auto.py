"""The method ``"auto"``: the given start alone, then others beside each other, until all goals are met.

1. `lm` from the start. Most problems end here. Where six hinges have a closed form (`six_axis_first`), its solution
   nearest to the start comes first.
2. Seeds: the rest pose and the middle of the ranges, then points spread over the ranges (`seeds`), four side by side,
   with more patience after the first few. The first by number that meets every goal is the answer, whichever was
   quicker. The start goes on beside them as the first of all, and where it is far from the goals
   (`engines.least_squares.ELSEWHERE`) it does so from the beginning.
3. If none of a round of seeds does (`search`): the start's own search to its end, so that the result is never less
   than the start gives alone; and the lowest ends of the seeds to a point without slope. Without a number of restarts
   further rounds follow, on threads, up to `search.MOST` seeds, until `search.AGREEING` ends have the same lowest
   potential; but when that is close to nothing (`search.CLOSE`), where a goal may well be within reach after all, all
   of them. The lowest is judged as in `lm`.

Where some linear constraints are rows of the problem, a start that breaks one is brought in first; each seed is brought
in too, to the nearest point of all ranges and rows; and seeds are searched one by one, first `search.QUICK` of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.least_squares import begin
from manikin.engines.starts import seeds
from manikin.engines.starts.inside import bring_in
from manikin.engines.starts.search import (
    PATIENCE,
    QUICK,
    STEPS,
    End,
    from_others,
    load_lanes,
    loaded,
    over,
)
from manikin.kernels.memory.state import DONE, REPAIR, TIDY
from manikin.kernels.pose.report import OUT_REACHED
from manikin.kernels.search.damped import FAR, SLOW
from manikin.kernels.search.lanes import lm_lanes

if TYPE_CHECKING:
    from manikin.engines.least_squares import LeastSquares
    from manikin.plan.packing import Packed


def search_beside(
    packed: Packed, fast: LeastSquares, start: np.ndarray, block: np.ndarray, task: int
) -> tuple[int, int]:
    """What `search_on` does first, by default: all in one call where a start by itself was slow or is far.

    Returns how many starts it took, 0 where none of them meets every goal, and how many seeds were tried.
    """
    if not (fast.together and task in (SLOW, FAR)):
        return 0, 0
    q, out = fast.ended(block)
    row, tried = _beside(packed, fast, start, q, out, None, 0)
    return max(0, 1 + row), tried


def search_on(
    packed: Packed,
    fast: LeastSquares,
    start: np.ndarray,
    block: np.ndarray,
    task: int,
    restarts: int | None,
    seed: int,
    deadline: float | None,
    threads: int | None = None,
    tried: int = 0,
) -> tuple[np.ndarray, int]:
    """What follows when the start's own search was slow, or was not begun for being far.

    block, task: what `lm` from the start left, and what it ended with. tried: seeds that `search_beside` tried.
    Returns a block as of `engines.least_squares.begin`, and how many starts it took.
    """
    q, out = fast.ended(block)
    if fast.together and task in (SLOW, FAR):
        if not tried and not over(deadline):
            row, tried = _beside(packed, fast, start, q, out, restarts, seed)
            if row >= 0:
                return block, 1 + row
        task, block = begin(packed, fast, start, fast.patience)
    begun = start
    if task in (TIDY, REPAIR):
        begun = start.copy()
        if bring_in(packed, begun):
            task, block = begin(packed, fast, begun, fast.patience)
    if task == DONE:
        starts = 1
    else:
        q, out = fast.ended(block)
        end = from_others(packed, fast, begun, End(q, out), task, restarts, seed, deadline, tried, threads)
        q[:], out[:], starts = end.q, end.out, end.starts
    block[-len(start) :] = start
    return block, starts


def _beside(
    packed: Packed,
    fast: LeastSquares,
    start: np.ndarray,
    q: np.ndarray,
    out: np.ndarray,
    restarts: int | None,
    seed: int,
) -> tuple[int, int]:
    """Go on from where `lm` left the start, with the first seeds beside it: the row of the first that meets every goal,
    below 0 where none does, and how many seeds were tried.
    """
    if fast.seed != seed:
        seeds.shift(fast.bounds, seed)
        fast.seed = seed
    if not loaded:
        load_lanes(packed)
    count = QUICK if restarts is None else min(QUICK, restarts)
    q[:] = start
    row = lm_lanes(
        packed.structure,
        packed.parameters,
        packed.workspace,
        fast.ints,
        fast.reals,
        fast.lanes,
        q,
        out,
        fast.general_seeds(start),
        0,
        fast.ends[: 1 + count],
        STEPS,
        PATIENCE,
        False,
        1,
    )
    if row >= 0 and not out[OUT_REACHED]:
        row = -1
    return row, count if row == -1 else 0
