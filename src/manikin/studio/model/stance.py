"""How a person stands to begin with: as the preset, the knees unlocked, in balance.

On straight legs no joint's first move lowers the hips: they would stay where they are until the solver finds a way.
Knees that are bent by a few degrees, as people's are who stand at ease, go on bending at once.
"""

from __future__ import annotations

from math import asin, radians, sin

import numpy as np

from manikin.figure import Figure, Pose
from manikin.figure.human import preset
from manikin.goals import Balance, HalfSpace, Outside, Pin, Posture
from manikin.problem import Problem
from manikin.studio.model.parts import FLOOR, SIDES, fingertips, soles

#: Radians that the knees are bent.
UNLOCKED = radians(5.0)
#: Of the hips' height: how far inside the edge of the soles the weight is.
MARGIN = 0.02


def at_ease(figure: Figure) -> Pose:
    """A person's standing pose: feet where the preset has them, flat, ankles below hips."""
    stood = preset(figure, "stand")
    values = {}
    for side in SIDES:
        thigh, shank = (
            float(np.linalg.norm(stood.position(f"{side}_{low}") - stood.position(f"{side}_{high}")))
            for high, low in (("hip", "knee"), ("knee", "ankle"))
        )
        # The ankle stays below the hip: thigh · sin(hip) = shank · sin(ankle), hip + ankle = knee.
        hip = UNLOCKED * shank / (thigh + shank)
        for _ in range(4):
            hip = asin(shank * sin(UNLOCKED - hip) / thigh)
        values.update(
            {f"{side}_hip_flexion": hip, f"{side}_knee": UNLOCKED, f"{side}_ankle_flexion": UNLOCKED - hip}
        )
    bent = stood.with_values(values)
    off = np.mean([stood.position(f"{s}_ankle") - bent.position(f"{s}_ankle") for s in SIDES], axis=0)
    now = bent.values()
    shifted = {name: now[name] + float(d) for name, d in zip(("root_x", "root_z"), off[[0, 2]], strict=True)}
    return balanced(bent.with_values(shifted))


def balanced(pose: Pose) -> Pose:
    """The nearest pose whose weight is well over its soles, which stay, and whose hands are above the floor."""
    figure = pose.figure
    support = tuple(name for side in SIDES for name in soles(figure, side))
    margin = MARGIN * float(pose.position("pelvis")[2] - pose.position("left_foot")[2])
    goals = [
        *(Pin(f"{side}_foot", at=pose.matrix(f"{side}_foot")) for side in SIDES),
        Balance(support=support, margin=margin, hard=True),
        Posture(pose, weights=figure.stiffness),
        *(
            Outside(name, HalfSpace((0.0, 0.0, FLOOR), (0.0, 0.0, 1.0)), hard=True)
            for name in fingertips(figure)
        ),
    ]
    found = Problem(figure, goals).solve(pose.q, restarts=0)
    return found.pose if found.reached else pose
