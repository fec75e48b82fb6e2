from __future__ import annotations

import numpy as np
import pytest

from manikin.cli.robot import arm
from manikin.figure import Figure, Joint
from manikin.pictures.bones import bones


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
