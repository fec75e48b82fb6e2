"""Robots of six hinges: a start that is far gives way to the closed form's nearest solution."""

from __future__ import annotations

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk

HALF = np.pi / 2
# Denavit–Hartenberg rows of a UR5 (a, alpha, d, offset), its parallel axes and lengths.
UR5 = [
    (0.0, HALF, 0.0892, 0.0),
    (-0.425, 0.0, 0.0, 0.0),
    (-0.392, 0.0, 0.0, 0.0),
    (0.0, HALF, 0.1092, 0.0),
    (0.0, -HALF, 0.0947, 0.0),
    (0.0, 0.0, 0.0823, 0.0),
]


def robot(limit: float = 2.0 * np.pi) -> mk.Figure:
    return mk.Figure.from_dh(UR5, lower=-limit, upper=limit)


def problem_at(figure: mk.Figure, q: np.ndarray) -> mk.Problem:
    there = figure.pose(q).matrix("tip")
    return mk.Problem(figure, [mk.Placement("tip", there[:3, 3], there[:3, :3])])


def test_from_far_all_are_reached_by_the_nearest_of_all_branches():
    figure = robot()
    rng = np.random.default_rng(0)
    arm = mk.SixAxis(figure, "tip")
    for _ in range(200):
        q, start = rng.uniform(-np.pi, np.pi, (2, 6))
        problem = problem_at(figure, q)
        found = problem.solve(start)
        assert found.reached
        if found.starts == 2:
            rows = arm.solve(figure.pose(q).matrix("tip"))
            nearest = np.abs(rows - start).max(axis=1).min()
            assert np.abs(found.q - start).max() == pytest.approx(nearest, abs=1e-6)


def test_a_start_that_is_near_leads_to_the_solution_next_to_it_exactly():
    figure = robot()
    rng = np.random.default_rng(1)
    for _ in range(100):
        q = rng.uniform(-2.5, 2.5, 6)
        found = problem_at(figure, q).solve(q + rng.uniform(-0.02, 0.02, 6))
        assert found.reached
        assert np.abs(found.pose.matrix("tip") - figure.pose(q).matrix("tip")).max() < 1e-10


def test_a_start_at_the_solution_stays_there():
    figure = robot()
    rng = np.random.default_rng(5)
    for _ in range(50):
        q = rng.uniform(-2.5, 2.5, 6)
        found = problem_at(figure, q).solve(q)
        assert found.starts == 1 and found.evaluations == 1
        assert (found.q == q).all()


def test_limits_are_kept_by_the_closed_form():
    figure = robot(limit=2.0)
    rng = np.random.default_rng(2)
    for _ in range(200):
        q, start = rng.uniform(-2.0, 2.0, (2, 6))
        found = problem_at(figure, q).solve(start)
        assert found.reached
        assert (np.abs(found.q) <= 2.0).all()


def test_out_of_reach_it_is_as_without_a_closed_form():
    figure = robot()
    problem = mk.Problem(figure, [mk.Placement("tip", [2.0, 0.5, 0.3], np.eye(3))])
    found = problem.solve(np.full(6, 0.3))
    assert not found.reached and found.status == "stationary"
    assert found.cost < 1.0


def test_without_restarts_only_the_start_counts():
    figure = robot()
    rng = np.random.default_rng(3)
    for _ in range(50):
        q, start = rng.uniform(-np.pi, np.pi, (2, 6))
        assert problem_at(figure, q).solve(start, restarts=0).starts == 1


def test_a_start_that_is_no_number_is_refused():
    figure = robot()
    problem = problem_at(figure, np.zeros(6))
    with pytest.raises(mk.ManikinError, match=r"finite|number"):
        problem.solve(np.array([0.0, np.nan, 0.0, 0.0, 0.0, 0.0]))


def test_the_target_may_move_and_solutions_keep_their_numbers():
    figure = robot()
    rng = np.random.default_rng(4)
    problem = problem_at(figure, rng.uniform(-2.0, 2.0, 6))
    kept = []
    for _ in range(20):
        there = figure.pose(rng.uniform(-2.0, 2.0, 6)).matrix("tip")
        problem = moved(problem, 0, position=there[:3, 3], orientation=there[:3, :3])
        found = problem.solve(rng.uniform(-2.0, 2.0, 6))
        assert found.reached
        kept.append((found, there))
    for found, there in kept:
        assert found.pose.matrix("tip") == pytest.approx(there, abs=1e-4)
        assert np.asarray(found.goals[0].position) == pytest.approx(there[:3, 3], abs=0.0)


def test_a_place_that_minds_one_axis_is_met_near_the_start():
    figure = robot()
    rng = np.random.default_rng(6)
    for way in ("made", "set"):
        for _ in range(20):
            q = rng.uniform(-2.0, 2.0, 6)
            there = figure.pose(q).matrix("tip")
            about = np.array(
                [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
            )  # the other axes turned away
            axes = (0.0, 0.0, 1.0) if way == "made" else (1.0, 1.0, 1.0)
            problem = mk.Problem(
                figure, [mk.Placement("tip", there[:3, 3], there[:3, :3] @ about, axes=axes)]
            )
            problem = moved(problem, 0, axes=(0.0, 0.0, 1.0))
            found = problem.solve(q + 0.001)
            assert found.reached
            assert np.abs(found.q - q).max() < 0.2


def test_a_held_joint_below_the_six_may_stand_elsewhere():
    figure = mk.Figure.from_dh([(0.0, 0.5, 0.3, 0.0), *UR5], lower=-3.0, upper=3.0)
    free = [f"joint_{k}" for k in range(2, 8)]
    rng = np.random.default_rng(7)
    problem = mk.Problem(figure, [mk.Placement("tip", [0.3, 0.3, 0.3], np.eye(3))], free=free)
    for _ in range(30):
        q = rng.uniform(-2.0, 2.0, 7)
        there = figure.pose(q).matrix("tip")
        problem = moved(problem, 0, position=there[:3, 3], orientation=there[:3, :3])
        start = q + np.append(0.0, rng.uniform(-0.01, 0.01, 6))
        found = problem.solve(start)
        assert found.reached and found.q[0] == q[0]
        assert np.abs(found.q - q).max() < 0.5


def test_linear_constraints_are_kept_where_there_is_a_closed_form():
    figure = robot()
    rng = np.random.default_rng(8)
    reached = 0
    for relation in ("joint_2 + joint_3 <= 0.5", "joint_4 = 0.5*joint_3"):
        for _ in range(20):
            there = figure.pose(rng.uniform(-2.0, 2.0, 6)).matrix("tip")
            goal = mk.Placement("tip", there[:3, 3], there[:3, :3])
            found = mk.Problem(figure, [goal], constraints=[relation]).solve(np.zeros(6))
            q = found.pose.values()
            if "<=" in relation:
                assert q["joint_2"] + q["joint_3"] <= 0.5 + 1e-9
                reached += found.reached
            else:
                assert abs(q["joint_4"] - 0.5 * q["joint_3"]) <= 1e-9
    assert reached > 5
