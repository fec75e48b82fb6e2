"""Why a solve fell short, as data."""

import numpy as np
import pytest

import manikin as mk


def arm(lower=-2.8, upper=2.8):
    """Three links of half a metre in a plane."""
    joints = [
        mk.Joint.revolute(
            f"j{k}", f"s{k}", f"s{k + 1}", "z", placement=[0.5 * (k > 0), 0, 0], lower=lower, upper=upper
        )
        for k in range(3)
    ]
    sites = [mk.Site("tip", "s3", [0.5, 0, 0]), mk.Site("elbow", "s2", [0.0, 0, 0])]
    return mk.Figure("arm", [f"s{k}" for k in range(4)], joints, sites)


START = {"j0": 0.2, "j1": 0.3, "j2": 0.4}


def test_reached_goals_have_no_failure():
    found = mk.solve(arm().pose(START), [mk.Position("tip", [0.9, 0.4, 0.0])])
    assert found.reached and found.diagnose() is None


def test_target_farther_than_the_arm_is_out_of_reach_and_the_nearest_point_is_told():
    goal = mk.Position("tip", [3.0, 0.0, 0.0])
    failure = mk.solve(arm().pose(START), [goal]).diagnose()
    assert failure.kind == "out of reach" and failure.goals == (goal,)
    assert failure.errors[goal] == pytest.approx(1.5, abs=1e-6)
    assert failure.nearest[goal][:3, 3] == pytest.approx([1.5, 0.0, 0.0], abs=1e-4)


def test_target_beyond_a_joint_limit_is_held_by_it():
    figure = arm(lower=-0.5, upper=0.5)
    goal = mk.Position("tip", figure.pose([0.6, 0.6, 0.6]).position("tip"))
    failure = mk.solve(figure.pose(START), [goal]).diagnose()
    assert failure.kind == "limits" and failure.goals == (goal,)
    assert {limit.name for limit, _ in failure.limits} <= {"j0", "j1", "j2"} and failure.limits
    assert all(gain > 0.0 for _, gain in failure.limits)


def test_goals_that_are_reachable_one_by_one_are_in_conflict():
    figure = arm()
    first, second = mk.Position("tip", [0.9, 0.4, 0.0]), mk.Position("tip", [0.9, -0.4, 0.0])
    other = mk.Position("elbow", figure.pose(START).position("elbow"), weight=0.0)
    failure = mk.solve(figure.pose(START), [first, second, other]).diagnose()
    assert failure.kind == "conflict" and set(failure.goals) == {first, second}
    assert failure.errors[first] == pytest.approx(0.4, abs=1e-3)
    assert failure.errors[second] == pytest.approx(0.4, abs=1e-3)


def test_what_one_start_did_not_find_is_not_called_out_of_reach():
    figure = arm(lower=-2.2, upper=2.2)
    rng = np.random.default_rng(5)
    kinds = set()
    for _ in range(60):
        target = figure.pose(rng.uniform(figure.lower, figure.upper)).matrix("tip")
        goal = mk.Placement("tip", target[:3, 3], target)
        found = mk.solve(figure.pose(rng.uniform(figure.lower, figure.upper)), [goal], method="projection")
        if not found.reached:
            kinds.add(found.diagnose().kind)
    assert kinds <= {"not found"}


def test_contradicting_hard_goals_are_a_contradiction():
    figure = arm()
    goals = [mk.Position("tip", [0.9, 0.4, 0.0], hard=True), mk.Position("tip", [0.9, -0.4, 0.0], hard=True)]
    failure = mk.solve(figure.pose(START), goals).diagnose()
    assert failure.kind == "contradiction" and set(failure.goals) == set(goals)
    assert failure.to_dict()["kind"] == "contradiction"
