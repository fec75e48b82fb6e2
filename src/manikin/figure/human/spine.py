"""Pelvis, seventeen vertebrae of the trunk, seven of the neck.

Each vertebra turns on the one below by flexion, side bend and twist about the world's axes at rest. With
``spine="bend"`` three coordinates of the trunk and three of the neck drive them all: flexion of the lumbar joints by
the shares of `LUMBAR`, everything else in proportion to the joints' ranges, so that no joint leaves its range before
the whole region is at its end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from math import radians
from types import MappingProxyType

import numpy as np

from manikin.figure.checks import frozen
from manikin.figure.coupling import Coupling
from manikin.figure.figure import Figure
from manikin.figure.human import ranges
from manikin.figure.human.arm import INSIDE_ACROMION
from manikin.figure.human.looks import PALE_WOOD, WOOD, egg, limb
from manikin.figure.human.parts import Axis, Parts
from manikin.figure.human.size import Size
from manikin.figure.human.stiffness import REGIONS
from manikin.figure.joint import Follow
from manikin.figure.segment import Shape

#: Flexion of the lumbar spine, shared among its joints.
LUMBAR = {
    "spine_l5_s1": 0.125,
    "spine_l4_l5": 0.185,
    "spine_l3_l4": 0.204,
    "spine_l2_l3": 0.231,
    "spine_l1_l2": 0.255,
}
#: What of the trunk's flexion the lumbar spine takes: all that the range of L1–L2, its busiest joint, allows.
LUMBAR_SHARE = 0.445
MOVEMENTS = ("flexion", "side_bend", "twist")
AXES = {"flexion": (0.0, 1.0, 0.0), "side_bend": (-1.0, 0.0, 0.0), "twist": (0.0, 0.0, 1.0)}
SENSE = {
    "flexion": "0 upright, positive bends forward",
    "side_bend": "0 upright, positive bends to the left",
    "twist": "0 straight ahead, positive turns to the left",
}
CLINICAL = {"flexion": "flexion", "side_bend": "lateral flexion", "twist": "axial rotation"}

#: Fractions of stature: the sacral joint above the hips, the lowest neck joint below C7's spine, the highest
#: below the ear; and how far forward the column runs, by height between the first and the last of these.
SACRUM_ABOVE_HIP = 0.077
C7_T1_BELOW_CERVICALE = 0.013
ATLAS_BELOW_TRAGION = 0.010
LUMBAR_OF_TRUNK = 0.391
CURVE_HEIGHTS = (0.0, 0.12, 0.32, 0.58, 0.80, 0.90, 1.0)
CURVE = (-0.020, -0.012, -0.024, -0.043, -0.030, -0.016, -0.006)


def child_of(joint: str) -> str:
    """The segment above a vertebral joint: ``"spine_l4_l5"`` → ``"l4"``, ``"neck_c0_c1"`` → ``"head"``."""
    upper = joint.split("_")[1]
    return "head" if upper == "c0" else upper


@lru_cache(maxsize=8)
def joint_points(size: Size) -> Mapping[str, np.ndarray]:
    """Where the vertebral joints are at rest, from the sacrum upwards."""
    p, h = size.proportions, size.stature
    low = p.hip_height + SACRUM_ABOVE_HIP
    top = p.cervicale_height - C7_T1_BELOW_CERVICALE
    atlas = 1.0 - p.tragion_to_vertex - ATLAS_BELOW_TRAGION
    middle = low + LUMBAR_OF_TRUNK * (top - low)
    thoracic = np.cumsum(np.linspace(1.4, 1.0, 12))
    heights = [
        *np.linspace(low, middle, 6)[:5],
        middle,
        *(middle + (top - middle) * thoracic[:11] / thoracic[-1]),
        *np.linspace(top, atlas, 8),
    ]
    forward = np.interp((np.array(heights) - low) / (atlas - low), CURVE_HEIGHTS, CURVE)
    return MappingProxyType(
        {
            joint: frozen(h * np.array([x, 0.0, z]))
            for joint, x, z in zip(ranges.VERTEBRAE, forward, heights, strict=True)
        }
    )


@cache
def shares(name: str, movement: str) -> dict[str, float]:
    """How a region's movement is shared among its joints; the shares sum to 1."""
    joints = ranges.joints_of(name)
    spans = {joint: ranges.vertebra(joint)[movement][1] for joint in joints}
    if name == "neck" or movement != "flexion":
        total = sum(spans.values())
        return {joint: span / total for joint, span in spans.items()}
    rest = sum(span for joint, span in spans.items() if joint not in LUMBAR)
    return {
        joint: LUMBAR_SHARE * LUMBAR[joint] if joint in LUMBAR else (1.0 - LUMBAR_SHARE) * span / rest
        for joint, span in spans.items()
    }


def shares_of(figure: Figure, region: str, movement: str) -> dict[str, float]:
    """How a figure's degrees of freedom share a region's movement: the human's by `shares`, those of other people, of
    which nobody knows which vertebra they are, in equal parts."""
    whole = shares(region, movement)
    if f"{next(iter(whole))}_{movement}" in figure.dofs:
        return {f"{joint}_{movement}": share for joint, share in whole.items()}
    own = [name for name in figure.dofs if re.fullmatch(rf"{region}_\d+_{movement}", name)]
    return dict.fromkeys(own, 1.0 / max(len(own), 1))


def add_pelvis(parts: Parts, size: Size) -> None:
    """The root, its origin midway between the hips."""
    p, h, g = size.proportions, size.stature, size.girth
    hips = np.array([0.0, 0.0, p.hip_height * h])
    room = (
        0.5 * p.biacromial - INSIDE_ACROMION - 0.72 * p.forearm_girth / (2.0 * np.pi) * g
    )  # beside the hanging arms
    breadth = min(0.45 * p.hip_breadth * g, room - 0.001) * h
    depth = 0.43 * p.buttock_depth * g * h
    shapes = [
        egg(hips + h * np.array([-0.004, 0.0, 0.040]), (depth, breadth, 0.052 * h)),
        egg(hips + h * np.array([-0.006, 0.0, 0.008]), (0.95 * depth, 0.80 * breadth, 0.042 * h)),
    ]
    parts.segment("pelvis", hips, shapes)
    parts.site("pelvis", "pelvis", hips)
    parts.site("seat", "pelvis", hips - [0.0, 0.0, p.seat_below_hip * h])


def add_column(parts: Parts, size: Size, *, bend: bool) -> None:
    """The vertebrae from L5 to C1, and the joint that the head sits on; the head must be there already."""
    points = joint_points(size)
    names = list(points)
    below = "pelvis"
    for joint, above in zip(names, [*names[1:], ""], strict=True):
        child = child_of(joint)
        if child != "head":
            parts.segment(child, points[joint], _vertebra(size, child, points[joint], points[above]))
        parts.joint(joint, below, child, *(_driven(joint) if bend else _own(joint)))
        below = child
    if not bend:
        for name, whole in ranges.REGIONS.items():
            for movement, (low, high) in whole.items():
                parts.couplings.append(
                    Coupling(
                        {f"{joint}_{movement}": 1.0 for joint in ranges.joints_of(name)},
                        radians(low),
                        radians(high),
                        f"{name}_{movement}",
                    )
                )
    p, h = size.proportions, size.stature
    parts.site("chest", "t5", [0.44 * p.chest_depth * h, 0.0, points["spine_t5_t6"][2]])


def _own(joint: str) -> list[Axis]:
    """Three coordinates of the joint's own."""
    label = joint.split("_", 1)[1].upper().replace("C0", "occiput").replace("_", "–")
    name = ranges.region(joint)
    return [
        Axis(
            AXES[m],
            f"{joint}_{m}",
            ranges.vertebra(joint)[m],
            f"{label} {CLINICAL[m]}: {SENSE[m]}",
            stiffness=REGIONS[name][m] / shares(name, m)[joint],
        )
        for m in MOVEMENTS
    ]


def _driven(joint: str) -> list[Axis]:
    """Three followers of the region's coordinates; these live in its lowest joint, which turns back the rest."""
    name = ranges.region(joint)
    axes = []
    for m in MOVEMENTS:
        share, driver = shares(name, m)[joint], f"{name}_{m}"
        if joint == ranges.joints_of(name)[0]:
            whole = "whole trunk" if name == "spine" else "whole neck"
            text = f"{whole} {CLINICAL[m]}: {SENSE[m]}; shared among the vertebrae"
            axes.append(Axis(AXES[m], driver, ranges.REGIONS[name][m], text, stiffness=REGIONS[name][m]))
            back = Follow({driver: share - 1.0})
            axes.append(Axis(AXES[m], f"{joint}_{m}_return", None, "", back))
        else:
            axes.append(Axis(AXES[m], f"{joint}_{m}", ranges.vertebra(joint)[m], "", Follow({driver: share})))
    return axes


def _vertebra(size: Size, name: str, joint: np.ndarray, above: np.ndarray) -> list[Shape]:
    """A slice of the trunk or the neck, high enough to overlap its neighbours."""
    p, h, g = size.proportions, size.stature, size.girth
    middle = 0.5 * (joint + above)
    if name[0] == "c":
        radius = 0.80 * p.neck_girth / (2.0 * np.pi) * g * h
        before = h * np.array([0.008, 0.0, 0.0])
        # Equal rods from joint to joint: one smooth neck, whichever way it bends.
        return [limb(joint + before, above + before, 0.94 * radius, 0.94 * radius, PALE_WOOD)]
    flesh = 0.5 * (1.0 + g)  # bones grow less than flesh
    breadth = np.interp(middle[2] / h, *_outline(size, 1)) * flesh * h
    depth = np.interp(middle[2] / h, *_outline(size, 0)) * flesh * h
    forward = np.interp(middle[2] / h, (0.60, 0.67, 0.735, 0.80, 0.86), (0.002, 0.002, 0.0, -0.006, -0.016))
    high = 0.024 if name in ("t1", "t2") else 0.034
    shapes = [egg([forward * h, 0.0, middle[2]], (0.94 * depth, 0.94 * breadth, high * h), WOOD)]
    if name in BLOCKS:
        center, radii = _block(size, name)
        shapes.append(egg(h * center, h * radii * [flesh, flesh, 1.0], WOOD))
    return shapes


def _outline(size: Size, axis: int) -> tuple[list[float], list[float]]:
    """Half the trunk's depth (axis 0) or breadth (1) over stature, by height over stature."""
    p = size.proportions
    shoulder = 0.5 * p.biacromial
    breadth = [
        0.37 * p.waist_breadth,
        0.365 * p.waist_breadth,
        0.47 * p.chest_breadth,
        0.62 * shoulder,
        0.33 * shoulder,
    ]
    depth = [
        0.37 * p.waist_depth,
        0.38 * p.waist_depth,
        0.42 * p.chest_depth,
        0.30 * p.chest_depth,
        0.20 * p.chest_depth,
    ]
    return [0.60, 0.67, 0.735, 0.80, 0.86], breadth if axis else depth


#: The vertebrae that carry the blocks that one sees: belly, rib cage, shoulder yoke.
BLOCKS = ("l3", "t7", "t3")


def _block(size: Size, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Centre and radii over stature."""
    p = size.proportions
    if name == "l3":
        high = 0.5 * (p.hip_height + 0.045 + 0.715)
        radii = np.array([0.39 * p.waist_depth + 0.5 * p.belly, 0.365 * p.waist_breadth, 0.078])
        return np.array([0.004 + 0.5 * p.belly, 0.0, high]), radii
    if name == "t7":
        room = 0.5 * p.biacromial - INSIDE_ACROMION - 0.84 * p.upper_arm_girth / (2.0 * np.pi) * size.girth
        breadth = min(0.505 * p.chest_breadth, (room - 0.001) / (0.5 * (1.0 + size.girth)))
        return np.array([0.002, 0.0, 0.738]), np.array([0.43 * p.chest_depth, breadth, 0.098])
    yoke = np.array([0.40 * p.chest_depth, 0.38 * p.biacromial, 0.040])
    return np.array([-0.002, 0.0, p.acromion_height - 0.026]), yoke
