from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm
from manikin.figure import Figure, Joint
from manikin.pictures.body import Body
from manikin.pictures.bones import SLENDER, bones


def nearest(surfaces, point) -> float:
    points = np.concatenate([part.corners.reshape(-1, 3) for part in surfaces])
    return float(np.linalg.norm(points - point, axis=1).min())


def test_bones_reach_every_joint_and_site():
    pose = arm().pose()
    found = bones(pose)
    for site in pose.figure.sites:
        assert nearest(found, pose.position(site)) < 0.05


def test_a_slide_stays_joined_to_its_parent():
    figure = Figure(
        "slide", ["a", "b"], [Joint.prismatic("out", "a", "b", "x", placement=(0, 0, 0.5), lower=0, upper=1)]
    )
    pose = figure.pose({"out": 0.8})
    assert nearest(bones(pose), [0.0, 0.0, 0.5]) < 0.05
    assert nearest(bones(pose), [0.8, 0.0, 0.5]) < 0.05


def test_a_fixed_figure_stands_on_a_plate_and_not_in_the_ground():
    lowest = min(part.corners[..., 2].min() for part in bones(arm().pose()))
    assert lowest == pytest.approx(0.0, abs=1e-6)


def test_joints_of_fingers_are_drawn_apart_in_a_skeleton():
    """Balls as large as a knee's made one lump of a hand and of a spine."""
    body = mk.human()
    pose = body.pose()
    balls = {}
    for name in ("right_index_distal", "right_middle_distal", "right_thigh"):
        start = pose.position(name)
        part = min(bones(pose, [name], thickness=SLENDER), key=lambda part: nearest_middle(part, start))
        balls[name] = float(np.linalg.norm(part.corners.reshape(-1, 3) - start, axis=1).max())
    apart = float(np.linalg.norm(pose.position("right_index_distal") - pose.position("right_middle_distal")))
    assert balls["right_index_distal"] + balls["right_middle_distal"] < apart
    assert balls["right_thigh"] > 1.5 * balls["right_index_distal"]


def test_a_skeleton_of_a_human_is_slender_and_keeps_its_head():
    body = mk.human()
    pose = body.pose()
    surfaces = Body(body, look="bones").surfaces(pose)
    points = np.concatenate([part.corners.reshape(-1, 3) for part in surfaces])
    knee = pose.position("left_shank")
    at_knee = points[np.abs(points[:, 2] - knee[2]) < 0.01]
    left = at_knee[at_knee[:, 1] > 0.0]
    assert np.ptp(left[:, 1]) < 0.06
    skull = points[points[:, 2] > pose.position("head")[2]]
    assert np.ptp(skull[:, 1]) > 0.12
    assert points[:, 2].max() == pytest.approx(highest(body, pose), abs=0.01)


def test_a_figure_without_shapes_has_no_head_of_its_own_in_a_skeleton():
    figure = Figure(
        "bare", ["trunk", "head"], [Joint.revolute("neck", "trunk", "head", placement=(0, 0, 0.5))]
    )
    assert len(Body(figure, look="bones").surfaces(figure.pose())) == len(bones(figure.pose()))


def nearest_middle(part, point) -> float:
    return float(np.linalg.norm(part.corners.reshape(-1, 3).mean(axis=0) - point))


def highest(body, pose) -> float:
    return max(float(part.corners[..., 2].max()) for part in Body(body).surfaces(pose))
