"""New goals: each kind with targets taken from where the figure is, so that adding one moves nothing by itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manikin.errors import ManikinError
from manikin.figure import Pose
from manikin.goals import (
    Aim,
    Balance,
    Ball,
    Box,
    CenterOfMass,
    Discomfort,
    Goal,
    Inside,
    LeastChange,
    OnLine,
    OnPlane,
    Orientation,
    Outside,
    Pin,
    Placement,
    Position,
    Posture,
    Range,
    Relative,
    SelfClearance,
    Swivel,
)

Maker = Callable[[Pose, str], Goal]
_LIMBS = {side: (f"{side}_shoulder", f"{side}_elbow", f"{side}_wrist") for side in ("left", "right")}


def _frame(pose: Pose, site: str) -> tuple[np.ndarray, np.ndarray]:
    frame = pose.matrix(site)
    return frame[:3, 3], frame[:3, :3]


def _aim(pose: Pose, site: str) -> Goal:
    at, turn = _frame(pose, site)
    return Aim(site, at=at + turn[:, 0])


def _line(pose: Pose, site: str) -> Goal:
    return OnLine(site, point=_frame(pose, site)[0], direction=(0.0, 0.0, 1.0))


def _plane(pose: Pose, site: str) -> Goal:
    return OnPlane(site, point=_frame(pose, site)[0], normal=(0.0, 0.0, 1.0))


def _relative(pose: Pose, site: str) -> Goal:
    other = pose.figure.root
    if pose.figure.site(site).segment == other:
        raise ManikinError(f"{site} is on {other} itself; choose a site of another segment")
    return Relative(site, other)


def _swivel(pose: Pose, site: str) -> Goal:
    side = "left" if site.startswith("left") else "right"
    if not all(name in pose.figure.sites for name in _LIMBS[side]):
        raise ManikinError("a swivel is that of an arm with sites called shoulder, elbow and wrist")
    return Swivel(_LIMBS[side], 0.0)


def _balance(pose: Pose, site: str) -> Goal:
    goal = Balance(hard=True)
    goal.settle(pose).points()
    return goal


#: The kinds by the words of the list, in its order.
MAKERS: dict[str, Maker] = {
    "position": lambda pose, site: Position(site, _frame(pose, site)[0]),
    "placement": lambda pose, site: Placement(site, *_frame(pose, site)),
    "orientation": lambda pose, site: Orientation(site, _frame(pose, site)[1]),
    "aim (gaze)": _aim,
    "pin": lambda pose, site: Pin(site),
    "on a line": _line,
    "on a plane": _plane,
    "inside a ball": lambda pose, site: Inside(site, Ball(_frame(pose, site)[0], 0.1)),
    "inside a box": lambda pose, site: Inside(site, Box(center=_frame(pose, site)[0], size=(0.2, 0.2, 0.2))),
    "outside a ball": lambda pose, site: Outside(
        site, Ball(_frame(pose, site)[0] + np.array([0.4, 0.0, 0.0]), 0.15), whole=False
    ),
    "range (flat)": lambda pose, site: Range(site, z=float(_frame(pose, site)[0][2]), turn_x=0.0, turn_y=0.0),
    "relative": _relative,
    "centre of mass": lambda pose, site: CenterOfMass(pose.center_of_mass(), axes=(1.0, 1.0, 0.0)),
    "balance": _balance,
    "self clearance": lambda pose, site: SelfClearance(margin=0.0),
    "swivel of the elbow": _swivel,
    "posture": lambda pose, site: Posture(pose.values()),
    "least change": lambda pose, site: LeastChange(),
    "discomfort": lambda pose, site: Discomfort(),
}


def make(kind: str, pose: Pose, site: str) -> Goal:
    """A goal of a kind on a site, met where the figure is."""
    if kind not in MAKERS:
        raise ManikinError(f"unknown kind of goal {kind!r}; expected one of {', '.join(MAKERS)}")
    return MAKERS[kind](pose, site)


def describe(goal: Goal) -> str:
    """A goal in a few words, as the list shows it."""
    words = goal.kind().replace("_", " ")
    return f"{words} of {goal.site}" if goal.site else words
