"""The method ``"projection"``: Zhao and Badler's, run by the kernels.

The report chooses, for every goal, the joint where its chain starts. Here ``free`` chooses the coordinates that may
move for all goals together: simpler to say, and no goal can pull on a joint that another believes fixed.
"""

from __future__ import annotations

from functools import cache
from time import perf_counter

import numpy as np

from manikin.kernels.memory import layout
from manikin.kernels.memory.state import DONE, STATIONARY, STOPPED, WEAK_START
from manikin.kernels.projection.solve import (
    INFEASIBLE,
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_REACHED,
    OUT_STATUS,
    REFUSED,
    REPAIR,
    TIDY,
    depart,
    give_up,
    look_around,
    repair,
    solve,
)
from manikin.solvers.methods.escape import set_out, ways_out
from manikin.solvers.pack.packing import BEYOND, FARTHEST, Packed
from manikin.solvers.starts.inside import not_finite

# Load the solver, or compile it, before anyone looks at the clock.
solve(*layout.empty(), np.zeros(0), np.zeros(OUT_ERRORS), 1, True)

# Iterations to look at the clock after.
_CHUNK = 25
_MOST_ESCAPES = 20
# Ways out of a saddle that are tried besides the first.
_MOST_OTHERS = 3


def run(packed: Packed, q: np.ndarray, budget: int | None = None, fresh: bool = True) -> np.ndarray:
    """Solve from q, in place; returns what `kernels.projection` reports. A start that is not finite raises a PoseError.

    ``packed.notes`` tells of a start that had to be moved into the linear constraints.
    """
    if budget is None:
        budget = packed.budget
    out = np.empty(OUT_ERRORS + packed.parts)
    task = solve(packed.structure, packed.parameters, packed.workspace, q, out, budget, fresh)
    if task != DONE:
        _attend(packed, q, out, budget, task)
    if not (np.abs(q) < FARTHEST).all():
        _come_back(packed, q, out)
    return out


def _come_back(packed: Packed, q: np.ndarray, out: np.ndarray) -> None:
    """Let what ran away along a slide without limits end where it is a start again, as it is there."""
    np.clip(q, -BEYOND, BEYOND, out=q)
    spent = out[[OUT_ITERATIONS, OUT_EVALUATIONS]]
    task = solve(packed.structure, packed.parameters, packed.workspace, q, out, 0, True)
    if task != DONE:
        _attend(packed, q, out, 0, task)
    out[[OUT_ITERATIONS, OUT_EVALUATIONS]] += spent


@cache
def load() -> None:
    """Load, or compile, the answers to what is rarely asked."""
    structure, parameters, workspace = layout.empty()
    look_around(structure, parameters, workspace)
    depart(structure, workspace, -1.0)
    repair(structure, parameters, workspace, np.zeros(0))


def _attend(packed: Packed, q: np.ndarray, out: np.ndarray, budget: int, task: int) -> None:
    """Answer what is rarely asked, and go on.

    Of the ways out of the first saddle, take the one that ends lowest. If that is not low enough and some coordinate
    began on its range with nothing pushing it either way (a straight knee), see whether to bend it first.
    """
    begin = perf_counter()
    load()
    packed.note().loading += perf_counter() - begin
    start = q.copy()
    branch = _go_on(packed, q, out, budget, task)
    weak_start = packed.sections.work.state[WEAK_START]
    saved, ways = branch if branch is not None else (packed.workspace, [])
    for way in ways[1 : 1 + _MOST_OTHERS]:
        if out[OUT_REACHED] or out[OUT_ITERATIONS] >= budget:
            return
        packed.workspace[:] = saved
        _try(packed, way, start, q, out, budget)
    if weak_start and out[OUT_STATUS] == STATIONARY and not out[OUT_REACHED]:
        arrays = packed.structure, packed.parameters, packed.workspace
        began = packed.note().began
        begin_at = start.copy() if began is None else began.copy()
        if solve(*arrays, begin_at, np.empty_like(out), 0, True) == DONE and look_around(*arrays):
            for way in ways_out(packed, at_start=True)[:1]:
                _try(packed, way, start, q, out, budget)


def _try(
    packed: Packed,
    way: tuple[np.ndarray, float],
    start: np.ndarray,
    q: np.ndarray,
    out: np.ndarray,
    budget: int,
) -> None:
    """Go on along a way from where the workspace is; where it ends lower, that is the result."""
    set_out(packed, way)
    other_q, other = start.copy(), np.empty_like(out)
    task = solve(packed.structure, packed.parameters, packed.workspace, other_q, other, budget, False)
    _go_on(packed, other_q, other, budget, task)
    spent = out[[OUT_ITERATIONS, OUT_EVALUATIONS]] + other[[OUT_ITERATIONS, OUT_EVALUATIONS]]
    if other[OUT_REACHED] or other[OUT_POTENTIAL] < out[OUT_POTENTIAL]:
        q[:], out[:] = other_q, other
    out[[OUT_ITERATIONS, OUT_EVALUATIONS]] = spent


def _go_on(
    packed: Packed, q: np.ndarray, out: np.ndarray, budget: int, task: int
) -> tuple[np.ndarray, list[tuple[np.ndarray, float]]] | None:
    """Run to the end; returns the workspace at the first saddle met, and the ways out of it (the first is taken)."""
    arrays = packed.structure, packed.parameters, packed.workspace
    branch = None
    escapes = 0
    tidied = False
    while task != DONE:
        if task == REFUSED:
            raise not_finite(packed, q)
        if task == REPAIR or (task == TIDY and tidied):
            mend(packed, q)  # what is left after the nearest point is rounding
        elif task == TIDY:
            if tidy(packed, q):
                tidied = True
                task = solve(*arrays, q, out, budget, True)
                continue
        elif look_around(*arrays) and escapes < _MOST_ESCAPES:
            escapes += 1
            ways = ways_out(packed)
            if ways:
                if branch is None:
                    branch = packed.workspace.copy(), ways
                set_out(packed, ways[0])
        task = solve(*arrays, q, out, budget, False)
    return branch


def tidy(packed: Packed, q: np.ndarray) -> bool:
    """Answer TIDY: move q into all linear constraints, those included that have nothing to do with the goals."""
    start = q.copy()
    everything = packed.everything()
    if run(everything, q)[OUT_STATUS] == INFEASIBLE:
        q[:] = start
        give_up(packed.structure, packed.workspace)
        return False
    packed.note().began = q.copy()
    return True


def mend(packed: Packed, q: np.ndarray) -> None:
    """Answer REPAIR: move the start into the linear constraints, where there is such a point, and note where to."""
    if repair(packed.structure, packed.parameters, packed.workspace, q):
        packed.note_repair(q)


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
