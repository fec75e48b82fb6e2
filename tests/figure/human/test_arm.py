from __future__ import annotations

from math import radians

import numpy as np
import pytest

import manikin as mk
from manikin.figure import transforms

ARMS = [
    {"left_shoulder_abduction": 1.2, "left_shoulder_flexion": 0.4, "left_shoulder_rotation": -0.3},
    {"left_shoulder_abduction": -0.2, "left_shoulder_flexion": 2.0, "left_clavicle_elevation": 0.2},
    {"left_shoulder_abduction": 2.5, "left_clavicle_protraction": 0.3},
]


@pytest.mark.parametrize("values", ARMS)
@pytest.mark.parametrize("girdle", [True, False])
def test_the_upper_arm_is_where_its_own_coordinates_say(values: dict[str, float], girdle: bool) -> None:
    """The clavicle carries the shoulder but never turns the arm: its angles are against the chest."""
    pose = mk.human(girdle=girdle).pose(values)
    turned = pose.matrix("t3")[:3, :3].T @ pose.matrix("left_upper_arm")[:3, :3]
    abduction, flexion, rotation = (
        values.get(f"left_shoulder_{name}", 0.0) for name in ("abduction", "flexion", "rotation")
    )
    expected = transforms.exp([abduction, -flexion, 0.0]) @ transforms.turn_z(-rotation)
    assert np.allclose(turned, expected, atol=1e-12)


def test_the_shoulder_rises_with_the_arm_only_with_the_girdle() -> None:
    raised = {"left_shoulder_abduction": radians(150)}
    for girdle in (True, False):
        figure = mk.human(girdle=girdle)
        rise = figure.pose(raised).position("left_shoulder")[2] - figure.pose().position("left_shoulder")[2]
        assert (rise > 0.05) if girdle else (rise == pytest.approx(0.0, abs=1e-12))


def test_every_arm_alone_at_its_clinical_ends_keeps_the_couplings() -> None:
    """Raised, lowered, extended: the girdle's rhythm does not take the clavicle out of its range."""
    figure = mk.human()
    for values in (
        {"left_shoulder_flexion": radians(180)},
        {"left_shoulder_flexion": radians(-60)},
        {"left_shoulder_abduction": radians(180)},
        {"left_shoulder_abduction": radians(180), "left_shoulder_flexion": radians(60)},
        {"left_shoulder_abduction": radians(-66), "left_shoulder_flexion": radians(64)},
    ):
        pose = figure.pose(values)
        for coupling in figure.couplings:
            value = coupling.value(pose.values())
            assert coupling.lower - 1e-9 <= value <= coupling.upper + 1e-9, coupling.name


def test_the_hand_reaches_the_other_shoulder_and_the_mouth() -> None:
    body = mk.human(fingers=False, spine="bend", base="fixed")
    rest = body.pose()
    for target in (
        rest.position("left_shoulder") + np.array([0.08, 0.0, 0.0]),
        rest.position("head") + np.array([0.12, 0.0, -0.04]),
        rest.position("right_hip") + np.array([0.12, 0.0, 0.0]),
    ):
        result = mk.solve(body, [mk.Position("right_fingertip", target)], free=["right_*"])
        assert result.reached
