"""The target of a goal, apart from its other arguments: what changes when something is followed."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.errors import GoalError
from manikin.goals.balance import CenterOfMass
from manikin.goals.goal import Goal
from manikin.goals.orientation import Aim, Orientation, Placement
from manikin.goals.position import OnLine, OnPlane, Position

#: The argument of each kind of goal that a target stands for; of a Placement both.
ARGUMENTS: dict[type[Goal], tuple[str, ...]] = {
    Position: ("target",),
    Orientation: ("target",),
    Placement: ("position", "orientation"),
    Aim: ("at",),
    OnLine: ("point",),
    OnPlane: ("point",),
    CenterOfMass: ("target",),
}
_SHAPES = {Placement: (4, 4), Orientation: (3, 3)}


def shape_of(goal: Goal) -> tuple[int, ...] | None:
    """The shape of a goal's target in a call; None where it has none."""
    return _SHAPES.get(type(goal), (3,)) if type(goal) in ARGUMENTS else None


def with_target(goal: Goal, target: Any) -> Goal:
    """The goal with another target, checked as any argument is."""
    names = ARGUMENTS.get(type(goal))
    if names is None:
        raise GoalError(f"{goal.label()}: a goal of this kind has no target to hand over; use set")
    if len(names) == 1:
        return goal.changed(**{names[0]: target})
    frame = np.asarray(target, dtype=np.float64)
    if frame.shape != (4, 4):
        raise GoalError(f"{goal.label()}: its target must be a 4×4 transform, got shape {frame.shape}")
    return goal.changed(position=frame[:3, 3], orientation=frame)
