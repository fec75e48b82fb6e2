from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.figure import rotations
from manikin.figure.euler import swing_twist_rotation
from manikin.figure.motions import align, parse_axis
from manikin.formats.contents import Notes
from manikin.formats.posed import evened

ORDERS = ["".join(order) for order in permutations("xyz")]


def walk(count=400, step=0.3, seed=0):
    """Rotations that wander over the whole sphere in small steps."""
    steps = Rotation.from_rotvec(step * np.random.default_rng(seed).normal(size=(count, 3)))
    found, turn = [], Rotation.identity()
    for part in steps:
        turn = part * turn
        found.append(turn.as_matrix())
    return np.array(found)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_make_the_rotations_they_came_from(order):
    matrices = walk()
    angles = rotations.to_euler(order, matrices)
    np.testing.assert_allclose(rotations.from_euler(order, angles), matrices, atol=1e-12)
    theirs = Rotation.from_euler(order.upper(), angles).as_matrix()
    np.testing.assert_allclose(theirs, matrices, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_go_on_without_jumps(order):
    t = np.linspace(0.0, 20.0, 2001)
    # far from the gimbal lock, through many whole turns
    smooth = np.stack([2.0 * t, 0.8 * np.sin(t), -1.5 * t], axis=1)
    np.testing.assert_allclose(
        rotations.to_euler(order, rotations.from_euler(order, smooth)), smooth, atol=1e-9
    )


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_in_the_gimbal_lock_the_rotation_is_still_made(order, sign):
    angles = np.array(
        [[0.3, 0.2, -0.4], [0.5, sign * np.pi / 2, 0.9], [0.6, sign * np.pi / 2, -2.0], [0.7, 0.1, 0.2]]
    )
    matrices = rotations.from_euler(order, angles)
    found = rotations.to_euler(order, matrices)
    np.testing.assert_allclose(rotations.from_euler(order, found), matrices, atol=1e-9)


def test_quaternions_and_vectors_are_those_of_scipy():
    matrices = np.concatenate([walk(seed=1), np.eye(3)[None], np.diag([1.0, -1.0, -1.0])[None]])
    q = rotations.quaternions(matrices)
    assert (np.einsum("ij,ij->i", q[1:-2], q[:-3]) > 0.0).all()  # neighbours are on one side
    np.testing.assert_allclose(Rotation.from_quat(q).as_matrix(), matrices, atol=1e-12)
    np.testing.assert_allclose(rotations.from_quaternions(3.0 * q), matrices, atol=1e-12)
    vectors = rotations.to_vectors(matrices)
    np.testing.assert_allclose(rotations.from_vectors(vectors), matrices, atol=1e-12)
    theirs = Rotation.from_matrix(matrices).as_rotvec()
    same = np.minimum(np.abs(vectors - theirs).max(axis=1), np.abs(vectors + theirs).max(axis=1))
    assert same.max() < 1e-7 and np.linalg.norm(vectors, axis=1).max() <= np.pi + 1e-12


@pytest.mark.parametrize("axis", ["x", "y", "z", "1,2,3"])
def test_swing_and_twist_are_a_ball_joints(axis):
    turn = align(parse_axis(axis, "test"))[0]
    matrices = walk(seed=2)
    values = rotations.to_swing_twist(matrices, turn)
    np.testing.assert_allclose(rotations.from_swing_twist(values, turn), matrices, atol=1e-11)
    for k in range(0, 400, 40):
        np.testing.assert_allclose(swing_twist_rotation(values[k], axis), matrices[k], atol=1e-11)
    assert np.abs(np.diff(values[:, 2])).max() <= np.pi + 1e-9


def test_other_rates_are_taken_from_the_motions_curve():
    figure = mk.Figure("f", ["a", "b"], [mk.Joint("j", "a", "b", "R(z)", lower=-5, upper=5)])
    clip = mk.Motion(figure, [0.0, 0.3, 0.4, 1.5], [[0.0], [1.0], [-0.5], [2.0]])
    notes = Notes()
    q, step = evened(clip, notes, "BVH", 10.0)
    assert (len(q), step) == (16, pytest.approx(0.1)) and len(list(notes)) == 1
    np.testing.assert_allclose(q, clip.values(np.arange(16) * 0.1), atol=1e-12)
    assert np.abs(q[:, 0] - np.interp(np.arange(16) * 0.1, clip.times, clip.q[:, 0])).max() > 0.01
