"""The judge's sines and cosines, against those of exact fractions and of the C library."""

from __future__ import annotations

import math

import numpy as np
import pytest

from manikin.kernels.memory.views import view1
from manikin.kernels.verify.circle import circle


def _both(angles, sines, cosines):
    n = angles.shape[0]
    circle(view1(angles, 0, n), view1(sines, 0, n), view1(cosines, 0, n), n)


def test_sines_and_cosines_are_those_of_long_doubles_to_an_ulp():
    rng = np.random.default_rng(0)
    halves = np.arange(-40, 41) * (0.25 * math.pi)
    x = np.concatenate(
        [
            rng.uniform(-7.0, 7.0, 4000),
            rng.uniform(-9e5, 9e5, 2000),
            halves,
            np.nextafter(halves, 9.0),
            [0.0, -0.0],
        ]
    )
    found = np.empty((2, len(x)))
    _both(x, *found)
    exact = np.sin(x.astype(np.longdouble)), np.cos(x.astype(np.longdouble))
    for mine, wanted in zip(found, exact, strict=True):
        assert np.abs(mine - wanted).max() <= 2.2e-16


@pytest.mark.filterwarnings("ignore:invalid value")
def test_far_angles_are_the_library_s_and_what_is_not_finite_is_no_number(compiled_math):
    x = np.array([1e6, -3e7, 1e9, 0.5])
    found = np.empty((2, len(x)))
    _both(x, *found)
    np.testing.assert_allclose(found, [np.sin(x), np.cos(x)], rtol=0.0, atol=1e-15)
    _both(np.array([math.inf, math.nan, 0.0, 1.0]), *found)
    assert np.isnan(found[:, :2]).all() and np.isfinite(found[:, 2:]).all()
