"""Clavicle, shoulder blade, upper arm and forearm.

The clavicle turns on the breastbone by protraction and elevation and carries the shoulder. The shoulder blade undoes
these turns, so that the arm's own angles are against the chest whatever the clavicle does. With the girdle's rhythm the
clavicle moves with the arm besides on its own: RHYTHM radians a radian, a linear fit of Jack's shoulder (a fifth of
abduction) and of the sternoclavicular coefficients of MyoHub's arm.

The ball of the shoulder swings by abduction (s_x) and flexion (s_y), the parts of one rotation vector from the hanging
arm, then twists by medial rotation. A box on these holds the clinical ranges; two lines cut its corners: flexion and
abduction together end at 240°, and adduction grows with flexion, across the front of the chest. With cones the first
line gives way to a disc: the arm goes no further than straight up, in whichever plane it rises.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import cos, pi, radians, sin
from types import MappingProxyType

import numpy as np

from manikin.figure.checks import frozen
from manikin.figure.coupling import Coupling
from manikin.figure.human.looks import WOOD, ball, limb
from manikin.figure.human.parts import Axis, Parts, Side
from manikin.figure.human.ranges import LIMBS
from manikin.figure.human.size import Size
from manikin.figure.joint import Follow
from manikin.figure.swing import Ellipse

#: How the clavicle follows the arm: movement: {movement of the shoulder: factor}.
RHYTHM = {
    "elevation": {"shoulder_abduction": 0.2, "shoulder_flexion": 0.15},
    "protraction": {"shoulder_abduction": -1.0 / 6.0, "shoulder_flexion": 0.05},
}
#: Elevation and retraction of the clavicle with arms spread wide, degrees: here the span is that of the table.
SPREAD = (18.0, 25.0)
#: abduction + flexion ≤ OVERHEAD, abduction + ACROSS · flexion ≥ −ADDUCTION, degrees.
OVERHEAD, ACROSS, ADDUCTION = 240.0, 0.55, 33.0

#: Fractions of stature: the shoulder's centre from the acromion, the elbow's above radiale, the breastbone's joint.
INSIDE_ACROMION = 0.0103
BELOW_ACROMION = 0.0214
ABOVE_RADIALE = 0.005
STERNUM_Y, BELOW_SUPRASTERNALE = 0.014, 0.003
SHOULDER_X = -0.008

X_OUT_DOWN = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
"""Frame of the left arm's sites at rest: x down the limb, z to the left (out of the back of the hand)."""


@lru_cache(maxsize=8)
def arm_points(size: Size) -> Mapping[str, np.ndarray]:
    """The left arm's landmarks and centres at rest."""
    p, h = size.proportions, size.stature
    acromion = np.array([SHOULDER_X, 0.5 * p.biacromial, p.acromion_height])
    shoulder = acromion - [0.0, INSIDE_ACROMION, BELOW_ACROMION]
    upper = p.upper_arm - BELOW_ACROMION - ABOVE_RADIALE
    elbow = shoulder - [0.0, 0.0, upper]
    wrist = elbow - [0.0, 0.0, ABOVE_RADIALE + p.forearm]
    across = shoulder[1] - STERNUM_Y
    drop = shoulder[2] - (p.suprasternale_height - BELOW_SUPRASTERNALE)
    wide = 0.5 * p.span - (upper + ABOVE_RADIALE + p.forearm + p.hand) - STERNUM_Y
    # How far before the shoulder the breastbone's joint lies, so that the clavicle at SPREAD brings the shoulder
    # in to where the table has the span: wide = (y cos e − z sin e) cos r − x sin r.
    e, r = map(radians, SPREAD)
    before = ((across * cos(e) - drop * sin(e)) * cos(r) - wide) / sin(r)
    sternum = np.array([SHOULDER_X + before, STERNUM_Y, shoulder[2] - drop])
    points = {"acromion": acromion, "shoulder": shoulder, "elbow": elbow, "wrist": wrist, "sternum": sternum}
    return MappingProxyType({name: frozen(h * point) for name, point in points.items()})


def add_arm(parts: Parts, size: Size, side: Side, *, girdle: bool, cones: bool = False) -> None:
    """From the breastbone to the wrist, without the hand."""
    p, h, g = size.proportions, size.stature, size.girth
    at = {name: side.point(point) for name, point in arm_points(size).items()}
    middle = 0.5 * (at["elbow"] + at["wrist"])
    top, bottom = 0.86 * p.upper_arm_girth / (2 * pi) * g * h, 0.72 * p.forearm_girth / (2 * pi) * g * h
    fore, wrist = 0.86 * p.forearm_girth / (2 * pi) * g * h, 0.90 * p.wrist_girth / (2 * pi) * g * h
    half = 0.5 * (fore + wrist)
    bulge = at["elbow"] + 0.22 * (at["wrist"] - at["elbow"])
    clavicle, scapula, upper, forearm, radius = map(
        side.of, ("clavicle", "scapula", "upper_arm", "forearm", "radius")
    )
    # A yoke from the breastbone to the shoulder, and a blade behind: with the chest they leave no gap at the arm.
    blade = at["shoulder"] + side.point(h * np.array([-0.012, -0.040, -0.018]))
    parts.segment(clavicle, at["sternum"], [limb(at["sternum"], at["shoulder"], 0.022 * h, 0.98 * top)])
    parts.segment(
        scapula,
        at["shoulder"],
        [ball(at["shoulder"], 1.04 * top, WOOD), limb(at["shoulder"], blade, 0.99 * top, 0.80 * top, WOOD)],
    )
    parts.segment(upper, at["shoulder"], [limb(at["shoulder"], at["elbow"], top, bottom, WOOD)])
    parts.segment(
        forearm,
        at["elbow"],
        [
            ball(at["elbow"], 1.06 * bottom),
            limb(at["elbow"], bulge, 0.92 * bottom, fore, WOOD),
            limb(bulge, middle, fore, half, WOOD),
        ],
    )
    parts.segment(radius, middle, [limb(middle, at["wrist"], half, wrist, WOOD)])
    _add_girdle(parts, side, girdle)
    _add_shoulder(parts, side, cones)
    parts.joint(
        side.of("elbow"),
        upper,
        forearm,
        Axis(
            (0, -1, 0),
            side.of("elbow"),
            LIMBS["elbow"],
            _says(side, "elbow flexion: 0 straight, positive flexes"),
        ),
    )
    parts.joint(
        side.of("forearm"),
        forearm,
        radius,
        Axis(
            side.axis((0, 0, -1)),
            side.of("forearm_pronation"),
            LIMBS["forearm_pronation"],
            _says(
                side, "forearm pronation: 0 thumb forward with the arm hanging, positive pronates (palm back)"
            ),
        ),
    )
    frame = side.frame(X_OUT_DOWN)
    parts.site(side.of("shoulder"), upper, at["shoulder"], frame)
    parts.site(side.of("elbow"), forearm, at["elbow"], frame)
    parts.site(side.of("wrist"), radius, at["wrist"], frame)
    parts.site(side.of("acromion"), scapula, at["acromion"])


def _says(side: Side, text: str) -> str:
    return f"{side.name} {text}"


def _add_girdle(parts: Parts, side: Side, girdle: bool) -> None:
    """The clavicle's own turns, then the rhythm's about the same axes, then the blade that undoes both."""
    directions = {"protraction": side.axis((0, 0, -1)), "elevation": side.axis((1, 0, 0))}
    says = {
        "protraction": "0 at rest, positive brings the shoulder forward",
        "elevation": "0 at rest, positive raises the shoulder",
    }
    axes, sums = [], {}
    for movement, direction in directions.items():
        own = side.of(f"clavicle_{movement}")
        limits = LIMBS[f"clavicle_{movement}"]
        axes.append(Axis(direction, own, limits, _says(side, f"clavicle {movement}: {says[movement]}")))
        rhythm = {side.of(name): factor for name, factor in RHYTHM[movement].items()} if girdle else {}
        if girdle:
            axes.append(Axis(direction, side.of(f"clavicle_rhythm_{movement}"), None, "", Follow(rhythm)))
        sums[movement] = Follow({own: 1.0, **rhythm})
    # With the rhythm the clinical range bounds own movement and rhythm together.
    undo = [
        Axis(
            -directions[movement],
            side.of(f"scapula_{movement}"),
            LIMBS[f"clavicle_{movement}"],
            "",
            sums[movement],
        )
        for movement in ("elevation", "protraction")
    ]
    parts.joint(side.of("clavicle"), "t3", side.of("clavicle"), *axes)
    parts.joint(side.of("scapula"), side.of("clavicle"), side.of("scapula"), *undo)


def _add_shoulder(parts: Parts, side: Side, cones: bool) -> None:
    abduction, flexion = side.of("shoulder_abduction"), side.of("shoulder_flexion")
    parts.ball(
        side.of("shoulder"),
        side.of("scapula"),
        side.of("upper_arm"),
        Axis(
            side.axis((1, 0, 0)),
            abduction,
            LIMBS["shoulder_abduction"],
            _says(
                side,
                "shoulder abduction: 0 hanging, positive raises the arm sideways (swing about the x axis)",
            ),
        ),
        Axis(
            side.axis((0, -1, 0)),
            flexion,
            LIMBS["shoulder_flexion"],
            _says(
                side, "shoulder flexion: 0 hanging, positive raises the arm forward (swing about the y axis)"
            ),
        ),
        Axis(
            side.axis((0, 0, -1)),
            side.of("shoulder_rotation"),
            LIMBS["shoulder_rotation"],
            _says(side, "shoulder rotation about the upper arm: 0 elbow bends forward, positive medial"),
        ),
        swing=Ellipse((pi, pi)) if cones else None,
    )
    if not cones:
        parts.couplings.append(
            Coupling(
                {abduction: 1.0, flexion: 1.0}, upper=radians(OVERHEAD), name=side.of("shoulder_overhead")
            )
        )
    parts.couplings.append(
        Coupling(
            {abduction: 1.0, flexion: ACROSS}, lower=radians(-ADDUCTION), name=side.of("shoulder_adduction")
        )
    )
