"""Further starts, one after the other, for the methods that know only one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import SolveError
from manikin.solvers.methods.nonlinear import bring_in

if TYPE_CHECKING:
    from manikin.solvers.problem import Problem
    from manikin.solvers.solution import Solution

#: Restarts of one solve at most: every loop has an end.
MOST = 1_000_000


def checked_restarts(restarts: Any) -> int:
    """The number of restarts, or an error that says what it should be."""
    if isinstance(restarts, bool) or not isinstance(restarts, (int, np.integer)) or restarts < 0:
        raise SolveError(f"restarts must be a whole number, not negative, got {restarts!r}")
    if restarts > MOST:
        raise SolveError(f"restarts: {MOST:,} at most, got {restarts!r}; time_limit= bounds the time instead")
    return int(restarts)


def checked_seed(seed: Any) -> int:
    """The seed, or an error that says what it should be."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise SolveError(f"seed must be a whole number, not negative, got {seed!r}")
    return int(seed)


def restarted(
    problem: Problem,
    first: Solution,
    method: str,
    count: int,
    seed: int,
    time_limit: float | None,
    options: Mapping[str, Any] | None,
) -> Solution:
    """The first further start that reaches every goal, or else the lowest end of all, the given start's included."""
    best, seconds = first, first.seconds
    if first.reached or first.status == "infeasible":
        return first
    rng = np.random.default_rng(seed)
    for tried in range(count):
        left = None if time_limit is None else time_limit - seconds
        if left is not None and left <= 0.0:
            break
        start = random_start(problem, first._start, rng)
        found = problem.solve(start, method, restarts=0, time_limit=left, options=options)
        found.begun_from(first)
        seconds += found.seconds
        if found.reached or found.potential < best.potential:
            best = found
        best.starts = tried + 2
        if best.reached:
            break
    best.seconds = seconds
    return best


def further_starts(problem: Problem, begun: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """The rest pose, the root where it began, then starts drawn from the ranges, without end."""
    figure = problem.figure
    rest = np.where([figure.dof(name).joint == "root" for name in figure.dofs], begun, figure.rest)
    moved = np.isin(np.arange(figure.n), problem._packed.variables)
    rest = np.where(moved, rest, begun)
    if not np.array_equal(rest, begun):
        yield rest
    rng = np.random.default_rng(seed)
    while True:
        yield random_start(problem, begun, rng)


def random_start(problem: Problem, begun: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A start drawn evenly from the ranges; unlimited turns from a whole turn, unlimited slides within a metre."""
    figure = problem.figure
    q = begun.copy()
    for name in problem.variables:
        dof = figure.dof(name)
        j = figure.index(name)
        width = np.pi if dof.unit == "rad" else 1.0
        lower = dof.lower if np.isfinite(dof.lower) else min(q[j], dof.upper) - width
        upper = dof.upper if np.isfinite(dof.upper) else max(q[j], dof.lower) + width
        q[j] = rng.uniform(lower, upper)
    bring_in(figure, q)
    return q
