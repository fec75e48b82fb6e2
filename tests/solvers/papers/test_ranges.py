"""Goals that leave a range open, and objectives beside them: the least there is, as SLSQP finds it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import manikin as mk
from manikin.papers import Constraint
from manikin.papers.chains import planar_chain
from manikin.papers.view import View

from .kinds import ARM, problems

LIMITED = ("lagrange", "penalty", "slack")
OPEN = ("circle (2)", "box (3)", "range of a position", "region", "one axis of an orientation", "line (18)")


def check(solution: mk.Solution) -> mk.Solution:
    """Inside every range, and met if it says so, by the judge."""
    figure = solution.figure
    assert np.maximum(figure.lower - solution.q, solution.q - figure.upper).max() <= 1e-9
    assert solution.feasible and solution.reached == (solution.status == "reached")
    return solution


def least(problem: mk.Problem) -> float:
    """The least disturbance of the start among the poses that meet the goals, by SLSQP."""
    view = View(problem, np.array(problem.q0), "m")
    constraints = [
        {"type": "eq", "fun": lambda x: view.rows(x)[view.equal]},
        {"type": "ineq", "fun": lambda x: view.clear(x)[0]},
    ]
    kept = [c for c, any_ in zip(constraints, (view.equal.any(), len(view.walls[0])), strict=True) if any_]
    found = minimize(
        lambda x: 0.5 * float((x - view.start) @ (x - view.start)),
        view.start,
        jac=lambda x: x - view.start,
        bounds=list(zip(view.lower, view.upper, strict=True)),
        constraints=kept,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    assert found.success
    return float(found.fun)


@pytest.mark.parametrize("method", LIMITED)
@pytest.mark.parametrize("kind", OPEN)
def test_the_least_disturbance_among_poses_inside_a_range_is_slsqps(method, kind):
    for seed in range(2):
        problem, _ = problems(seed)[kind]
        start = np.array(problem.q0)
        objective = {"objective": lambda q, s=start: (0.5 * float((q - s) @ (q - s)), q - s)}
        solution = check(problem.solve(method=method, options=objective))
        assert solution.reached
        assert solution.details["objective"] == pytest.approx(least(problem), abs=2e-6)


@pytest.mark.parametrize("method", ["newton", "resolved_rate", "lagrange", "penalty", "slack", "lbfgsb"])
def test_a_circle_in_the_plane_and_a_constraint_meet_where_they_intersect(method):
    """x² + y² = 1 (2) about (1.5, 0.5), and θ₁ = θ₃: the tip of three links on both."""
    figure = planar_chain(rest=[0.6, 0.5, 0.4])
    ring = mk.Inside("P3", mk.Circle([1.5, 0.5, 0.0], [0.0, 0.0, 1.0], 1.0))
    same = Constraint(lambda q: (q[0] - q[2], np.array([1.0, 0.0, -1.0])), tolerance=1e-8, name="θ₁ = θ₃")
    solution = check(mk.solve(figure, [ring], method=method, options={"constraints": [same]}))
    x, y, _ = solution.pose.position("P3")
    assert solution.reached
    assert np.hypot(x - 1.5, y - 0.5) == pytest.approx(1.0, abs=1e-4)
    assert solution.q[0] == pytest.approx(solution.q[2], abs=1e-8)
    np.testing.assert_allclose(solution.details["constraints"]["constraint 'θ₁ = θ₃'"], 0.0, atol=1e-8)


@pytest.mark.parametrize("method", ["newton", "lagrange", "projection"])
def test_a_constraint_that_cannot_be_met_is_never_called_reached(method):
    never = Constraint(lambda q: (1.0 + q[0] ** 2, np.array([2.0 * q[0], 0.0, 0.0])))
    figure = planar_chain(rest=[0.6, 0.5, 0.4])
    goal = mk.Position("P3", [1.0, 1.8, 0.0])
    solution = check(mk.solve(figure, [goal], method=method, options={"constraints": never}))
    assert not solution.reached and solution.status != "reached"


def test_of_alternatives_the_nearest_that_can_be_met_is_taken_and_told():
    start = ARM.pose()
    near = start.with_values({"elbow": float(start.q[ARM.index("elbow")]) + 0.2}).position("tool")
    goal = mk.AnyOf([mk.Position("tool", near + [3.0, 0.0, 0.0]), mk.Position("tool", near)])
    for method in ("damped", "pseudoinverse", "recursive", "bounded", "projection"):
        solution = check(mk.solve(start, [goal], method=method))
        assert solution.reached and solution.choices == {goal: 1}
        assert solution.measured[0].amount < 1e-4


def test_of_alternatives_that_cannot_be_met_the_best_is_kept():
    far = [mk.Position("tool", [5.0, 0.0, 0.0]), mk.Position("tool", [2.0, 0.0, 0.0])]
    solution = check(mk.solve(ARM, [mk.AnyOf(far)], method="projection"))
    alone = mk.solve(ARM, far[1:], method="projection")
    assert not solution.reached and list(solution.choices.values()) == [1]
    assert solution.cost == pytest.approx(alone.cost, rel=1e-9)


def test_too_many_combinations_are_refused():
    goals = [mk.AnyOf([mk.Position("tool", [0.4, 0.1 * k, 0.4]) for k in range(9)]) for _ in range(2)]
    with pytest.raises(mk.SolveError, match="at most 64, and here are 81"):
        mk.solve(ARM, goals, method="damped")
