"""A box in the hands: goals that put the palms on its sides, where it is or wherever it is carried, level."""

from __future__ import annotations

from math import cos, radians, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Pose, checks
from manikin.goals.aim import Aim
from manikin.goals.goal import Goal
from manikin.goals.placement import Placement
from manikin.goals.region import Box
from manikin.goals.relative import Relative

if TYPE_CHECKING:
    from manikin.figure import Pose

# Metres: a point so far up that looking at it from anywhere on the ground is looking straight up, to 1e-7 rad.
_UP = np.array([0.0, 0.0, 1e8])
_SIDES = {"left": 1.0, "right": -1.0}


def hold(
    box: Box,
    *,
    both_hands: bool = True,
    side: str = "right",
    carried: bool = False,
    fingers: float | None = None,
    weight: float = 1.0,
    hard: bool = False,
) -> list[Goal]:
    """Goals for a human figure that holds a box between its palms, or with one palm on its side.

    The left palm lies in the middle of the box's face across +y, the right one of that across −y, the backs of the
    hands outwards; x of the box is forward, z its top.

    both_hands: False for one palm only, that of `side`.
    carried: False, the box is where its `center` and `rotation` have it; True, only its size counts: it goes wherever
        the hands go, which other goals say, but stays between them and level (its z up), and keeps its heading free.
    fingers: degrees that the fingers point above the box's x axis. By default free about the palm's normal, and
        −15 where the box is carried, since it is by their turn that hands keep a box level.

    `held_box` tells where the box is in a pose.
    """
    if not isinstance(box, Box):
        raise GoalError(f"hold: a Box is wanted, got {box!r}")
    _check_side(side)
    for what, value in (("both_hands", both_hands), ("carried", carried)):
        if not isinstance(value, (bool, np.bool_)):
            raise GoalError(f"hold: {what} must be true or false, got {value!r}")
    if min(np.asarray(box.size).tolist()) <= 0.0:
        raise GoalError(f"hold: a box to hold has three edges above 0, got {np.asarray(box.size).tolist()}")
    pitch = _pitch(fingers, carried)
    if carried:
        return _carried(box, both_hands, side, pitch, weight, hard)
    axes = (1.0, 1.0, 1.0) if fingers is not None else (0.0, 0.0, 1.0)
    found: list[Goal] = []
    for name in _SIDES if both_hands else (side,):
        place = frame_of(box) @ palm(box, name, pitch)
        goal = Placement(f"{name}_hand", place[:3, 3], place[:3, :3], axes=axes, weight=weight, hard=hard)
        found.append(goal)
    return found


def _check_side(side: str) -> None:
    if not isinstance(side, str) or side not in _SIDES:
        raise GoalError(f"hold: side must be 'left' or 'right', got {side!r}")


def held_box(pose: Pose, box: Box, *, fingers: float = -15.0, side: str = "right") -> Box:
    """The box where the palm of `side` has it in a pose, as `hold` with ``carried=True`` means it."""
    if not isinstance(pose, Pose) or not isinstance(box, Box):
        raise GoalError(f"held_box: a Pose and a Box are wanted, got {pose!r} and {box!r}")
    _check_side(side)
    place = pose.matrix(f"{side}_hand") @ np.linalg.inv(palm(box, side, _pitch(fingers, True)))
    return Box(center=place[:3, 3], size=box.size, rotation=place[:3, :3])


def frame_of(box: Box) -> np.ndarray:
    """A box's frame, 4×4: its middle and its axes."""
    frame = np.eye(4)
    frame[:3, :3] = box.rotation
    frame[:3, 3] = np.asarray(box.center)
    return frame


def palm(box: Box, side: str, pitch: float) -> np.ndarray:
    """Where the palm of a side lies in the box's frame, 4×4: z out of the face, x along the fingers."""
    out = np.array([0.0, _SIDES[side], 0.0])
    along = np.array([cos(pitch), 0.0, sin(pitch)])
    frame = np.eye(4)
    frame[:3, :3] = np.column_stack([along, np.cross(out, along), out])
    frame[:3, 3] = 0.5 * float(np.asarray(box.size)[1]) * out
    return frame


def _pitch(fingers: Any, carried: bool) -> float:
    if fingers is None:
        return radians(-15.0)
    degrees = checks.number(fingers, "hold: fingers")
    if not -90.0 <= degrees <= 90.0:
        raise GoalError(f"hold: fingers point −90 to 90 degrees above the box's x axis, got {degrees:g}")
    return radians(degrees)


def _carried(box: Box, both: bool, side: str, pitch: float, weight: float, hard: bool) -> list[Goal]:
    """One hand keeps the box level, the other stays where the box has it."""
    one = palm(box, side, pitch)
    up = one[:3, :3].T @ np.array([0.0, 0.0, 1.0])
    found: list[Goal] = [Aim(f"{side}_hand", at=_UP, axis=up, weight=weight, hard=hard)]
    if both:
        other = "left" if side == "right" else "right"
        seen = np.linalg.inv(one) @ palm(box, other, pitch)
        found.append(Relative(f"{other}_hand", f"{side}_hand", seen, weight=weight, hard=hard))
    return found
