"""Other ways of solving a prepared problem than the quickest: by levels, from one start, by a method from outside."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.raw import STATUSES, Raw
from manikin.errors import SolveError
from manikin.kernels.pose.report import (
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_REACHED,
    OUT_STATUS,
)
from manikin.plan.methods import methods
from manikin.plan.options import METHODS, Options

if TYPE_CHECKING:
    from manikin.engines.work import Work
    from manikin.goals.request import Request

#: Out of reach, the end of the natural posture's own search is the answer unless another is better than this.
AS_GOOD = 1.02


def solve_apart(work: Work, request: Request, begun: np.ndarray, asked: Options) -> Raw:
    """Solve by a problem of its own, with the same anchor."""
    other = work.problem.with_goals(request.goals)
    with other.borrowed() as own:
        if work.anchor is not None:
            own.anchor_at(work.anchor, work.on_path)
        try:
            found = own.solve(begun, None) if asked == Options() else own.solve_as_asked(begun, None, asked)
        finally:
            own.release()
    work.cool()
    return found


def alone(work: Work, request: Request, begun: np.ndarray, asked: Options) -> Raw:
    """Solve from one start."""
    method, options = asked.method, asked.options
    begin = perf_counter()
    deadline = None if asked.time_limit is None else begin + asked.time_limit
    if method not in METHODS:
        return _from_outside(work, request, begun, asked, deadline)
    if options:
        raise SolveError(f"method {method!r} has no options, got {', '.join(options)}")
    from manikin.engines.least_squares import run

    assert work.fast is not None
    work.serving = request
    block = run(work.packed, work.fast, begun, deadline)
    return work.raw(request, block, begin)


def solve_levels(
    work: Work,
    request: Request,
    begun: np.ndarray,
    asked: Options,
    *,
    quick_failed: bool = False,
    first: np.ndarray | None = None,
    end: np.ndarray | None = None,
) -> Raw:
    """Solve by the descent by levels; ``quick_failed``: the quick search has, from this start; ``end``: where it ended.

    first: where the search begins, if not at the start.
    """
    from manikin.engines.general import load, solve_levels
    from manikin.engines.starts.restarts import further_starts

    levels = work.levels
    assert levels is not None
    if asked.method not in ("auto", "lm") or asked.options:
        raise SolveError(
            f"method {asked.method!r}{' and its options' if asked.options else ''} cannot honour "
            f"{work.problem.beyond()}; use method='auto' or 'lm'"
        )
    q = begun.copy() if first is None else first.copy()
    meant = work.meaning(begun)
    levels.mean_start(work.objectives_start(begun), meant)
    load()
    begin = perf_counter()
    deadline = None if asked.time_limit is None else begin + asked.time_limit
    most = 0 if asked.method == "lm" and asked.restarts is None else asked.restarts
    starts = further_starts(work, begun, asked.seed)
    out, outcome, tried = solve_levels(levels, q, starts, most, deadline, quick_failed=quick_failed, end=end)
    found = work.raw(request, np.concatenate([out, q, begun]), begin).found_by(levels, outcome)
    found.starts = tried
    notes, levels.packed.notes = levels.packed.notes, None
    if notes is not None:
        found.began = notes.began
    return found


def _from_outside(
    work: Work, request: Request, begun: np.ndarray, asked: Options, deadline: float | None
) -> Raw:
    """Solve by a method that another package declares."""
    method = methods()[asked.method]
    begin = perf_counter()
    ended = method.run(work.problem, begun, asked.options, deadline, work.anchor)
    levels = work.levels
    outcome = None if levels is None else levels.ended_at(ended.q, ended.choice)
    misses = ended.misses if outcome is None else outcome.misses
    out = np.zeros(OUT_ERRORS + len(misses))
    out[[OUT_POTENTIAL, OUT_STATUS]] = ended.potential, STATUSES.index(ended.status)
    out[[OUT_ITERATIONS, OUT_EVALUATIONS, OUT_REACHED]] = ended.iterations, ended.evaluations, ended.reached
    out[OUT_ERRORS:] = misses
    found = work.raw(request, np.concatenate([out, ended.q, begun]), begin)
    found.details, found.began = ended.details, ended.began
    return found if levels is None or outcome is None else found.found_by(levels, outcome)
