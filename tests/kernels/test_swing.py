"""A swing as another direction sees it: against plain NumPy, and its derivatives against differences."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.figure import lean
from manikin.figure.transforms import exp
from manikin.kernels.math import swing
from manikin.kernels.residuals.kinds import cone


def _seen_swing(c, s, out):
    out[0], out[1], out[2], out[3], out[4], out[5] = swing.seen_swing(c[0], c[1], s[0], s[1])


def _cone_curvature(p, s, out):
    out[0], out[1], out[2] = cone._curvature_by_swing(p, 0, s[0], s[1])


def seen_swing(*numbers):
    out = np.empty(6)
    _seen_swing(np.array(numbers[:2]), np.array(numbers[2:]), out)
    return out


def cone_curvature(p, s):
    out = np.empty(3)
    _cone_curvature(p, s, out)
    return out


CENTERS = [(0.0, 0.0), (1.5, 0.0), (0.3, -0.7), (-2.0, 1.0), (1e-9, 0.0)]


@pytest.mark.parametrize("center", CENTERS)
def test_the_kernel_agrees_with_numpy_and_with_rotations(center):
    rng = np.random.default_rng(1)
    for s in [*rng.uniform(-2.0, 2.0, (60, 2)), np.array(center), np.zeros(2), np.array(center) + 1e-7]:
        seen = np.array(seen_swing(*center, *s)[:2])
        assert seen == pytest.approx(lean.seen_from(center, s), abs=1e-12)
        there = exp([*center, 0.0]) @ exp([*seen, 0.0])[:, 2]
        assert there == pytest.approx(exp([*s, 0.0])[:, 2], abs=1e-12)
        if np.linalg.norm(s) < np.pi:
            assert lean.leaning(center, seen) == pytest.approx(s, abs=1e-9)


@pytest.mark.parametrize("center", CENTERS)
def test_its_derivatives_agree_with_differences(center):
    rng = np.random.default_rng(2)
    for s in [*rng.uniform(-1.5, 1.5, (40, 2)), np.array(center) + 1e-5, np.full(2, 1e-5)]:
        if np.linalg.norm(lean.seen_from(center, s)) > 2.8:
            continue
        slopes = np.array(seen_swing(*center, *s)[2:]).reshape(2, 2)
        for j in range(2):
            h = 1e-6 * np.eye(2)[j]
            difference = (lean.seen_from(center, s + h) - lean.seen_from(center, s - h)) / 2e-6
            assert slopes[:, j] == pytest.approx(difference, abs=2e-8)


def test_straight_back_is_half_a_turn():
    center = (0.4, 0.3)
    back = np.array(center) * (0.5 - np.pi) / 0.5
    assert np.hypot(*seen_swing(*center, *back)[:2]) == pytest.approx(np.pi, abs=1e-7)
    assert np.hypot(*lean.seen_from(center, back)) == pytest.approx(np.pi, abs=1e-7)


@pytest.mark.parametrize("center", CENTERS)
def test_a_cones_second_derivatives_agree_with_differences(center):
    p = np.array([0.0, 1.0, *center, 0.8, 1.1])

    def value(s):
        return float(((lean.seen_from(center, s) / p[4:]) ** 2).sum())

    for s in np.random.default_rng(3).uniform(-1.0, 1.0, (10, 2)):
        h = 1e-4
        e = h * np.eye(2)
        first, mixed, last = cone_curvature(p, s)
        expected = [(value(s + e[j]) - 2.0 * value(s) + value(s - e[j])) / h**2 for j in range(2)]
        corner = [value(s + a * e[0] + b * e[1]) * a * b for a in (-1, 1) for b in (-1, 1)]
        assert [first, last] == pytest.approx(expected, rel=1e-5, abs=1e-5)
        assert mixed == pytest.approx(sum(corner) / (4.0 * h * h), rel=1e-5, abs=1e-5)
