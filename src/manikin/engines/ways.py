"""Other ways of solving a prepared problem than the quickest: by levels, from one start, by a method from outside."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import SolveError
from manikin.plan.methods import methods
from manikin.plan.options import METHODS, Options
from manikin.result.solution import (
    ERRORS,
    EVALUATIONS,
    ITERATIONS,
    POTENTIAL,
    REACHED,
    STATUS,
    STATUSES,
    Solution,
)

if TYPE_CHECKING:
    from manikin.engines.work import Work
    from manikin.goals.request import Request
    from manikin.plan.packing import Packed

#: Out of reach, the end of the natural posture's own search is the answer unless another is better than this.
AS_GOOD = 1.02


def solve_apart(work: Work, request: Request, begun: np.ndarray, asked: Options) -> Solution:
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


def alone(work: Work, request: Request, begun: np.ndarray, asked: Options) -> Solution:
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
    found = Solution(work.problem, request, block, perf_counter() - begin)
    noted(work, found)
    return found


def solve_levels(
    work: Work,
    request: Request,
    begun: np.ndarray,
    asked: Options,
    *,
    quick_failed: bool = False,
    first: np.ndarray | None = None,
    end: np.ndarray | None = None,
) -> Solution:
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
    found = Solution(work.problem, request, np.concatenate([out, q, begun]), perf_counter() - begin)
    found.found_by(levels, outcome)
    found._meant = work.anchor
    found.starts = tried
    packed = levels.packed
    if packed.notes is not None:
        found.began = packed.notes.began
        packed.notes = None
    return found


def noted(work: Work, found: Solution, packed: Packed | None = None) -> None:
    """Tell a solution of what was out of the ordinary, with the problem or with this copy of it."""
    packed = work.packed if packed is None else packed
    if packed.notes is not None:
        found.began = packed.notes.began
        found.seconds -= packed.notes.loading
        packed.notes = None


def _from_outside(
    work: Work, request: Request, begun: np.ndarray, asked: Options, deadline: float | None
) -> Solution:
    """Solve by a method that another package declares."""
    method = methods()[asked.method]
    begin = perf_counter()
    ended = method.run(work.problem, begun, asked.options, deadline, work.anchor)
    levels = work.levels
    outcome = None if levels is None else levels.ended_at(ended.q, ended.choice)
    misses = ended.misses if outcome is None else outcome.misses
    out = np.zeros(ERRORS + len(misses))
    out[[POTENTIAL, STATUS]] = ended.potential, STATUSES.index(ended.status)
    out[[ITERATIONS, EVALUATIONS, REACHED]] = ended.iterations, ended.evaluations, ended.reached
    out[ERRORS:] = misses
    found = Solution(work.problem, request, np.concatenate([out, ended.q, begun]), perf_counter() - begin)
    found.details, found.began = ended.details, ended.began
    if levels is not None and outcome is not None:
        found.found_by(levels, outcome)
    return found
