from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.spatial.transform import Rotation

from manikin.figure import transforms

angles = st.floats(-1.8, 1.8)
vectors = st.tuples(angles, angles, angles).map(np.array)


@given(vectors)
def test_exp_agrees_with_scipy(w):
    assert np.abs(transforms.exp(w) - Rotation.from_rotvec(w).as_matrix()).max() < 1e-14


@given(vectors)
def test_log_undoes_exp(w):
    back = transforms.log(transforms.exp(w))
    assert np.linalg.norm(back) <= np.pi + 1e-12
    assert np.abs(transforms.exp(back) - transforms.exp(w)).max() < 1e-13


@pytest.mark.parametrize("axis", [*np.eye(3), *-np.eye(3), np.array([0.6, -0.64, 0.48])])
@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1e-4, 1.0, np.pi - 1e-9, np.pi])
def test_log_is_accurate_near_zero_and_near_pi(axis, angle):
    back = transforms.log(transforms.exp(angle * axis))
    assert np.abs(transforms.exp(back) - transforms.exp(angle * axis)).max() < 1e-14
    assert abs(np.linalg.norm(back) - angle) < 1e-14


@given(vectors)
def test_the_left_jacobian_is_the_angular_velocity_of_exp(w):
    jacobian = transforms.left_jacobian(w)
    step = 1e-6
    for k in range(3):
        move = np.zeros(3)
        move[k] = step
        turned = transforms.exp(w + move) @ transforms.exp(w - move).T
        assert np.abs(transforms.log(turned) / (2 * step) - jacobian[:, k]).max() < 1e-8


def test_the_left_jacobian_has_no_step_where_its_series_ends():
    below, above = (transforms.left_jacobian([angle, 0.0, 0.0]) for angle in (0.05 - 1e-15, 0.05))
    assert np.abs(below - above).max() < 1e-14


@given(vectors.filter(lambda v: np.linalg.norm(v) > 1e-3))
def test_a_basis_takes_z_to_the_axis(v):
    axis = v / np.linalg.norm(v)
    basis = transforms.basis(axis)
    assert np.abs(basis[:, 2] - axis).max() == 0.0
    assert np.abs(basis @ basis.T - np.eye(3)).max() < 1e-14
    assert np.linalg.det(basis) > 0.0


@given(vectors, vectors)
def test_inverse_and_packing_round_trip(w, p):
    transform = transforms.rotation(transforms.exp(w))
    transform[:3, 3] = p
    assert np.abs(transforms.inverse(transform) @ transform - np.eye(4)).max() < 1e-14
    assert np.array_equal(transforms.unpack(transforms.pack(transform)), transform)
