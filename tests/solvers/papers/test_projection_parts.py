"""Goldfarb's active set, the formulas of the metric and the line search, each against what defines it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import manikin as mk
from manikin.papers.chains import planar_chain
from manikin.papers.projection.active_set import ActiveSet, Constraints
from manikin.papers.projection.line_search import Trial, search
from manikin.papers.projection.metric import learned, regained, without
from manikin.papers.projection.potential import Total
from manikin.papers.view import View

RNG = np.random.default_rng(3)


def random_set(n: int = 6, count: int = 9) -> ActiveSet:
    normals = RNG.normal(size=(count, n))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return ActiveSet(Constraints(normals, np.zeros(count), 1))


def test_the_inverse_kept_by_recursion_is_the_inverse():
    for _ in range(20):
        active = random_set()
        for i in RNG.permutation(9)[:5]:
            assert active.add(int(i))
            np.testing.assert_allclose(active.inverse, np.linalg.inv(active.A.T @ active.A), atol=1e-9)
        for _ in range(3):
            active.drop(int(RNG.integers(len(active.which))))
            np.testing.assert_allclose(active.inverse, np.linalg.inv(active.A.T @ active.A), atol=1e-9)
        v = RNG.normal(size=6)
        np.testing.assert_allclose(active.A.T @ active.projected(v), 0.0, atol=1e-12)
        alpha = np.linalg.lstsq(active.A, v, rcond=None)[0]
        np.testing.assert_allclose(active.multipliers(v), alpha, atol=1e-9)


def test_what_depends_on_the_active_ones_is_not_added():
    normals = np.vstack([np.eye(3)[:2], [[np.sqrt(0.5), np.sqrt(0.5), 0.0]]])
    active = ActiveSet(Constraints(normals, np.zeros(3), 0))
    assert active.add(0) and active.add(1) and not active.add(2)
    assert active.which == [0, 1]


def test_the_worst_multiplier_is_the_rate_at_which_leaving_its_constraint_descends():
    active = random_set()
    for i in (0, 3, 5):
        active.add(i)
    g = RNG.normal(size=6)
    alpha = active.multipliers(g)
    value, place = active.worst(alpha)
    # α a^−½ is the length of −g projected on what the others leave free of that normal.
    rates = []
    for k in range(1, 3):  # the first is an equality
        others = np.delete(active.A, k, axis=1)
        a = active.A[:, k] - others @ np.linalg.lstsq(others, active.A[:, k], rcond=None)[0]
        rates.append(float(g @ a) / np.linalg.norm(a))
    assert value == pytest.approx(max(0.0, *rates)) and (place > 0) == (max(rates) > 0.0)


def test_the_metric_forgets_and_regains_a_constraint():
    A = RNG.normal(size=(6, 6))
    H, a = A @ A.T, RNG.normal(size=6)
    a /= np.linalg.norm(a)
    taken = without(H, a)
    np.testing.assert_allclose(taken @ a, 0.0, atol=1e-9)
    assert np.linalg.matrix_rank(taken) == 5
    back = regained(taken, a, a)
    assert (np.linalg.eigvalsh(back) > 0.0).all() and a @ back @ a == pytest.approx(1.0)


@pytest.mark.parametrize("update", ["bfgs", "dfp", "bfgs_only"])
def test_every_formula_satisfies_the_quasi_newton_equation_and_stays_positive(update):
    for _ in range(20):
        A, B = RNG.normal(size=(2, 5, 5))
        H, curved = A @ A.T + 0.1 * np.eye(5), B @ B.T + 0.1 * np.eye(5)
        sigma = RNG.normal(size=5)
        y = curved @ sigma
        found = learned(H, sigma, y, update)
        np.testing.assert_allclose(found @ y, sigma, atol=1e-8)
        np.testing.assert_allclose(found, found.T, atol=1e-10)
        assert np.linalg.eigvalsh(found).min() > 0.0


@pytest.mark.parametrize("delta", [(1e-4, 0.5), (0.1, 0.2), (1e-4, 0.9)])
def test_the_search_ends_where_both_conditions_hold(delta):
    def P(x):
        return float(np.cos(x[0]) + 0.1 * x[0] ** 2), np.array([-np.sin(x[0]) + 0.2 * x[0]])

    for x0 in RNG.uniform(0.1, 1.5, 20):
        value, gradient = P(np.array([x0]))
        s = -gradient
        begin = Trial(0.0, value, gradient, float(gradient @ s))
        found, good = search(P, lambda gamma, x0=x0, s=s: x0 + gamma * s, begin, s, 1.0, np.inf, delta)
        assert good
        assert found.value <= value + delta[0] * found.gamma * begin.slope
        assert found.slope >= delta[1] * begin.slope


@pytest.mark.parametrize("update", ["bfgs", "dfp"])
def test_the_end_is_slsqps_minimum_inside_ranges_and_couplings(update):
    figure = planar_chain([1.0] * 4, lower=[-0.8] * 4, upper=[0.9] * 4, rest=[0.5, 0.3, 0.2, 0.1])
    goals = [mk.Position("P4", [0.5, 3.6, 0.0]), mk.Position("P2", [1.5, 0.3, 0.0], weight=0.4)]
    problem = mk.Problem(figure, goals, constraints=["theta1 + theta2 <= 1.2", "theta3 = 0.5*theta4"])
    found = problem.solve(method="projection", options={"update": update})
    view = View(problem, np.array(problem.q0), "projection")
    total, limits = Total(view), view.limits
    rows = [
        {"type": "ineq", "fun": lambda x: limits.high[~limits.equal] - limits.A[~limits.equal] @ x},
        {"type": "eq", "fun": lambda x: limits.A[limits.equal] @ x - limits.low[limits.equal]},
    ]
    ends = []
    for _ in range(8):
        begun = RNG.uniform(view.lower, view.upper)
        end = minimize(
            total,
            begun,
            jac=True,
            bounds=list(zip(view.lower, view.upper, strict=True)),
            constraints=rows,
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 300},
        )
        if end.success:
            ends.append(float(end.fun))
    assert found.status == "stationary"
    assert found.cost == pytest.approx(min(ends), rel=1e-7)
