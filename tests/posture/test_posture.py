"""The kinematics that the natural posture was learned with are those of the figure."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from tools.posture import body, recorded, retarget

import manikin as mk
from manikin.figure.human import natural

NUMPY = SimpleNamespace(
    stack=lambda arrays, axis: np.stack(arrays, axis), cos=np.cos, sin=np.sin, sqrt=np.sqrt, einsum=np.einsum
)


@pytest.fixture(scope="module")
def figure() -> mk.Figure:
    return mk.human(1.0, spine="bend", fingers=False)


def some_coordinates(count: int) -> np.ndarray:
    return np.random.default_rng(3).normal(0.0, 0.3, (count, len(body.COORDINATES)))


def test_joints_are_where_the_figure_has_them(figure):
    x = some_coordinates(20)
    q = np.zeros((20, figure.n))
    q[:, [figure.index(name) for name in body.COORDINATES]] = x
    x[:, :3] += figure.pose().position("pelvis")
    places = body.forward(NUMPY, x, body.constants(figure))
    assert places == pytest.approx(figure.forward(q, list(body.JOINTS))[..., :3, 3], abs=1e-12)


def test_the_mirror_image_is_that_of_the_figure(figure):
    for x in some_coordinates(5):
        pose = figure.pose(dict(zip(body.COORDINATES, x, strict=True)))
        mirrored = x[body.MIRROR_INDEX] * body.MIRROR_SIGN
        expected = pose.mirrored().values()
        assert mirrored == pytest.approx([expected[name] for name in body.COORDINATES], abs=1e-12)


def test_what_is_learned_is_what_is_asked_of_the_network():
    assert body.COORDINATES == natural.COORDINATES


def test_joints_of_a_person_of_other_lengths_are_where_that_figure_has_them(figure):
    ratio = dict(zip(body.LENGTHS, (0.95, 1.04, 1.07, 0.9, 1.2, 0.85, 1.06), strict=True))
    person = retarget.resized(figure, ratio)
    x = some_coordinates(10)
    q = np.zeros((10, person.n))
    q[:, [person.index(name) for name in body.COORDINATES]] = x
    x[:, :3] += person.pose().position("pelvis")
    places = body.forward(NUMPY, x, body.constants(figure), np.tile(list(ratio.values()), (10, 1)))
    assert places == pytest.approx(person.forward(q, list(body.JOINTS))[..., :3, 3], abs=1e-12)


def some_legs(count: int, bend: float) -> recorded.Recorded:
    """People who stand upright on legs of 0.4 and 0.42 m, every knee bent by so much about an axis to the left."""
    rng = np.random.default_rng(4)
    points = {}
    for side, y in (("left", 0.1), ("right", -0.1)):
        hip = rng.normal(0.0, 0.3, (count, 3)) * [1.0, 1.0, 0.0] + [0.0, y, 0.9]
        points[f"{side}_hip"] = hip
        points[f"{side}_knee"] = hip + 0.40 * np.array([np.sin(0.5 * bend), 0.0, -np.cos(0.5 * bend)])
        points[f"{side}_ankle"] = points[f"{side}_knee"] + 0.42 * np.array(
            [-np.sin(0.5 * bend), 0.0, -np.cos(0.5 * bend)]
        )
        points[f"{side}_shoulder"] = hip + [0.0, 0.0, 0.5]
    frames = {"pelvis": np.tile(np.eye(3), (count, 1, 1))}
    return recorded.Recorded(
        points, frames, np.zeros(count, int), np.zeros(count, int), np.array([""] * count)
    )


def test_people_who_stand_upright_have_nearly_straight_knees_and_their_hips_and_ankles_as_recorded():
    legs = some_legs(12, np.radians(22.0))
    before = {name: value.copy() for name, value in legs.points.items()}
    recorded._straighten(legs)
    for side in ("left", "right"):
        hip, knee, ankle = (legs.points[f"{side}_{joint}"] for joint in ("hip", "knee", "ankle"))
        bend = recorded.bend(legs.points, f"{side}_hip", f"{side}_knee", f"{side}_ankle")
        assert np.degrees(bend) == pytest.approx(5.0, abs=1e-6)
        ratio = np.linalg.norm(hip - knee, axis=1) / np.linalg.norm(knee - ankle, axis=1)
        assert ratio == pytest.approx(0.40 / 0.42)
        assert (knee[:, 0] > hip[:, 0]).all()
        assert hip == pytest.approx(before[f"{side}_hip"]) and ankle == pytest.approx(before[f"{side}_ankle"])


def test_knees_that_were_straight_stay_where_they_were():
    legs = some_legs(12, 0.0)
    before = legs.points["left_knee"].copy()
    recorded._straighten(legs)
    assert legs.points["left_knee"] == pytest.approx(before, abs=1e-9)


def pitched(angles: np.ndarray) -> np.ndarray:
    """Feet that are level to their sides, pitched by these angles about the left axis."""
    return recorded.rotation_about(1, angles)


def test_feet_that_are_level_stay_as_they_are_even_with_the_sole_up():
    feet = pitched(np.radians([-170.0, -120.0, -60.0, 0.0, 45.0, 100.0, 175.0]))
    assert recorded.rolled(feet, np.radians(15.0)) == pytest.approx(feet, abs=1e-12)


@pytest.mark.parametrize("pitch", [-140.0, 0.0, 30.0, 130.0])
def test_a_foot_rolls_by_no_more_than_it_may(pitch):
    feet = pitched(np.radians([pitch])) @ recorded.rotation_about(0, np.radians([40.0]))
    rolled = recorded.rolled(feet, np.radians(15.0))
    wanted = pitched(np.radians([pitch])) @ recorded.rotation_about(0, np.radians([15.0]))
    assert rolled == pytest.approx(wanted, abs=1e-12)


def test_people_with_the_same_bones_are_one_person():
    bones = np.random.default_rng(5).normal(size=(5, 38, 3))
    bones[3], bones[4] = bones[1], -bones[0]  # the same lengths the other way round
    assert list(recorded.same_people(bones)) == [0, 1, 2, 1, 0]


@pytest.mark.skipif(
    not recorded.DATA.exists(), reason="the recordings are not here (../shared/data/postures)"
)
def test_nobody_is_recorded_under_two_numbers_and_no_posture_twice():
    found = recorded.load()
    assert found.person.max() + 1 == len(np.unique(found.person)) == 77
    ankles = np.round(np.c_[found.points["left_ankle"], found.points["right_wrist"]], 6)
    pairs = np.unique(np.c_[ankles, found.person], axis=0)
    assert len(np.unique(ankles, axis=0)) == len(pairs)  # the same place is never two people's
