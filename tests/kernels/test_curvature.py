"""The exact second derivatives against differences of the gradient."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure import transforms

from .support import GOALS, differences, figures, hessian, packed, points, value_and_gradient, with_vector

SMALL = [0.0, 1e-9, 1e-3, 0.05, 0.0999, 0.1001, 0.1999, 0.2001]


def check(figure, goal, q, tolerance=2e-9):
    problem = packed(figure, goal)
    found = hessian(problem, q)
    expected = differences(lambda x: value_and_gradient(problem, x)[1], q)
    scale = max(1.0, np.abs(expected).max())
    assert np.abs(found - found.T).max() <= 1e-12 * scale
    assert np.abs(found - expected).max() <= tolerance * scale
    return found


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("motion", figures())
def test_hessian_is_the_derivative_of_the_gradient(motion, goal):
    figure = figures()[motion]
    for q in points(figure, 4, seed=1):
        check(figure, GOALS[goal](), q)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("length", [*SMALL, np.pi, 1.4 * np.pi])
def test_hessian_holds_for_root_rotation_vectors_of_any_length(length, goal):
    figure = figures()["free"]
    check(figure, GOALS[goal](), with_vector(points(figure, 1)[0], length))


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("swing", SMALL)
@pytest.mark.parametrize("motion", ["swing_twist", "twist_swing", "planar", "followers"])
def test_hessian_holds_for_small_swings(motion, swing, goal):
    figure = figures()[motion]
    q = points(figure, 1)[0]
    if motion == "followers":  # its second swing is one_y − 2 three_x
        q[4], q[2] = 0.6 * swing, 2.0 * q[3] - 0.8 * swing
    else:
        first = 4 if motion == "planar" else 0
        q[first : first + 2] = 0.6 * swing, -0.8 * swing
    check(figure, GOALS[goal](), q)


def test_hessian_of_goals_on_several_segments_is_the_sum_of_theirs():
    figure = figures()["planar"].with_site("middle", "a", [0.1, 0.2, 0.3])
    goals = [
        mk.Placement("tip", [0.4, 0.5, 0.1], np.eye(3)),
        mk.Aim("middle", [1, 2, 3]),
        mk.Position("o", [1, 0, 0]),
    ]
    q = points(figure, 1)[0]
    together = hessian(packed(figure, *goals), q)
    alone = sum(hessian(packed(figure, goal), q) for goal in goals)
    assert np.abs(together - alone).max() < 1e-12


def test_goals_that_weigh_nothing_have_no_curvature():
    figure = figures()["planar"]
    goals = [make().changed(weight=0.0) for make in GOALS.values()]
    assert not hessian(packed(figure, *goals), points(figure, 1)[0]).any()


@pytest.mark.parametrize("motion", figures())
def test_an_orientation_turned_half_way_round_curves_down(motion):
    """Its slope vanishes there; a method leaves such a point by its curvature only."""
    figure = figures()[motion]
    q = points(figure, 1)[0]
    half = transforms.exp([np.pi, 0.0, 0.0]) @ figure.pose(q).matrix("tip")[:3, :3]
    assert np.linalg.eigvalsh(check(figure, mk.Orientation("tip", half), q))[0] < -0.1


@pytest.mark.parametrize("motion", figures())
def test_an_aim_exactly_backwards_curves_down(motion):
    figure = figures()[motion]
    q = points(figure, 1)[0]
    frame = figure.pose(q).matrix("tip")
    goal = mk.Aim("tip", frame[:3, 3] - 1.3 * frame[:3, 1], axis=(0, 1, 0))
    assert np.linalg.eigvalsh(check(figure, goal, q))[0] < -0.1


def test_an_aim_at_the_point_where_the_site_is_has_no_curvature():
    figure = figures()["swing_twist"]
    q = points(figure, 1)[0]
    assert not hessian(packed(figure, mk.Aim("tip", figure.pose(q).position("tip"))), q).any()


def test_a_straight_chain_curves_down_when_asked_to_shorten():
    """The straight leg: the gradient is zero, the knee's curvature is not."""
    figure = mk.Figure.from_dh([(0.4, 0, 0, 0), (0.4, 0, 0, 0)], name="leg").with_site("foot", "link_2")
    problem = packed(figure, mk.Position("foot", figure.pose().position("foot") * 0.75))
    _, gradient = value_and_gradient(problem, np.zeros(2))
    assert np.abs(gradient).max() < 1e-15
    assert np.linalg.eigvalsh(hessian(problem, np.zeros(2)))[0] < -0.01
