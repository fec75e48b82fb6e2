"""Measures that belong to the figure, whatever the goals: its closed loops and the cones of its ball joints."""

from __future__ import annotations

import numpy as np

from manikin.figure import Cone, Loop, Pose
from manikin.goals import Goal, Orientation, Placement, Position, Relative
from manikin.residuals import Block
from manikin.residuals.block import cone_part

_EYE = np.eye(3)
_ORIGIN = np.zeros(3)


def loop_parts(loop: Loop, pose: Pose) -> tuple[Block, ...]:
    """What keeps a loop closed: hard relations between its two sites."""
    site = loop.site
    asked: dict[str, list[Goal]] = {
        "placement": [Placement(site, _ORIGIN, _EYE)],
        "position": [Position(site, _ORIGIN)],
        "hinge": [Position(site, _ORIGIN), Orientation(site, _EYE, axes=(0, 0, 1))],
        "orientation": [Orientation(site, _EYE)],
    }
    relations = [Relative(site, loop.other, goal, hard=True) for goal in asked[loop.kind]]
    return tuple(part for relation in relations for part in relation.settle(pose).alternatives()[0])


def swing_part(cone: Cone) -> Block:
    """A swing inside its cone."""
    return cone_part(cone.first, cone.second, cone[2:4], cone[4:6])
