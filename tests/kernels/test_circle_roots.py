"""Roots on the circle against NumPy's polynomials and against sign changes on a fine grid."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.kernels.math.circle_roots import angle_roots, quartic_roots, square_roots
from manikin.kernels.memory.views import view1, view2


def _quartic(p, out):
    q = view1(p, 0, 5)
    return quartic_roots((q[0], q[1], q[2], q[3], q[4]), view1(out, 0, 4))


def _angles(f, slack, none, near, out):
    return angle_roots((f[0], f[1], f[2]), slack, none, near, view2(out, 0, 4, 2))


def _squares(f, w, near, out):
    forms = (
        (f[0, 0], f[0, 1], f[0, 2]),
        (f[1, 0], f[1, 1], f[1, 2]),
        (f[2, 0], f[2, 1], f[2, 2]),
        (f[3, 0], f[3, 1], f[3, 2]),
    )
    return square_roots(forms, (w[0], w[1], w[2]), near, view2(out, 0, 4, 2))


def _form(f: np.ndarray, angle: np.ndarray) -> np.ndarray:
    return f[0] + f[1] * np.cos(angle) + f[2] * np.sin(angle)


def test_the_real_roots_of_a_quartic_are_those_of_numpy():
    rng = np.random.default_rng(1)
    out = np.empty(4)
    for trial in range(500):
        roots = rng.normal(size=4) if trial % 2 else np.array([*rng.normal(size=2), 0, 0], dtype=complex)
        if trial % 2 == 0:
            roots[2] = complex(*rng.normal(size=2))
            roots[3] = roots[2].conjugate()
        p = np.real(np.poly(roots))[::-1] * rng.normal()
        count = _quartic(np.ascontiguousarray(p), out)
        real = np.sort(np.real(roots[np.abs(np.imag(roots)) < 1e-9]))
        assert count == len(real)
        assert np.allclose(np.sort(out[:count]), real, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    "roots", [[1, 1, 2, 3], [-2, 1, 1, 3], [-2, -1, 1, 1], [1, 1, 2, 2], [1, 1, 1j, -1j]]
)
def test_a_root_that_is_touched_is_found(roots):
    out = np.empty(4)
    count = _quartic(np.ascontiguousarray(np.real(np.poly(roots))[::-1]), out)
    for root in {root for root in roots if np.isreal(root)}:
        assert np.abs(out[:count] - np.real(root)).min() < 1e-6


def test_a_form_has_two_roots_one_or_none():
    out = np.empty((4, 2))
    rng = np.random.default_rng(2)
    for _ in range(200):
        f = rng.normal(size=3)
        count = _angles(f, 1e-12, 1e-14, 0.3, out)
        assert count == (2 if abs(f[0]) < np.hypot(f[1], f[2]) else 0)
        assert np.abs(_form(f, np.arctan2(out[:count, 1], out[:count, 0]))).max(initial=0.0) < 1e-14
    assert _angles(np.array([1.0 + 1e-13, 1.0, 0.0]), 1e-12, 1e-14, 0.3, out) == 2
    assert np.allclose(out[:2], [[-1.0, 0.0], [-1.0, 0.0]])
    assert _angles(np.array([0.0, 1e-17, 0.0]), 1e-12, 1e-14, 0.3, out) == 1
    assert np.allclose(out[0], [np.cos(0.3), np.sin(0.3)])
    assert _angles(np.array([np.nan, 1.0, 0.0]), 1e-12, 1e-14, 0.3, out) == 0


def test_a_sum_of_squares_is_zero_where_its_sign_changes():
    out = np.empty((4, 2))
    rng = np.random.default_rng(3)
    grid = np.linspace(-np.pi, np.pi, 20001)
    for _ in range(300):
        forms, weights = rng.normal(size=(4, 3)), rng.normal(size=3)

        def total(angle, forms=forms, weights=weights):
            squares = sum(w * _form(f, angle) ** 2 for w, f in zip(weights, forms[:3], strict=True))
            return squares + _form(forms[3], angle)

        count = _squares(forms, weights, 0.0, out)
        angles = np.sort(np.arctan2(out[:count, 1], out[:count, 0]))
        assert np.abs(total(angles)).max(initial=0.0) < 1e-12
        values = total(grid)
        changes = grid[:-1][(values[:-1] < 0.0) != (values[1:] < 0.0)]
        assert len(changes) == count
        assert np.abs(angles - changes).max(initial=0.0) < 1e-3


def test_where_all_angles_are_roots_the_near_one_is_taken():
    out = np.empty((4, 2))
    # cos² + sin² − 1.
    forms = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    assert _squares(forms, np.array([1.0, 1.0, 0.0]), 0.7, out) == 1
    assert np.allclose(out[0], [np.cos(0.7), np.sin(0.7)])
