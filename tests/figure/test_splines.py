from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_interp_spline

from manikin.figure import splines


def samples(count, ends, seed=0):
    random = np.random.default_rng([seed, count])
    times = np.cumsum(random.uniform(0.05, 2.0, count))
    y = random.normal(size=(count, 3))
    if ends == "periodic":
        y[-1] = y[0]
    return times, y


@pytest.mark.parametrize("ends", splines.ENDS)
@pytest.mark.parametrize("count", [3, 4, 5, 8, 33, 400])
def test_cubic_splines_have_scipys_slopes(count, ends):
    times, y = samples(count, ends)
    expected = CubicSpline(times, y, bc_type=ends)(times, 1)
    found = splines.derivatives(times, y, 2, ends)[:, 0]
    assert np.abs(found - expected).max() < 1e-12 * max(np.abs(expected).max(), 1.0)


@pytest.mark.parametrize("ends", splines.ENDS)
@pytest.mark.parametrize("count", [7, 8, 33, 200])
def test_quintic_splines_have_scipys_slopes_and_bends(count, ends):
    times, y = samples(count, ends)
    zero = np.zeros(3)
    orders = [(order, zero) for order in ((1, 2) if ends == "clamped" else (3, 4))]
    curve = make_interp_spline(times, y, k=5, bc_type="periodic" if ends == "periodic" else (orders, orders))
    expected = np.stack([curve(times, 1), curve(times, 2)], axis=1)
    found = splines.derivatives(times, y, 3, ends)
    assert np.abs(found - expected).max() < 1e-10 * max(np.abs(expected).max(), 1.0)


@pytest.mark.parametrize("m", [2, 3, 4])
def test_all_derivatives_but_the_last_go_on_at_the_knots(m):
    times, y = samples(12, "natural")
    known = np.concatenate([y[:, None], splines.derivatives(times, y, m)], axis=1)
    pieces = splines.pieces(times, known)
    for order in range(2 * m - 1):
        powers = range(order, 2 * m)
        rise = np.array([np.prod(np.arange(p - order + 1, p + 1, dtype=float)) for p in powers])
        h = np.diff(times)[:, None] ** np.array([p - order for p in powers])
        ends = np.einsum("tp,tpc->tc", h * rise, pieces[:, order:])
        starts = rise[0] * pieces[:, order]
        assert np.abs(ends[:-1] - starts[1:]).max() < 1e-8 * max(np.abs(starts).max(), 1.0)


@pytest.mark.parametrize("count", [1, 2, 3, 6, 17])
def test_block_tridiagonal_systems_are_solved(count):
    random = np.random.default_rng(count)
    k = 3
    root = random.normal(size=(count * k, count * k))
    reach = np.abs(np.subtract.outer(np.arange(count * k) // k, np.arange(count * k) // k))
    matrix = np.where(reach <= 1, root + root.T, 0.0) + 40.0 * np.eye(count * k)
    right = random.normal(size=(count, k, 2))
    cut = matrix.reshape(count, k, count, k)
    blocks = np.array([cut[i, :, i] for i in range(count)])
    below = np.array([cut[i + 1, :, i] for i in range(count - 1)]).reshape(-1, k, k)
    expected = np.linalg.solve(matrix, right.reshape(count * k, 2))
    found = splines.block_tridiagonal(blocks, below, right)
    assert np.abs(found.reshape(count * k, 2) - expected).max() < 1e-13
