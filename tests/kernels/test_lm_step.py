"""One damped step: against the dense equations."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.engines.least_squares import NOWHERE, prepare
from manikin.kernels.memory.layout import view_parts, view_space, view_sweep, view_tree
from manikin.kernels.search import layout as lm_layout
from manikin.kernels.search.damped import begin_at, enter, evaluate_rows
from manikin.kernels.search.layout import view_bounds, view_places, view_ties, view_work
from manikin.kernels.search.rows import dense_rows, lay_rows
from manikin.kernels.search.step import bounded_step, slope_and_held

from .support import packed, points
from .trees import branched, spread_goals


def _step(S, R, W, N, V, q, nowhere, damping, e, jacobian, x_new):
    tree, parts, sweep = view_tree(S, R, W), view_parts(S, R), view_sweep(S, W)
    ties, work, bounds = view_ties(N, V), view_work(N, V), view_bounds(N, V)
    enter(tree, view_space(S, R), sweep, ties, q)
    begin_at(view_space(S, R), sweep, bounds, work.x, nowhere)
    rows = lay_rows(parts, ties, work.blocks)
    evaluate_rows(tree, parts, ties, view_places(N, V, sweep), work.x, work.e, work.jacobian)
    dense_rows(rows, work.blocks, work.jacobian, jacobian)
    for r in range(3 * rows.strips):
        e[r] = work.e[r]
    slope_and_held(rows, work, bounds.lower, bounds.upper)
    left = bounded_step(rows, work, bounds.scale, bounds.lower, bounds.upper, damping, 1.0, None)
    for i in range(x_new.shape[0]):
        x_new[i] = work.x_new[i]
    return rows.strips, rows.count, left


def step(figure, goals, q, damping, lower=None, upper=None):
    """e, J, the step in scaled variables, its bounds, what was said to be left, and whether the dual form did it."""
    problem = packed(figure, *goals)
    ints, reals = prepare(problem)
    bounds = lm_layout.bounds(ints, reals)
    bounds.lower[:] = -np.inf if lower is None else lower
    bounds.upper[:] = np.inf if upper is None else upper
    n = len(problem.variables)
    e, jacobian, x = np.zeros(9 * problem.parts), np.zeros((9 * problem.parts, n)), np.zeros(n)
    arrays = problem.structure, problem.parameters, problem.workspace
    strips, count, left = _step(*arrays, ints, reals, q, NOWHERE, damping, e, jacobian, x)
    d = (x - q[problem.variables]) / bounds.scale
    return e[: 3 * strips], jacobian[: 3 * strips], d, x, left, count <= n


def expected(e, jacobian, damping):
    n = jacobian.shape[1]
    return -np.linalg.solve(jacobian.T @ jacobian + damping * np.eye(n), jacobian.T @ e)


GOALS = {"few": slice(0, 3), "one limb": slice(3, 4), "many": slice(0, 9)}


@pytest.mark.parametrize("damping", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("some", GOALS)
@pytest.mark.parametrize("crossed", [False, True])
def test_without_ranges_the_step_solves_the_damped_equations(some, crossed, damping):
    figure = branched(crossed=crossed)
    e, jacobian, d, _, left, dual = step(figure, spread_goals()[GOALS[some]], points(figure, 1)[0], damping)
    assert dual == (some == "few")
    target = expected(e, jacobian, damping)
    assert np.abs(d - target).max() < 1e-9 * max(1.0, np.abs(target).max())
    assert left == pytest.approx(np.square(e + jacobian @ target).sum(), rel=1e-7)


@pytest.mark.parametrize("some", GOALS)
def test_a_coordinate_that_would_leave_its_range_is_set_on_it_and_the_rest_solved_again(some):
    figure = branched()
    q = points(figure, 1, seed=4)[0]
    goals = spread_goals()[GOALS[some]]
    e, jacobian, d, _, _, _ = step(figure, goals, q, 1.0)
    x = q[packed(figure, *goals).variables]
    worst = int(np.abs(d).argmax())
    half = x.copy()
    half[worst] += 0.5 * d[worst]
    lower, upper = np.full(len(x), -np.inf), np.full(len(x), np.inf)
    (upper if d[worst] > 0 else lower)[worst] = half[worst]
    _, _, _, x_new, left, _ = step(figure, goals, q, 1.0, lower, upper)
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
    e, jacobian, d, _, _, _ = step(figure, goals, q, 1.0)
    worst = int(np.abs(d).argmax())
    x = q[packed(figure, *goals).variables]
    lower, upper = x - np.where(d < 0, 0.0, 9.0), x + np.where(d > 0, 0.0, 9.0)
    lower[np.arange(len(x)) != worst] -= 9.0
    upper[np.arange(len(x)) != worst] += 9.0
    _, _, found, _, _, _ = step(figure, goals, q, 1.0, lower, upper)
    slope = jacobian.T @ e
    if slope[worst] * d[worst] < 0.0:
        assert found[worst] == 0.0
        rest = np.delete(np.arange(len(x)), worst)
        assert np.abs(found[rest] - expected(e, jacobian[:, rest], 1.0)).max() < 1e-9
