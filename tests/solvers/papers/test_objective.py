"""Objectives of `lagrange`, `penalty` and `slack`: one answer, that of SciPy, whichever way the limits are held."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import manikin as mk
from manikin.papers.chains import planar_chain
from manikin.papers.objective import objective_of
from manikin.papers.view import View

from ..samples import check
from .samples import three_links

METHODS = ("lagrange", "penalty", "slack")
LIMITS = [
    {},
    {"lower": [-3.0] * 3, "upper": [3.0, 0.8, 3.0]},
    {"lower": [0.0] * 3, "upper": [1.2, 1.2, 1.1]},
]
OBJECTIVES = {
    "a posture": mk.Posture(q=[0.0, 0.0, 0.0]),
    "named": mk.Posture(q={"theta3": 0.2}, weights={"theta3": 3.0}),
    "change": mk.LeastChange(),
    "a function": lambda q: (float(np.cos(q[1]) + q[2] ** 2), [0.0, -np.sin(q[1]), 2.0 * q[2]]),
}


def least(problem: mk.Problem, objective, constraints=()) -> float:
    """The least of the objective by SciPy's SLSQP, from several starts."""
    view = View(problem, np.array(problem.q0), "test")
    f = objective_of(view, objective)
    rows = [{"type": "eq", "fun": lambda q: view.rows(q)[:2]}]
    for coupling in map(mk.Coupling.parse, constraints):
        a = np.array([coupling.coefficients.get(name, 0.0) for name in problem.figure.dofs])
        rows.append({"type": "ineq", "fun": lambda q, a=a, c=coupling: c.upper - a @ q})
    found = [
        minimize(
            lambda q: f(q)[0],
            np.clip(problem.q0 + offset, problem.figure.lower, problem.figure.upper),
            jac=lambda q: f(q)[1],
            constraints=rows,
            bounds=list(zip(problem.figure.lower, problem.figure.upper, strict=True)),
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 300},
        )
        for offset in np.random.default_rng(0).normal(scale=0.4, size=(8, 3))
    ]
    return min(result.fun for result in found if result.success)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("limits", LIMITS)
def test_the_least_of_the_objective_is_found_inside_the_limits(method, name, limits):
    problem, objective = three_links(**limits), OBJECTIVES[name]
    solution = check(problem.solve(method=method, options={"objective": objective}))
    assert solution.reached
    assert solution.details["objective"] == pytest.approx(least(problem, objective), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_a_coupling_holds_the_objective_back(method):
    rows = ["theta2 + 0.5*theta3 <= 1.3"]
    problem = mk.Problem(three_links().figure, [mk.Position("P3", [1.0, 1.8, 0.0])], constraints=rows)
    solution = check(problem.solve(method=method, options={"objective": mk.LeastChange()}), rows)
    free = three_links().solve(method=method, options={"objective": mk.LeastChange()})
    assert solution.reached
    assert free.q[1] + 0.5 * free.q[2] > 1.31
    assert solution.q[1] + 0.5 * solution.q[2] == pytest.approx(1.3, abs=1e-6)
    expected = least(problem, mk.LeastChange(), rows)
    assert solution.details["objective"] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_goals_out_of_reach_leave_nothing_to_choose(method):
    figure = three_links(lower=[-1.0] * 3, upper=[1.0] * 3).figure
    problem = mk.Problem(figure, [mk.Position("P3", [4.0, 1.0, 0.0])])
    solution = check(problem.solve(method=method, options={"objective": mk.Posture()}))
    assert not solution.reached and "objective" not in solution.details


@pytest.mark.parametrize(
    "objective",
    [
        mk.Posture(q=[0.1, 0.2, 0.3], weights=[1.0, 2.0, 0.5], weight=0.7),
        mk.LeastChange(weight=2.0),
        mk.Discomfort(),
        mk.KineticEnergy(),
        mk.LeastTime(),
        mk.Effort(),
        mk.LimitSpring(["theta1", "theta2"], margin=0.4),
    ],
    ids=lambda goal: goal.kind(),
)
def test_the_gradient_of_an_objective_agrees_with_differences(objective):
    figure = planar_chain(lower=[-1.0, -1.0, -1.0], upper=[1.2, 1.1, 1.0], rest=[0.3, 0.2, 0.1])
    if isinstance(objective, (mk.LeastTime, mk.Effort)):
        figure = mk.Figure(
            "lifted",
            ["a", mk.Segment("b", 2.0, (0.2, 0.0, 0.1)), mk.Segment("c", 1.0, (0.5, 0.0, 0.0))],
            [
                mk.Joint.revolute("theta1", "a", "b", "-y", velocity=2.0),
                mk.Joint.revolute("theta2", "b", "c", "-y", placement=(0.5, 0.0, 0.0), velocity=0.5),
            ],
            [mk.Site("P3", "c", (1.0, 0.0, 0.0))],
        )
    problem = mk.Problem(figure, [mk.Position("P3", [0.5, 0.5, 0.0])])
    view = View(problem, np.array(problem.q0), "test")
    f = objective_of(view, objective)
    x, h = view.start + np.array([0.75, 0.31, -0.4])[: len(view.start)], 1e-6
    value, gradient = f(x)
    differences = [(f(x + h * e)[0] - f(x - h * e)[0]) / (2.0 * h) for e in np.eye(len(x))]
    assert value > 0.0
    np.testing.assert_allclose(gradient, differences, atol=1e-7)


def test_an_objective_is_worth_what_the_general_method_makes_of_it():
    problem = three_links()
    chosen = mk.solve(problem.figure, [*problem.goals, mk.Posture(q=[0.0, 0.0, 0.0])])
    found = problem.solve(method="lagrange", options={"objective": mk.Posture(q=[0.0, 0.0, 0.0])})
    np.testing.assert_allclose(found.q, chosen.q, atol=1e-3)
