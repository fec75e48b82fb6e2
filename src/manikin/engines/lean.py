"""The quick search of goals with objectives, over the coordinates that the goals move alone.

A posture minds every coordinate, a goal moves a few: those that no goal moves and no coupling ties to one that it does
are idle. They go where the objectives lead without any step (`Mixed`), and the search has the others to itself: a hand
that is dragged costs with a posture what it costs without. Where idle coordinates would break a coupling among
themselves, the search over all of them answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.mixed import Mixed, pull_of
from manikin.engines.packed_levels import Levels
from manikin.figure import Pose
from manikin.goals import Objective
from manikin.residuals import Block

if TYPE_CHECKING:
    from manikin.plan.specification import Specification


@dataclass
class Lean:
    """Goals without their objectives, which are a pull of the search.

    index: of each of these goals, which it is among all.
    open: the objectives' parts, and which of the misses that are reported is theirs; the search leaves them open.
    """

    levels: Levels
    mixed: Mixed
    index: tuple[int, ...]
    open: tuple[tuple[int, Block], ...]


def lean_of(spec: Specification, levels: Levels) -> Lean | None:
    """The goals without their objectives; None where that spares no coordinate."""
    goals = spec.goals
    index = tuple(k for k, goal in enumerate(goals) if not isinstance(goal, Objective))
    if not index or len(index) == len(goals) or not levels.objectives:
        return None
    pose = Pose(spec.figure, spec.q0)
    own = Levels(spec, pose, [goals[k] for k in index], [spec.ranks[k] for k in index])
    if len(own.packed.variables) in (0, len(levels.packed.variables)):
        return None
    # The misses that are reported, of all goals in their order: those of objectives are left open.
    of_goal = {index[place]: numbers[0] for place, numbers in enumerate(own.choices)}
    tell = np.full(len(own.parts), -1, np.int64)
    open_ = []
    told = 0
    for k, numbers in enumerate(levels.choices):
        for place, number in enumerate(numbers[0]):
            if k in of_goal:
                tell[of_goal[k][place]] = told
            else:
                open_.append((told, levels.parts[number]))
            told += 1
    mixed = Mixed(own, pull_of(levels.figure, levels.objectives, levels.parts), tell, told)
    mixed.settle(own)
    return Lean(own, mixed, index, tuple(open_))
