"""What a solve makes of the start it is given: pins, velocity limits, what no goal concerns, copies."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk
from manikin.errors import SolveError

BODY = mk.human(stature=1.75, fingers=False, spine="bend")
REST = BODY.pose()
HAND = REST.position("right_hand")
FEET = ("left_foot", "right_foot")


def test_pins_mean_the_start_that_the_solve_is_given():
    problem = mk.Problem(BODY, [mk.Position("right_hand", HAND + [0.6, 0.1, 0.2]), *map(mk.Pin, FEET)])
    elsewhere = REST.with_values({"root_x": 0.5, "root_y": 0.2})
    found = problem.solve(elsewhere)
    assert found.reached
    for foot in FEET:
        assert np.abs(found.pose.matrix(foot) - elsewhere.matrix(foot)).max() < 1e-8


def test_pins_that_cannot_hold_are_missed_from_the_start_that_was_given():
    goals = [mk.Position("right_hand", HAND + [5.0, 0.0, 0.0]), *map(mk.Pin, FEET)]
    elsewhere = REST.with_values({"root_x": 0.5})
    found = mk.Problem(BODY, goals).solve(elsewhere)
    assert not found.reached and found.status == "stationary"
    for foot in FEET:
        assert np.abs(found.pose.matrix(foot) - elsewhere.matrix(foot)).max() < 1e-8


def test_a_relation_that_is_kept_means_the_start_that_the_solve_is_given():
    problem = mk.Problem(
        BODY, [mk.Position("right_hand", HAND + [0.1, 0.0, 0.2]), mk.Relative("left_hand", "right_hand")]
    )
    start = REST.with_values({"left_elbow": 1.0, "right_elbow": 1.2})
    found = problem.solve(start)
    kept = np.linalg.inv(start.matrix("right_hand")) @ start.matrix("left_hand")
    now = np.linalg.inv(found.pose.matrix("right_hand")) @ found.pose.matrix("left_hand")
    assert found.reached and np.abs(kept - now).max() < 1e-3


def test_dragged_for_long_a_pinned_foot_does_not_creep():
    session = mk.Problem(BODY, [mk.Position("right_hand", HAND), *map(mk.Pin, FEET)]).session(REST)
    for k in range(300):
        target = HAND + [0.1 * np.sin(0.2 * k), 0.1 * np.cos(0.2 * k) - 0.1, 0.05 * np.sin(0.1 * k)]
        session.solve([target, None, None])
    pose = BODY.pose(session.q)
    for foot in FEET:
        assert np.abs(pose.matrix(foot) - REST.matrix(foot)).max() < 1e-8


class TestVelocityLimits:
    @staticmethod
    def arm() -> mk.Figure:
        joints = [
            mk.Joint.revolute(
                f"j{k}", f"s{k}", f"s{k + 1}", "y", placement=[0.4, 0, 0], lower=-2, upper=2, velocity=v
            )
            for k, v in enumerate((1.0, 2.0, 3.0))
        ]
        return mk.Figure("arm", [f"s{k}" for k in range(4)], joints, [mk.Site("tip", "s3", [0.4, 0, 0])])

    @pytest.mark.parametrize("goal", ["position", "hard", "in a ball"])
    def test_no_joint_moves_faster_than_it_may(self, goal):
        figure = self.arm()
        q = np.array([0.2, 0.3, 0.4])
        target = figure.pose([0.9, -0.6, 1.2]).position("tip")
        asked = {
            "position": mk.Position("tip", target),
            "hard": mk.Position("tip", target, hard=True),
            "in a ball": mk.Inside("tip", mk.Ball(target, 0.001)),
        }[goal]
        problem = mk.Problem(figure, [asked])
        dt, steps = 0.02, 0
        while True:
            found = problem.solve(q, dt=dt)
            assert (np.abs(found.q - q) <= figure.velocity * dt * (1.0 + 1e-12)).all()
            q, steps = found.q, steps + 1
            if found.reached:
                break
            assert found.at_velocity_limit and found.feasible == (goal != "hard")
            assert found.status == "velocity_limit"
            assert "velocity limits" in found.explain()
            assert steps < 60
        assert np.linalg.norm(found.pose.position("tip") - target) < 1.2e-3
        assert steps > 3

    def test_what_is_near_enough_is_reached_in_time(self):
        figure = self.arm()
        q = np.array([0.2, 0.3, 0.4])
        target = figure.pose(q + 0.001).position("tip")
        found = mk.Problem(figure, [mk.Position("tip", target)]).solve(q, dt=0.01)
        assert found.reached and not found.at_velocity_limit

    @pytest.mark.parametrize("dt", [0.0, -1.0, np.nan, np.inf, "soon", True])
    def test_seconds_must_be_positive(self, dt):
        with pytest.raises(SolveError, match="dt"):
            mk.Problem(self.arm(), [mk.Position("tip", [0.5, 0, 0])]).solve(dt=dt)


@pytest.mark.parametrize("general", [False, True])
@pytest.mark.parametrize("made", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_and_pickles_are_problems_of_their_own(made, general):
    goals: list[mk.Goal] = [mk.Position("right_hand", HAND + [0.1, 0.1, 0.2])]
    if general:
        goals += [mk.Pin("left_foot"), mk.Pin("right_foot")]
    problem = mk.Problem(BODY, goals)
    problem = moved(problem, 0, target=HAND + [0.2, 0.0, 0.2])
    other = made(problem)
    expected = problem.solve().q
    for _ in range(3):
        problem.solve()
    del problem
    found = other.solve()
    assert found.reached and (found.q == expected).all()


def test_a_problem_with_other_degrees_of_freedom_is_as_a_fresh_one():
    target = HAND + [0.05, 0.05, 0.05]
    problem = mk.Problem(BODY, [mk.Position("right_hand", target)], free=["right_*"])
    problem = moved(problem, 0, target=target + [0.0, 0.0, 0.01])
    assert all(name.startswith("right_") for name in problem.variables)
    problem = problem.replace(free=["right_elbow*", "right_shoulder*", "root_*"])
    assert any(name.startswith("root_") for name in problem.variables)
    fresh = mk.Problem(
        BODY,
        [mk.Position("right_hand", target + [0.0, 0.0, 0.01])],
        free=["right_elbow*", "right_shoulder*", "root_*"],
    )
    assert (problem.solve().q == fresh.solve().q).all()
