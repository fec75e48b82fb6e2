"""Sine and cosine against the C library's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from manikin.kernels.math.angle import sincos


def sines_and_cosines(x, out):
    for i in range(x.shape[0]):
        out[0, i], out[1, i] = sincos(x[i])


def errors(x):
    found = np.empty((2, len(x)))
    sines_and_cosines(x, found)
    return np.abs(found - [[math.sin(v) for v in x], [math.cos(v) for v in x]])


def test_sine_and_cosine_are_within_an_ulp_up_to_ten():
    assert errors(np.random.default_rng(0).uniform(-10.0, 10.0, 200_000)).max() < 2.5e-16


@pytest.mark.parametrize("reach", [100.0, 1000.0])
def test_sine_and_cosine_lose_no_more_than_the_angles_own_digits_far_out(reach):
    assert errors(np.random.default_rng(1).uniform(-reach, reach, 100_000)).max() < 1e-16 * reach + 2.5e-16


def test_sine_and_cosine_are_within_an_ulp_at_the_ends_of_every_octant():
    ends = np.arange(-24, 25) * (math.pi / 4.0)
    x = np.concatenate([ends, np.nextafter(ends, np.inf), np.nextafter(ends, -np.inf)])
    assert errors(x[np.abs(x) <= 10.0]).max() < 2.5e-16


def test_small_angles_keep_all_their_digits():
    x = np.array([0.0, 5e-324, 1e-300, -1e-200, 1e-20, -1e-9])
    found = np.empty((2, len(x)))
    sines_and_cosines(x, found)
    assert (found[0] == x).all() and (found[1] == 1.0).all()


@pytest.mark.filterwarnings("ignore:invalid value")
def test_an_angle_that_is_no_number_stays_visible():
    found = np.empty((2, 2))
    sines_and_cosines(np.array([np.nan, np.inf]), found)
    assert np.isnan(found).all()
