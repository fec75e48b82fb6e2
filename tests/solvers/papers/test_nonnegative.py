from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from manikin.papers.least_squares import nonnegative


@pytest.mark.parametrize("seed", range(40))
def test_the_least_squares_over_numbers_not_below_zero_are_scipys(seed):
    random = np.random.default_rng(seed)
    rows, columns = random.integers(2, 30, 2)
    A, b = random.normal(size=(rows, columns)), random.normal(size=rows)
    if seed % 4 == 0:  # columns that depend on others
        A[:, columns // 2] = A[:, 0]
    expected, least = nnls(A, b)
    found = nonnegative(A, b)
    assert (found >= 0.0).all()
    assert np.linalg.norm(A @ found - b) == pytest.approx(least, rel=1e-9, abs=1e-12)
    if rows > columns and seed % 4:
        assert np.abs(found - expected).max() < 1e-9
