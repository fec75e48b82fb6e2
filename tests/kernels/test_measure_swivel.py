"""The swivel as a measure: against the closed form's own, and differences."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure import Figure, Joint

from .measured import gradient, jacobian, measured, random_poses, slope_error, values

SITES = ("right_shoulder", "right_elbow", "right_wrist")


def seven() -> Figure:
    """A limb of seven hinges whose joints' centres lie in one plane."""
    joints = [
        Joint("s", "o", "a", "R(z)*R(y)*R(x)", [0.1, 0.2, 1.0]),
        Joint("e", "a", "b", "R(y)", [0.3, 0, 0]),
        Joint("w", "b", "c", "R(x)*R(y)*R(z)", [0.25, 0, 0]),
    ]
    return Figure("arm", "oabc", joints)


def test_it_is_the_angle_of_the_closed_form():
    figure = seven()
    arm = mk.Arm(figure, ("s", "e", "w"))
    m = measured(figure, mk.Swivel(arm, (-3.2, 3.0)))
    for q in np.random.default_rng(0).uniform(-1.2, 1.2, (50, 7)):
        apart = values(m, q)[0] - arm.swivel(q)
        assert np.sin(apart) == pytest.approx(0.0, abs=1e-9) and np.cos(apart) > 0.0


def test_it_is_zero_where_the_elbow_hangs_lowest():
    body = mk.human()
    pose = body.pose({"right_elbow": 1.0})
    m = measured(body, mk.Swivel(SITES, 0.0))
    for q in random_poses(body, 20, seed=1):
        s, e, w = (body.pose(q).position(name) for name in SITES)
        n = (w - s) / np.linalg.norm(w - s)
        down = np.array([0, 0, -1.0]) + n[2] * n
        x = e - s - ((e - s) @ n) * n
        phi = np.arctan2(x @ np.cross(n, down), x @ down)
        apart = values(m, q)[0] - phi
        assert np.sin(apart) == pytest.approx(0.0, abs=1e-9) and np.cos(apart) > 0.0
    assert np.isfinite(values(m, pose.q)).all()


@pytest.mark.parametrize("limb", ["sites", "arm"])
def test_slopes_agree_with_differences(limb):
    check_slopes(limb, 100)


@pytest.mark.long
@pytest.mark.parametrize("limb", ["sites", "arm"])
def test_slopes_agree_with_differences_at_1000_poses(limb):
    check_slopes(limb, 1000)


def check_slopes(limb, count):
    body = mk.human()
    m = measured(body, mk.Swivel(SITES if limb == "sites" else mk.Arm(body, "right"), (0.2, 0.6)))
    rng = np.random.default_rng(2)
    worst = np.sort([slope_error(m, q, rng) for q in random_poses(body, count, seed=3)])
    # Where the limb is nearly straight the angle turns faster than differences can follow.
    assert worst[: -count // 50].max() < 1e-6 and np.median(worst) < 1e-9
    q = random_poses(body, 1)[0]
    assert np.abs(gradient(m, q, np.ones(1)) - jacobian(m, q)[0]).max() < 1e-11


def test_the_angle_is_taken_as_near_to_the_range_as_full_turns_allow():
    body = mk.human()
    for middle in (-3.0, 0.0, 3.0):
        m = measured(body, mk.Swivel(SITES, (middle - 0.1, middle + 0.1)))
        for q in random_poses(body, 20, seed=4):
            assert abs(values(m, q)[0] - middle) <= np.pi + 1e-12


def test_a_stretched_limb_meets_it_and_has_no_slope():
    figure = seven()
    m = measured(figure, mk.Swivel(mk.Arm(figure, ("s", "e", "w")), 1.0))
    q = np.zeros(7)
    assert values(m, q) == pytest.approx([1.0]) and not jacobian(m, q).any()
    assert m.misses() == pytest.approx([0.0])
    q[3] = 0.7  # bent, and pointing straight down
    q[1] = np.pi / 2 - 0.5 * 0.7 * 0.25 / 0.275
    assert np.isfinite(values(m, q)).all() and np.isfinite(jacobian(m, q)).all()
