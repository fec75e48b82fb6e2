"""The target of a goal, apart from its other arguments: what changes when something is followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import GoalError

if TYPE_CHECKING:
    from manikin.goals.goal import Goal


@dataclass(frozen=True)
class Target:
    """What of a goal a call may bring.

    arguments: which it stands for: one, or a position and an orientation.
    shape: of the target: a point (3,), a rotation (3, 3) or a frame (4, 4).
    """

    arguments: tuple[str, ...]
    shape: tuple[int, ...]


def shape_of(goal: Goal) -> tuple[int, ...] | None:
    """The shape of a goal's target in a call; None where it has none."""
    return None if goal.takes is None else goal.takes.shape


def target_of(goal: Goal) -> np.ndarray:
    """A goal's own target, as one of a call."""
    assert goal.takes is not None
    given = [np.asarray(getattr(goal, name), dtype=np.float64) for name in goal.takes.arguments]
    if len(given) == 1:
        return given[0]
    frame = np.eye(4)
    frame[:3, 3], frame[:3, :3] = given
    return frame


def with_target(goal: Goal, target: Any) -> Goal:
    """The goal with another target, checked as any argument is."""
    if goal.takes is None:
        raise GoalError(f"{goal.label()}: a goal of this kind has no target to hand over; use set")
    names = goal.takes.arguments
    if len(names) == 1:
        return goal.changed(**{names[0]: target})
    frame = np.asarray(target, dtype=np.float64)
    if frame.shape != (4, 4):
        raise GoalError(f"{goal.label()}: its target must be a 4×4 transform, got shape {frame.shape}")
    return goal.changed(**{names[0]: frame[:3, 3], names[1]: frame})
