"""What a problem is asked for and how it is to be solved, checked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Coupling, Figure
from manikin.goals import Goal
from manikin.plan.methods import methods

#: The methods of this package.
METHODS = ("auto", "lm")

#: Restarts of one solve at most: every loop has an end.
MOST_RESTARTS = 1_000_000


def checked_tolerance(tolerance: Any) -> tuple[float, float]:
    """Metres and radians, both positive."""
    try:
        metres, radians = (float(value) for value in tolerance)
    except (TypeError, ValueError):
        raise SolveError(f"tolerance must be two numbers, metres and radians, got {tolerance!r}") from None
    if not (0.0 < metres < np.inf and 0.0 < radians < np.inf):
        raise SolveError(f"tolerance must be two positive numbers, metres and radians, got {tolerance!r}")
    return metres, radians


def ranked(goals: Goal | Iterable[Goal] | Iterable[Sequence[Goal]]) -> tuple[list[Goal], list[int]]:
    """The goals in one list, and the level of each, from 1."""
    try:
        listed: list[Any] = [goals] if isinstance(goals, Goal) else list(goals)
    except TypeError:
        raise SolveError(f"goals must be a list of goals, got {goals!r}") from None
    levels: list[Any] = [listed]
    if any(isinstance(entry, (list, tuple)) for entry in listed):
        levels = listed
        for level in levels:
            if not isinstance(level, (list, tuple)):
                raise SolveError(
                    f"goals must be a list of goals, or a list of lists of goals; got both, {level!r} among lists"
                )
    flat: list[Goal] = []
    ranks: list[int] = []
    for rank, level in enumerate(levels, start=1):
        for goal in level:
            if not isinstance(goal, Goal):
                raise SolveError(f"goal {len(flat)} is not a goal but {goal!r}")
            if any(goal is other for other in flat):
                raise SolveError(f"{goal.label()} is in the list twice; make two goals")
            flat.append(goal)
            ranks.append(rank)
    return flat, ranks


def checked_couplings(figure: Figure, constraints: Iterable[Coupling | str]) -> tuple[Coupling, ...]:
    """Constraints as Couplings, all of whose names the figure has."""
    try:
        listed = [constraints] if isinstance(constraints, (str, Coupling)) else list(constraints)
    except TypeError:
        raise SolveError(f"constraints must be a list of Couplings or texts, got {constraints!r}") from None
    couplings = []
    for entry in listed:
        coupling = Coupling.parse(entry) if isinstance(entry, str) else entry
        if not isinstance(coupling, Coupling):
            raise SolveError(f"a constraint must be a Coupling or text such as 'a = 0.2*b', got {entry!r}")
        for name in coupling.coefficients:
            figure.index(name)
        couplings.append(coupling)
    return tuple(couplings)


def checked_natural(natural: Any) -> bool:
    """Whether a human takes the posture that people take, or an error."""
    if not isinstance(natural, (bool, np.bool_)):
        raise SolveError(f"natural must be true or false, got {natural!r}")
    return bool(natural)


def checked_restarts(restarts: Any) -> int:
    """The number of restarts, or an error that says what it should be."""
    if isinstance(restarts, bool) or not isinstance(restarts, (int, np.integer)) or restarts < 0:
        raise SolveError(f"restarts must be a whole number, not negative, got {restarts!r}")
    if restarts > MOST_RESTARTS:
        raise SolveError(
            f"restarts: {MOST_RESTARTS:,} at most, got {restarts!r}; time_limit= bounds the time instead"
        )
    return int(restarts)


def checked_seed(seed: Any) -> int:
    """The seed, or an error that says what it should be."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise SolveError(f"seed must be a whole number, not negative, got {seed!r}")
    return int(seed)


def checked_threads(threads: Any) -> int:
    """The number of threads, by default as many as the process may use; or an error that says what it should be."""
    if threads is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise SolveError(f"threads must be a whole number above zero, got {threads!r}")
    return int(threads)


@dataclass(frozen=True, slots=True)
class Options:
    """How a solve is to go about it, checked; as of `Problem.solve`."""

    method: str = "auto"
    dt: float | None = None
    restarts: int | None = None
    seed: int = 0
    solutions: int = 1
    nearest: bool = False
    time_limit: float | None = None
    threads: int | None = None
    options: Mapping[str, Any] | None = None

    @property
    def usual(self) -> bool:
        """Whether the first search is that of a solve as by default."""
        return self.method == "auto" and not (self.several or self.dt or self.options) and self.restarts != 0

    @property
    def several(self) -> bool:
        """Whether more is asked for than one solution from one start."""
        return self.solutions != 1 or self.nearest


#: As by default.
USUAL = Options()


class AskedOptions(TypedDict, total=False):
    """What `Problem` takes beside figure and goals, by name."""

    free: str | Iterable[str] | None
    fixed: str | Iterable[str] | None
    constraints: Iterable[Coupling | str]
    tolerance: tuple[float, float]
    natural: bool


class BatchOptions(AskedOptions, total=False):
    """The options of `solve_many`, by name."""

    restarts: int | None
    seed: int
    threads: int | None


class SolveOptions(TypedDict, total=False):
    """The options of `Problem.solve`, by name."""

    method: str
    dt: float | None
    restarts: int | None
    seed: int
    solutions: int
    nearest: bool
    time_limit: float | None
    threads: int | None
    options: Mapping[str, Any] | None


def checked_options(
    *,
    method: Any = "auto",
    dt: Any = None,
    restarts: Any = None,
    seed: Any = 0,
    solutions: Any = 1,
    nearest: Any = False,
    time_limit: Any = None,
    threads: Any = None,
    options: Any = None,
) -> Options:
    """The options of a solve, or an error that names the one that is wrong."""
    if options is not None and not isinstance(options, Mapping):
        raise SolveError(f"options must map names to values, got {options!r}")
    if not isinstance(nearest, (bool, np.bool_)):
        raise SolveError(f"nearest must be true or false, got {nearest!r}")
    if isinstance(solutions, bool) or not isinstance(solutions, (int, np.integer)) or solutions < 1:
        raise SolveError(f"solutions must be a whole number above zero, got {solutions!r}")
    if not isinstance(method, str) or (method not in METHODS and method not in methods()):
        raise SolveError(f"unknown method {method!r}; expected one of: {', '.join((*METHODS, *methods()))}")
    if time_limit is not None and not (isinstance(time_limit, (int, float)) and time_limit > 0.0):
        raise SolveError(f"time_limit must be a positive number of seconds, got {time_limit!r}")
    several = solutions != 1 or bool(nearest)
    if dt is not None:
        if method not in ("auto", "lm"):
            raise SolveError(f"method {method!r} knows no velocity limits; dt goes with 'auto' and 'lm'")
        if isinstance(dt, bool) or not isinstance(dt, (int, float, np.number)) or not 0.0 < dt < np.inf:
            raise SolveError(f"dt must be a positive number of seconds, got {dt!r}")
    elif several and method != "auto":
        raise SolveError(f"only method 'auto' looks for several solutions, not {method!r}")
    return Options(
        method,
        None if dt is None else float(dt),
        None if restarts is None else checked_restarts(restarts),
        checked_seed(seed),
        int(solutions),
        bool(nearest),
        time_limit,
        None if threads is None else checked_threads(threads),
        options,
    )
