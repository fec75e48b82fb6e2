"""The rows of the least-squares method: squares, slopes and differences, in one problem and in four lanes."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.engines.least_squares import _NO_MEASURES, prepare
from manikin.figure import Figure, transforms
from manikin.kernels.memory.lanes import widen
from manikin.kernels.residuals.errors import AXIS_WEIGHTS, WEIGHT
from manikin.kernels.search import layout
from manikin.kernels.search.begin import begin_at, bring_in, note_fixed
from manikin.kernels.search.evaluate import ENOUGH, evaluate
from manikin.kernels.search.lanes import lanes_of
from manikin.kernels.search.layout import view_lane_numbers, view_parts
from manikin.kernels.search.opened import open_poses
from manikin.kernels.search.residuals import derivatives
from manikin.plan.packing import Packed

from .support import GOALS, differences, figures, packed, points, value_and_gradient, with_vector
from .trees import branched, spread_goals


def dense(s, jacobian, found, lane=None):
    """Spread the strips out to a table of all rows, three a strip, by all variables."""
    for r in range(3 * s.residuals):
        place = s.chains.place[int(s.strips.chain[r // 3])]
        for i in range(found.shape[1]):
            if place[i] >= 0:
                entry = jacobian[r // 3, place[i], r % 3]
                found[r, i] = entry if lane is None else entry[lane]


def begun(problem: Packed, q: np.ndarray):
    """The search at these coordinates, and its G."""
    ints, reals, _ = prepare(problem)
    arrays = problem.structure, problem.parameters, problem.workspace, *_NO_MEASURES, ints, reals
    s, _, sweep = open_poses(layout.table(1, *arrays))
    bring_in(q, s.space, view_parts(ints, reals), sweep)
    note_fixed(s.tree, s.space, sweep, s.drives)
    begin_at(s.space, sweep, s.work.x)
    return s, ints, (reals, arrays)


def rows_of_one(problem: Packed, q: np.ndarray, e, jacobian):
    s, _, _kept = begun(problem, q)
    potential, _, _ = evaluate(s, None, s.work.x, s.work.e, ENOUGH)
    derivatives(s.strips, s.residuals, s.chains, s.place, s.work.e, s.work.jacobian, None)
    dense(s, s.work.jacobian, jacobian)
    for r in range(3 * s.residuals):
        e[r] = s.work.e[r]
    return 3 * s.residuals, potential, np.array(s.bounds.scale)


def rows_in_lanes(problem: Packed, q, four, jacobian):
    one, ints, _kept = begun(problem, q)
    lanes = layout.lane_arrays(ints)[0]
    s, numbers = lanes_of(one, ints, lanes), view_lane_numbers(ints, lanes)
    for i in range(numbers.x.shape[0]):
        for lane in range(4):
            numbers.x[i, lane] = four[lane, i]
    evaluate(s, None, s.work.x, s.work.e, ENOUGH)
    derivatives(s.strips, s.residuals, s.chains, s.place, s.work.e, s.work.jacobian, widen(1.0) > 0.5)
    for lane in range(4):
        dense(s, s.work.jacobian, jacobian[lane], lane)


def rows(figure: Figure, goals: list, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Residual, Jacobian by all coordinates (the metric taken out), and P."""
    return rows_of(figure, packed(figure, *goals), q)


def rows_of(figure: Figure, problem: Packed, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    e, jacobian = np.zeros(9 * problem.parts), np.zeros((9 * problem.parts, len(problem.variables)))
    count, potential, scale = rows_of_one(problem, q, e, jacobian)
    full = np.zeros((count, figure.n))
    full[:, problem.variables] = jacobian[:count] / scale
    return e[:count], full, potential


def check(figure: Figure, goals: list, q: np.ndarray) -> np.ndarray:
    return check_problem(figure, packed(figure, *goals), q)


def check_problem(figure: Figure, problem: Packed, q: np.ndarray) -> np.ndarray:
    e, jacobian, potential = rows_of(figure, problem, q)
    value, gradient = value_and_gradient(problem, q)
    assert abs(potential - value) <= 1e-12 * max(1.0, value)
    assert abs(e @ e - value) <= 1e-9 * max(1.0, value)
    assert np.abs(2.0 * jacobian.T @ e - gradient).max() <= 1e-9 * max(1.0, np.abs(gradient).max())
    by_differences = differences(lambda x: rows_of(figure, problem, x)[0], q)
    assert np.abs(jacobian - by_differences).max() <= 1e-8 * max(1.0, np.abs(by_differences).max())
    return e


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("motion", figures())
def test_squared_rows_are_the_potential_and_their_slope_the_gradient(motion, goal):
    figure = figures()[motion]
    check(figure, [GOALS[goal]()], points(figure, 1, seed=2)[0])


@pytest.mark.parametrize("length", [0.0, 1e-9, 0.0999, 0.1001, np.pi, 1.4 * np.pi])
def test_rows_hold_for_root_rotation_vectors_of_any_length(length):
    figure = figures()["free"]
    check(figure, [GOALS["orientation"](), GOALS["aim_x"]()], with_vector(points(figure, 1)[0], length))


def test_an_orientation_that_minds_all_axes_alike_has_three_rows():
    figure = figures()["rotate"]
    q = points(figure, 1)[0]
    assert [len(check(figure, [make()], q)) for make in GOALS.values()] == [3, 3, 3, 6, 9, 9, 3, 3, 3, 3]


@pytest.mark.parametrize("turn", [1e-9, 1e-4, 1.0, 3.0, np.pi - 0.02])
def test_quaternion_rows_hold_for_any_angle(turn):
    figure = figures()["rotate"]
    q = points(figure, 1)[0]
    target = transforms.exp(turn * np.array([0.6, 0.0, 0.8])) @ figure.pose(q).matrix("tip")[:3, :3]
    assert np.linalg.norm(check(figure, [mk.Orientation("tip", target)], q)) > 0.5 * min(turn, 1.0)


def test_half_a_turn_has_the_right_potential_and_no_slope():
    figure = figures()["rotate"]
    q = points(figure, 1)[0]
    frame = figure.pose(q).matrix("tip")[:3, :3]
    target = (2.0 * np.outer([0.6, 0.0, 0.8], [0.6, 0.0, 0.8]) - np.eye(3)) @ frame
    e, jacobian, potential = rows(figure, [mk.Orientation("tip", target)], q)
    value, _ = value_and_gradient(packed(figure, mk.Orientation("tip", target)), q)
    assert potential == pytest.approx(value, rel=1e-12)
    assert np.abs(jacobian.T @ e).max() < 1e-8


@pytest.mark.parametrize("motion", figures())
def test_lanes_agree_with_one_problem(motion, compiled_math):
    assert apart_in_lanes(figures()[motion], [make() for make in GOALS.values()]) < 1e-12


def apart_in_lanes(figure: Figure, goals: list) -> float:
    """The largest difference between the Jacobians of four poses in lanes and of each alone."""
    apart = 0.0
    problem = packed(figure, *goals)
    four = np.array(points(figure, 4, seed=3))
    found = np.zeros((4, 9 * problem.parts, len(problem.variables)))
    variables = np.ascontiguousarray(four[:, problem.variables])
    rows_in_lanes(problem, four[0], variables, found)
    for lane in range(4):
        q = four[0].copy()
        q[problem.variables] = four[lane, problem.variables]
        e, jacobian = np.zeros(found.shape[1]), np.zeros(found.shape[1:])
        count, _, _ = rows_of_one(problem, q, e, jacobian)
        assert count > 0 and np.abs(jacobian[:count]).max() > 0.1
        apart = max(apart, np.abs(found[lane, :count] - jacobian[:count]).max())
    return apart


BRANCHED = {
    "fixed": lambda: branched(),
    "free": lambda: branched("free"),
    "crossed": lambda: branched(crossed=True),
}


@pytest.mark.parametrize("kind", BRANCHED)
def test_rows_of_several_limbs_have_the_right_slopes(kind):
    figure = BRANCHED[kind]()
    for q in points(figure, 2, seed=5):
        assert len(check(figure, spread_goals(), q)) == 42


@pytest.mark.parametrize("kind", BRANCHED)
def test_parts_switched_off_or_on_axes_only_take_their_rows_away_and_no_others(kind):
    figure = BRANCHED[kind]()
    problem = packed(figure, *spread_goals())
    parameters = problem.sections.parts.parameters
    q = points(figure, 1, seed=6)[0]
    everything = len(check_problem(figure, problem, q))
    for t in range(problem.parts):
        kept = parameters[t].copy()
        parameters[t, WEIGHT] = 0.0
        assert len(check_problem(figure, problem, q)) < everything
        parameters[t] = kept
    for t in range(0, problem.parts, 2):
        parameters[t, WEIGHT] *= 3.0 if t % 4 else 0.0
        parameters[t, AXIS_WEIGHTS + 1] *= 0.5
    check_problem(figure, problem, q)


@pytest.mark.parametrize("kind", BRANCHED)
def test_lanes_agree_with_one_problem_of_several_limbs(kind, compiled_math):
    assert apart_in_lanes(BRANCHED[kind](), spread_goals()) < 1e-12
