"""Puts the human figure together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from manikin.errors import FigureError
from manikin.figure import checks, transforms
from manikin.figure.figure import Figure
from manikin.figure.human.aging import AGES, aged
from manikin.figure.human.arm import add_arm
from manikin.figure.human.hand import add_hand
from manikin.figure.human.head import add_eyes, add_head
from manikin.figure.human.leg import add_leg
from manikin.figure.human.masses import add_masses
from manikin.figure.human.parts import SIDES, Parts
from manikin.figure.human.size import Size, shaped
from manikin.figure.human.spine import add_column, add_pelvis
from manikin.figure.human.stiffness import BASES

SPINES = ("full", "bend")
SWINGS = ("linear", "cones")
_VERTEBRAE = "[clt][0-9]*"
#: Parts of one body that lie in each other: trunk and neck, the shoulder in its girdle, the thighs under the belly.
TOUCHING = (
    (_VERTEBRAE, _VERTEBRAE),
    ("pelvis", _VERTEBRAE),
    ("head", _VERTEBRAE),
    ("*_clavicle", _VERTEBRAE),
    ("*_clavicle", "head"),
    ("*_scapula", _VERTEBRAE),
    ("*_upper_arm", "t[1-6]"),
    ("*_thigh", "l[0-9]*"),
)


def human(
    stature: float | None = None,
    mass: float | None = None,
    sex: str = "male",
    percentile: float | None = None,
    *,
    fingers: bool = True,
    spine: str = "full",
    girdle: bool = True,
    swings: str = "linear",
    base: str = "free",
    age: float | None = None,
    circumferences: Mapping[str, float] | None = None,
    pregnancy: float | None = None,
) -> Figure:
    """A person: 149 degrees of freedom and the six of a free root.

    stature, mass: metres and kilograms; the mean of the sex, and the mean mass at that stature, where not given.
    sex: ``"male"`` or ``"female"``, for proportions (ANSUR II) and segment masses (de Leva).
    percentile: of the population, between 0 and 100, sets stature and mass instead; lengths keep the mean person's
        proportions.
    fingers: False makes each hand one segment.
    spine: ``"full"``, every vertebra moves by itself, the whole trunk and neck within their own ranges; ``"bend"``,
        ``spine_flexion``, ``spine_side_bend``, ``spine_twist`` and the same of ``neck`` drive them all.
    girdle: whether the clavicles move with the arms as they rise, besides on their own.
    swings: how shoulders and hips are limited, besides their clinical ranges: ``"linear"``, by lines that cut corners,
        which every method knows; ``"cones"``, no further than straight up for the shoulder, and the ellipse through the
        ends of its ranges for the hip.
    base: ``"free"``, ``"fixed"`` or ``"planar"``.
    age: years, 2 to 80. Below 20 stature, mass and proportions are children's (`growth`, approximate); from 20 on
        joints go as far as at that age (`aging`).
    circumferences: metres, of neck, chest, waist, hip, upper_arm, forearm, wrist, thigh, lower_thigh, calf or ankle,
        whichever are known: ``{"waist": 1.15, "hip": 1.20}``.
    pregnancy: weeks, of a woman: her belly and what she has gained (approximate).

    At rest, all values 0, it stands upright with its soles on z = 0 and the pelvis over the origin, looks along x,
    its arms hang and its palms face the thighs. x is forward, y left, z up. Limits are those of the AAOS for the
    limbs and of White and Panjabi for the vertebrae; ball joints have them on swing and twist.
    With a free base it goes wherever its goals pull it: hold the feet, with a Placement each, or free only some joints.
    ``manikin.preset(figure, "sit")`` gives poses to start from: stand, sit, walk, squat and
    others.
    Every degree of freedom says its sign, its zero and its clinical name: ``figure.dof(name).description``.

    Sites: head, vertex, eyes (they turn with the gaze), chest, pelvis, seat; left\\_ and right\\_ shoulder, elbow,
    wrist, hand (the palm), fingertip (index), dactylion (middle finger), acromion, hip, knee, popliteal, ankle, foot
    (middle of the sole), heel, toe. x runs along the limb outwards, forward for head, eyes, chest, pelvis and feet;
    z points out of the back of the hand, along the whole arm; forward for hip, knee and ankle; up elsewhere.
    """
    size = shaped(stature, mass, sex, percentile, age, circumferences, pregnancy)
    figure = build(size, fingers=fingers, spine=spine, girdle=girdle, swings=swings, base=base)
    return aged(figure, age, sex) if age is not None and age >= AGES[0] else figure


def build(
    size: Size,
    *,
    fingers: bool = True,
    spine: str = "full",
    girdle: bool = True,
    swings: str = "linear",
    base: str = "free",
) -> Figure:
    """The figure of a size, or of a person with proportions of their own; the options are those of `human`."""
    checks.one_of(spine, SPINES, "human: unknown spine")
    checks.one_of(swings, SWINGS, "human: unknown swings")
    if not isinstance(base, str):
        raise FigureError(f"human: base is 'free', 'fixed' or 'planar', got {base!r}")
    girdle, fingers = checks.truth(girdle, "human: girdle"), checks.truth(fingers, "human: fingers")
    cones = swings == "cones"
    parts = Parts()
    add_pelvis(parts, size)
    add_head(parts, size)
    add_column(parts, size, bend=spine == "bend")
    add_eyes(parts, size)
    for side in SIDES:
        add_arm(parts, size, side, girdle=girdle, cones=cones)
        add_hand(parts, size, side, fingers=fingers)
    for side in SIDES:
        add_leg(parts, size, side, cones=cones)
    add_masses(parts, size)
    hips = transforms.translation(np.array([0.0, 0.0, size.proportions.hip_height * size.stature]))
    figure = Figure(
        "human",
        parts.segments.values(),
        parts.joints,
        parts.sites,
        base=base,
        location=hips,
        couplings=parts.couplings,
        base_stiffness=BASES.get(base),
        touching=TOUCHING,
    )
    figure.__dict__["_human_size"] = size  # for the skin, which is fuller than the shapes
    return figure
