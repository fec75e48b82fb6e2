"""Goals of a kind from outside, run by `test_kinds`."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kernels.measured import gradient, jacobian, measured, random_poses, slope_error, values
from tests.outside.distance import CHECK, KIND, Away

import manikin as mk
from manikin.errors import GoalError
from manikin.kernels.verify.check import judge
from manikin.residuals import register

BODY = mk.human(stature=1.75)
POINT = (0.5, -0.2, 1.2)


@pytest.mark.parametrize("other", ["", "head"])
def test_values_are_distances_and_slopes_are_those_of_differences(other):
    goal = Away("right_hand", POINT, 0.1, 0.2)
    m = measured(BODY, mk.Relative("right_hand", other, goal) if other else goal)
    rng = np.random.default_rng(0)
    for q in random_poses(BODY, 20, seed=1):
        point = np.array([*POINT, 1.0])
        seen = BODY.pose(q).matrix(other) @ point if other else point
        distance = np.linalg.norm(BODY.pose(q).position("right_hand") - seen[:3])
        assert values(m, q)[0] == pytest.approx(distance, abs=1e-12)
        assert slope_error(m, q, rng) < 1e-8
        assert np.abs(gradient(m, q, np.ones(1)) - jacobian(m, q)[0]).max() < 1e-11


@pytest.mark.parametrize("hard", [False, True])
def test_a_goal_of_it_is_met_among_others(hard):
    goals = [Away("right_hand", POINT, 0.19, 0.2, hard=hard), mk.Pin("left_foot"), mk.Balance()]
    found = mk.solve(BODY, goals)
    assert found.reached
    distance = np.linalg.norm(found.pose.position("right_hand") - POINT)
    assert 0.19 - 1e-4 <= distance <= 0.2 + 1e-4


def test_out_of_reach_it_is_missed_by_no_more_than_a_point_at_its_middle():
    held = [mk.Pin("left_foot"), mk.Pin("pelvis")]
    shell = mk.solve(BODY, [Away("right_hand", (5.0, 0.0, 1.0), 0.1, 0.2), *held])
    point = mk.solve(BODY, [mk.Position("right_hand", (5.0, 0.0, 1.0)), *held])
    assert not shell.reached and not point.reached
    assert shell.measured[0].amount == pytest.approx(point.measured[0].amount - 0.2, abs=2e-3)
    assert "right_hand misses its shell by" in shell.explain()


def test_the_verifier_measures_what_the_search_measures():
    problem = mk.Problem(BODY, [Away("right_hand", POINT, 0.19, 0.2, hard=True)])
    ints, reals, work = problem.spec.judge.arrays
    for q in random_poses(BODY, 20, seed=2):
        out = np.zeros(len(problem.spec.judge.atoms) + 2)
        judge(ints, reals, work, q, q, out, 0)
        distance = float(np.linalg.norm(BODY.pose(q).position("right_hand") - POINT))
        own = [k for k, atom in enumerate(problem.spec.judge.atoms) if atom.goal == 0]
        assert out[own] == pytest.approx([max(distance - 0.2, 0.19 - distance, 0.0)], abs=1e-12)


def test_a_kind_is_added_once_and_before_the_first_problem():
    with pytest.raises(GoalError, match="'distance' already"):
        register("distance", KIND, CHECK)
    with pytest.raises(GoalError, match="before"):
        register("another", KIND, CHECK)
