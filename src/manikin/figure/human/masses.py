"""Segment masses, centres and radii of gyration after de Leva (1996), by sex.

A fraction of the body's mass, then the centre from the first end point as a fraction of the length between end points,
then the radii of gyration about the sagittal, the transverse and the longitudinal axis over that length. End points:
head, top to C7; arm, thigh and shank, joint to joint; hand, wrist to the tip of the middle finger; foot, heel to toe.
The trunk's three parts lie between the suprasternal notch and the hips, at de Leva's mean lengths.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from manikin.figure.human import arm, leg, spine
from manikin.figure.human.parts import SIDES, Parts
from manikin.figure.human.size import Size


@dataclass(frozen=True)
class Share:
    """Mass over the body's, centre and radii over the length."""

    mass: float
    center: float
    radii: tuple[float, float, float]


LIMBS = {
    "male": {
        "head": Share(0.0694, 0.5002, (0.303, 0.315, 0.261)),
        "upper_arm": Share(0.0271, 0.5772, (0.285, 0.269, 0.158)),
        "forearm": Share(0.0162, 0.4574, (0.276, 0.265, 0.121)),
        "hand": Share(0.0061, 0.3624, (0.288, 0.235, 0.184)),
        "thigh": Share(0.1416, 0.4095, (0.329, 0.329, 0.149)),
        "shank": Share(0.0433, 0.4395, (0.251, 0.246, 0.102)),
        "foot": Share(0.0137, 0.4415, (0.257, 0.245, 0.124)),
    },
    "female": {
        "head": Share(0.0668, 0.4841, (0.271, 0.295, 0.261)),
        "upper_arm": Share(0.0255, 0.5754, (0.278, 0.260, 0.148)),
        "forearm": Share(0.0138, 0.4559, (0.261, 0.257, 0.094)),
        "hand": Share(0.0056, 0.3427, (0.244, 0.208, 0.154)),
        "thigh": Share(0.1478, 0.3612, (0.369, 0.364, 0.162)),
        "shank": Share(0.0481, 0.4352, (0.267, 0.263, 0.092)),
        "foot": Share(0.0129, 0.4014, (0.299, 0.279, 0.139)),
    },
}
#: Upper, middle and lower trunk: mass, centre, and length over the trunk's.
TRUNK = {
    "male": ((0.1596, 0.2999, 0.3209), (0.1633, 0.4502, 0.4052), (0.1117, 0.6115, 0.2739)),
    "female": ((0.1545, 0.2077, 0.2692), (0.1465, 0.4512, 0.3879), (0.1247, 0.4920, 0.3429)),
}
#: The whole trunk's centre, below the notch, over its length.
TRUNK_CENTER = {"male": 0.4486, "female": 0.4151}
UPPER = ("t8", "t7", "t6", "t5", "t4", "t3", "t2", "t1")
MIDDLE = ("l4", "l3", "l2", "l1", "t12", "t11", "t10", "t9")
LOWER = ("pelvis", "l5")
#: What of the lower trunk goes with L5.
L5_SHARE = 0.1
#: The trunk's mass is centred this far before the hips, over stature.
TRUNK_X = 0.004
#: What of the middle trunk is belly: with child at term some 7 of 20 kg, its middle half as far forward as its front.
BELLY_SHARE = 0.18


def add_masses(parts: Parts, size: Size) -> None:
    """Gives the segments their masses; together they are the body's, exactly."""
    table = LIMBS[size.sex]
    total = sum(share.mass * (1 if name == "head" else 2) for name, share in table.items())
    total += sum(mass for mass, _, _ in TRUNK[size.sex])
    unit = size.mass / total  # the printed fractions sum to 1 within their rounding
    p, h = size.proportions, size.stature
    top = np.array([0.0, 0.0, h])
    nape = np.array([0.0, 0.0, p.cervicale_height * h])
    _weigh(parts, "head", table["head"], unit, top, nape)
    hanging, standing = arm.arm_points(size), leg.leg_points(size)
    tip = hanging["wrist"] - [0.0, 0.0, p.hand * h]
    instep = np.array([0.0, 0.0, 0.5 * standing["ankle"][2]])
    ends = {
        "upper_arm": (hanging["shoulder"], hanging["elbow"]),
        "forearm": (hanging["elbow"], hanging["wrist"]),
        "hand": (hanging["wrist"], tip),
        "thigh": (standing["hip"], standing["knee"]),
        "shank": (standing["knee"], standing["ankle"]),
        "foot": (standing["heel"] + instep, standing["toe"] + instep),
    }
    for side in SIDES:
        for name, (start, end) in ends.items():
            _weigh(parts, side.of(name), table[name], unit, side.point(start), side.point(end))
    _weigh_trunk(parts, size, unit)


def _weigh(parts: Parts, name: str, share: Share, unit: float, start: np.ndarray, end: np.ndarray) -> None:
    mass = share.mass * unit
    along = end - start
    moments = mass * (np.array(share.radii) * np.linalg.norm(along)) ** 2  # about x, y, z of an upright part
    if abs(along[0]) > abs(along[2]):
        moments = moments[::-1]  # a foot lies down: its long axis is x
    parts.weigh(name, mass, start + share.center * along, moments)


def _weigh_trunk(parts: Parts, size: Size, unit: float) -> None:
    """The three parts spread over their vertebrae, each part's centre and the whole trunk's as in the table."""
    p, h = size.proportions, size.stature
    notch, length = p.suprasternale_height * h, (p.suprasternale_height - p.hip_height) * h
    points = spine.joint_points(size)
    names = list(points)
    middles = {
        spine.child_of(joint): 0.5 * (points[joint][2] + points[above][2]) for joint, above in pairwise(names)
    }
    middles["pelvis"] = (p.hip_height + 0.03) * h
    depths, start = [], 0.0
    for _, center, share in TRUNK[size.sex]:
        depths.append(start + center * share)
        start += share
    masses = [mass for mass, _, _ in TRUNK[size.sex]]
    shift = TRUNK_CENTER[size.sex] - np.dot(masses, depths) / sum(masses)
    for members, mass, depth in zip((UPPER, MIDDLE, LOWER), masses, depths, strict=True):
        weights = np.full(len(members), 1.0 / len(members))
        if members is LOWER:
            weights = np.array([1.0 - L5_SHARE, L5_SHARE])
        heights = np.array([middles[name] for name in members])
        move = notch - (depth + shift) * length - weights @ heights
        for name, weight, height in zip(members, weights, heights, strict=True):
            part = mass * unit * weight
            thick = 0.06 * h if name == "pelvis" else 0.01 * h
            a, b = 0.5 * p.chest_depth * h, 0.5 * p.chest_breadth * h
            moments = part / 4.0 * np.array([b * b + thick**2, a * a + thick**2, a * a + b * b])
            # A belly that comes forward takes some of the middle trunk's mass with it.
            ahead = TRUNK_X + (BELLY_SHARE * p.belly if members is MIDDLE else 0.0)
            parts.weigh(name, part, [ahead * h, 0.0, height + move], moments)


def trunk_segments() -> tuple[str, ...]:
    """The segments that carry the trunk's mass."""
    return (*LOWER, *MIDDLE, *UPPER)
