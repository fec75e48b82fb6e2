"""The head, and the eyes that look together."""

from __future__ import annotations

from math import sqrt

import numpy as np

from manikin.figure.human.looks import DARK_WOOD, EYE, PALE_WOOD, ball, egg, limb
from manikin.figure.human.parts import SIDES, Axis, Parts
from manikin.figure.human.ranges import LIMBS
from manikin.figure.human.size import Size
from manikin.figure.human.spine import joint_points
from manikin.figure.joint import Follow

#: Chin below the top of the head, of stature (Drillis and Contini).
CHIN = 0.130
#: Half the skull's height, and the ears before the hips, of stature.
SKULL, EARS_X = 0.054, 0.004


def add_head(parts: Parts, size: Size) -> None:
    """The head on its joint with the atlas, with sites in its middle and on its top."""
    p, h = size.proportions, size.stature
    k = p.head * h  # what is the head's own grows with it
    atlas = joint_points(size)["neck_c0_c1"]
    ears = h * np.array([EARS_X, 0.0, 1.0 - p.tragion_to_vertex])
    length, breadth = 0.5 * p.head_length * h, 0.5 * p.head_breadth * h
    height = SKULL * k
    skull = np.array([ears[0], 0.0, h - height])
    brow = np.array([ears[0] + length - 0.97 * breadth, 0.0, h - 0.064 * k])
    chin = np.array([ears[0] + 0.42 * length, 0.0, h - (CHIN - 0.026) * k])
    bridge = np.array([ears[0] + 0.95 * length, 0.0, _eyes(size)[2] - 0.002 * k])
    tip = bridge + k * np.array([0.006, 0.0, -0.018])
    shapes = [
        egg(skull, (length, breadth, height), PALE_WOOD),
        limb(brow, chin, 0.93 * breadth, 0.026 * k, PALE_WOOD),
        limb(bridge, tip, 0.0032 * k, 0.0062 * k, PALE_WOOD),
        ball(atlas + k * np.array([0.004, 0.0, 0.0]), 0.024 * k, DARK_WOOD),
    ]
    for side in SIDES:
        ear = side.point([ears[0] - 0.004 * k, 0.97 * breadth, ears[2]])
        shapes.append(egg(ear, (0.009 * k, 0.004 * k, 0.016 * k), PALE_WOOD))
    parts.segment("head", atlas, shapes)
    parts.site("head", "head", ears)
    parts.site("vertex", "head", [ears[0], 0.0, h])


def add_eyes(parts: Parts, size: Size) -> None:
    """The gaze, a segment midway between the eyes, and the eyes, which follow it."""
    p, h = size.proportions, size.stature
    middle = _eyes(size)
    parts.segment("eyes", middle)
    parts.joint(
        "eyes",
        "head",
        "eyes",
        Axis(
            (0, 0, 1),
            "eyes_azimuth",
            LIMBS["eyes_azimuth"],
            "gaze to the side: 0 straight ahead, positive left",
        ),
        Axis((0, -1, 0), "eyes_elevation", LIMBS["eyes_elevation"], "gaze up and down: 0 level, positive up"),
    )
    parts.site("eyes", "eyes", middle)
    for side in SIDES:
        center = middle + side.point([0.0, 0.5 * p.interpupillary * h, 0.0])
        name = side.of("eye")
        pupil = center + p.head * h * np.array([0.0032, 0.0, 0.0])
        parts.segment(
            name,
            center,
            [ball(center, 0.0064 * p.head * h, DARK_WOOD), ball(pupil, 0.0040 * p.head * h, EYE)],
        )
        parts.joint(
            name,
            "head",
            name,
            Axis((0, 0, 1), f"{name}_azimuth", None, "", Follow({"eyes_azimuth": 1.0})),
            Axis((0, -1, 0), f"{name}_elevation", None, "", Follow({"eyes_elevation": 1.0})),
        )


def _eyes(size: Size) -> np.ndarray:
    """Midway between the eyes, each of which looks out of the skull by a little."""
    p, h = size.proportions, size.stature
    across = p.interpupillary / p.head_breadth
    skull = SKULL * p.head
    down = (1.0 - skull - p.eye_height) / skull
    surface = EARS_X + 0.5 * p.head_length * sqrt(1.0 - across**2 - down**2)
    return h * np.array([surface - 0.0040 * p.head, 0.0, p.eye_height])
