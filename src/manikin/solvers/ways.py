"""The ways of solving a prepared problem other than the quickest: by levels, from one start, by the papers."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import SolveError
from manikin.papers import METHODS as PAPERS, WITH_SETS
from manikin.solvers.methods import nonlinear
from manikin.solvers.options import Options
from manikin.solvers.solution import (
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
    from manikin.solvers.pack.packing import Packed
    from manikin.solvers.request import Request
    from manikin.solvers.work import Work

METHODS = ("auto", "lm", *PAPERS, *WITH_SETS)
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
    if method in PAPERS or method in WITH_SETS:
        return _by_paper(work, request, begun, asked, deadline)
    q = begun.copy()
    packed = work.packed
    if options:
        raise SolveError(f"method {method!r} has no options, got {', '.join(options)}")
    if work.figure.cones or work.figure.loops:
        nonlinear.refuse(packed, method)
        nonlinear.bring_in(work.figure, q)
    values = None
    if method == "lm" and work.fast is not None:
        from manikin.solvers.methods.least_squares import run as run_lm

        work.serving = request
        block = run_lm(packed, work.fast, begun, deadline)
    else:
        from manikin.solvers.methods.projection import run, run_until

        if not work.compiled:
            from manikin.solvers.methods.potentials import run_with_potentials

            out, values = run_with_potentials(packed, q, work.goals, deadline)
        else:
            out = run(packed, q) if deadline is None else run_until(packed, q, deadline)
        block = np.concatenate([out, q, begun])
    found = Solution(work.problem, request, block, perf_counter() - begin)
    found._values = values
    noted(work, found, packed)
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
    from manikin.solvers.methods.general import load, solve_levels
    from manikin.solvers.starts.restarts import further_starts

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


def _by_paper(
    work: Work, request: Request, begun: np.ndarray, asked: Options, deadline: float | None
) -> Solution:
    """Solve by a method of the papers."""
    from manikin.papers.call import run

    begin = perf_counter()
    ended = run(work.problem, begun, asked.method, asked.options, deadline, work.anchor)
    out = np.zeros(ERRORS + len(ended.misses))
    out[[POTENTIAL, STATUS]] = ended.potential, STATUSES.index(ended.status)
    out[[ITERATIONS, EVALUATIONS, REACHED]] = ended.iterations, ended.evaluations, ended.reached
    out[ERRORS:] = ended.misses
    found = Solution(work.problem, request, np.concatenate([out, ended.q, begun]), perf_counter() - begin)
    found.details, found.began, found._values = ended.details, ended.began, ended.values
    if work.levels is not None and not work.classic:
        found.found_by(work.levels, work.levels.ended_at(ended.q, ended.choice))
    return found
