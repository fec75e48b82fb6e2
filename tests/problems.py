"""Problems as tests vary and look into them."""

from __future__ import annotations

from typing import Any

import manikin as mk
from manikin.engines.work import Work


def moved(problem: mk.Problem, goal: int | mk.Goal, **changes: Any) -> mk.Problem:
    """The same problem with a goal's arguments changed; the goal by its place, or itself."""
    goals = list(problem.goals)
    place = goal if isinstance(goal, int) else next(k for k, own in enumerate(goals) if own is goal)
    goals[place] = goals[place].changed(**changes)
    return problem.with_goals(tuple(goals))


def work_of(problem: mk.Problem) -> Work:
    """The problem packed, as a solve gets it."""
    return Work(problem.spec)
