"""The method ``"auto"``: the given start alone, then others beside each other, until all goals are met.

1. `lm` from the start. Most problems end here.
2. If it is slow, seeds: the rest pose, closed forms (`given_seeds`), then points spread over the ranges (`seeds`),
   four side by side, with more patience after the first few. The first by number that meets every goal is the answer,
   whichever was quicker. With few variables and no closed forms the start goes on beside them as the first of all, and
   where it is far from the goals (`solvers.lm.ELSEWHERE`) it does so from the beginning.
3. If none of a round of seeds does (`search`): the start's own search to its end, so that the result is never less
   than the start gives alone; and the lowest ends of the seeds to a point without slope. Without a number of restarts
   further rounds follow, on threads, up to `search.MOST` seeds, until `search.AGREEING` ends have the same lowest
   potential; but when that is close to nothing (`search.CLOSE`), where a goal may well be within reach after all, all
   of them. The lowest is judged as in `lm`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels.lm import FAR, SLOW, lm
from manikin.kernels.lm_lanes import lm_lanes
from manikin.kernels.solve import OUT_ERRORS, OUT_REACHED, TIDY
from manikin.kernels.state import DONE
from manikin.solvers import seeds
from manikin.solvers.lm import NOWHERE, begin, brought_in
from manikin.solvers.search import (
    PATIENCE,
    QUICK,
    STEPS,
    End,
    load_lanes,
    loaded,
    over,
    rest_unless,
    search_on,
)

if TYPE_CHECKING:
    from manikin.solvers.lm import Fast
    from manikin.solvers.packing import Packed


def run(
    packed: Packed,
    fast: Fast,
    start: np.ndarray,
    restarts: int | None = None,
    seed: int = 0,
    deadline: float | None = None,
    threads: int | None = None,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Solve from ``start``: the coordinates found, what `kernels.solve` reports, how many starts it took."""
    q = start.copy()
    out = np.zeros(OUT_ERRORS + packed.terms)
    beside = fast.together
    task = lm(
        packed.structure,
        packed.parameters,
        packed.workspace,
        fast.ints,
        fast.reals,
        q,
        NOWHERE,
        out,
        packed.budget,
        PATIENCE,
        fast.elsewhere if beside else np.inf,
    )
    tried = 0
    if beside and task in (SLOW, FAR) and not out[OUT_REACHED]:
        if not over(deadline):
            row, tried = _beside(packed, fast, start, q, out, restarts, seed)
            if row >= 0:
                return q, out, 1 + row
        q[:] = start
        task, out = begin(packed, fast, q, PATIENCE)
    if task == TIDY:
        start = start.copy()
        if brought_in(packed, start):
            q[:] = start
            task, out = begin(packed, fast, q, PATIENCE)
    if task == DONE or out[OUT_REACHED]:
        return q, out, 1
    end = search_on(packed, fast, start, End(q, out), task, restarts, seed, deadline, tried, threads)
    return end.q, end.out, end.starts


def _beside(
    packed: Packed,
    fast: Fast,
    start: np.ndarray,
    q: np.ndarray,
    out: np.ndarray,
    restarts: int | None,
    seed: int,
) -> tuple[int, int]:
    """Go on from where `lm` left the start, with the first seeds beside it: the row of the first that meets every goal,
    below 0 where none does, and how many seeds were tried.
    """
    if (
        fast.limbs
    ):  # closed forms are better seeds than any, but take too long to be computed beside every start
        fast.together = False
        return -1, 0
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
        rest_unless(packed, fast, start),
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
