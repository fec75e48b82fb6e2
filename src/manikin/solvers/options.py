"""What a problem is asked for, checked: goals in their levels, linear constraints, tolerances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Coupling, Figure
from manikin.goals import Goal


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
