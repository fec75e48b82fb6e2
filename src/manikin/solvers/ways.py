"""The ways of solving a prepared problem other than the quickest: by levels, from one start, by the papers."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import PoseError, SolveError
from manikin.kernels.memory.state import DONE
from manikin.papers import METHODS as PAPERS, WITH_SETS
from manikin.solvers.methods import nonlinear
from manikin.solvers.prepared import CLASSIC
from manikin.solvers.request import Request
from manikin.solvers.solution import Solution

if TYPE_CHECKING:
    from manikin.solvers.pack.packing import Packed
    from manikin.solvers.pack.targets import Handed
    from manikin.solvers.problem import Problem


def solve_apart(problem: Problem, request: Request, begun: np.ndarray, method: str, **asked: Any) -> Solution:
    """Solve by a problem of its own, as part of the same path or run of solves."""
    other, path = as_asked(problem, request), problem._path_start
    if path is None:
        other.go_on_from(begun, problem.meaning(begun))
        found = other.solve(begun, method, **asked)
    else:
        with other.on_a_path(path):
            found = other.solve_on_path(begun, None, asked.get("restarts"))
    if found._meant is not None:
        problem.go_on_from(found.q, found._meant)
    return found


def as_asked(problem: Problem, request: Request) -> Problem:
    """A problem of its own with what a request asks for, from the same start."""
    mask, couplings = problem._origin
    names = [name for name, free in zip(problem.figure.dofs, mask, strict=True) if free]
    own = couplings[len(problem.figure.couplings) :]
    ranks = sorted(set(problem._ranks))
    goals: Any = request.goals
    if len(ranks) > 1:
        goals = [
            [g for g, mine in zip(request.goals, problem._ranks, strict=True) if mine == k] for k in ranks
        ]
    other = type(problem)(
        problem.start,
        goals,
        free=names,
        constraints=own,
        tolerance=problem.tolerance,
        natural=problem.natural,
    )
    flat = [g for level in goals for g in level] if len(ranks) > 1 else list(goals)
    for goal, active in zip(request.goals, request.active, strict=True):
        if not active:
            other.set(flat.index(goal), active=False)
    return other


def naturally(
    problem: Problem,
    request: Request,
    begun: np.ndarray,
    whole: np.ndarray,
    block: np.ndarray,
    table: np.ndarray,
    handed: Handed | None,
    begin: float,
) -> Solution:
    """Solve as by default, from the posture that people take for the targets; ``begun`` is what the start means.

    whole, block, table: targets that came with the call and what a search fills, the latter alone, and its table.
    """
    engine, plan = problem._engine, problem._plan
    assert engine is not None and plan is not None
    where = plan.begin(request, None if handed is None else whole, begun)
    if where == plan.NOT_FINITE:
        raise PoseError("the start has values that are not finite, or beyond 1e9")
    meant = problem.mean_start(begun)
    patience = 0 if meant else engine.patience
    task = engine.search(table, begun if plan.began_at_start else plan.q, block, patience, engine.elsewhere)
    block[-len(begun) :] = begun
    if task > DONE:
        return naturally_further(problem, request, begun, whole, block, task, handed, begin)
    return _met_naturally(problem, request, begun, whole, handed, begin)


def _met_naturally(
    problem: Problem,
    request: Request,
    begun: np.ndarray,
    whole: np.ndarray,
    handed: Handed | None,
    begin: float,
) -> Solution:
    """The solution of a search that met everything."""
    found = Solution(problem, request, whole, perf_counter() - begin, handed)
    problem._plan.note_end(found.q)  # type: ignore[union-attr]
    if problem._engine is problem._mixed:
        problem._note_rows(found, begun)
        problem.note_end(found.q)
    return found


def naturally_further(
    problem: Problem,
    request: Request,
    begun: np.ndarray,
    whole: np.ndarray,
    block: np.ndarray,
    task: int,
    handed: Handed | None,
    begin: float,
) -> Solution:
    """Go on where the search from the natural posture did not meet everything, from other starts."""
    engine, plan = problem._engine, problem._plan
    assert engine is not None and plan is not None
    q = begun if plan.began_at_start else plan.q.copy()
    if task > DONE:
        if handed is not None:
            request = problem._with_handed(request, handed, whole, task)
        problem._solving = request
    if engine is problem._fast:
        own = alone(problem, q, "lm", None, None) if task != problem._refused else None
        found = problem._go_on(request, q, block, task, begin)
        if own is not None and not found.reached and own.potential <= _AS_GOOD * found.potential:
            own.starts, own.seconds, own._request = found.starts, found.seconds, request
            found = own
        found.begin_at(begun)
        return found
    failed = problem._lean is None or task not in problem._unfit
    return solve_levels(problem, request, begun, "auto", None, None, None, 0, quick_failed=failed, first=q)


# Of what is out of reach, the end of the natural posture's own search is the answer unless another is better than this.
_AS_GOOD = 1.02


def alone(
    problem: Problem,
    begun: np.ndarray,
    method: str,
    time_limit: float | None,
    options: Mapping[str, Any] | None,
) -> Solution:
    """Solve from one start."""
    if method in PAPERS or method in WITH_SETS:
        return paper(problem, begun, method, options, time_limit)
    q = begun.copy()
    packed = problem._packed
    if options and method == "projection":
        from manikin.solvers.methods.projection_options import with_options

        packed = with_options(packed, options)
    elif options:
        raise SolveError(f"method {method!r} has no options, got {', '.join(options)}")
    if problem.figure.cones or problem.figure.loops:
        nonlinear.refuse(packed, method)
        nonlinear.bring_in(problem.figure, q)
    values = None
    if method == "lm" and problem._fast is not None:
        from manikin.solvers.methods.least_squares import run as run_lm

        begin = perf_counter()
        deadline = None if time_limit is None else begin + time_limit
        block = run_lm(packed, problem._fast, begun, deadline)
    else:
        from manikin.solvers.methods.projection import run, run_until

        begin = perf_counter()
        if not problem._compiled:
            from manikin.solvers.methods.potentials import run_with_potentials

            deadline = None if time_limit is None else begin + time_limit
            goals = list(zip(problem._goals, problem._active, strict=True))
            out, values = run_with_potentials(packed, q, goals, deadline)
        else:
            out = run(packed, q) if time_limit is None else run_until(packed, q, begin + time_limit)
        block = np.concatenate([out, q, begun])
    found = Solution(problem, problem._request, block, perf_counter() - begin)
    found._values = values
    noted(problem, found, packed)
    return found


def solve_levels(
    problem: Problem,
    request: Request,
    begun: np.ndarray,
    method: str,
    time_limit: float | None,
    options: Mapping[str, Any] | None,
    restarts: int | None,
    seed: int,
    *,
    quick_failed: bool = False,
    first: np.ndarray | None = None,
) -> Solution:
    """Solve by the descent by levels; ``quick_failed``: the quick search has, from this start.

    first: where the search begins, if not at what the start means.
    """
    from manikin.solvers.methods.general import load, solve_levels
    from manikin.solvers.starts.restarts import further_starts

    assert problem._levels is not None
    if method not in ("auto", "lm") or options:
        raise SolveError(
            f"method {method!r}{' and its options' if options else ''} cannot honour {beyond(problem)}; "
            "use method='auto' or 'lm'"
        )
    q = begun.copy() if first is None else first.copy()
    levels, meant = problem._levels, problem.meaning(begun)
    levels.mean_start(begun if problem._path_start is None else meant, meant)
    problem.forget_meaning()
    load()
    begin = perf_counter()
    deadline = None if time_limit is None else begin + time_limit
    most = 0 if method == "lm" and restarts is None else restarts
    out, outcome, tried = solve_levels(
        levels, q, further_starts(problem, begun, seed), most, deadline, quick_failed=quick_failed
    )
    packed = levels.packed
    found = Solution(problem, request, np.concatenate([out, q, begun]), perf_counter() - begin)
    found.found_by(levels, outcome)
    if problem._means_start:
        found._meant = meant.copy() if meant is begun else meant
        problem.go_on_from(found.q, found._meant)
    found.starts = tried
    if packed.notes is not None:
        found.began = packed.notes.began
        packed.notes = None
    return found


def beyond(problem: Problem) -> str:
    """What of this problem asks for the descent by levels, in words."""
    for goal in problem._goals:
        if getattr(goal, "hard", False):
            return f"a hard goal ({goal.label()})"
        if not isinstance(goal, CLASSIC):
            return f"a goal of this kind ({goal.label()})"
    return "levels of priority"


def noted(problem: Problem, found: Solution, packed: Packed | None = None) -> None:
    """Tell a solution of what was out of the ordinary, with the problem or with this copy of it."""
    packed = problem._packed if packed is None else packed
    if packed.notes is not None:
        found.began = packed.notes.began
        found.seconds -= packed.notes.loading
        packed.notes = None


def paper(
    problem: Problem,
    begun: np.ndarray,
    method: str,
    options: Mapping[str, Any] | None,
    time_limit: float | None,
) -> Solution:
    """Solve by a method of the papers."""
    from manikin.papers.call import run

    q = begun.copy()
    begin = perf_counter()
    out, details = run(problem, q, method, options, None if time_limit is None else begin + time_limit)
    found = Solution(problem, problem._request, np.concatenate([out, q, begun]), perf_counter() - begin)
    found.details = details
    noted(problem, found)
    return found
