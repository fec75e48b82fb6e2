"""A solve from one start with every joint within its velocity limit: what a robot can do until the next sample."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import SolveError
from manikin.kernels.memory.state import DONE
from manikin.kernels.projection.solve import INFEASIBLE, OUT_POTENTIAL, OUT_REACHED, OUT_STATUS, REPAIR, TIDY
from manikin.solvers.methods.levels import Outcome
from manikin.solvers.methods.projection import run
from manikin.solvers.solution import ERRORS, Solution
from manikin.solvers.starts.choices import in_order

if TYPE_CHECKING:
    from manikin.solvers.methods.levels import Levels
    from manikin.solvers.problem import Problem
    from manikin.solvers.request import Request

# Alternatives that are tried, nearest first.
_CHOICES = 8


def solve_in_time(problem: Problem, request: Request, begun: np.ndarray, method: str, dt: Any) -> Solution:
    """Solve from ``begun`` in dt seconds; from the nearest point inside the linear constraints where it is outside."""
    if method not in ("auto", "lm"):
        raise SolveError(f"method {method!r} knows no velocity limits; dt goes with 'auto' and 'lm'")
    if isinstance(dt, bool) or not isinstance(dt, (int, float, np.number)) or not 0.0 < dt < np.inf:
        raise SolveError(f"dt must be a positive number of seconds, got {dt!r}")
    begin = perf_counter()
    found = _search(problem, request, begun, begun, float(dt))
    began = None
    if found is None:
        began = begun.copy()
        if run(problem._packed.everything(), began)[OUT_STATUS] != INFEASIBLE:
            found = _search(problem, request, begun, began, float(dt))
    if found is None:  # constraints that what is free cannot meet: said as of any solve
        found = problem.solve(begun, restarts=0)
    else:
        if began is not None:
            found.begin_at(begun)
            found.began = began
        if problem._means_start:
            problem.remember_in_time(found, begun)
    found.seconds = perf_counter() - begin
    found.dt = float(dt)
    return found


def _search(
    problem: Problem, request: Request, begun: np.ndarray, start: np.ndarray, seconds: float
) -> Solution | None:
    """The search from a start, which ``begun`` was brought in to; None where it is outside the linear constraints."""
    if problem._fast is not None and problem._fast.plain:
        task, block = problem._fast.solve_in_time(start, seconds)
        return None if task in (TIDY, REPAIR) else Solution(problem, request, block, 0.0)
    levels = problem._levels
    if levels is None:
        if problem._timed is None or problem._timed[0] is not request:
            problem._timed = request, problem.levels_for(request, problem._start)
        levels = problem._timed[1]
    if levels.has_functions:
        raise SolveError("potentials in Python know no velocity limits; leave out dt, or these goals")
    follow = problem._means_start and problem.means_in_time(levels, begun, start)
    return _by_choice(problem, request, levels, start, seconds, follow)


def _by_choice(
    problem: Problem, request: Request, levels: Levels, start: np.ndarray, seconds: float, follow: bool
) -> Solution | None:
    """The first of the alternatives that is reached, or the one that comes nearest.

    follow: whether what means the start means this one, and is not yet told.
    """
    mixed, n = levels.mixed, problem.figure.n
    best: tuple[tuple[bool, float], np.ndarray, tuple[int, ...]] | None = None
    for choice in in_order(levels, start)[:_CHOICES]:
        levels.choose(choice)
        mixed.settle(levels)
        task, block = mixed.solve_in_time(start, seconds, follow)
        follow = False
        if task in (TIDY, REPAIR):
            return None
        kept = [
            ERRORS + number for place, which in enumerate(choice) for number in levels.choices[place][which]
        ]
        whole = np.concatenate([block[:ERRORS], block[kept], block[len(block) - 2 * n :]])
        rank = (block[OUT_REACHED] == 0.0, float(block[OUT_POTENTIAL]))
        if best is None or rank < best[0]:
            best = rank, whole, choice
        if task == DONE and not rank[0]:
            break
    assert best is not None
    found = Solution(problem, request, best[1], 0.0)
    whole = best[1]
    end, misses = whole[len(whole) - 2 * n : len(whole) - n], whole[ERRORS : len(whole) - 2 * n]
    found.found_by(levels, Outcome(end, choice=best[2], misses=misses, reached=not best[0][0]))
    return found
