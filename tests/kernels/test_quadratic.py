"""The quadratic program: its answer satisfies the conditions of optimality, whatever the constraints."""

import numpy as np
import pytest

from manikin.kernels.math.quadratic import CONTRADICTORY, SOLVED, Quadratic, factor, minimise


def _solve(H, b, A, low, high, lower, upper, d, turned, triangle, vectors, place):
    qp = Quadratic(
        turned,
        triangle,
        vectors[0],
        vectors[1],
        vectors[2],
        vectors[3],
        vectors[4],
        vectors[5],
        vectors[6],
        place,
    )
    if not factor(H, turned):
        return -1, 0
    return minimise(qp, b, A, low, high, A.shape[0], lower, upper, d, 1e-12)


def solve(H, b, A, low, high, lower, upper):
    """d, status, and the held constraints as (normals, multipliers, whether each is an equality)."""
    n, m = len(b), len(A)
    vectors, place, d = np.zeros((7, n + 1)), np.zeros(n + m), np.zeros(n)
    status, count = _solve(
        H.copy(),
        b,
        A,
        low,
        high,
        lower,
        upper,
        d,
        np.zeros((n, n)),
        np.zeros((n + 1, n + 1)),
        vectors,
        place,
    )
    held = vectors[5][:count].astype(int)
    rows = np.vstack([np.eye(n), A])
    ends = np.concatenate([lower, low]) == np.concatenate([upper, high])
    return d, status, rows[held] * vectors[6][:count, None], vectors[4][:count], ends[held]


def random_program(rng, n, m):
    """A program with a point inside: some rows equal, some twice, ranges around it."""
    root = rng.normal(size=(n, n))
    A = rng.normal(size=(m, n))
    inside = rng.uniform(-0.5, 0.5, n)
    middle = A @ inside
    low, high = middle - rng.uniform(0, 0.3, m), middle + rng.uniform(0, 0.3, m)
    equal = rng.random(m) < 0.25
    low[equal] = high[equal] = middle[equal]
    if m > 3:
        A[1], low[1], high[1] = 2 * A[0], 2 * low[0], 2 * high[0]
    lower, upper = -0.5 - rng.uniform(0.2, 1, n), 0.5 + rng.uniform(0.2, 1, n)
    return root @ root.T + 0.1 * np.eye(n), 3 * rng.normal(size=n), A, low, high, lower, upper


@pytest.mark.parametrize("seed", range(4))
def test_answer_is_feasible_and_balanced_by_multipliers_of_the_right_sign(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        n, m = int(rng.integers(1, 14)), int(rng.integers(0, 10))
        H, b, A, low, high, lower, upper = random_program(rng, n, m)
        d, status, normals, multipliers, equal = solve(H, b, A, low, high, lower, upper)
        assert status == SOLVED
        assert np.abs(H @ d + b - normals.T @ multipliers).max() < 1e-8
        assert (multipliers[~equal] > -1e-9).all()
        assert (d > lower - 1e-9).all() and (d < upper + 1e-9).all()
        assert (A @ d > low - 1e-9).all() and (A @ d < high + 1e-9).all()


def test_rows_that_contradict_the_ranges_are_found_out():
    n = 3
    A = np.ones((1, n))
    found = solve(np.eye(n), np.zeros(n), A, np.array([4.0]), np.array([5.0]), -np.ones(n), np.ones(n))
    assert found[1] == CONTRADICTORY


def test_matrix_that_is_not_positive_definite_is_refused():
    H = np.diag([1.0, -1e-3, 2.0])
    assert not _factor(H)
    assert _factor(np.diag([1.0, 1e-3, 2.0]))


def _factor(H):
    return factor(H, np.zeros_like(H))
