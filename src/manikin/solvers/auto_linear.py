"""The method ``"auto"`` where some linear constraints are rows of the problem.

As `auto`, but for three things: a start that breaks a constraint is brought in first; each seed is brought in too, to
the nearest point of all ranges and rows; and seeds are searched one by one, in a first round of `search.QUICK`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels.solve import OUT_REACHED, REPAIR, TIDY
from manikin.kernels.state import DONE
from manikin.solvers.lm import brought_in
from manikin.solvers.lm_linear import begin
from manikin.solvers.search import End, search_on

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
    task, out = begin(packed, fast, q, fast.patience)
    if task in (TIDY, REPAIR):
        start = start.copy()
        if brought_in(packed, start):
            q[:] = start
            task, out = begin(packed, fast, q, fast.patience)
    if task == DONE or out[OUT_REACHED]:
        return q, out, 1
    end = search_on(packed, fast, start, End(q, out), task, restarts, seed, deadline, 0, threads)
    return end.q, end.out, end.starts
