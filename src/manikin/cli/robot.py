"""A robot arm of seven joints, with no file needed, and three things to ask of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.goals import Goal

JOINTS = (
    # name, axis, height above the joint before (m), lower, upper and rest (degrees)
    ("waist", "z", 0.32, -170, 170, 0),
    ("shoulder", "y", 0.00, -100, 110, 30),
    ("upper_arm", "z", 0.19, -170, 170, 0),
    ("elbow", "y", 0.19, 0, 145, 70),
    ("forearm", "z", 0.18, -170, 170, 0),
    ("wrist", "y", 0.18, -110, 110, 60),
    ("flange", "z", 0.00, -175, 175, 0),
)
TOOL_LENGTH = 0.11


@dataclass(frozen=True)
class Case:
    """One thing to show: its title and its goals."""

    title: str
    goals: Sequence[Goal]


def arm() -> Figure:
    """An arm whose shoulder, elbow and wrist turn and bend in turns; straight up, it is 1.17 m tall."""
    from math import radians

    from manikin.figure import Figure, Joint, Segment, Site

    names = ["base", *(f"{name}_link" for name, *_ in JOINTS)]
    joints = [
        Joint.revolute(
            name,
            names[i],
            names[i + 1],
            axis,
            placement=(0.0, 0.0, height),
            lower=radians(lower),
            upper=radians(upper),
            rest=radians(rest),
        )
        for i, (name, axis, height, lower, upper, rest) in enumerate(JOINTS)
    ]
    sites = [Site("tool", names[-1], (0.0, 0.0, TOOL_LENGTH)), Site("elbow", "elbow_link")]
    return Figure("arm", [Segment(name) for name in names], joints, sites)


def cases() -> list[Case]:
    """What the demo shows; the tool points along the z axis of its site."""
    import numpy as np

    from manikin.goals import Aim, OnLine, OnPlane, Placement

    down = np.diag([-1.0, 1.0, -1.0])
    return [
        Case("in reach", [Placement("tool", [0.45, 0.15, 0.35], down)]),
        Case("out of reach", [Placement("tool", [1.10, 0.15, 0.35], down)]),
        Case(
            "several",
            [
                Aim("tool", at=[0.80, 0.10, 0.0], axis=(0.0, 0.0, 1.0)),
                OnLine("tool", point=[0.45, 0.0, 0.40], direction=[0.0, 1.0, 0.0]),
                OnPlane("elbow", point=[0.0, 0.0, 0.55], normal=[0.0, 0.0, 1.0]),
            ],
        ),
    ]
