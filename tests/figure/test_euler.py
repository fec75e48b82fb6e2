from __future__ import annotations

from math import pi

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from manikin.errors import FigureError
from manikin.figure import Figure, Joint, transforms
from manikin.figure.euler import (
    euler_angles,
    euler_from_swing_twist,
    euler_rotation,
    euler_solutions,
    swing_twist,
    swing_twist_from_euler,
    swing_twist_rotation,
    swing_twist_solutions,
)

AXES = {
    "zxz": "zxz",
    "xyz": "xyz",
    "signed": ["-y", "x", "z"],
    "vectors": [(1, 0, 0), (0, 1, 1), (1, 0, 0)],
    "oblique": [(1, 0, 0), (0.3, 1, 0), (0, 0.2, 1)],
    "very oblique": [(1, 0.1, 0), (1, 1, 0), (0, 0.5, 1)],
}
NEAR_LOCKS = [0.0, 0.5 * pi, -0.5 * pi, pi]
OFFSETS = [0.0, 1e-16, 1e-13, 1e-10, 1e-8, 1e-5, 1e-2]


def apart(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.abs(first - second).max())


@pytest.mark.parametrize("letters", ["zxz", "xyz", "yxy", "zyx"])
def test_products_and_angles_are_those_of_scipy(letters):
    rng = np.random.default_rng(1)
    for _ in range(50):
        angles = rng.uniform(-pi, pi, 3)
        expected = Rotation.from_euler(letters.upper(), angles)
        assert apart(euler_rotation(letters, angles), expected.as_matrix()) < 1e-14
        theirs = expected.as_euler(letters.upper())
        found = euler_solutions(letters, expected.as_matrix(), near=theirs)
        assert apart(found[0], theirs) < 1e-9


@pytest.mark.parametrize("axes", AXES.values(), ids=AXES)
def test_both_families_give_the_rotation_back_in_and_near_every_lock(axes):
    rng = np.random.default_rng(2)
    angles = rng.uniform(-pi, pi, (300, 3))
    locks = [lock + sign * off for lock in NEAR_LOCKS for off in OFFSETS for sign in (-1, 1)]
    for k, lock in enumerate(locks):
        angles[k, 1] = lock
    for given in angles:
        rotation = euler_rotation(axes, given)
        found = euler_solutions(axes, rotation, near=given)
        assert 1 <= len(found) <= 2
        for solution in found:
            assert apart(euler_rotation(axes, solution), rotation) < 1e-12
        assert apart(found[0], given) < 1e-6  # a double root keeps half of its digits
        assert np.isfinite(euler_solutions(axes, rotation)).all()


def test_nothing_is_found_where_oblique_axes_cannot_go():
    axes = AXES["very oblique"]
    none = 0
    for rotation in Rotation.random(200, random_state=3).as_matrix():
        found = euler_solutions(axes, rotation)
        for solution in found:
            assert apart(euler_rotation(axes, solution), rotation) < 1e-12
        if not len(found):
            none += 1
            # Nor does a dense search over the middle angle bring the axes together.
            a1, a2, a3 = (np.array(a) / np.linalg.norm(a) for a in axes)
            reach = [a1 @ transforms.exp(t * a2) @ a3 for t in np.linspace(-pi, pi, 2001)]
            assert not min(reach) <= a1 @ rotation @ a3 <= max(reach)
    assert none > 20
    far = next(
        r for r in Rotation.random(200, random_state=3).as_matrix() if not len(euler_solutions(axes, r))
    )
    with pytest.raises(FigureError, match="cannot make this rotation"):
        euler_angles(axes, far)


def test_in_a_lock_the_nearest_of_all_is_chosen():
    near = np.array([0.3, 0.1, -0.5])
    rotation = euler_rotation("zxz", [1.0, 0.0, 0.4])
    first = euler_angles("zxz", rotation, near)
    assert apart(euler_rotation("zxz", first), rotation) < 1e-14
    scan = [np.array([t, 0.0, 1.4 - t]) for t in np.linspace(-4, 4, 8001)]
    best = min(scan, key=lambda angles: ((angles - near) ** 2).sum())
    assert apart(first, best) < 1e-3


@pytest.mark.parametrize("axis", ["z", "x", "-y", (1.0, 2.0, -0.5)])
def test_swing_and_twist_are_those_of_a_ball_joint(axis):
    figure = Figure("f", "ab", [Joint.ball("j", "a", "b", axis)])
    rng = np.random.default_rng(4)
    for values in rng.uniform(-2.0, 2.0, (50, 3)):
        rotation = figure.pose(values).matrix("b")[:3, :3]
        assert apart(swing_twist_rotation(values, axis), rotation) < 1e-14
        assert apart(swing_twist(rotation, axis, near=values), values) < 1e-13


@pytest.mark.parametrize(
    "size", [0.0, 1e-14, 1e-9, 1e-4, 1.0, 3.0, pi - 1e-9, pi - 1e-13, pi, pi + 1e-6, 5.0]
)
def test_every_swing_comes_back_by_both_ways_round(size):
    rng = np.random.default_rng(5)
    for _ in range(40):
        direction, twist = rng.uniform(-pi, pi), rng.uniform(-6.0, 6.0)
        values = np.array([size * np.cos(direction), size * np.sin(direction), twist])
        rotation = swing_twist_rotation(values)
        found = swing_twist_solutions(rotation, near=values)
        # Rounding of the rotation counts 1/|π − size| times in the direction of a swing right over.
        assert apart(found[0], values) < 1e-12 + 5e-15 / max(abs(pi - size), 1e-10)
        for solution in found:
            assert apart(swing_twist_rotation(solution), rotation) < 1e-12
        if len(found) == 2:
            lengths = np.hypot(*found[:, :2].T)
            assert lengths.sum() == pytest.approx(2.0 * pi)


def test_a_motion_converted_step_by_step_has_no_jumps():
    time = np.linspace(0.0, 1.0, 400)
    path = np.column_stack([0.9 * np.sin(7 * time), 0.8 * np.cos(5 * time), 9.0 * time])
    before = euler_from_swing_twist("zxy", path[0])
    back = path[0]
    for values in path[1:]:
        angles = euler_from_swing_twist("zxy", values, near=before)
        assert apart(angles, before) < 0.15
        back = swing_twist_from_euler("zxy", angles, near=back)
        assert apart(back, values) < 1e-12
        before = angles


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: euler_rotation("zz", [0, 0, 0]), "expected three axes"),
        (lambda: euler_rotation("zzx", [0, 0, 0]), "axes 1 and 2 of 'zzx' are parallel"),
        (lambda: euler_rotation("zxw", [0, 0, 0]), "cannot read the axis 'w'"),
        (lambda: euler_rotation("zxz", [0, 0]), "angles: expected shape"),
        (lambda: euler_angles("zxz", np.eye(4)), "rotation: expected shape"),
        (lambda: euler_angles("zxz", 2.0 * np.eye(3)), "not a rotation matrix"),
        (lambda: swing_twist(np.eye(3), (0, 0, 0)), "the axis is zero"),
        (lambda: swing_twist_rotation([0, np.nan, 0]), "finite"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(call, message):
    with pytest.raises(FigureError, match=message):
        call()
