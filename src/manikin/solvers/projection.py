"""The method ``"projection"``: Zhao and Badler's, run by the kernels.

The report chooses, for every goal, the joint where its chain starts. Here ``free`` chooses the coordinates that may
move for all goals together: simpler to say, and no goal can pull on a joint that another believes fixed.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from manikin.errors import PoseError
from manikin.kernels import layout
from manikin.kernels.projection import DONE, STOPPED
from manikin.kernels.solve import OUT_ERRORS, OUT_STATUS, REFUSED, REPAIR, look_around, repair, solve
from manikin.solvers.packing import Packed

# Load the solver, or compile it, before anyone looks at the clock.
solve(*layout.empty(), np.zeros(0), np.zeros(OUT_ERRORS), 1, True)

# Iterations to look at the clock after.
_CHUNK = 25


def run(packed: Packed, q: np.ndarray, budget: int | None = None, fresh: bool = True) -> np.ndarray:
    """Solve from q, in place; returns what `kernels.solve` reports.

    A start that is not finite raises a PoseError.
    """
    structure, parameters, workspace = packed.structure, packed.parameters, packed.workspace
    out = np.empty(OUT_ERRORS + packed.terms)
    if budget is None:
        budget = packed.budget
    task = solve(structure, parameters, workspace, q, out, budget, fresh)
    while task != DONE:
        if task == REFUSED:
            raise PoseError(f"the start must be finite, got {q.tolist()}")
        if task == REPAIR:
            repair(structure, parameters, workspace, q)
        else:
            look_around(structure, parameters, workspace)
        task = solve(structure, parameters, workspace, q, out, budget, False)
    return out


def run_until(packed: Packed, q: np.ndarray, deadline: float) -> np.ndarray:
    """Solve from q, in place, until done or until the clock reads ``deadline``."""
    start = q.copy()
    budget = 0
    while True:
        budget = min(budget + _CHUNK, packed.budget)
        q[:] = start
        out = run(packed, q, budget, fresh=budget <= _CHUNK)
        if out[OUT_STATUS] != STOPPED or budget >= packed.budget or perf_counter() >= deadline:
            return out
