"""Readings of hand-made poses: one movement at a time its own angle, several together by SciPy's Euler angles."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.figure.human import preset
from manikin.figure.human.clinical import LIMBS, xyz, yxz, zxz

BODY = mk.human(stature=1.75)
#: Reading: the coordinate that is the same movement.
SAME = {
    "shoulder_flexion": "shoulder_flexion",
    "shoulder_abduction": "shoulder_abduction",
    "shoulder_rotation": "shoulder_rotation",
    "elbow_flexion": "elbow",
    "forearm_pronation": "forearm_pronation",
    "wrist_flexion": "wrist_flexion",
    "wrist_deviation": "wrist_deviation",
    "hip_flexion": "hip_flexion",
    "hip_abduction": "hip_abduction",
    "hip_rotation": "hip_rotation",
    "knee_flexion": "knee",
    "ankle_flexion": "ankle_flexion",
    "ankle_inversion": "ankle_inversion",
}


def test_all_is_zero_in_the_anatomical_position() -> None:
    assert max(abs(value) for value in BODY.pose().clinical().degrees().values()) < 1e-9


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(("reading", "dof"), SAME.items())
def test_one_movement_is_read_as_itself_and_nothing_else(side: str, reading: str, dof: str) -> None:
    for angle in (17.0, -11.0):
        pose = BODY.pose({f"{side}_{dof}": np.radians(angle)})
        found = pose.clinical().degrees()
        assert found.pop(f"{side}_{reading}") == pytest.approx(angle, abs=1e-9)
        if "shoulder" in reading and reading != "shoulder_rotation":
            assert found.pop(f"{side}_shoulder_elevation") == pytest.approx(abs(angle), abs=1e-9)
            expected = {"flexion": (90.0, -90.0), "abduction": (0.0, 180.0)}[reading.split("_")[1]][angle < 0]
            plane = found.pop(f"{side}_shoulder_plane")
            assert abs(plane) == pytest.approx(abs(expected), abs=1e-6)
            # Carried up in another plane than the frontal, the arm has turned about itself by as much back.
            assert (
                found.pop(f"{side}_shoulder_axial") == pytest.approx(-plane, abs=1e-6) or abs(plane) > 179.0
            )
        elif reading == "shoulder_rotation":
            assert found.pop(f"{side}_shoulder_axial") == pytest.approx(angle, abs=1e-9)
        assert max(abs(value) for value in found.values()) < 1e-6


@pytest.mark.parametrize("movement", ["flexion", "side_bend", "twist"])
@pytest.mark.parametrize(("region", "reading"), [("spine", "trunk"), ("neck", "neck")])
def test_bends_of_trunk_and_neck_are_the_sums_of_their_vertebrae(
    region: str, reading: str, movement: str
) -> None:
    body = mk.human(spine="bend")
    found = body.pose({f"{region}_{movement}": 0.3}).clinical().degrees()
    assert found[f"{reading}_{movement}"] == pytest.approx(np.degrees(0.3), abs=1e-6)


def test_the_ranges_are_the_figures_own() -> None:
    found = BODY.pose().clinical()
    assert (found["left_knee_flexion"].lower, found["left_knee_flexion"].upper) == pytest.approx((0.0, 160.0))
    assert (found["trunk_flexion"].lower, found["trunk_flexion"].upper) == pytest.approx((-25.0, 80.0))
    assert found["left_shoulder_elevation"].lower is None and found["left_shoulder_elevation"].share is None
    bent = BODY.pose({"left_knee": np.radians(80.0)}).clinical()["left_knee_flexion"]
    assert bent.share == pytest.approx(0.5) and bent.text == "80° flexion" and bent.inside
    assert not BODY.pose({"left_knee": np.radians(170.0)}).clinical()["left_knee_flexion"].inside


def test_known_postures_are_read_as_clinicians_read_them() -> None:
    sitting = preset(BODY, "sit").clinical()
    assert sitting["left_hip_flexion"].value == pytest.approx(sitting["left_knee_flexion"].value, abs=1e-6)
    assert 80.0 < sitting["left_hip_flexion"].value < 100.0 and abs(sitting["trunk_flexion"].value) < 1e-6
    spread = preset(BODY, "t-pose").clinical()
    assert spread["right_shoulder_elevation"].value == pytest.approx(90.0, abs=1e-6)
    assert spread["right_shoulder_plane"].value == pytest.approx(0.0, abs=1e-6)
    leaning = preset(BODY, "lean").clinical()
    assert leaning["trunk_inclination"].value > 30.0 and leaning["left_hip_flexion"].value > 10.0
    lying = BODY.pose({"root_ry": np.pi / 2}).clinical()
    assert abs(lying["trunk_inclination"].value) == pytest.approx(90.0)


@pytest.mark.parametrize("heading", [0.0, 130.0])
def test_who_bends_beyond_the_horizontal_is_still_inclined_forward(heading: float) -> None:
    """Read by turning the whole body, heading first: the angle turned is the angle read, to either side."""
    for angle in (-170.0, -120.0, -95.0, -60.0, 30.0, 60.0, 95.0, 120.0, 170.0):
        turned = Rotation.from_euler("ZY", [heading, angle], degrees=True).as_rotvec()
        found = BODY.pose(dict(zip(("root_rx", "root_ry", "root_rz"), turned, strict=True))).clinical()
        assert found["trunk_inclination"].value == pytest.approx(angle, abs=1e-6)
        assert found["head_inclination"].value == pytest.approx(angle, abs=1e-6)


@pytest.mark.parametrize("side", ["left", "right"])
def test_sides_are_read_alike(side: str) -> None:
    pose = preset(BODY, "walk")
    found, mirrored = pose.clinical(), pose.mirrored().clinical()
    other = "right" if side == "left" else "left"
    for name in LIMBS:
        assert mirrored[f"{other}_{name}"].value == pytest.approx(found[f"{side}_{name}"].value, abs=1e-6)
    assert mirrored["trunk_twist"].value == pytest.approx(-found["trunk_twist"].value, abs=1e-6)


def test_three_angles_are_scipys_euler_angles() -> None:
    for turn in Rotation.random(200, random_state=5):
        matrix = turn.as_matrix()
        assert np.allclose(np.degrees(yxz(matrix)), turn.as_euler("YXZ", degrees=True), atol=1e-6)
        assert np.allclose(np.degrees(xyz(matrix)), turn.as_euler("XYZ", degrees=True), atol=1e-6)
        assert np.allclose(np.degrees(zxz(matrix)), turn.as_euler("ZXZ", degrees=True), atol=1e-6)
    for angles in ([0.0, 90.0, 25.0], [0.0, -90.0, 25.0]):
        assert np.allclose(
            np.degrees(yxz(Rotation.from_euler("YXZ", angles, degrees=True).as_matrix())), angles
        )
        assert np.allclose(
            np.degrees(xyz(Rotation.from_euler("XYZ", angles, degrees=True).as_matrix())), angles
        )


def test_readings_print_travel_as_json_and_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = preset(BODY, "squat").clinical()
    assert "left knee flexion" in str(found) and "dorsiflexion" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["left_knee_flexion"]["upper"] == pytest.approx(160.0)
    found.plot(tmp_path / "squat.png", title="squat")
    assert (tmp_path / "squat.png").stat().st_size > 5000
    with pytest.raises(mk.PoseError, match=r"\.png, \.svg or \.pdf"):
        found.plot(tmp_path / "squat.txt")
    assert not (tmp_path / "squat.txt").exists()


def test_other_figures_and_unknown_readings_are_refused() -> None:
    robot = mk.Figure("robot", ["a", "b"], [mk.Joint.revolute("j", "a", "b")])
    with pytest.raises(mk.PoseError, match="made by human"):
        robot.pose().clinical()
    with pytest.raises(mk.PoseError, match="did you mean"):
        BODY.pose().clinical()["left_knee_flexon"]
