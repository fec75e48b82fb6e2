"""Humanoids with four poses on a base that moves, from anywhere to anywhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.problems import moved

import manikin as mk

from .samples import ROBOTS, check, robot_file

TOLERANCE = (1e-3, 1e-2)
HUMANOIDS = {
    "talos": (ROBOTS["talos"][0], ROBOTS["talos"][2]),
    "g1": (
        "g1_description/urdf/g1_29dof_rev_1_0.urdf",
        ("left_rubber_hand", "right_rubber_hand", "left_ankle_roll_link", "right_ankle_roll_link"),
    ),
    "icub": ("icub_description/robots/icub_reduced.urdf", ("l_hand", "r_hand", "l_sole", "r_sole")),
}


def anywhere(figure: mk.Figure, rng: np.random.Generator) -> mk.Pose:
    """Joints anywhere inside their ranges, a free base within three metres, turned any way."""
    lower, upper = np.maximum(figure.lower, -np.pi), np.minimum(figure.upper, np.pi)
    q = rng.uniform(lower, upper)
    q[:3] = rng.uniform(-3.0, 3.0, 3)
    q[3:6] = Rotation.random(rng=rng).as_rotvec()
    return figure.pose(q)


@pytest.mark.parametrize("name", HUMANOIDS)
def test_four_poses_on_a_free_base_are_found_from_anywhere(name):
    file, sites = HUMANOIDS[name]
    figure, rng = robot_file(file, "free"), np.random.default_rng(51)
    problem = mk.Problem(
        figure, [mk.Placement(site, np.zeros(3), np.eye(3)) for site in sites], tolerance=TOLERANCE
    )
    for _ in range(40):
        there = anywhere(figure, rng)
        for index, site in enumerate(sites):
            frame = there.matrix(site)
            problem = moved(problem, index, position=frame[:3, 3], orientation=frame[:3, :3])
        found = check(problem.solve(anywhere(figure, rng)), tolerance=TOLERANCE)
        assert found.reached


@pytest.mark.parametrize("name", HUMANOIDS)
def test_a_figure_far_from_the_origin_is_posed_too(name):
    file, sites = HUMANOIDS[name]
    figure, rng = robot_file(file, "free"), np.random.default_rng(52)
    for _ in range(15):
        there, q = anywhere(figure, rng), np.array(anywhere(figure, rng).q)
        frames = [there.matrix(site) for site in sites]
        goals = [
            mk.Placement(site, f[:3, 3] + [100.0, 0.0, 0.0], f[:3, :3])
            for site, f in zip(sites, frames, strict=True)
        ]
        q[0] += 100.0
        assert mk.solve(figure.pose(q), goals, tolerance=TOLERANCE).reached
