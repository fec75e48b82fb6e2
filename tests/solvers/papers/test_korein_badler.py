"""Newton–Raphson, screws, resolved rate, multipliers, penalties and slacks, on the planar chain and the arm."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import manikin as mk
from manikin.cli.robot import arm
from manikin.figure import transforms
from manikin.papers.chains import planar_chain
from manikin.papers.methods.resolved_rate import mass_matrix, weighted_step
from manikin.papers.methods.screws import joint_screws, screw

from ..samples import check, random_rotation
from .samples import three_links


def test_the_chain_is_that_of_equations_4_to_12():
    lengths, q = (1.0, 0.7, 0.4), np.array([0.3, -0.8, 1.1])
    pose = planar_chain(lengths).pose(q)
    r = np.cumsum(q)
    x, y = np.cumsum(lengths * np.cos(r)), np.cumsum(lengths * np.sin(r))
    for i in range(3):
        np.testing.assert_allclose(pose.position(f"P{i + 1}"), [x[i], y[i], 0.0], atol=1e-15)
        np.testing.assert_allclose(pose.matrix(f"P{i + 1}")[:3, :3], transforms.turn_z(r[i]), atol=1e-15)


def test_newton_chooses_intermediate_goals_when_the_target_is_far():
    near = three_links().solve(method="newton")
    assert near.reached and not len(near.details["intermediate"])
    figure = planar_chain([1.0] * 3)
    far = check(
        mk.Problem(figure.pose([0.1, 0.2, 0.1]), [mk.Position("P3", [0.1, -2.9, 0.0])]).solve(method="newton")
    )
    assert far.reached and len(far.details["intermediate"])


def test_a_perfectly_constrained_chain_is_solved_as_equations_13_to_18_say():
    there = planar_chain().pose([0.9, 0.6, -0.4]).matrix("P3")
    goal = mk.Placement("P3", there[:3, 3], there[:3, :3])
    for method in ("newton", "screws", "lagrange"):
        solution = check(mk.solve(planar_chain(rest=[0.5, 0.8, 0.0]), [goal], method=method))
        np.testing.assert_allclose(solution.q, [0.9, 0.6, -0.4], atol=1e-3)


def test_a_screw_is_the_logarithm_of_a_displacement():
    rng = np.random.default_rng(0)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = random_rotation(rng), rng.normal(size=3)
    s = screw(T)
    steps, part = 4096, np.eye(4)
    part[:3, :3] = transforms.exp(s[:3] / steps)
    part[:3, 3] = transforms.left_jacobian(s[:3] / steps) @ s[3:] / steps
    np.testing.assert_allclose(np.linalg.matrix_power(part, steps), T, atol=1e-9)


def test_joint_screws_move_the_frame_as_the_joints_do():
    figure, h = arm(), 1e-6
    pose = figure.pose()
    columns = joint_screws(pose.jacobian("tool"), pose.position("tool"))
    for j in range(figure.n):
        moved = mk.Pose(figure, pose.q + h * np.eye(figure.n)[j])
        twist = screw(moved.matrix("tool") @ transforms.inverse(pose.matrix("tool"))) / h
        np.testing.assert_allclose(twist, columns[:, j], atol=1e-5)


def test_the_mass_matrix_gives_the_kinetic_energy_of_the_moving_segments():
    figure = planar_chain((1.0, 0.7, 0.4))
    rng, h = np.random.default_rng(1), 1e-6
    q, rate = rng.normal(size=3), rng.normal(size=3)
    energy = 0.0
    for name, segment in figure.segments.items():
        ends = [
            mk.Pose(figure, q + s * h * rate).matrices()[name] @ [*segment.center_of_mass, 1.0]
            for s in (1, -1)
        ]
        velocity = (ends[0] - ends[1])[:3] / (2 * h)
        energy += 0.5 * segment.mass * velocity @ velocity
    assert 0.5 * rate @ mass_matrix(mk.Pose(figure, q)) @ rate == pytest.approx(energy, rel=1e-7)


def test_weighting_by_mass_costs_less_kinetic_energy_than_the_identity():
    problem = three_links()
    J = mk.Pose(problem.figure, problem.q0).jacobian("P3")[:3]
    A = mass_matrix(mk.Pose(problem.figure, problem.q0))
    dX = np.array([0.1, -0.2, 0.0])
    by_mass, plain = weighted_step(J, dX, A), np.linalg.pinv(J) @ dX
    np.testing.assert_allclose(J @ by_mass, dX, atol=1e-12)
    assert by_mass @ A @ by_mass < 0.999 * plain @ A @ plain
    solution = check(problem.solve(method="resolved_rate", options={"weighting": "mass"}))
    assert solution.reached
    assert np.abs(solution.q - problem.solve(method="resolved_rate").q).max() > 1e-2


def reference(problem: mk.Problem, bounds=None) -> float:
    """The least disturbance by SciPy's SLSQP, from several starts."""
    start, site = mk.Pose(problem.figure, problem.q0), problem.goals[0].site
    found = [
        minimize(
            lambda q: 0.5 * ((q - start.q) ** 2).sum(),
            start.q + offset,
            constraints={
                "type": "eq",
                "fun": lambda q: (problem.figure.pose(q).position(site) - problem.goals[0].target)[:2],
            },
            bounds=bounds,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 300},
        )
        for offset in np.random.default_rng(0).normal(scale=0.3, size=(6, len(start.q)))
    ]
    return min(result.fun for result in found if result.success)


def test_multipliers_find_the_least_disturbance():
    problem = three_links()
    solution = check(problem.solve(method="lagrange"))
    assert solution.reached
    assert solution.details["objective"] == pytest.approx(reference(problem), rel=1e-6)
    C = problem.figure.pose(solution.q).jacobian("P3")[:2]
    assert np.linalg.norm(solution.q - problem.q0 - np.linalg.pinv(C) @ C @ (solution.q - problem.q0)) < 1e-6


def test_multipliers_with_limits_hold_a_joint_where_it_would_leave():
    lower, upper = [-3.0] * 3, [3.0, 0.8, 3.0]
    problem = three_links(lower=lower, upper=upper)
    solution = check(problem.solve(method="lagrange"))
    assert solution.reached and solution.details["problems"] > 1
    assert solution.q[1] == pytest.approx(0.8, abs=1e-9)
    expected = reference(problem, list(zip(lower, upper, strict=True)))
    assert solution.details["objective"] == pytest.approx(expected, rel=1e-6)


def test_another_objective_is_minimised_in_its_place():
    problem = three_links()
    solution = check(
        problem.solve(
            method="lagrange", options={"objective": lambda q: (float(q[2] ** 2), [0.0, 0.0, 2.0 * q[2]])}
        )
    )
    assert solution.reached and abs(solution.q[2]) < 0.35
    assert abs(solution.q[2]) < abs(problem.solve(method="lagrange").q[2])


def test_the_penalty_keeps_strictly_inside_the_limits():
    problem = three_links(lower=[0.0] * 3, upper=[1.2, 1.2, 1.1])
    solution = check(problem.solve(method="penalty"))
    assert solution.reached
    assert (solution.q > problem.figure.lower).all() and (solution.q < problem.figure.upper).all()
    assert (np.diff(solution.details["mu"]) < 0.0).all()


def test_slacks_measure_the_distance_from_the_limits():
    problem = three_links(lower=[0.0] * 3, upper=[1.2, 1.2, 1.1])
    solution = check(problem.solve(method="slack"))
    assert solution.reached
    np.testing.assert_allclose(solution.details["lower_slack"], solution.q, atol=1e-8)
    np.testing.assert_allclose(solution.details["upper_slack"], problem.figure.upper - solution.q, atol=1e-8)
