"""Everyday poses of the human figure: stand, sit, reach, kneel, t-pose; inside all limits and couplings."""

from __future__ import annotations

from collections.abc import Callable
from math import acos, degrees, radians

from manikin.errors import PoseError
from manikin.figure.checks import near
from manikin.figure.figure import Figure
from manikin.figure.human import arm, looks, ranges, spine
from manikin.figure.pose import Pose

#: Degrees, by the names of movements; those of limbs are for both sides.
Degrees = dict[str, float]

RELAXED_HAND: Degrees = {
    **{
        f"{finger}_{joint}": value
        for finger in ("index", "middle", "ring", "little")
        for joint, value in (("mcp_flexion", 14.0), ("pip", 22.0), ("dip", 12.0))
    },
    "thumb_cmc_abduction": 10.0,
    "thumb_mcp": 8.0,
    "thumb_ip": 10.0,
}
RELAXED_ARM: Degrees = {"shoulder_abduction": 5.0, "elbow": 9.0, "forearm_pronation": 8.0}


def preset(figure: Figure, name: str) -> Pose:
    """A pose of a `human` figure by name.

    stand: at ease. sit: upright on a seat of popliteal height, the feet flat on z = 0. reach: the right hand forward
    at the height of the shoulder. kneel: upright on both knees and toes. t-pose: arms spread wide, as for the span.
    Where the base is not free the pelvis stays where it is.
    """
    if name not in PRESETS:
        raise PoseError(f"human: unknown preset {name!r}; {near(name, PRESETS)}")
    if "left_thigh" not in figure.segments or "left_clavicle_elevation" not in figure.dofs:
        raise PoseError(f"figure {figure.name!r}: presets are for figures made by human()")
    return PRESETS[name](figure)


def _posed(figure: Figure, *both: Degrees, left: Degrees | None = None, right: Degrees | None = None) -> Pose:
    """The rest pose with movements of both sides, then of one, in degrees; what the figure lacks is left out."""
    values: dict[str, float] = {}
    for side, own in (("left", left), ("right", right)):
        for movements in (*both, own or {}):
            for name, value in movements.items():
                values[f"{side}_{name}"] = radians(value)
    return figure.pose({name: value for name, value in values.items() if name in figure.dofs})


def _bent(pose: Pose, bends: Degrees) -> Pose:
    """The pose with the trunk or neck bent, ``{"spine_flexion": 20}``, by the few coordinates or by every vertebra."""
    values = {}
    for name, value in bends.items():
        if name in pose.figure.dofs:
            values[name] = radians(value)
            continue
        region, movement = name.split("_", 1)
        for joint, share in spine.shares(region, movement).items():
            values[f"{joint}_{movement}"] = share * radians(value)
    return pose.with_values(values)


def _lowered(pose: Pose, drop: float) -> Pose:
    """The pose let down by `drop` metres, where the base is free."""
    if pose.figure.base != "free":
        return pose
    return pose.with_values({"root_z": pose.values()["root_z"] - drop})


def _stand(figure: Figure) -> Pose:
    return _posed(figure, RELAXED_ARM, RELAXED_HAND)


def _t_pose(figure: Figure) -> Pose:
    wide: Degrees = {"shoulder_abduction": 90.0}
    elevation, retraction = arm.SPREAD
    rhythm = "left_clavicle_rhythm_elevation" in figure.followers
    for movement, whole in (("elevation", elevation), ("protraction", -retraction)):
        driven = 90.0 * arm.RHYTHM[movement]["shoulder_abduction"] if rhythm else 0.0
        wide[f"clavicle_{movement}"] = whole - driven
    return _posed(figure, wide)


def _reach(figure: Figure) -> Pose:
    pose = _posed(
        figure,
        left={**RELAXED_ARM, **RELAXED_HAND, "shoulder_flexion": -12.0},
        right={
            "shoulder_flexion": 82.0,
            "shoulder_abduction": 6.0,
            "elbow": 12.0,
            "forearm_pronation": 70.0,
            "wrist_flexion": -8.0,
            "clavicle_protraction": 10.0,
            "thumb_cmc_abduction": 15.0,
        },
    )
    return _bent(pose, {"spine_flexion": 8.0, "spine_twist": 10.0, "neck_twist": -10.0, "neck_flexion": -4.0})


def _sit(figure: Figure) -> Pose:
    """The thighs turn by what brings the knees over the feet: cos φ = (hip − knee height) / thigh."""
    rest = figure.pose()
    heights = {
        name: rest.position(name)[2]
        for name in ("left_hip", "left_knee", "left_popliteal", "seat", "left_heel")
    }
    hip = heights["left_popliteal"] + heights["left_hip"] - heights["seat"]
    flexion = degrees(acos((hip - heights["left_knee"]) / (heights["left_hip"] - heights["left_knee"])))
    legs = {"hip_flexion": flexion, "knee": flexion}
    arms = {"shoulder_flexion": 2.5, "shoulder_rotation": 18.0, "elbow": 60.0, "forearm_pronation": 78.0}
    hands = {**RELAXED_HAND, "wrist_flexion": -24.0}  # on the thighs
    return _lowered(_posed(figure, legs, arms, hands), heights["left_hip"] - hip)


def _kneel(figure: Figure) -> Pose:
    """Upright thighs; the knees bend until the toes, feet stretched, come down to where the knees rest."""

    def at(knee: float) -> Pose:
        return _posed(figure, {"knee": knee, "ankle_flexion": -50.0}, RELAXED_ARM, RELAXED_HAND)

    def low(pose: Pose, *segments: str) -> float:
        frames = pose.matrices()
        return min(
            looks.lowest(shape, frames[name]) for name in segments for shape in figure.segments[name].shapes
        )

    few, many = 90.0, ranges.LIMBS["knee"][1]
    for _ in range(60):
        middle = 0.5 * (few + many)
        pose = at(middle)
        if low(pose, "left_foot", "left_toes") < low(pose, "left_thigh", "left_shank"):
            few = middle
        else:
            many = middle
    pose = at(many)
    return _lowered(pose, low(pose, "left_thigh", "left_shank", "left_foot", "left_toes"))


PRESETS: dict[str, Callable[[Figure], Pose]] = {
    "stand": _stand,
    "sit": _sit,
    "reach": _reach,
    "kneel": _kneel,
    "t-pose": _t_pose,
}
