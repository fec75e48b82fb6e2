"""The view's own kinematics: that of the figure, on the motions that the variables move."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.papers.view import View


def mixed() -> mk.Figure:
    """Every kind of motion: a free root, balls of both kinds, hinges and a slide, and a follower."""
    joints = [
        mk.Joint("j1", "a", "b", "ball", (0.0, 0.0, 0.3)),
        mk.Joint("j2", "b", "c", "R(x)*T(y)", (0.0, 0.2, 0.3)),
        mk.Joint("j3", "c", "d", "ball(x)", (0.0, 0.0, 0.4)),
        mk.Joint("j4", "d", "e", "R(z)*R(-y)", (0.1, 0.0, 0.4), follow=[None, mk.Follow({"j2_x": 0.5}, 0.1)]),
    ]
    return mk.Figure("mixed", list("abcde"), joints, [mk.Site("tip", "e", (0.0, 0.1, 0.5))], base="free")


def view(free=None, seed: int = 0) -> View:
    figure = mixed()
    goals = [mk.Placement("tip", [0.1, 0.2, 0.3], np.eye(3)), mk.Position("c", [0.1, 0.2, 0.4])]
    q = 0.5 * np.random.default_rng(seed).normal(size=figure.n)
    return View(mk.Problem(figure, goals, free=free), q, "m")


@pytest.mark.parametrize("free", [None, ["j2_*", "j4_*"], ["j1_*", "root_r*"]])
def test_frames_and_jacobians_are_those_of_the_pose(free):
    seen = view(free)
    x = seen.start + 0.1
    pose, placed = seen.pose(x), seen.at(x)
    for site in ("tip", "c"):
        np.testing.assert_allclose(placed.matrix(site), pose.matrix(site), atol=1e-14)
        np.testing.assert_allclose(placed.jacobian(site), pose.jacobian(site)[:, seen.variables], atol=1e-13)
    assert len(seen.motions.tree.parent) < len(seen.figure.tree.parent) or free is None


@pytest.mark.parametrize("free", [None, ["j1_*", "j3_*"]])
def test_curvature_agrees_with_differences_of_the_jacobian(free):
    seen = view(free, seed=1)
    x, h = seen.start, 1e-5
    u = np.random.default_rng(2).normal(size=3 * len(seen.parts))
    differences = np.array(
        [(seen.jacobian(x + h * e) - seen.jacobian(x - h * e)).T @ u / (2.0 * h) for e in np.eye(len(x))]
    )
    np.testing.assert_allclose(seen.curvature(x, u), 0.5 * (differences + differences.T), atol=1e-8)
