"""Least squares under linear inequalities: its answers satisfy the conditions of optimality."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st
from scipy.optimize import lsq_linear

from manikin.papers.least_squares import least_squares, null_space


def drawn(seed: int, rows: int, equalities: int):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 12), rng.integers(1, 8)
    C = np.vstack([rng.normal(size=(m, n)), 10.0 ** rng.uniform(-2.0, 0.0) * np.eye(n)])
    d = np.concatenate([3.0 * rng.normal(size=m), np.zeros(n)])
    low, high = -rng.uniform(0.0, 1.0, n) * (rng.random(n) < 0.8), rng.uniform(0.0, 1.0, n)
    A = rng.normal(size=(rows, n))
    ends = -rng.uniform(0.0, 0.5, rows) * (rng.random(rows) < 0.7)
    E = rng.normal(size=(min(equalities, n - 1), n))
    G = np.vstack([np.eye(n), -np.eye(n), A])
    return C, d, G, np.concatenate([low, -high, ends]), E, (low, high)


@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.integers(0, 2))
def test_the_answer_is_allowed_and_its_multipliers_prove_it_the_best(seed, rows, equalities):
    C, d, G, h, E, _ = drawn(seed, rows, equalities)
    x, u = least_squares(C, d, G, h, E)
    scale = 1.0 + np.abs(C.T @ d).max()
    assert (G @ x >= h - 1e-9).all() and np.abs(E @ x).max(initial=0.0) < 1e-12
    assert (u >= 0.0).all() and np.abs(u * (G @ x - h)).max() < 1e-8 * scale
    gradient = null_space(E).T @ (C.T @ (C @ x - d) - G.T @ u)
    assert np.abs(gradient).max(initial=0.0) < 1e-8 * scale


@given(st.integers(0, 2**32 - 1))
def test_with_ranges_alone_it_agrees_with_scipy(seed):
    C, d, G, h, _, (low, high) = drawn(seed, 0, 0)
    high = np.maximum(high, low + 1e-9)
    x, _ = least_squares(C, d, G, h)
    np.testing.assert_allclose(x, lsq_linear(C, d, (low, high), method="bvls").x, atol=1e-7)


def test_equalities_that_leave_nothing_leave_nothing():
    x, u = least_squares(np.eye(2), np.ones(2), np.eye(2), -np.ones(2), np.eye(2))
    assert not x.any() and not u.any()
