"""Between the keys: C², inside the limits, rotations without detours."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_interp_spline
from tests.motion.samples import HUMAN, ball_arm, excess, planar_arm, random_keys

import manikin as mk
from manikin.motion import quaternions as quat


def both_sides(motion, order):
    """A derivative at the inner keys from the left and from the right, as single pieces give them."""
    curve, inner = motion._curve, np.arange(1, len(motion) - 1)
    left = curve._pieces.value(inner - 1, np.ones(len(inner)), order)
    right = curve._pieces.value(inner, np.zeros(len(inner)), order)
    for _, sphere in curve._spheres:
        left = np.hstack([left, sphere.series(inner - 1, np.ones(len(inner)))[order]])
        right = np.hstack([right, sphere.series(inner, np.zeros(len(inner)))[order]])
    return left, right


@pytest.mark.parametrize("spline", ["cubic", "quintic"])
@pytest.mark.parametrize("ends", ["natural", "clamped"])
def test_second_derivatives_are_continuous_to_1e_9_of_their_size(spline, ends):
    rng = np.random.default_rng(3)
    for figure in (HUMAN, ball_arm()):
        keys = random_keys(figure, rng, 7)
        motion = mk.Motion(figure, np.cumsum(rng.uniform(0.02, 1.0, 7)), keys, spline=spline, ends=ends)
        for order in (0, 1, 2):
            left, right = both_sides(motion, order)
            size = np.abs(np.concatenate([left, right])).max(axis=0)
            assert (np.abs(left - right) <= 1e-9 * np.maximum(size, 1e-6)).all()


@pytest.mark.long
def test_limits_hold_at_a_thousand_points_between_the_keys_of_200_random_key_sets_of_the_human():
    assert worst_excess(np.random.default_rng(11), 200, 1000) < 1e-12


def test_limits_hold_between_the_keys_of_random_key_sets_of_the_human():
    assert worst_excess(np.random.default_rng(12), 12, 200) < 1e-12


def worst_excess(rng, sets, points):
    """How far curves through random keys leave the human's limits between them, at most."""
    worst = -np.inf
    for number in range(sets):
        count = int(rng.integers(2, 9))
        times = np.cumsum(rng.uniform(0.05, 1.0, count))
        keys = random_keys(HUMAN, rng, count)
        spline, ends = ("cubic", "quintic")[number % 2], ("natural", "clamped")[number // 2 % 2]
        motion = mk.Motion(HUMAN, times, keys, spline=spline, ends=ends)
        between = np.concatenate([a + (b - a) * np.arange(1, points) / points for a, b in pairwise(times)])
        worst = max(worst, excess(HUMAN, motion.values(between)))
    return worst


def test_a_cone_off_centre_holds_between_the_keys():
    figure, rng = ball_arm(), np.random.default_rng(4)
    for _ in range(20):
        motion = mk.Motion(figure, np.arange(5.0), random_keys(figure, rng, 5))
        values = motion.values(np.linspace(0.0, 4.0, 801))
        assert figure.cones[0].value(values).max() < 1.0 + 1e-9
        assert excess(planar_arm(), np.zeros(4)) < 0.0
        twist = values[:, figure.index("shoulder_twist")]
        assert twist.min() >= -1.0 and twist.max() <= 1.5


def test_a_rotation_vector_with_ranges_stays_in_them_between_the_keys():
    """The shorter way on the sphere of rotations led out of them, by up to 0.03 rad."""
    loose = mk.Joint("j", "a", "b", "free", lower=[-1, -1, -1, 0.2, 0.46, -2], upper=[1, 1, 1, 1.9, 0.46, 2])
    figure, rng = mk.Figure("loose", ["a", "b"], [loose]), np.random.default_rng(2)
    keys = rng.uniform(figure.lower, figure.upper, (20, figure.n))
    q = mk.Motion(figure, np.arange(20.0), keys).values(np.linspace(0.0, 19.0, 1000))
    assert (q >= figure.lower).all() and (q <= figure.upper).all()


def test_equality_couplings_hold_between_the_keys():
    figure = planar_arm().with_couplings("j0 + j1 = 0.4", "j2 <= j3")
    rng = np.random.default_rng(8)
    first = rng.uniform(-2.2, 2.2, 6)
    keys = np.stack([first, 0.4 - first, np.full(6, -1.0), rng.uniform(-1.0, 2.6, 6)], axis=1)
    keys[2, 3] = -1.0
    values = mk.Motion(figure, np.arange(6.0), keys).values(np.linspace(0.0, 5.0, 2001))
    assert np.abs(values[:, 0] + values[:, 1] - 0.4).max() < 1e-12
    assert (values[:, 3] - values[:, 2]).min() > -1e-12


def test_far_from_limits_the_curve_is_the_spline():
    figure, rng = planar_arm(), np.random.default_rng(0)
    times, keys = np.array([0.0, 0.4, 1.0, 1.3, 2.0, 2.2]), rng.uniform(-0.5, 0.5, (6, 4))
    at = np.linspace(0.0, 2.2, 301)
    cubic = CubicSpline(times, keys, bc_type="natural")
    motion = mk.Motion(figure, times, keys)
    for order in range(4):
        assert np.allclose(motion.values(at[:-1], order), cubic(at[:-1], order), atol=1e-7 * 10**order)
    zero = [(3, np.zeros(4)), (4, np.zeros(4))]
    quintic = make_interp_spline(times, keys, k=5, bc_type=(zero, zero))
    found = mk.Motion(figure, times, keys, spline="quintic").values(at)
    assert np.allclose(found, quintic(at), atol=1e-10)


def test_derivatives_are_those_of_the_values():
    figure, rng = ball_arm(), np.random.default_rng(9)
    motion = mk.Motion(figure, np.arange(5.0), random_keys(figure, rng, 5))
    at, h = np.linspace(0.1, 3.9, 38), 1e-4
    for order in (1, 2, 3):
        before, after = motion.values(at - h, order - 1), motion.values(at + h, order - 1)
        size = 1.0 + np.abs(motion.values(at, order))
        assert (np.abs((after - before) / (2 * h) - motion.values(at, order)) < 1e-4 * size).all()


def test_two_rotations_are_joined_by_the_straight_one():
    figure = ball_arm(limited=False)
    one, two = (
        figure.pose(),
        figure.pose({"root_rx": 2.0, "root_ry": -1.5, "root_rz": 1.0, "elbow_twist": 3.0}),
    )
    motion = mk.Motion.of([one, two], [0.0, 1.0])
    at = np.linspace(0.0, 1.0, 101)
    turned = quat.exp(motion.values(at)[:, 3:6])
    steps = np.linalg.norm(quat.log(quat.product(quat.conjugate(turned[:-1]), turned[1:])), axis=1)
    whole = np.linalg.norm(quat.log(quat.product(quat.conjugate(turned[0]), turned[-1])))
    assert steps.sum() == pytest.approx(whole, abs=1e-9) and np.ptp(steps) < 1e-9


def test_turns_go_the_shorter_way_through_half_a_turn():
    figure = ball_arm(limited=False)
    one = figure.pose({"spin": 3.0, "root_rz": 3.0})
    two = figure.pose({"spin": -3.0, "root_rz": -3.0})
    motion = mk.Motion.of([one, two], [0.0, 1.0])
    middle = motion.sample(0.5)
    assert abs(abs(middle.values()["spin"]) - np.pi) < 1e-9
    expected = figure.pose({"spin": np.pi, "root_rz": np.pi}).matrix("tip")
    assert np.allclose(middle.matrix("tip"), expected, atol=1e-9)


def test_a_curve_passes_through_its_keys():
    rng = np.random.default_rng(1)
    keys = random_keys(HUMAN, rng, 5)
    motion = mk.Motion(HUMAN, [0.0, 0.5, 1.5, 2.0, 4.0], keys)
    assert np.array_equal(motion.values(), keys)
    assert motion[2].q.tolist() == keys[2].tolist() and len(motion) == 5 and motion.duration == 4.0


def test_keys_outside_their_ranges_are_kept_and_nothing_goes_farther():
    figure = planar_arm()
    keys = np.array([[0.0] * 4, [3.0, 0, 0, 0], [0.0] * 4])
    values = mk.Motion(figure, [0.0, 1.0, 2.0], keys).values(np.linspace(0, 2, 501))
    assert values.max() == 3.0


@pytest.mark.parametrize("spline", ["cubic", "quintic"])
def test_a_periodic_motion_comes_round_c2(spline):
    figure = planar_arm()
    t = np.arange(13) / 12.0
    keys = np.stack([np.sin(2 * np.pi * t + k) for k in range(4)], axis=1)
    keys[-1] = keys[0]
    motion = mk.Motion(figure, t, keys, spline=spline, ends="periodic")
    for order in (0, 1, 2):
        assert np.allclose(motion.values(1e-13, order), motion.values(1.0 - 1e-13, order), atol=1e-6)
    assert np.allclose(motion.values(0.3), motion.values(7.3), atol=1e-12)
    with pytest.raises(mk.PoseError, match="ends where it began; 'j0'"):
        mk.Motion(figure, t, keys + t[:, None], ends="periodic")


@pytest.mark.parametrize(
    "times, values, message",
    [
        ([0.0, 0.0], np.zeros((2, 4)), "strictly increasing"),
        ([0.0, 1.0], np.zeros((2, 3)), "expected values of shape"),
        ([0.0, 1.0], [[0, 0, 0, 0], [0, np.nan, 0, 0]], "'j1' at 1 s must be finite"),
        ([0.0, 1.0], [[0, 0, 0, 0], [0, -1e16, 0, 0]], "'j1' at 1 s must be within ±1e\\+15, got -1e"),
        ([], np.zeros((0, 4)), "one or more"),
        ("ab", np.zeros((2, 4)), "must be numbers"),
    ],
)
def test_what_makes_no_motion_is_refused(times, values, message):
    with pytest.raises(mk.PoseError, match=message):
        mk.Motion(planar_arm(), times, values)


def test_times_beyond_the_motion_are_refused():
    motion = mk.Motion(planar_arm(), [0.0, 1.0], np.zeros((2, 4)))
    with pytest.raises(mk.PoseError, match=r"lasts from 0 to 1 s, asked for 1\.5"):
        motion.sample(1.5)
    with pytest.raises(mk.PoseError, match="derivative"):
        motion.values(0.5, 4)
    for options in ({"spline": "linear"}, {"ends": "open"}):
        with pytest.raises(mk.PoseError, match="expected one of"):
            mk.Motion(planar_arm(), [0.0, 1.0], np.zeros((2, 4)), **options)
