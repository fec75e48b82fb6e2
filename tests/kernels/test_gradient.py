"""The compiled potential and gradient against the goals' formulas in NumPy and differences of them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.problems import work_of

import manikin as mk
from manikin.figure import kinematics, transforms

from .support import (
    GOALS,
    differences,
    figures,
    packed,
    placed,
    points,
    potential,
    value_and_gradient,
    with_vector,
)


def check(figure, goal, q, step=1e-3):
    """Value and gradient of the kernels at q are those of the formula; returns the gradient."""
    value, gradient = value_and_gradient(packed(figure, goal), q)

    def formula(x):
        return potential(goal, kinematics.site_matrix(figure, x, "tip"))

    assert value == pytest.approx(formula(q), rel=1e-12, abs=1e-13)
    expected = differences(formula, q, step)
    assert np.abs(gradient - expected).max() <= 1e-7 * max(np.abs(expected).max(), 1e-2)
    return gradient


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("motion", figures())
def test_value_and_gradient_are_those_of_the_formula(motion, goal):
    figure = figures()[motion]
    for q in points(figure, 3):
        check(figure, GOALS[goal](), q)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("length", [0.0, 1e-9, 1e-3, 0.0999, 0.1001, np.pi - 1e-6, np.pi, 1.4 * np.pi])
def test_gradient_holds_for_root_rotation_vectors_of_any_length(length, goal):
    figure = figures()["free"]
    check(figure, GOALS[goal](), with_vector(points(figure, 1)[0], length))


@pytest.mark.parametrize("motion", ["swing_twist", "twist_swing"])
@pytest.mark.parametrize("swing", [0.0, 1e-9, 0.0999, 0.1001, np.pi])
def test_gradient_holds_for_swings_of_any_size(motion, swing):
    figure = figures()[motion]
    q = points(figure, 1)[0]
    q[0:2] = 0.6 * swing, -0.8 * swing
    for goal in ("placement", "aim_askew"):
        check(figure, GOALS[goal](), q)


def test_gradient_of_goals_together_is_the_sum_of_theirs():
    figure = figures()["planar"]
    goals = [make() for make in GOALS.values()]
    q = points(figure, 1)[0]
    alone = [value_and_gradient(packed(figure, goal), q) for goal in goals]
    value, gradient = value_and_gradient(packed(figure, *goals), q)
    assert value == pytest.approx(sum(v for v, _ in alone), rel=1e-13)
    assert np.abs(gradient - sum(g for _, g in alone)).max() < 1e-13 * np.abs(gradient).max()


def test_goals_on_two_branches_pull_each_on_their_own_way_to_the_root():
    figure = figures()["rotate"].with_site("middle", "a", placed(0.1, 0.2, 0.3, 0.2, 0.1, 0))
    goals = [mk.Placement("tip", [0.4, 0.5, 0.1], np.eye(3)), mk.Aim("middle", [1.0, 2.0, 3.0])]
    q = points(figure, 1)[0]
    _, gradient = value_and_gradient(packed(figure, *goals), q)

    def formula(x):
        return sum(potential(goal, kinematics.site_matrix(figure, x, goal.site)) for goal in goals)

    assert np.abs(gradient - differences(formula, q)).max() < 1e-9


@pytest.mark.parametrize("motion", figures())
def test_an_aim_at_the_point_where_the_site_is_pulls_at_nothing(motion):
    figure = figures()[motion]
    q = points(figure, 1)[0]
    value, gradient = value_and_gradient(packed(figure, mk.Aim("tip", figure.pose(q).position("tip"))), q)
    assert value == pytest.approx(2.0 * (180.0 / np.pi / 57.3) ** 2) and not gradient.any()


def test_an_aim_at_a_point_a_millimetre_away_has_the_gradient_of_its_formula():
    figure = figures()["swing_twist"]
    q = points(figure, 1)[0]
    check(figure, mk.Aim("tip", np.add(figure.pose(q).position("tip"), [6e-4, -8e-4, 0.0])), q, step=1e-6)


@pytest.mark.parametrize("motion", figures())
def test_gradient_holds_at_an_orientation_turned_half_way_round(motion):
    figure = figures()[motion]
    q = points(figure, 1)[0]
    frame = figure.pose(q).matrix("tip")[:3, :3]
    half = transforms.exp(np.pi * np.array([0.6, 0.0, 0.8]))
    gradient = check(figure, mk.Orientation("tip", half @ frame), q)
    assert np.abs(gradient).max() < 1e-14
    check(figure, mk.Orientation("tip", half @ frame, axes=(1.0, 0.0, 0.2)), q)


@pytest.mark.parametrize("motion", figures())
def test_gradient_holds_for_an_aim_exactly_backwards(motion):
    figure = figures()[motion]
    q = points(figure, 1)[0]
    frame = figure.pose(q).matrix("tip")
    goal = mk.Aim("tip", frame[:3, 3] - 1.3 * frame[:3, 1], axis=(0, 1, 0))
    assert np.abs(check(figure, goal, q)).max() < 1e-14
    assert value_and_gradient(packed(figure, goal), q)[0] == pytest.approx(4.0, rel=1e-3)


@pytest.mark.parametrize("goal", GOALS)
def test_a_goal_of_weight_zero_pulls_at_nothing(goal):
    figure = figures()["planar"]
    value, gradient = value_and_gradient(
        packed(figure, GOALS[goal]().changed(weight=0.0)), points(figure, 1)[0]
    )
    assert value == 0.0 and not gradient.any()


def test_only_coordinates_on_the_way_to_the_root_are_variables():
    figure = figures()["rotate"].with_site("middle", "a")
    problem = mk.Problem(figure, [mk.Position("middle", [1, 1, 1])])
    assert problem.variables == ("one_z", "one_2")
    assert len(work_of(problem).packed.sections.tree.parent) == 3
