"""`solve`: one problem, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Coupling, Figure, Pose
from manikin.goals import Goal
from manikin.solvers.nonlinear import bring_in
from manikin.solvers.problem import Problem
from manikin.solvers.solution import Solution


def solve(
    figure: Figure | Pose,
    goals: Iterable[Goal] | Iterable[Sequence[Goal]],
    *,
    method: str = "auto",
    free: str | Iterable[str] | None = None,
    constraints: Iterable[Coupling | str] = (),
    restarts: int | None = None,
    seed: int = 0,
    tolerance: tuple[float, float] = (1e-4, 1e-3),
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> Solution:
    """The pose that meets the goals, or comes as near as can be.

    figure: a Figure (the search begins at rest) or a Pose of it to begin from.
    goals: any number, on any segments.
    method: ``"auto"`` or ``"projection"``, or one of the papers' (`manikin.solvers.papers`).
    free: the degrees of freedom that may move, by name or pattern; all by default.
    constraints: linear relations that hold besides the figure's own.
    restarts: how many further starts to try, drawn from the ranges, while some goal is missed; none by default.
    seed: which starts those are; the same seed gives the same answer.
    tolerance: the miss in metres, and in radians, below which a goal counts as reached.
    time_limit: seconds after which to stop with the best so far.
    options: of a method of the papers, by name.

    No pose that is returned leaves a joint's range, or a linear constraint unless these contradict each other. Of
    several starts the first that reaches every goal wins, or else the one with the least potential.
    """
    problem = Problem(figure, goals, free=free, constraints=constraints, tolerance=tolerance)
    best = problem.solve(method=method, time_limit=time_limit, options=options)
    count = _restarts(restarts)
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise SolveError(f"seed must be a whole number, not negative, got {seed!r}")
    if best.reached or best.status == "infeasible" or count == 0:
        return best
    rng = np.random.default_rng(seed)
    first = best
    seconds = best.seconds
    for tried in range(count):
        left = None if time_limit is None else time_limit - seconds
        if left is not None and left <= 0.0:
            break
        found = problem.solve(_random_start(problem, rng), method, time_limit=left, options=options)
        found.begun_from(first)
        seconds += found.seconds
        if found.reached or found.potential < best.potential:
            best = found
        best.starts = tried + 2
        if best.reached:
            break
    best.seconds = seconds
    return best


def _restarts(restarts: int | None) -> int:
    if restarts is None:
        return 0
    if isinstance(restarts, bool) or not isinstance(restarts, (int, np.integer)) or restarts < 0:
        raise SolveError(f"restarts must be a whole number, not negative, got {restarts!r}")
    return int(restarts)


def _random_start(problem: Problem, rng: np.random.Generator) -> np.ndarray:
    """A start drawn evenly from the ranges; unlimited turns from a whole turn, unlimited slides within a metre."""
    figure = problem.figure
    q = np.array(problem.start.q)
    for name in problem.variables:
        dof = figure.dof(name)
        j = figure.index(name)
        width = np.pi if dof.unit == "rad" else 1.0
        lower = dof.lower if np.isfinite(dof.lower) else min(q[j], dof.upper) - width
        upper = dof.upper if np.isfinite(dof.upper) else max(q[j], dof.lower) + width
        q[j] = rng.uniform(lower, upper)
    bring_in(figure, q)
    return q
