"""Each method on the papers' own examples and on a robot arm; every result checked by the figure's kinematics."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm
from manikin.papers import KNOW_LIMITS as LIMITED, METHODS

from ..samples import check
from .samples import DOWN, branched, three_links

POSITIONS = [method for method in METHODS if method != "screws"]
MANY = [method for method in POSITIONS if method != "fabrik"]
PLACEMENTS = [method for method in METHODS if method not in ("ccd", "fabrik")]


@pytest.mark.parametrize("method", POSITIONS)
def test_the_three_link_chain_reaches_its_target(method):
    solution = check(three_links().solve(method=method))
    assert solution.reached and solution.iterations > 0 and solution.evaluations > 0
    assert solution.status == "reached"


@pytest.mark.parametrize("effectors", [2, 3, 4])
@pytest.mark.parametrize("method", MANY)
def test_the_branched_chain_reaches_with_two_three_and_four_end_effectors(method, effectors):
    solution = check(branched(effectors).solve(method=method))
    if method == "ccd" and effectors == 4:
        assert solution.status == "iteration_limit" and solution.position_errors.max() < 0.02
    else:
        assert solution.reached


@pytest.mark.parametrize("method", POSITIONS)
def test_the_robot_arm_reaches_a_point(method):
    solution = check(mk.solve(arm(), [mk.Position("tool", [0.45, 0.15, 0.35])], method=method))
    assert solution.reached


@pytest.mark.parametrize("method", PLACEMENTS)
def test_the_robot_arm_reaches_a_placement(method):
    solution = check(mk.solve(arm(), [mk.Placement("tool", [0.45, 0.15, 0.35], DOWN)], method=method))
    assert solution.reached


@pytest.mark.parametrize("method", PLACEMENTS)
def test_random_placements_near_the_start_are_reached(method):
    figure, rng = arm(), np.random.default_rng(4)
    for _ in range(3):
        middle, width = 0.5 * (figure.lower + figure.upper), figure.upper - figure.lower
        start = figure.pose(middle + 0.1 * width * rng.uniform(-1.0, 1.0, figure.n))
        start = start.with_values({"elbow": 1.2, "wrist": 0.6})
        there = mk.Pose(figure, start.q + rng.uniform(-0.15, 0.15, figure.n)).matrix("tool")
        solution = check(mk.solve(start, [mk.Placement("tool", there[:3, 3], there[:3, :3])], method=method))
        assert solution.reached


@pytest.mark.parametrize("method", LIMITED)
def test_methods_that_know_limits_reach_inside_them(method):
    problem = three_links(lower=[0.0, 0.0, 0.0], upper=[1.2, 1.2, 1.1])
    solution = check(problem.solve(method=method))
    assert solution.reached and not solution.details["left_limits"]


@pytest.mark.parametrize("method", [m for m in POSITIONS if m not in LIMITED])
def test_methods_that_know_no_limits_stop_at_the_last_point_inside_them(method):
    problem = three_links(lower=[None, -1.0, None], upper=[None, 0.7, None])
    solution = check(problem.solve(method=method))
    assert solution.status == "iteration_limit" and solution.details["left_limits"]


@pytest.mark.parametrize("method", POSITIONS)
def test_out_of_reach_is_never_called_reached(method):
    figure = three_links().figure
    solution = check(mk.solve(figure, [mk.Position("P3", [4.0, 1.0, 0.0])], method=method))
    assert solution.status in ("stationary", "iteration_limit")
    best = np.hypot(4.0, 1.0) - 3.0
    assert solution.position_errors[0] >= best - 1e-9
    if solution.status == "stationary":
        assert solution.position_errors[0] == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("method", POSITIONS)
def test_a_start_outside_the_limits_is_brought_in_and_told(method):
    problem = three_links(lower=[0.0] * 3, upper=[1.5] * 3)
    solution = check(problem.solve([0.6, 0.5, 1.9], method=method))
    assert solution.corrected_start == {"theta3": (1.9, 1.5)}


@pytest.mark.parametrize("method", METHODS)
def test_the_time_limit_stops_a_method(method):
    problem = mk.Problem(arm(), [mk.Placement("tool", [0.45, 0.15, 0.35], DOWN)])
    if method in ("ccd", "fabrik"):
        problem = three_links()
    solution = check(problem.solve(method=method, time_limit=1e-9))
    assert solution.status == "time_limit"


@pytest.mark.parametrize("method", METHODS)
def test_nothing_asked_leaves_the_start(method):
    problem = three_links().replace(goals=[])
    solution = problem.solve(method=method)
    np.testing.assert_array_equal(solution.q, problem.q0)


@pytest.mark.parametrize("method", METHODS)
def test_only_free_coordinates_move(method):
    figure = arm()
    goals = [mk.Position("tool", [0.45, 0.15, 0.35])]
    if method == "screws":
        there = figure.pose().with_values({"waist": 0.2, "elbow": 1.3}).matrix("tool")
        goals = [mk.Placement("tool", there[:3, 3], there[:3, :3])]
    solution = check(mk.solve(figure, goals, method=method, free=["waist", "shoulder", "elbow"]))
    held = [figure.index(name) for name in figure.dofs if name not in ("waist", "shoulder", "elbow")]
    np.testing.assert_array_equal(solution.q[held], figure.rest[held])
    assert solution.reached
