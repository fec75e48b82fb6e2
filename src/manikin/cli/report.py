"""The three results of Zhao and Badler's report of 1989, set up again on our figure.

The report gives the goals in words and pictures, the degrees of freedom by number. The choice of joints here is ours:

Figure 4  four position goals, for the elbows and the hands: clavicle (2), ball shoulder (3), elbow, forearm and wrist
          flexion of both arms, 16 degrees of freedom.
Figure 5  both hands sent to a bar that is out of reach: the same arms and the five lumbar joints (3 each), 31.
Figure 7  a box carried level to a shelf, position and orientation of equal weight, 5 degrees as important as one
          centimetre: clavicle, shoulder, elbow, forearm, wrist (2) of the right arm and the twist of the waist, 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.goals import Goal

STATURE = 1.75
ARMS = ("*_clavicle_*", "*_shoulder_*", "*_elbow", "*_forearm_pronation", "*_wrist_flexion")
WAIST = tuple(f"spine_{joint}_*" for joint in ("l5_s1", "l4_l5", "l3_l4", "l2_l3", "l1_l2"))
RIGHT_ARM = (
    "right_clavicle_*",
    "right_shoulder_*",
    "right_elbow",
    "right_forearm_pronation",
    "right_wrist_*",
    "spine_t12_l1_twist",
)
# 5 degrees as important as one centimetre.
DEGREES_PER_METRE = 500.0


@dataclass(frozen=True)
class Case:
    """One of the report's results: where it starts, what is asked, what may move, and how long it took then."""

    figure: str
    title: str
    start: Pose
    goals: Sequence[Goal]
    free: Sequence[str]
    seconds_then: float


def cases() -> list[Case]:
    """The three results, in the report's order."""
    return [_four_goals(), _bar(), _box()]


def _four_goals() -> Case:
    from manikin.figure.human import human
    from manikin.goals import Position

    goals = [
        Position("right_elbow", [0.16, -0.34, 1.29]),
        Position("right_hand", [0.30, -0.30, 1.57]),
        Position("left_elbow", [0.02, 0.37, 1.17]),
        Position("left_hand", [0.19, 0.20, 1.02]),
    ]
    return Case("4", "four position goals", human(stature=STATURE).pose(), goals, ARMS, 2.6)


def _bar() -> Case:
    from manikin.figure.human import human
    from manikin.goals import Position

    goals = [Position("right_hand", [1.05, -0.25, 0.75]), Position("left_hand", [1.05, 0.25, 0.75])]
    return Case("5", "a bar out of reach", human(stature=STATURE).pose(), goals, (*ARMS, *WAIST), 13.0)


def _box() -> Case:
    from manikin.figure.human import human
    from manikin.goals import Placement

    body = human(stature=STATURE)
    body = body.with_held(
        "box", at="right_hand", size=(0.20, 0.14, 0.12), mass=1.0, placement=(0.02, 0.0, -0.10)
    )
    start = body.pose(
        {
            "right_shoulder_flexion": np.radians(10.0),
            "right_elbow": np.radians(80.0),
            "right_forearm_pronation": np.radians(-80.0),
        }
    )
    level = start.matrix("box")[:3, :3]
    goals = [Placement("box", [0.50, -0.10, 1.40], level, degrees_per_metre=DEGREES_PER_METRE)]
    return Case("7", "a box carried level", start, goals, RIGHT_ARM, 2.0)
