"""What a body is made of under its skin: the figure's own shapes, thickened to people's girths, and the muscles that
join them where shapes alone leave gaps: over the shoulders, under the arms, at the neck, the seat and the groin.

All in the pose in which the skin is made, arms and legs a little apart.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from manikin.figure.figure import Figure
from manikin.figure.human.size import Size, choose
from manikin.figure.human.surface.field import Blob, cone, egg, of_shape
from manikin.figure.pose import Pose

#: How much thicker than the figure's shapes, which are slim so that limbs stay clear of each other, flesh is.
THICKER = {
    "upper_arm": 1.00,
    "forearm": 0.91,
    "radius": 1.06,
    "thigh": 1.05,
    "shank": 0.99,
    "foot": 1.02,
    "c": 1.0,
    "hand": 1.0,
}
#: Metres over which shapes of a person of 1.75 m melt into each other.
WIDTHS = {
    "trunk": 0.055,
    "limb": 0.045,
    "neck": 0.016,
    "head": 0.012,
    "ear": 0.004,
    "foot": 0.014,
    "toes": 0.006,
    "hand": 0.009,
    "finger": 0.0045,
    "muscle": 0.050,
}


#: Below this the head is a grown person's against the body (`Proportions.head`): at 13 years or so.
GROWN_HEAD = 1.02


def region_of(segment: str) -> str:
    """Which width a segment has."""
    name = segment.removeprefix("left_").removeprefix("right_")
    if segment == "head":
        return "head"
    if segment[0] == "c" and segment[1:].isdigit():
        return "neck"
    if segment == "pelvis" or (segment[0] in "tl" and segment[1:].isdigit()):
        return "trunk"
    if name in ("hand", "foot", "toes"):
        return name
    return "finger" if name.split("_")[0] in ("thumb", "index", "middle", "ring", "little") else "limb"


def blobs(figure: Figure, pose: Pose) -> dict[str, list[Blob]]:
    """The figure's shapes and the muscles between, by the segment that each belongs to, in the order in which they
    melt.
    """
    frames = pose.matrices()
    scale = float(pose.position("vertex")[2] - pose.position("left_heel")[2]) / 1.75
    found: dict[str, list[Blob]] = {}
    for name, segment in figure.segments.items():
        if name.endswith("_eye") or name == "eyes":
            continue
        region = region_of(name)
        plain = name.removeprefix("left_").removeprefix("right_")
        thicker = THICKER.get(plain, THICKER["c"] if region == "neck" else 1.0)
        width = WIDTHS[region] * scale
        for k, shape in enumerate(segment.shapes):
            if shape.kind == "sphere" and region in ("limb", "hand"):
                continue  # the balls that mark a manikin's joints
            ear = region == "head" and shape.kind == "ellipsoid" and k > 0
            blob = of_shape(shape, frames[name], WIDTHS["ear"] * scale if ear else width, thicker)
            if blob is not None:
                found.setdefault(name, []).append(blob)
    for name, extra in girths(pose, size_of(figure)).items():
        found.setdefault(name, []).extend(extra)
    for name, extra in muscles(pose, figure, scale).items():
        found.setdefault(name, []).extend(extra)
    return found


def size_of(figure: Figure) -> Size:
    """Whose figure it is; for one that came from elsewhere, a man of its stature."""
    known = figure.__dict__.get("_human_size")
    if known is not None:
        return known
    rest = figure.pose()
    return choose(float(rest.position("vertex")[2] - rest.position("left_heel")[2]))


def girths(pose: Pose, size: Size) -> dict[str, list[Blob]]:
    """Waist, hips and thighs as deep, as broad and as far round as people's of the size."""
    p, h, g = size.proportions, size.stature, size.girth
    frames = pose.matrices()
    width = WIDTHS["trunk"] * h / 1.75
    pelvis, waist = frames["pelvis"], frames["l3"]
    x, z = pelvis[:3, 0], pelvis[:3, 2]
    hips = pelvis[:3, 3]
    depth, breadth = (0.5 * h * g * value for value in (p.waist_depth, p.waist_breadth))
    level = waist[:3, 3] + ((p.omphalion_height - p.hip_height) * h - (waist[:3, 3] - hips) @ z) * z
    level = level - ((level - hips) @ x - (0.004 + 0.5 * p.belly) * h) * x
    found = {
        "l4": [
            egg(
                level,
                np.array([0.95 * depth + 0.5 * p.belly * h, 0.93 * breadth, 0.062 * h]),
                width,
                pelvis[:3, :3].T,
            )
        ],
        "pelvis": [
            egg(
                hips - 0.004 * h * x + 0.012 * h * z,
                0.5 * h * g * np.array([0.90 * p.buttock_depth, 0.88 * p.hip_breadth, 0.13 / g]),
                width,
                pelvis[:3, :3].T,
            )
        ],
    }
    if size.sex == "female" and p.head < GROWN_HEAD:
        ribs, (deep, broad, _) = _block_at(pose, "t7")
        across, ahead, up = (frames["t6"][:3, k] for k in (1, 0, 2))
        found["t6"] = [
            egg(
                ribs + 0.62 * deep * ahead + sign * 0.46 * broad * across + 0.004 * h * up,
                0.034 * h * g * np.ones(3),
                width,
            )
            for sign in (1.0, -1.0)
        ]
    round_ = p.thigh_girth / (2.0 * np.pi) * g * h
    for side in ("left", "right"):
        hip, knee = pose.position(f"{side}_hip"), pose.position(f"{side}_knee")
        ahead = frames[f"{side}_thigh"][:3, 0]
        top = hip + 0.20 * (knee - hip)
        # A thigh is deeper than broad: two cones side by side, round by what they are apart besides.
        found[f"{side}_thigh"] = [
            cone(top + sign * 0.20 * round_ * ahead, knee, 0.90 * round_, 0.40 * round_, 0.6 * width)
            for sign in (1.0, -1.0)
        ]
    return found


def muscles(pose: Pose, figure: Figure, scale: float) -> dict[str, list[Blob]]:
    """Trapezius, deltoid, chest, back, seat and groin: by landmarks, as thick as the shapes beside them."""
    width = WIDTHS["muscle"] * scale
    frames = pose.matrices()
    x, y, z = frames["t3"][:3, :3].T

    def at(name: str) -> np.ndarray:
        return frames[name][:3, 3]

    neck = _radius(figure, "c5")
    yoke, _ = _block(figure, frames, "t3")
    chest, (depth, breadth, _) = _block(figure, frames, "t7")
    found: dict[str, list[Blob]] = {"t1": [], "t3": [], "t6": [], "t8": [], "pelvis": []}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        out = sign * y
        shoulder = pose.position(f"{side}_shoulder")
        elbow = pose.position(f"{side}_elbow")
        arm = _radius(figure, f"{side}_upper_arm")
        top = shoulder + (0.40 * arm) * z - 0.1 * arm * out
        nape = at("c6") - 0.1 * neck * x + 0.35 * neck * out
        # From the nape down to the tip of the shoulder, and over the collar bone.
        found["t1"].append(cone(nape, top, 0.50 * neck, 0.50 * arm, width))
        found["t3"].append(cone(yoke + 0.1 * arm * z, top - 0.25 * arm * z, 0.95 * arm, 0.72 * arm, width))
        # The deltoid, on the arm.
        deltoid = shoulder + 0.12 * (elbow - shoulder) + 0.15 * arm * z
        found[f"{side}_upper_arm"] = [
            cone(deltoid, shoulder + 0.42 * (elbow - shoulder), 1.08 * arm, 0.95 * arm, width)
        ]
        # Chest and back run into the arm: the folds of the armpit.
        breast = chest + 0.70 * depth * x + 0.45 * breadth * out
        under = shoulder - 0.9 * arm * z - 0.2 * arm * out
        found["t6"].append(
            cone(breast - 0.30 * arm * x, under + 0.35 * arm * x, 0.62 * arm, 0.60 * arm, width)
        )
        blade = chest - 0.42 * depth * x + 0.62 * breadth * out
        found["t8"].append(cone(blade, under - 0.25 * arm * x, 0.70 * arm, 0.62 * arm, width))
        # Seat and groin.
        hip, thigh = pose.position(f"{side}_hip"), _radius(figure, f"{side}_thigh")
        back = frames["pelvis"][:3, 0]
        up = frames["pelvis"][:3, 2]
        found["pelvis"].append(
            cone(
                hip - 0.42 * thigh * back + 0.25 * thigh * up,
                hip - 0.30 * thigh * back - 0.5 * thigh * up,
                0.86 * thigh,
                0.80 * thigh,
                width,
            )
        )
    hips = at("pelvis")
    thigh = _radius(figure, "left_thigh")
    found["pelvis"].append(
        egg(hips - 0.1 * thigh * frames["pelvis"][:3, 2], 0.72 * thigh * np.ones(3), width)
    )
    return found


def _radius(figure: Figure, segment: str) -> float:
    """The larger radius of a segment's first cone, or the sides' of its first ellipsoid."""
    for shape in figure.segments[segment].shapes:
        if shape.kind == "tapered_capsule":
            return float(max(shape.size[:2]))
        if shape.kind == "ellipsoid":
            return float(shape.size[1])
    return 0.04


def _block_at(pose: Pose, segment: str) -> tuple[np.ndarray, np.ndarray]:
    return _block(pose.figure, pose.matrices(), segment)


def _block(figure: Figure, frames: Mapping[str, np.ndarray], segment: str) -> tuple[np.ndarray, np.ndarray]:
    """The middle of a segment's widest ellipsoid in the world, and its half depth, breadth and height."""
    eggs = [shape for shape in figure.segments[segment].shapes if shape.kind == "ellipsoid"]
    widest = max(eggs, key=lambda shape: shape.size[1])
    return (frames[segment] @ widest.placement)[:3, 3], widest.size
