"""Thigh, shank, foot and toes.

The hip swings by abduction and flexion, the parts of one rotation vector, then twists by rotation: a box of clinical
ranges. With cones the swing also stays in the ellipse through the ends of both ranges, since these were measured with
the other movement at 0: flexed right up, the thigh does not open as far as it does standing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import pi, radians
from types import MappingProxyType

import numpy as np

from manikin.figure.checks import frozen
from manikin.figure.human.arm import INSIDE_ACROMION
from manikin.figure.human.looks import WOOD, ball, egg, limb
from manikin.figure.human.parts import Axis, Parts, Side
from manikin.figure.human.ranges import LIMBS
from manikin.figure.human.size import Size
from manikin.figure.segment import Shape
from manikin.figure.swing import Ellipse

#: Fractions of stature: hips and knees from the middle (hip to hip 0.185 m at 1.78 m); a fraction of the foot: the
#: ankle before the heel.
HIP_Y, KNEE_Y = 0.052, 0.045
ANKLE_OF_FOOT = 0.26

X_DOWN = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""Frame of the leg's sites at rest: x down the limb, z forward."""


@lru_cache(maxsize=8)
def leg_points(size: Size) -> Mapping[str, np.ndarray]:
    """The left leg's centres and landmarks at rest."""
    p, h = size.proportions, size.stature
    heel = -ANKLE_OF_FOOT * p.foot
    points = {
        "hip": (0.0, HIP_Y, p.hip_height),
        "knee": (0.0, KNEE_Y, p.knee_height),
        "ankle": (0.0, KNEE_Y, p.ankle_height),
        "heel": (heel, KNEE_Y, 0.0),
        "foot": (heel + 0.5 * p.foot, KNEE_Y, 0.0),
        "ball": (heel + p.ball_of_foot, KNEE_Y, 0.011),
        "toe": (heel + p.foot, KNEE_Y, 0.0),
        "popliteal": (-0.02, KNEE_Y, p.popliteal_height),
    }
    return MappingProxyType({name: frozen(h * np.array(point)) for name, point in points.items()})


def add_leg(parts: Parts, size: Size, side: Side, *, cones: bool = False) -> None:
    """From the hip to the toes."""
    at = {name: side.point(point) for name, point in leg_points(size).items()}
    thigh, shank, foot, toes = map(side.of, ("thigh", "shank", "foot", "toes"))
    parts.segment(thigh, at["hip"], _thigh(size, at))
    parts.segment(shank, at["knee"], _shank(size, at))
    parts.segment(foot, at["ankle"], _foot(size, side, at))
    parts.segment(toes, at["ball"], _toes(size, side, at))
    parts.ball(
        side.of("hip"),
        "pelvis",
        thigh,
        _axis(side, (1, 0, 0), "hip_abduction", "hip abduction: 0 standing, positive moves the leg outwards"),
        _axis(side, (0, -1, 0), "hip_flexion", "hip flexion: 0 standing, positive raises the thigh forward"),
        _axis(
            side, (0, 0, -1), "hip_rotation", "hip rotation about the thigh: 0 knee forward, positive medial"
        ),
        swing=_hip_swing() if cones else None,
    )
    parts.joint(
        side.of("knee"),
        thigh,
        shank,
        _axis(side, (0, 1, 0), "knee", "knee flexion: 0 straight, positive flexes"),
    )
    parts.joint(
        side.of("ankle"),
        shank,
        foot,
        _axis(
            side, (0, -1, 0), "ankle_flexion", "ankle dorsiflexion: 0 sole level, positive raises the toes"
        ),
        _axis(
            side,
            (-1, 0, 0),
            "ankle_inversion",
            "foot inversion: 0 sole level, positive turns the sole inwards",
        ),
    )
    parts.joint(
        side.of("toes"),
        foot,
        toes,
        _axis(side, (0, -1, 0), "toes", "toe extension: 0 flat, positive raises the toes"),
    )
    down = side.frame(X_DOWN)
    parts.site(side.of("hip"), thigh, at["hip"], down)
    parts.site(side.of("knee"), shank, at["knee"], down)
    parts.site(side.of("ankle"), shank, at["ankle"], down)
    parts.site(side.of("popliteal"), shank, at["popliteal"])
    parts.site(side.of("foot"), foot, at["foot"])
    parts.site(side.of("heel"), foot, at["heel"])
    parts.site(side.of("toe"), toes, at["toe"])


def _axis(side: Side, direction: tuple[int, int, int], name: str, text: str) -> Axis:
    return Axis(side.axis(direction), side.of(name), LIMBS[name], f"{side.name} {text}")


def _hip_swing() -> Ellipse:
    ranges = ([radians(end) for end in LIMBS[name]] for name in ("hip_abduction", "hip_flexion"))
    return Ellipse.through(*ranges)


def _knee_radius(size: Size) -> float:
    return 0.74 * size.proportions.lower_thigh_girth / (2 * pi) * size.girth * size.stature


def _thigh(size: Size, at: dict[str, np.ndarray]) -> list[Shape]:
    p, h, g = size.proportions, size.stature, size.girth
    # The hanging forearm, about a wrist thick here, must clear the thigh and the ball of the hip.
    room = 0.5 * p.biacromial - INSIDE_ACROMION - 1.12 * p.wrist_girth / (2 * pi) * g - HIP_Y
    top = min(0.76 * p.thigh_girth / (2 * pi) * g, room / 1.02) * h
    return [limb(at["hip"], at["knee"], top, 0.95 * _knee_radius(size), WOOD), ball(at["hip"], 1.02 * top)]


def _shank(size: Size, at: dict[str, np.ndarray]) -> list[Shape]:
    p, h, g = size.proportions, size.stature, size.girth
    knee = _knee_radius(size)
    calf, ankle = 0.86 * p.calf_girth / (2 * pi) * g * h, 0.86 * p.ankle_girth / (2 * pi) * g * h
    bulge = at["knee"] + 0.27 * (at["ankle"] - at["knee"]) - [0.006 * h, 0.0, 0.0]
    return [
        ball(at["knee"], 1.04 * knee),
        limb(at["knee"], bulge, 0.86 * knee, calf, WOOD),
        limb(bulge, at["ankle"], calf, ankle, WOOD),
    ]


def _foot(size: Size, side: Side, at: dict[str, np.ndarray]) -> list[Shape]:
    """A heel, an instep, and a forefoot of the foot's breadth; nothing below the sole."""
    p, h, g = size.proportions, size.stature, size.girth
    heel_radius = 0.0175 * h
    heel = at["heel"] + [heel_radius, 0.0, heel_radius]
    inner, outer = (at["ball"] + side.point([0.0, y * p.foot_breadth * h, 0.001 * h]) for y in (-0.25, 0.25))
    ankle = 0.86 * p.ankle_girth / (2 * pi) * g * h
    return [
        ball(at["ankle"], min(1.05 * ankle, at["ankle"][2])),
        limb(at["ankle"], heel, 0.86 * ankle, heel_radius, WOOD),
        limb(heel, outer - [0.004 * h, 0.0, 0.0], heel_radius, 0.012 * h, WOOD),
        limb(heel, inner, heel_radius, 0.012 * h, WOOD),
        limb(at["ankle"] + [0.010 * h, 0.0, -0.006 * h], inner, 0.85 * ankle, 0.012 * h, WOOD),
        limb(
            at["ankle"] + [0.010 * h, 0.0, -0.008 * h],
            outer - [0.004 * h, 0.0, 0.0],
            0.80 * ankle,
            0.012 * h,
            WOOD,
        ),
        egg(
            at["ball"] + [-0.010 * h, 0.0, 0.001 * h], (0.024 * h, 0.5 * p.foot_breadth * h, 0.012 * h), WOOD
        ),
    ]


def _toes(size: Size, side: Side, at: dict[str, np.ndarray]) -> list[Shape]:
    """Five toes, the great one inside."""
    p, h = size.proportions, size.stature
    length = at["toe"][0] - at["ball"][0]
    shapes = [egg(at["ball"], (0.012 * h, 0.45 * p.foot_breadth * h, 0.0105 * h))]
    for place, radius, reach in (
        (-0.30, 0.0085, 1.0),
        (-0.10, 0.0065, 0.97),
        (0.06, 0.0062, 0.88),
        (0.21, 0.0060, 0.76),
        (0.35, 0.0058, 0.62),
    ):
        y = place * p.foot_breadth * h
        start = at["ball"] + side.point([0.0, 0.85 * y, 0.0])
        end = at["ball"] + side.point([reach * length - radius * h, y, 0.0])
        end[2] = radius * h
        shapes.append(limb(start, end, 0.0095 * h, radius * h, WOOD))
    return shapes
