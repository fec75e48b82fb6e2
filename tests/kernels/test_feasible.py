"""The nearest point that satisfies the constraints, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure import Coupling, Figure, Joint
from manikin.kernels.pose.limits import LOWER, ROW_LOWER, ROW_UPPER, UPPER

from .polytopes import Space


def around(rng, n, rows, equalities=0, bounded=True):
    """Random constraints that hold at some point."""
    inside = rng.normal(size=n)
    a = rng.normal(size=(rows, n))
    values = a @ inside
    low = np.where(rng.random(rows) < 0.5, -np.inf, values - rng.exponential(0.3, rows))
    high = np.where(np.isinf(low) | (rng.random(rows) < 0.5), values + rng.exponential(0.3, rows), np.inf)
    low[:equalities] = high[:equalities] = values[:equalities]
    spread = (0.5, 1.5) if bounded else (np.inf, np.inf)
    return Space(n, a, low, high, inside - spread[0], inside + spread[1])


def check(space, x):
    found = space.project(x)
    assert found is not None
    assert space.violation(found) < 1e-10
    assert np.abs(found - space.nearest_by_scipy(x)).max() < 1e-7
    return found


@pytest.mark.parametrize("seed", range(40))
def test_projection_on_a_random_polytope_is_scipys(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    space = around(rng, n, int(rng.integers(0, 2 * n + 1)), bounded=bool(seed % 2))
    for _ in range(5):
        check(space, rng.normal(scale=3.0, size=n))


@pytest.mark.parametrize("seed", range(40))
def test_projection_under_equalities_is_scipys(seed):
    rng = np.random.default_rng(1000 + seed)
    n = int(rng.integers(2, 9))
    equalities = int(rng.integers(1, n))
    space = around(rng, n, equalities + int(rng.integers(0, n)), equalities)
    for _ in range(5):
        check(space, rng.normal(scale=3.0, size=n))


@pytest.mark.parametrize("seed", range(20))
def test_projection_on_a_vertex_where_too_many_constraints_meet_is_scipys(seed):
    """Many more constraints than coordinates touch one point."""
    rng = np.random.default_rng(2000 + seed)
    n = int(rng.integers(2, 6))
    vertex = rng.normal(size=n)
    a = rng.normal(size=(4 * n, n))
    a *= np.sign(a @ np.ones(n))[:, None]  # all open towards the diagonal, so that something is inside
    space = Space(n, a, a @ vertex, np.inf, vertex, np.inf)
    for _ in range(5):
        check(space, vertex + rng.normal(scale=2.0, size=n))
    assert np.abs(check(space, vertex - 5.0) - vertex).max() < 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_repeated_constraints_do_no_harm(seed):
    rng = np.random.default_rng(3000 + seed)
    n = 4
    plain = around(rng, n, 5, 1)
    low, high = plain.row[ROW_LOWER], plain.row[ROW_UPPER]
    rows = np.vstack([plain.rows, 3.0 * plain.rows, -plain.rows])
    twice = Space(
        n,
        rows,
        np.concatenate([low, 3.0 * low, -high]),
        np.concatenate([high, 3.0 * high, -low]),
        plain.vector[LOWER],
        plain.vector[UPPER],
    )
    for _ in range(5):
        x = rng.normal(scale=3.0, size=n)
        assert np.abs(check(twice, x) - check(plain, x)).max() < 1e-9


def test_a_point_inside_stays_where_it_is_to_the_last_bit():
    space = Space(3, [[1, 1, 1]], [-1.0], [1.0], -1.0, 1.0)
    x = np.array([0.1, -0.7, 0.3])
    assert (space.project(x) == x).all()


def test_projection_on_ranges_alone_is_clamping():
    space = Space(3, lower=[-1.0, 0.0, -np.inf], upper=[1.0, 0.0, 2.0])
    assert space.project([3.0, 5.0, -7.0]).tolist() == [1.0, 0.0, -7.0]


def test_a_range_of_no_width_is_an_equality():
    space = Space(2, [[1, 1]], [1.0], [1.0], [0.25, -np.inf], [0.25, np.inf])
    assert np.abs(space.project([5.0, 5.0]) - [0.25, 0.75]).max() < 1e-13


@pytest.mark.parametrize("seed", range(40))
def test_contradictions_are_recognised_as_by_linear_programming(seed):
    """Random constraints of which about half cannot be satisfied together."""
    rng = np.random.default_rng(4000 + seed)
    n = int(rng.integers(1, 6))
    rows = int(rng.integers(n, 3 * n + 2))
    low = rng.normal(size=rows)
    width = np.where(rng.random(rows) < 0.2, 0.0, rng.exponential(1.5, rows))
    space = Space(n, rng.normal(size=(rows, n)), low, low + width, -3.0, 3.0)
    found = space.project(rng.normal(scale=2.0, size=n))
    assert (found is not None) == space.possible_by_scipy()
    if found is not None:
        assert space.violation(found) < 1e-10


@pytest.mark.parametrize(
    ("rows", "low", "high"),
    [
        ([[1, 1], [1, 1]], [1.0, -np.inf], [np.inf, 0.9]),
        ([[1, 1], [2, 2]], [1.0, 3.0], [1.0, 3.0]),
        ([[1, 0], [0, 1], [1, 1]], [1.0, 1.0, -np.inf], [np.inf, np.inf, 1.9]),
        ([[1, 1]], [9.0], [np.inf]),
    ],
)
def test_plain_contradictions_are_recognised(rows, low, high):
    assert Space(2, rows, low, high, -4.0, 4.0).project([0.3, 0.2]) is None


@pytest.mark.parametrize("seed", range(6))
def test_corners_of_whole_numbers_and_of_sparse_rows_are_not_called_contradictory(seed):
    """Hundreds of polytopes with a known point inside, many of them that one point, and starts among the corners."""
    rng = np.random.default_rng(6000 + seed)
    for _ in range(200):
        n = int(rng.integers(1, 12))
        rows = rng.integers(-2, 3, (int(rng.integers(0, 3 * n + 1)), n)).astype(float)
        if seed % 2:
            rows *= rng.normal(size=rows.shape)
        rows[np.abs(rows).sum(axis=1) == 0.0, 0] = 1.0
        inside = rng.integers(-2, 3, n).astype(float)
        ends = np.concatenate([inside, rows @ inside])
        room = rng.exponential(0.3, (2, len(ends))) * (rng.random((2, len(ends))) < 0.7)
        low = np.where(rng.random(len(ends)) < 0.4, -np.inf, ends - room[0])
        high = np.where(rng.random(len(ends)) < 0.4, np.inf, ends + room[1])
        space = Space(n, rows, low[n:], high[n:], low[:n], high[:n])
        start = rng.integers(-4, 5, n).astype(float)
        found = space.project(start)
        assert found is not None
        assert space.violation(found) < 1.1e-13
        # No other point of the polytope is nearer: the way from the projection to one inside leads away from the start.
        assert (start - found) @ (inside - found) < 1e-9


def slides(n):
    """A figure whose coordinates are n slides, each from −2 to 2."""
    joints = [Joint(f"q{j}", f"s{j}", f"s{j + 1}", "T(x)", lower=-2.0, upper=2.0) for j in range(n)]
    return Figure("slides", [f"s{j}" for j in range(n + 1)], joints)


@pytest.mark.parametrize("seed", range(10))
def test_a_problem_without_goals_goes_to_the_nearest_pose_that_satisfies_the_couplings(seed):
    rng = np.random.default_rng(5000 + seed)
    n = 5
    inside = rng.uniform(-1.0, 1.0, n)
    a = rng.normal(size=(3, n))
    values = a @ inside
    low, high = values - [0.0, 0.1, np.inf], values + np.array([0.0, 0.2, 0.0])
    names = [f"q{j}" for j in range(n)]
    couplings = [
        Coupling(dict(zip(names, row, strict=True)), bottom, top)
        for row, bottom, top in zip(a, low, high, strict=True)
    ]
    start = rng.uniform(-2.0, 2.0, n)
    solution = mk.Problem(slides(n), [], constraints=couplings).solve(start)
    space = Space(n, a, low, high, -2.0, 2.0)
    assert space.violation(solution.q) < 1e-10
    assert np.abs(solution.q - space.nearest_by_scipy(start)).max() < 1e-7


def test_a_pose_in_the_corner_of_as_many_constraints_as_coordinates_is_found():
    """On the way to it all directions are held at once, and a third constraint is still broken."""
    constraints = ["-q0 + 2*q1 <= -2", "-2*q0 <= -2", "q0 + 2*q1 <= -2"]
    solution = mk.Problem(slides(2), [], constraints=constraints).solve([-2.0, 2.0])
    assert solution.status == "reached"
    assert np.abs(solution.q - [1.0, -1.5]).max() < 1e-10


def test_a_start_outside_the_ranges_is_projected_from_where_it_was_not_from_its_clamp():
    start = [4.0, 0.0]
    solution = mk.Problem(slides(2), [], constraints=["q0 + q1 = 3"]).solve(start)
    space = Space(2, [[1, 1]], [3.0], [3.0], -2.0, 2.0)
    assert np.abs(solution.q - space.nearest_by_scipy(np.array(start))).max() < 1e-9


def test_couplings_that_contradict_each_other_make_the_problem_infeasible():
    solution = mk.Problem(slides(2), [], constraints=["q0 + q1 = 1", "q0 + q1 >= 2"]).solve()
    assert solution.status == "infeasible" and not solution.reached


def test_a_coupling_out_of_reach_of_the_ranges_makes_the_problem_infeasible():
    assert mk.Problem(slides(2), [], constraints=["q0 + q1 >= 4.1"]).solve().status == "infeasible"
    assert mk.Problem(slides(2), [], constraints=["q0 + q1 >= 3.9"]).solve().status == "reached"
