"""A solve in dt seconds keeps ranges, constraints and whole turns, whatever it begins at."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk


def arm(lower: float, upper: float, *couplings: str) -> mk.Figure:
    joints = [
        mk.Joint(
            f"j{k}", f"s{k}", f"s{k + 1}", "R(y)", [0.0, 0.0, 0.3], lower=lower, upper=upper, velocity=1.0
        )
        for k in range(3)
    ]
    sites = [mk.Site("tip", "s3", [0.0, 0.0, 0.3])]
    made = mk.Figure("arm", [f"s{k}" for k in range(4)], joints, sites)
    return made.with_couplings(*couplings)


@pytest.mark.parametrize("hard", [False, True])
def test_a_start_outside_its_ranges_is_brought_in_and_moves_on_from_there(hard):
    figure = arm(-1.0, 0.5, "j0 + j1 <= 0.6")
    goal = mk.Position("tip", figure.pose([0.2, -0.4, 0.3]).position("tip"), hard=hard)
    start = np.array([2.0, 0.4, -3.0])
    found = mk.Problem(figure, [goal], free=["j0", "j1"]).solve(start, dt=0.1)
    assert (found.q >= figure.lower).all() and (found.q <= figure.upper).all()
    assert found.q[0] + found.q[1] <= 0.6 + 1e-9
    assert (np.abs(found.q - found.q0) <= 0.1 + 1e-9).all()
    assert found.q[2] == -1.0 and {"j0", "j2"} <= set(found.corrected_start)


def test_constraints_that_cannot_be_met_are_infeasible_in_time_as_without():
    figure = arm(-1.0, 1.0, "j0 + j1 = 1.5")
    problem = mk.Problem(figure.pose([0.0, 0.0, 0.0]), [mk.Position("tip", [0.3, 0.0, 0.8])], free=["j2"])
    found = problem.solve(dt=0.1)
    assert found.status == "infeasible" and "j0" in found.explain()
    assert found.position_errors[0] == pytest.approx(
        np.linalg.norm(found.pose.position("tip") - [0.3, 0.0, 0.8])
    )


def test_a_joint_at_the_end_of_more_than_a_turn_does_not_jump_to_the_same_pose_at_its_other_end():
    figure = arm(-6.5, 6.5)
    start = np.full(3, 6.5)
    ahead = figure.pose(start + 0.05).position(
        "tip"
    )  # beyond the end of the ranges; a turn back it is inside
    found = mk.Problem(figure, [mk.Position("tip", ahead)]).solve(start, dt=0.1)
    assert (np.abs(found.q - start) <= 0.1 + 1e-9).all() and (found.q <= 6.5).all()


def test_of_alternatives_one_that_can_be_reached_in_time_is_taken():
    figure = arm(-2.0, 2.0)
    start = np.array([0.3, 0.4, -0.2])
    near = figure.pose(start + 0.05).position("tip")
    far = figure.pose(start - 1.0).position("tip")
    choice = mk.AnyOf([mk.Position("tip", far), mk.Position("tip", near)])
    found = mk.Problem(figure, [choice]).solve(start, dt=0.1)
    assert found.reached and found.choices[choice] == 1
    assert len(found.position_errors) == 1 and found.position_errors[0] < 1e-4


def test_what_no_goal_moves_keeps_its_speed_on_the_way_to_a_posture():
    figure = arm(-1.0, 1.0).with_site("middle", "s1", [0.0, 0.0, 0.3])
    posture = mk.Posture([0.0, 0.0, 0.8])
    problem = mk.Problem(
        figure, [mk.Position("middle", figure.pose([0.2, 0, 0]).position("middle")), posture]
    )
    start = np.array([0.0, -0.5, 0.0])
    for _ in range(5):
        found = problem.solve(start, dt=0.1)
        assert (np.abs(found.q - start) <= 0.1 + 1e-9).all()
        start = found.q
    assert np.allclose(start, [0.2, 0.0, 0.5], atol=1e-4)
    assert np.allclose(problem.solve(start).q, [0.2, 0.0, 0.8], atol=1e-4)


def test_what_stays_where_it_is_stays_at_the_start_of_the_call_beside_other_objectives():
    figure = arm(-1.0, 1.0)
    figure = mk.Figure(
        "heavy", [mk.Segment(name, 1.0) for name in figure.segments], list(figure.joints.values())
    )
    problem = mk.Problem(figure, [mk.LeastChange(), mk.Pin("s1"), mk.KineticEnergy()])
    start = np.array([0.3, -0.5, 0.7])
    assert np.allclose(problem.solve(start).q, start, atol=1e-9)
    assert np.allclose(problem.solve(start, dt=0.1).q, start, atol=1e-9)
