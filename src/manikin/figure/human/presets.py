"""Everyday poses of the human figure, inside all limits and couplings: standing, sitting, low, on the move.

With the pelvis pitched forward by p the thigh stands hip − p before the vertical, the shank hip − p − knee, and the
sole is level where hip − p − knee + ankle = 0. Poses on both feet keep that, and p is what brings the centre of mass
over the middle of the feet.
"""

from __future__ import annotations

from collections.abc import Callable
from math import acos, degrees, radians

from manikin.errors import PoseError
from manikin.figure.checks import near
from manikin.figure.figure import Figure
from manikin.figure.human import arm, looks, ranges, spine
from manikin.figure.human.natural_posture import is_human
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
#: Presets that ask for no shapes: of figures that are read as people too.
SHAPELESS = ("stand", "sit", "reach", "t-pose")
RELAXED_ARM: Degrees = {"shoulder_abduction": 5.0, "elbow": 9.0, "forearm_pronation": 8.0}


def preset(figure: Figure, name: str) -> Pose:
    """A pose of a `human` figure by name.

    stand: at ease. sit: upright on a seat of popliteal height, the feet flat on z = 0. reach: the right hand forward
    at the height of the shoulder. kneel: upright on both knees and toes; kneel-one: on the right knee, the left foot
    forward. squat: deep, on both soles. lift: knees and back bent, both hands low before the shins. lean: bent forward
    from the hips, hands before the thighs. walk: the left heel landing, the right toes leaving. sit-floor: on the
    floor, the legs forward. t-pose: arms spread wide, as for the span.
    Where the base is not free the pelvis stays where it is.
    """
    if not isinstance(figure, Figure):
        raise PoseError(f"preset {name!r}: a Figure is wanted, got {figure!r}")
    if not isinstance(name, str) or name not in PRESETS:
        raise PoseError(f"human: unknown preset {name!r}; {near(str(name), PRESETS)}")
    made = "left_thigh" in figure.segments and "left_clavicle_elevation" in figure.dofs
    if not made and not (name in SHAPELESS and is_human(figure)):
        raise PoseError(f"figure {figure.name!r}: preset {name!r} is for figures made by human()")
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
        for dof, share in spine.shares_of(pose.figure, region, movement).items():
            values[dof] = share * radians(value)
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


def _low(pose: Pose, *segments: str) -> float:
    """The lowest point of some segments' shapes."""
    frames = pose.matrices()
    shapes = pose.figure.segments
    return min(looks.lowest(shape, frames[name]) for name in segments for shape in shapes[name].shapes)


_FEET = ("left_foot", "left_toes", "right_foot", "right_toes")


def _pitched(pose: Pose, pitch: float) -> Pose:
    """The pose with the pelvis pitched forward by so many degrees, where the base is free."""
    return pose if pose.figure.base != "free" else pose.with_values({"root_ry": radians(pitch)})


def _on_both_feet(
    figure: Figure, knee: float, ankle: float, bends: Degrees, arms: Callable[[float], Degrees]
) -> Pose:
    """Both soles level, the pelvis pitched so that the centre of mass is over the middle of the feet.

    arms: by how far the trunk's top leans, degrees.
    """

    def at(pitch: float) -> Pose:
        legs = {"knee": knee, "ankle_flexion": ankle, "hip_flexion": pitch + knee - ankle}
        lean = pitch + bends.get("spine_flexion", 0.0)
        pose = _bent(_posed(figure, RELAXED_HAND, legs, arms(lean)), bends)
        return _pitched(pose, pitch)

    few, many = -20.0, 100.0
    for _ in range(40):
        middle = 0.5 * (few + many)
        pose = at(middle)
        ahead = pose.center_of_mass()[0] - 0.5 * (pose.position("left_foot") + pose.position("right_foot"))[0]
        few, many = (few, middle) if ahead > 0.0 else (middle, many)
    pose = at(few)
    return _lowered(pose, _low(pose, *_FEET))


def _squat(figure: Figure) -> Pose:
    return _on_both_feet(
        figure,
        125.0,
        34.0,
        {"spine_flexion": 22.0, "neck_flexion": -22.0},
        lambda lean: {"shoulder_flexion": 35.0 + lean, "elbow": 35.0, "forearm_pronation": 40.0},
    )


def _lift(figure: Figure) -> Pose:
    return _on_both_feet(
        figure,
        85.0,
        27.0,
        {"spine_flexion": 28.0, "neck_flexion": -30.0},
        lambda lean: {"shoulder_flexion": lean + 8.0, "elbow": 14.0, "forearm_pronation": 15.0},
    )


def _lean(figure: Figure) -> Pose:
    return _on_both_feet(
        figure,
        12.0,
        -2.0,
        {"spine_flexion": 24.0, "neck_flexion": -18.0},
        lambda lean: {"shoulder_flexion": lean + 6.0, "elbow": 12.0, "forearm_pronation": 20.0},
    )


def _level(
    at: Callable[[float], Pose], few: float, many: float, rising: tuple[str, ...], on: tuple[str, ...]
) -> Pose:
    """The pose at the angle where `rising`, which it lifts, is as low as `on`; both then rest on the ground."""
    for _ in range(50):
        middle = 0.5 * (few + many)
        pose = at(middle)
        if _low(pose, *rising) < _low(pose, *on):
            few = middle
        else:
            many = middle
    pose = at(many)
    return _lowered(pose, _low(pose, *rising, *on))


def _walk(figure: Figure) -> Pose:
    """The right knee bends until its toes are as low as the left heel."""

    def at(knee: float) -> Pose:
        pose = _posed(
            figure,
            RELAXED_HAND,
            left={
                "hip_flexion": 26.0,
                "knee": 6.0,
                "ankle_flexion": 2.0,
                "shoulder_flexion": -18.0,
                "elbow": 14.0,
                "shoulder_abduction": 5.0,
                "forearm_pronation": 8.0,
            },
            right={
                "hip_flexion": -14.0,
                "knee": knee,
                "ankle_flexion": -2.0,
                "toes": 22.0,
                "shoulder_flexion": 16.0,
                "elbow": 26.0,
                "shoulder_abduction": 5.0,
                "forearm_pronation": 8.0,
            },
        )
        return _pitched(_bent(pose, {"spine_flexion": 3.0, "spine_twist": 6.0, "neck_twist": -6.0}), 2.0)

    return _level(at, 0.0, 80.0, ("right_foot", "right_toes"), ("left_foot", "left_toes"))


def _kneel_one(figure: Figure) -> Pose:
    """The right thigh upright, its knee bent until the toes, tucked under, rest beside it on the ground; the left
    shank upright before it, the left hip flexed until that foot is level with them.
    """
    back = ("right_shank", "right_thigh")

    def at(knee: float, flexion: float) -> Pose:
        return _posed(
            figure,
            RELAXED_ARM,
            RELAXED_HAND,
            left={"hip_flexion": flexion, "knee": flexion},
            right={"knee": knee, "ankle_flexion": 25.0, "toes": 60.0},
        )

    few, many = 80.0, 150.0
    for _ in range(50):
        knee = 0.5 * (few + many)
        pose = at(knee, 90.0)
        if _low(pose, "right_foot", "right_toes") < _low(pose, *back):
            few = knee
        else:
            many = knee
    return _level(lambda flexion: at(many, flexion), 45.0, 135.0, ("left_foot", "left_toes"), back)


def _sit_floor(figure: Figure) -> Pose:
    """The pelvis rolled back, the thighs rising; the knees bend until the heels are down where the seat is."""
    arms = {"shoulder_flexion": 40.0, "elbow": 42.0, "forearm_pronation": 55.0, "shoulder_rotation": 10.0}

    def at(straight: float) -> Pose:
        legs = {"hip_flexion": 86.0, "knee": -straight, "hip_abduction": 6.0, "ankle_flexion": -6.0}
        pose = _bent(_posed(figure, RELAXED_HAND, legs, arms), {"spine_flexion": 34.0, "neck_flexion": -6.0})
        return _pitched(pose, -20.0)

    return _level(at, -150.0, 0.0, _FEET, ("pelvis", "left_thigh", "right_thigh"))


PRESETS: dict[str, Callable[[Figure], Pose]] = {
    "stand": _stand,
    "sit": _sit,
    "reach": _reach,
    "kneel": _kneel,
    "kneel-one": _kneel_one,
    "squat": _squat,
    "lift": _lift,
    "lean": _lean,
    "walk": _walk,
    "sit-floor": _sit_floor,
    "t-pose": _t_pose,
}
