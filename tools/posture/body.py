"""The human's forward kinematics over the learned coordinates, for NumPy or JAX alike, in units of stature.

The learned coordinates (`COORDINATES`) are those of ``human(spine="bend")`` without clavicles, forearms, wrists, toes
and eyes, which the recordings do not tell. `constants` reads lengths and shares off the figure itself; tests compare
the result with `Figure.forward`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import manikin as mk

SIDES = ("left", "right")
ROOT = ("root_x", "root_y", "root_z", "root_rx", "root_ry", "root_rz")
TRUNK = tuple(f"{region}_{m}" for region in ("spine", "neck") for m in ("flexion", "side_bend", "twist"))
ARM = ("shoulder_abduction", "shoulder_flexion", "shoulder_rotation", "elbow")
LEG = ("hip_abduction", "hip_flexion", "hip_rotation", "knee", "ankle_flexion", "ankle_inversion")
COORDINATES = (*ROOT, *TRUNK, *(f"{s}_{name}" for s in SIDES for name in (*ARM, *LEG)))
JOINTS = (
    "pelvis",
    *(f"{s}_{p}" for s in SIDES for p in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")),
    "head",
)
#: What the mirror image does to each coordinate: where it goes, and its sign.
MIRROR_INDEX = np.array(
    [
        COORDINATES.index(name.replace("left_", "x_").replace("right_", "left_").replace("x_", "right_"))
        for name in COORDINATES
    ]
)
MIRROR_SIGN = np.array(
    [
        -1.0 if name in ("root_y", "root_rx", "root_rz") or name.endswith(("side_bend", "twist")) else 1.0
        for name in COORDINATES
    ]
)


def constants(figure: mk.Figure | None = None) -> dict[str, np.ndarray]:
    """Offsets of joints in their parents over stature, the vertebrae's shares of the trunk's movements, the girdle's
    rhythm, and the number of the vertebra that carries the clavicles.
    """
    import manikin as mk
    from manikin.figure.human import arm, ranges, spine

    figure = mk.human(1.0, spine="bend", fingers=False) if figure is None else figure
    stature = float(figure.pose().position("vertex")[2])
    place = {name: np.array(joint.placement)[:3, 3] / stature for name, joint in figure.joints.items()}
    vertebrae = list(ranges.VERTEBRAE)
    shares = np.zeros((len(vertebrae), 6))
    for k, joint in enumerate(vertebrae):
        region = ranges.region(joint)
        for m, movement in enumerate(spine.MOVEMENTS):
            shares[k, m + 3 * (region == "neck")] = spine.shares(region, movement)[joint]
    return {
        "vertebrae": np.array([place[joint] for joint in vertebrae]),
        "trunk": np.array([joint.startswith("spine_") for joint in vertebrae]),
        "shares": shares,
        "rhythm": np.array([list(arm.RHYTHM[m].values()) for m in ("protraction", "elevation")]),
        "t3": np.array([spine.child_of(joint) for joint in vertebrae].index("t3")),
        "head": np.array(figure.site("head").placement)[:3, 3] / stature,
        **{name: place[name] for s in SIDES for name in _limbs(s)},
        **{f"{s}_hand": np.array(figure.site(f"{s}_wrist").placement)[:3, 3] / stature for s in SIDES},
    }


def _limbs(side: str) -> tuple[str, ...]:
    names = ("clavicle", "scapula", "elbow", "forearm", "hip", "knee", "ankle")
    return tuple(f"{side}_{name}" for name in names)


#: Lengths that people have of their own, as `retarget.lengths` names them.
LENGTHS = ("thigh", "shank", "upper_arm", "forearm", "hips", "shoulders", "trunk")


def forward(xp: Any, x: Any, body: dict[str, Any], ratio: Any = None) -> Any:
    """Places (…, 14, 3) of `JOINTS` for coordinates (…, 32), root included; in units of stature.

    ratio: (…, 7), how many times as long each of `LENGTHS` is; 1 by default.
    """
    own = (
        dict.fromkeys(LENGTHS, 1.0)
        if ratio is None
        else {n: ratio[..., k, None] for k, n in enumerate(LENGTHS)}
    )
    at: dict[str, Any] = {}
    column = {name: x[..., k] for k, name in enumerate(COORDINATES)}
    turn = _exp(xp, x[..., 3:6])
    pelvis = x[..., 0:3]
    at["pelvis"] = pelvis
    region = body["shares"]
    flexion = x[..., 6:7] * region[:, 0] + x[..., 9:10] * region[:, 3]
    side = x[..., 7:8] * region[:, 1] + x[..., 10:11] * region[:, 4]
    twist = x[..., 8:9] * region[:, 2] + x[..., 11:12] * region[:, 5]
    bent = _about(xp, 1, flexion) @ _about(xp, 0, -side) @ _about(xp, 2, twist)
    place, chest = pelvis, None
    carrier = int(body["t3"])
    for k in range(body["vertebrae"].shape[0]):
        place = place + (own["trunk"] if body["trunk"][k] else 1.0) * _apply(turn, body["vertebrae"][k])
        turn = turn @ bent[..., k, :, :]
        if k == carrier:
            chest = (place, turn)
    at["head"] = place + _apply(turn, body["head"])
    assert chest is not None
    root = _exp(xp, x[..., 3:6])
    for s, sign in (("left", 1.0), ("right", -1.0)):
        _arm(xp, s, sign, column, body, own, chest, at)
        _leg(xp, s, sign, column, body, own, (pelvis, root), at)
    return xp.stack([at[name] for name in JOINTS], -2)


def _arm(xp: Any, s: str, sign: float, column: dict, body: dict, own: dict, chest: tuple, at: dict) -> None:
    place, turn = chest
    abduction, flexion = column[f"{s}_shoulder_abduction"], column[f"{s}_shoulder_flexion"]
    protraction, elevation = (abduction * row[0] + flexion * row[1] for row in body["rhythm"])
    clavicle = _about(xp, 2, -sign * protraction) @ _about(xp, 0, sign * elevation)
    sternum = place + _across(turn, body[f"{s}_clavicle"], own["shoulders"])
    shoulder = sternum + _across(turn @ clavicle, body[f"{s}_scapula"], own["shoulders"])
    upper = turn @ _ball(xp, abduction, flexion, column[f"{s}_shoulder_rotation"], sign)
    elbow = shoulder + own["upper_arm"] * _apply(upper, body[f"{s}_elbow"])
    fore = upper @ _about(xp, 1, -column[f"{s}_elbow"])
    at[f"{s}_shoulder"], at[f"{s}_elbow"] = shoulder, elbow
    at[f"{s}_wrist"] = elbow + own["forearm"] * _apply(fore, body[f"{s}_forearm"] + body[f"{s}_hand"])


def _leg(xp: Any, s: str, sign: float, column: dict, body: dict, own: dict, pelvis: tuple, at: dict) -> None:
    place, turn = pelvis
    hip = place + own["hips"] * _apply(turn, body[f"{s}_hip"])
    thigh = turn @ _ball(
        xp, column[f"{s}_hip_abduction"], column[f"{s}_hip_flexion"], column[f"{s}_hip_rotation"], sign
    )
    knee = hip + own["thigh"] * _apply(thigh, body[f"{s}_knee"])
    shank = thigh @ _about(xp, 1, column[f"{s}_knee"])
    at[f"{s}_hip"], at[f"{s}_knee"] = hip, knee
    at[f"{s}_ankle"] = knee + own["shank"] * _apply(shank, body[f"{s}_ankle"])


def _ball(xp: Any, first: Any, second: Any, twist: Any, sign: float) -> Any:
    """exp of the swing s₁ (±1, 0, 0) + s₂ (0, −1, 0), then the twist about (0, 0, ∓1)."""
    zero = 0.0 * first
    return _exp(xp, xp.stack([sign * first, -second, zero], -1)) @ _about(xp, 2, -sign * twist)


def _apply(turn: Any, vector: Any) -> Any:
    return turn @ vector


def _across(turn: Any, vector: Any, factor: Any) -> Any:
    """A vector whose y is so many times as long, turned."""
    return _apply(turn, vector * np.array([1.0, 0.0, 1.0])) + factor * _apply(
        turn, vector * np.array([0.0, 1.0, 0.0])
    )


def _about(xp: Any, axis: int, angle: Any) -> Any:
    c, s = xp.cos(angle), xp.sin(angle)
    one, zero = 1.0 + 0.0 * c, 0.0 * c
    rows = {
        0: ((one, zero, zero), (zero, c, -s), (zero, s, c)),
        1: ((c, zero, s), (zero, one, zero), (-s, zero, c)),
        2: ((c, -s, zero), (s, c, zero), (zero, zero, one)),
    }[axis]
    return xp.stack([xp.stack(list(row), -1) for row in rows], -2)


def _exp(xp: Any, v: Any) -> Any:
    """exp([v]×) = I + a [v] + b [v]², a = sin θ/θ, b = (1 − cos θ)/θ²."""
    square = (v * v).sum(-1) + 1e-12
    theta = xp.sqrt(square)
    a, b = xp.sin(theta) / theta, (1.0 - xp.cos(theta)) / square
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    zero = 0.0 * x
    cross = xp.stack(
        [xp.stack([zero, -z, y], -1), xp.stack([z, zero, -x], -1), xp.stack([-y, x, zero], -1)], -2
    )
    eye = xp.stack(
        [
            xp.stack([1.0 + zero, zero, zero], -1),
            xp.stack([zero, 1.0 + zero, zero], -1),
            xp.stack([zero, zero, 1.0 + zero], -1),
        ],
        -2,
    )
    return eye + a[..., None, None] * cross + b[..., None, None] * (cross @ cross)
