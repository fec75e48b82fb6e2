from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from manikin.papers.inverse import damped_step, damping_curve, is_general_inverse, pseudo_inverse

seeds = st.integers(0, 2**32 - 1)


def matrix(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    m, n, k = rng.integers(1, 7, 3)
    return rng.normal(size=(m, k)) @ rng.normal(size=(k, n))


@given(seeds)
def test_the_pseudo_inverse_satisfies_the_four_conditions_of_moore_and_penrose(seed):
    A = matrix(seed)
    G = pseudo_inverse(A)
    assert is_general_inverse(G, A)
    np.testing.assert_allclose(G @ A @ G, G, atol=1e-6 * (1 + np.abs(G).max()))
    np.testing.assert_allclose((A @ G).T, A @ G, atol=1e-6)
    np.testing.assert_allclose((G @ A).T, G @ A, atol=1e-6)


def test_what_is_only_rounding_beside_the_scale_has_no_inverse():
    assert not pseudo_inverse(np.full((2, 3), 1e-17), scale=1.0).any()


@given(seeds, st.floats(1e-3, 10.0))
def test_the_damped_step_is_the_formula_of_7_1(seed, damping):
    J = matrix(seed)
    dX = np.random.default_rng(seed).normal(size=len(J))
    direct = np.linalg.solve(J.T @ J + damping**2 * np.eye(J.shape[1]), J.T @ dX)
    np.testing.assert_allclose(damped_step(J, dX, damping), direct, atol=1e-7 * (1 + np.abs(direct).max()))


@given(seeds)
def test_condition_and_residual_against_damping_are_those_of_the_matrices(seed):
    J = matrix(seed)
    m, n = J.shape
    dX = np.random.default_rng(seed).normal(size=m)
    curve = damping_curve(J, dX, [0.1, 0.25, 1.5, 10.0])
    for damping, condition, residual in zip(curve.damping, curve.condition, curve.residual, strict=True):
        normal = J.T @ J + damping**2 * np.eye(n)
        assert condition == pytest.approx(np.linalg.cond(normal), rel=1e-6)
        assert residual == pytest.approx(np.linalg.norm(dX - J @ np.linalg.solve(normal, J.T @ dX)), rel=1e-6)
    assert (np.diff(curve.condition) <= 1e-9).all() and (np.diff(curve.residual) >= -1e-9).all()
