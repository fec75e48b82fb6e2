"""Joint velocities for velocities of the end effectors, inside speed limits, ranges and couplings."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from tests.problems import moved

import manikin as mk
from manikin.cli.robot import arm
from manikin.papers import rates
from manikin.papers.chains import planar_chain

from ..samples import robot
from .samples import branched, three_links

BENT = {"waist": 0.3, "shoulder": 0.4, "upper_arm": 0.2, "elbow": 1.1, "forearm": 0.3, "wrist": 0.6}
TWIST = np.array([0.1, 0.2, -0.1, 0.3, 0.0, 0.1])


def hand(**more) -> mk.Problem:
    return mk.Problem(arm(), [mk.Placement("tool", [0.4, 0.0, 0.4], np.eye(3))], **more)


def test_without_limits_in_the_way_they_are_those_of_the_pseudo_inverse():
    problem, pose = hand(), arm().pose(BENT)
    found = rates(problem, pose, [TWIST], velocity=np.inf, damping=0.0)
    J = pose.jacobian("tool")
    # A placement weighs metres and radians unlike, which only matters where not all can be had.
    np.testing.assert_allclose(found, np.linalg.pinv(J) @ TWIST, atol=1e-10)
    np.testing.assert_allclose(J @ found, TWIST, atol=1e-10)


def test_several_end_effectors_take_theirs_in_the_goals_order():
    problem = branched(2)
    velocities = [[0.3, -0.1, 0.0], [-0.2, 0.4, 0.0]]
    found = rates(problem, problem.q0, velocities, damping=0.0)
    for site, velocity in zip(("P6", "P9"), velocities, strict=True):
        np.testing.assert_allclose(
            mk.Pose(problem.figure, problem.q0).jacobian(site)[:3] @ found, velocity, atol=1e-9
        )


def test_rates_are_the_derivative_of_the_least_change_to_a_moving_target():
    problem, h = three_links(), 1e-4
    velocity = np.array([0.4, -0.3, 0.0])
    start = mk.Pose(problem.figure, problem.q0).position("P3")
    ends = []
    for sign in (1.0, -1.0):
        problem = moved(problem, 0, target=start + sign * h * velocity)
        solution = problem.solve(method="lagrange")
        assert solution.reached
        ends.append(solution.q)
    rate = (ends[0] - ends[1]) / (2.0 * h)
    np.testing.assert_allclose(rates(problem, problem.q0, [velocity], damping=0.0), rate, atol=1e-5)


def test_damping_is_that_of_the_damped_method():
    problem = three_links()
    J, velocity = mk.Pose(problem.figure, problem.q0).jacobian("P3")[:3], np.array([0.4, -0.3, 0.0])
    expected = np.linalg.solve(J.T @ J + 0.25**2 * np.eye(3), J.T @ velocity)
    np.testing.assert_allclose(rates(problem, problem.q0, [velocity], damping=0.25), expected, atol=1e-10)


def test_near_a_singular_pose_damping_keeps_rates_finite():
    problem = three_links()
    found = rates(problem, [0.3, 0.0, 0.0], [[np.cos(0.3), np.sin(0.3), 0.0]], damping=0.1)
    assert np.abs(found).max() < 1e-6  # straight on, which no joint can do
    found = rates(problem, [0.3, 1e-4, 0.0], [[np.cos(0.3), np.sin(0.3), 0.0]], damping=0.1)
    assert np.linalg.norm(found) <= 1.0 / (2.0 * 0.1)


@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_speed_limits_of_a_urdf_hold_and_the_best_within_them_is_found(name):
    figure, site = robot(name), {"panda": "panda_hand_tcp", "ur5": "tool0"}[name]
    assert np.isfinite(figure.velocity).any()
    rng = np.random.default_rng(0)
    problem = mk.Problem(figure, [mk.Position(site, [0.4, 0.0, 0.4])])
    for _ in range(5):
        pose = figure.pose(
            np.clip(figure.rest + rng.uniform(-0.8, 0.8, figure.n), figure.lower, figure.upper)
        )
        velocity = 4.0 * rng.normal(size=3)
        found = rates(problem, pose, [velocity], damping=0.05)
        assert (np.abs(found) <= figure.velocity + 1e-12).all()
        moved = [figure.index(name) for name in problem.variables]
        J = pose.jacobian(site)[:3, moved]
        C = np.vstack([J, 0.05 * np.eye(len(moved))])
        high = figure.velocity[moved]
        best = lsq_linear(C, np.concatenate([velocity, np.zeros(len(moved))]), (-high, high), method="bvls")
        np.testing.assert_allclose(found[moved], best.x, atol=1e-7)


def test_speeds_may_be_given_one_for_all_for_each_or_by_name():
    problem, pose = hand(), arm().pose(BENT)
    fast = np.abs(rates(problem, pose, [20.0 * TWIST]))
    assert fast.max() > 2.0
    assert np.abs(rates(problem, pose, [20.0 * TWIST], velocity=0.5)).max() == pytest.approx(0.5)
    each = np.full(arm().n, 0.3)
    assert np.abs(rates(problem, pose, [20.0 * TWIST], velocity=each)).max() == pytest.approx(0.3)
    found = rates(problem, pose, [20.0 * TWIST], velocity={"elbow": 0.1})
    assert abs(found[arm().index("elbow")]) <= 0.1 + 1e-12


def test_a_joint_at_its_limit_is_not_pushed_outwards_and_comes_back_freely():
    problem = three_links(lower=[-3.0] * 3, upper=[3.0, 0.5, 3.0])
    outwards = rates(problem, problem.q0, [[-0.5, 0.0, 0.0]])
    inwards = rates(problem, problem.q0, [[0.5, 0.0, 0.0]])
    assert rates(three_links(), three_links().q0, [[-0.5, 0.0, 0.0]])[1] > 0.1
    assert outwards[1] <= 1e-12 and inwards[1] < -0.1
    np.testing.assert_allclose(
        mk.Pose(problem.figure, problem.q0).jacobian("P3")[:2] @ outwards, [-0.5, 0.0], atol=1e-2
    )


def test_within_dt_no_joint_runs_into_its_limit():
    problem = three_links(lower=[-3.0] * 3, upper=[3.0, 0.52, 3.0])
    found = rates(problem, problem.q0, [[-2.0, 0.0, 0.0]], dt=0.1)
    assert found[1] == pytest.approx(0.2, abs=1e-9)
    assert rates(problem, problem.q0, [[-2.0, 0.0, 0.0]])[1] > 0.5


def test_what_is_outside_already_is_not_moved_farther_out():
    problem = three_links(lower=[-3.0] * 3, upper=[3.0, 0.5, 3.0])
    assert rates(problem, [0.6, 0.6, 0.4], [[-0.5, 0.0, 0.0]])[1] <= 1e-12
    assert rates(problem, [0.6, 0.6, 0.4], [[-0.5, 0.0, 0.0]], dt=0.01)[1] <= 1e-12


def test_couplings_hold_in_the_rates():
    figure, goal = three_links().figure, [mk.Position("P3", [1.0, 1.8, 0.0])]
    tied = mk.Problem(figure, goal, constraints=["theta1 = 2*theta2 - 0.4"])
    found = rates(tied, [0.6, 0.5, 0.4], [[0.3, 0.2, 0.0]], damping=0.0)
    assert found[0] == pytest.approx(2.0 * found[1], abs=1e-12)
    np.testing.assert_allclose(figure.pose([0.6, 0.5, 0.4]).jacobian("P3")[:2] @ found, [0.3, 0.2], atol=1e-9)
    loose = mk.Problem(figure, goal, constraints=["theta2 + theta3 <= 0.9"])
    found = rates(loose, [0.6, 0.5, 0.4], [[-0.5, 0.0, 0.0]])
    assert found[1] + found[2] <= 1e-12


def test_the_human_turns_its_arm_inside_its_couplings():
    body = mk.human()
    problem = mk.Problem(body, [mk.Position("right_hand", [0.4, -0.2, 1.2])], free=["right_*"])
    pose = body.pose({"right_shoulder_flexion": 0.8, "right_elbow": 1.0})
    found = rates(problem, pose, [[0.2, 0.1, 0.3]], damping=1e-3)
    np.testing.assert_allclose(pose.jacobian("right_hand")[:3] @ found, [0.2, 0.1, 0.3], atol=1e-3)
    still = [body.index(name) for name in body.dofs if not name.startswith("right_")]
    assert not found[still].any()


def test_following_a_path_by_rates_stays_on_it():
    problem = mk.Problem(planar_chain(rest=[0.6, 0.5, 0.4]), [mk.Position("P3", [0.0, 0.0, 0.0])])
    q, steps = np.array(problem.q0), 400
    begin, end = mk.Pose(problem.figure, problem.q0).position("P3"), np.array([1.0, 1.8, 0.0])
    for _ in range(steps):
        q = q + rates(problem, q, [end - begin], damping=1e-3) / steps
    assert np.linalg.norm(problem.figure.pose(q).position("P3") - end) < 1e-2


def test_a_goal_that_is_left_out_asks_for_nothing():
    problem = branched(2)
    problem = problem.replace(goals=problem.goals[:1])
    found = rates(problem, problem.q0, [[0.3, -0.1, 0.0]], damping=0.0)
    J = mk.Pose(problem.figure, problem.q0).jacobian("P6")[:3]
    np.testing.assert_allclose(found, np.linalg.pinv(J) @ [0.3, -0.1, 0.0], atol=1e-9)


@pytest.mark.parametrize(
    ("velocities", "options", "words"),
    [
        ([], {}, "one velocity a goal is wanted, 1 of them"),
        ([[0.1, 0.2]], {}, "the velocity of placement of 'tool' must be 6 finite numbers"),
        ([[np.nan] * 6], {}, "must be 6 finite numbers"),
        ([TWIST], {"damping": -1.0}, "damping must be a positive number"),
        ([TWIST], {"dt": 0.0}, "dt must be a positive number"),
        ([TWIST], {"velocity": [1.0, 2.0]}, "velocity must be one number, 7 of them or numbers by name"),
        ([TWIST], {"velocity": -1.0}, "velocities must not be negative"),
        ([TWIST], {"velocity": {"elbow": "fast"}}, "velocity must be numbers, or numbers by name"),
        (None, {}, "one velocity a goal is wanted"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(velocities, options, words):
    with pytest.raises(mk.SolveError, match=words):
        rates(hand(), arm().pose(BENT), velocities, **options)


def test_goals_of_other_kinds_have_no_rates():
    problem = mk.Problem(arm(), [mk.Aim("tool", at=[1.0, 0.0, 0.0])])
    with pytest.raises(mk.SolveError, match="'rates' takes positions, orientations and placements"):
        rates(problem, arm().pose(), [[0.1, 0.0, 0.0]])
