"""The reach hierarchy: goals of known poses, what it gives up, and how little the first joints turn."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reach.samples import X, Y, Z, chain

import manikin as mk
from manikin.reach import Hierarchy

PLANE = chain([Z, Z, Z], [0.5, 0.3, 0.2], [(-0.6, 0.9), (0.1, 1.5), (-1.0, 0.7)])


def test_in_a_plane_every_pose_s_goal_is_reached_exactly():
    rng = np.random.default_rng(0)
    q = rng.uniform(PLANE.lower, PLANE.upper, (60, 3))
    goals = PLANE.forward(q, ["tip"])[:, 0, :3, 3]
    problem = mk.Problem(PLANE, [mk.Position("tip", [0, 0, 0])])
    for goal in goals:
        found = problem.solve(method="hierarchy", targets=[goal])
        assert found.reached and found.errors[0] < 1e-9
        assert (found.q >= PLANE.lower).all() and (found.q <= PLANE.upper).all()


def test_a_goal_that_the_later_joints_reach_leaves_the_first_where_it_is():
    made = Hierarchy(PLANE, "tip")
    start = np.array([0.3, 0.8, 0.0])
    goal = PLANE.forward(np.array([0.3, 0.5, 0.3]), ["tip"])[0, :3, 3]
    found = made.solve(goal, start)
    assert found.reached and found.q[0] == start[0]


def test_the_first_joint_turns_no_more_than_it_has_to():
    made = Hierarchy(PLANE, "tip")
    rng = np.random.default_rng(3)
    for _ in range(10):
        goal = PLANE.forward(rng.uniform(PLANE.lower, PLANE.upper), ["tip"])[0, :3, 3]
        start = rng.uniform(PLANE.lower, PLANE.upper)
        turn = abs(made.solve(goal, start).q[0] - start[0])
        inner = made.planar.distal(2)
        less = start[0] + np.linspace(-1, 1, 41) * (turn - 1e-6)
        less = less[(less >= PLANE.lower[0]) & (less <= PLANE.upper[0])]
        seen = np.stack(
            [np.cos(less) * goal[0] + np.sin(less) * goal[1], np.cos(less) * goal[1] - np.sin(less) * goal[0]]
        )
        if turn > 1e-6:
            assert not inner.contains(seen.T - [0.5, 0.0]).any()


def test_outside_the_first_workspace_it_gives_up_at_once():
    problem = mk.Problem(PLANE, [mk.Position("tip", [0, 0, 0])])
    found = problem.solve(method="hierarchy", targets=[[2.0, 0.0, 0.0]])
    assert not found.reached and found.details["outside"] == 1
    assert np.array_equal(found.q, problem.q0)


def test_in_space_what_is_not_given_up_is_reached():
    arm = chain(
        [Z, Y, X, Y, Y], [0.1, 0.3, 0.1, 0.3, 0.2], [(-2, 2), (-1.5, 1.5), (-2, 2), (-2, 2), (-1.5, 1.5)]
    )
    q = np.random.default_rng(1).uniform(arm.lower, arm.upper, (30, 5))
    goals = arm.forward(q, ["tip"])[:, 0, :3, 3]
    made = Hierarchy(arm, "tip", pitch=0.04)
    found = [made.solve(goal) for goal in goals]
    pursued = [one for one in found if one.outside is None]
    assert len(pursued) >= 12
    assert all(one.reached for one in pursued)


def test_it_says_what_it_does_not_take():
    with pytest.raises(mk.FigureError, match="hinges"):
        Hierarchy(mk.human(fingers=False), "right_hand")
    two = mk.Problem(PLANE, [mk.Position("tip", [0.5, 0, 0]), mk.Position("link1", [0.5, 0, 0])])
    with pytest.raises(mk.SolveError, match="one position"):
        two.solve(method="hierarchy")
