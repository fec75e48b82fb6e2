"""One damped step: against the dense equations."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.kernels.search.bounded import bounded_step, slope_and_free
from manikin.kernels.search.evaluate import ENOUGH, evaluate
from manikin.kernels.search.residuals import derivatives

from .support import packed, points
from .test_lm_rows import begun, dense
from .trees import branched, spread_goals


def step(figure, goals, q, damping, lower=None, upper=None):
    """e, J, the step in scaled variables, where it ends, and what was said to be left."""
    problem = packed(figure, *goals)
    n = len(problem.variables)
    s, _, _kept = begun(problem, q)
    s.bounds.lower[:] = -np.inf if lower is None else lower
    s.bounds.upper[:] = np.inf if upper is None else upper
    evaluate(s, None, s.work.x, s.work.e, ENOUGH)
    derivatives(s.strips, s.residuals, s.chains, s.place, s.work.e, s.work.jacobian, None)
    jacobian = np.zeros((3 * s.residuals, n))
    dense(s, s.work.jacobian, jacobian)
    e = np.array(s.work.e[: 3 * s.residuals])
    slope_and_free(s)
    left = bounded_step(s, damping, 1.0, None)
    x = np.array(s.work.x_new)
    return e, jacobian, (x - q[problem.variables]) / s.bounds.scale, x, left


def expected(e, jacobian, damping):
    n = jacobian.shape[1]
    return -np.linalg.solve(jacobian.T @ jacobian + damping * np.eye(n), jacobian.T @ e)


#: Fewer rows than variables, and more.
GOALS = {"few": slice(0, 3), "one limb": slice(3, 4), "many": slice(0, 9)}


@pytest.mark.parametrize("damping", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("some", GOALS)
@pytest.mark.parametrize("crossed", [False, True])
def test_without_ranges_the_step_solves_the_damped_equations(some, crossed, damping):
    figure = branched(crossed=crossed)
    e, jacobian, d, _, left = step(figure, spread_goals()[GOALS[some]], points(figure, 1)[0], damping)
    target = expected(e, jacobian, damping)
    assert np.abs(d - target).max() < 1e-9 * max(1.0, np.abs(target).max())
    assert left == pytest.approx(np.square(e + jacobian @ target).sum(), rel=1e-7)


@pytest.mark.parametrize("some", GOALS)
def test_a_coordinate_that_would_leave_its_range_is_set_on_it_and_the_rest_solved_again(some):
    figure = branched()
    q = points(figure, 1, seed=4)[0]
    goals = spread_goals()[GOALS[some]]
    e, jacobian, d, _, _ = step(figure, goals, q, 1.0)
    x = q[packed(figure, *goals).variables]
    worst = int(np.abs(d).argmax())
    half = x.copy()
    half[worst] += 0.5 * d[worst]
    lower, upper = np.full(len(x), -np.inf), np.full(len(x), np.inf)
    (upper if d[worst] > 0 else lower)[worst] = half[worst]
    _, _, _, x_new, left = step(figure, goals, q, 1.0, lower, upper)
    rest = np.delete(np.arange(len(x)), worst)
    target = np.zeros(len(x))
    target[worst] = 0.5 * d[worst]
    target[rest] = expected(e + jacobian[:, worst] * target[worst], jacobian[:, rest], 1.0)
    assert x_new[worst] == half[worst]
    assert np.abs(x_new - x - target).max() < 1e-9
    assert left == pytest.approx(np.square(e + jacobian @ target).sum(), rel=1e-7)


def test_a_coordinate_on_its_range_that_is_pushed_outwards_stays():
    figure = branched()
    q = points(figure, 1, seed=4)[0]
    goals = [mk.Position("foot", [0.4, 0.3, -0.2])]
    e, jacobian, d, _, _ = step(figure, goals, q, 1.0)
    worst = int(np.abs(d).argmax())
    x = q[packed(figure, *goals).variables]
    lower, upper = x - np.where(d < 0, 0.0, 9.0), x + np.where(d > 0, 0.0, 9.0)
    lower[np.arange(len(x)) != worst] -= 9.0
    upper[np.arange(len(x)) != worst] += 9.0
    _, _, found, _, _ = step(figure, goals, q, 1.0, lower, upper)
    slope = jacobian.T @ e
    if slope[worst] * d[worst] < 0.0:
        assert found[worst] == 0.0
        rest = np.delete(np.arange(len(x)), worst)
        assert np.abs(found[rest] - expected(e, jacobian[:, rest], 1.0)).max() < 1e-9
