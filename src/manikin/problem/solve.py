"""`solve`: one problem, once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Unpack

from manikin.figure import Coupling, Figure, Pose
from manikin.goals import Goal
from manikin.plan.options import SolveOptions
from manikin.problem.problem import Problem
from manikin.result.solution import Solution


def solve(
    figure: Figure | Pose,
    goals: Iterable[Goal] | Iterable[Sequence[Goal]],
    *,
    free: str | Iterable[str] | None = None,
    fixed: str | Iterable[str] | None = None,
    constraints: Iterable[Coupling | str] = (),
    tolerance: tuple[float, float] = (1e-4, 1e-3),
    natural: bool = True,
    **options: Unpack[SolveOptions],
) -> Solution:
    """The pose that meets the goals, or comes as near as can be.

    figure: a Figure (the search begins at rest) or a Pose of it to begin from.
    goals: any number, on any segments.
    method: ``"auto"``, ``"lm"``, or one of the papers' (`manikin.papers`).
    free: the degrees of freedom that may move, by name or pattern; all by default. fixed: those that may not.
    constraints: linear relations that hold besides the figure's own.
    restarts: how many further starts to try at most while some goal is missed; by default ``"auto"`` chooses, and the
        other methods try none.
    seed: which starts those are; the same seed gives the same answer.
    solutions: with more than one, others that reach every goal, well apart, are in ``alternatives``.
    nearest: of all that reach every goal, the one nearest to the start.
    tolerance: the miss in metres, and in radians, below which a goal counts as reached.
    dt: seconds since the start, in which every joint keeps its velocity limit (`Problem.solve`).
    time_limit: seconds after which to stop with the best so far.
    threads: for the later starts of ``"auto"``, at most; by default as many as the process may use. The answer does not
        depend on it.
    options: of a method of the papers, by name.
    natural: whether a human begins at the posture that people take for the goals, and prefers it among equals
        (`Natural`).

    No pose that is returned leaves a joint's range, or a linear constraint unless these contradict each other. Of
    several starts the first that reaches every goal wins, or else the one with the least potential.
    """
    problem = Problem(
        figure, goals, free=free, fixed=fixed, constraints=constraints, tolerance=tolerance, natural=natural
    )
    return problem.solve(**options)
