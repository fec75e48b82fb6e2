"""The rows: their squares are the potential, their Jacobian gives its gradient."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure import kinematics, transforms

from .support import (
    GOALS,
    differences,
    figures,
    packed,
    points,
    potential,
    rows,
    value_and_gradient,
    with_vector,
)


def check(figure, goals, q):
    problem = packed(figure, *goals)
    residual, jacobian = rows(problem, q)
    expected = sum(potential(goal, kinematics.site_matrix(figure, q, goal.site)) for goal in goals)
    assert residual @ residual == pytest.approx(expected, rel=1e-12, abs=1e-13)
    _, gradient = value_and_gradient(problem, q)
    assert np.abs(2.0 * jacobian.T @ residual - gradient).max() <= 1e-13 * max(1.0, np.abs(gradient).max())
    by_differences = differences(lambda x: rows(problem, x)[0], q)
    assert np.abs(jacobian - by_differences).max() <= 1e-9 * max(1.0, np.abs(by_differences).max())
    return residual, jacobian


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("motion", figures())
def test_squared_rows_are_the_potential_and_their_slope_the_gradient(motion, goal):
    figure = figures()[motion]
    for q in points(figure, 2, seed=2):
        check(figure, [GOALS[goal]()], q)


@pytest.mark.parametrize("length", [0.0, 1e-9, 0.0999, 0.1001, np.pi, 1.4 * np.pi])
def test_rows_hold_for_root_rotation_vectors_of_any_length(length):
    figure = figures()["free"]
    check(figure, [GOALS["placement"](), GOALS["aim_x"]()], with_vector(points(figure, 1)[0], length))


def test_rows_of_several_goals_follow_each_other_in_order():
    figure = figures()["planar"]
    q = points(figure, 1)[0]
    goals = [make() for make in GOALS.values()]
    residual, jacobian = check(figure, goals, q)
    parts = [rows(packed(figure, goal), q) for goal in goals]
    assert [len(r) for r, _ in parts] == [3, 9, 9, 9, 9, 12, 3, 3, 3, 1]
    assert np.abs(residual - np.concatenate([r for r, _ in parts])).max() < 1e-15
    assert np.abs(jacobian - np.vstack([j for _, j in parts])).max() < 1e-15


def test_rows_hold_half_way_round_and_backwards():
    figure = figures()["swing_twist"]
    q = points(figure, 1)[0]
    frame = figure.pose(q).matrix("tip")
    half = transforms.exp([0.0, np.pi, 0.0]) @ frame[:3, :3]
    check(figure, [mk.Orientation("tip", half), mk.Aim("tip", frame[:3, 3] - frame[:3, 0])], q)


def test_rows_of_an_aim_at_the_point_where_the_site_is_do_not_change_with_anything():
    figure = figures()["swing_twist"]
    q = points(figure, 1)[0]
    residual, jacobian = rows(packed(figure, mk.Aim("tip", figure.pose(q).position("tip"))), q)
    assert residual @ residual == pytest.approx(2.0 * (180.0 / np.pi / 57.3) ** 2) and not jacobian.any()


def test_a_suppressed_axis_has_rows_of_zero():
    figure = figures()["rotate"]
    residual, jacobian = rows(packed(figure, GOALS["orientation_one_axis"]()), points(figure, 1)[0])
    assert not residual[:6].any() and not jacobian[:6].any()
    assert residual[6:].all()
