"""Limbs that follow fast paths within ranges, speed and acceleration."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.solvers.arms import miss
from tests.solvers.limited_paths import (
    LIMBS,
    can_pass,
    draw,
    excess,
    known_flips,
    least_count,
    limb,
    limits,
    moving_flips,
    random_path,
    steady,
)

import manikin as mk
from manikin.closed_form.least_time import braking, even_steps
from manikin.closed_form.limited_follower import LimitedFollower, standing


def _follow_fast_paths(name: str, count: int, seed: int) -> None:
    arm, passed, waited, total = limb(name), 0, 0, 0
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        start, targets = random_path(arm, rng)
        speed, acceleration = limits(rng)
        tracker = mk.ArmTracker(arm, start, step=speed, acceleration=acceleration)
        rows, statuses = tracker.follow(targets)
        assert excess(arm, start, rows, speed, acceleration) <= 1e-9
        waited += int((statuses >= 16).sum())
        total += len(targets)
        there = (statuses == 0) | (statuses == 1)
        for row, target in zip(rows[there][::10], targets[there][::10], strict=True):
            assert miss(arm, row, target) < 1e-9
        passed += bool((statuses >= 8).any())
    assert passed > 0.5 * count
    # Beside a coupling the last plan may be the only one that stays inside, for a sample or two.
    assert waited <= 1e-4 * total


def _follow_known_paths(name: str, count: int, seed: int) -> None:
    arm, moved = limb(name), 0
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        start, targets = random_path(arm, rng)
        speed, acceleration = limits(rng)
        try:
            rows = arm.track(targets, start, speed=speed, acceleration=acceleration)
        except mk.SolveError as refused:
            assert "the path as a whole is too fast" in str(refused)
            continue
        assert excess(arm, start, rows, speed, acceleration, from_rest=False) <= 1e-9
        moved += 1
    assert moved > 0.5 * count


@pytest.mark.parametrize("name", LIMBS)
def test_fast_paths_leave_no_range_and_no_limit(name):
    _follow_fast_paths(name, 12, 100)


@pytest.mark.long
@pytest.mark.parametrize("name", LIMBS)
def test_a_thousand_fast_paths_leave_no_range_and_no_limit(name):
    _follow_fast_paths(name, 1000, 101)


@pytest.mark.parametrize("name", LIMBS)
def test_known_fast_paths_leave_no_range_and_no_limit(name):
    _follow_known_paths(name, 8, 102)


@pytest.mark.long
@pytest.mark.parametrize("name", LIMBS)
def test_two_hundred_known_fast_paths_leave_no_range_and_no_limit(name):
    _follow_known_paths(name, 200, 103)


@pytest.mark.parametrize("name", LIMBS)
def test_a_flip_is_passed_in_the_least_time_that_linear_programming_finds(name):
    arm = limb(name)
    for k in range(10):
        rng = np.random.default_rng([104, k])
        start, other = draw(arm, rng, 0.05), draw(arm, rng, 0.0)
        speed, acceleration = limits(rng)
        follower = mk.ArmTracker(arm, start, step=speed, acceleration=acceleration)._follower
        assert follower is not None
        # A steady motion, which then jumps.
        way = np.clip(draw(arm, rng, 0.05) - start, -0.5 * acceleration, 0.5 * acceleration)
        for i in range(10):
            goal = start + (i + 1.0) * way
            x = follower.step(goal, partial(steady, goal, way))
        if follower.passing:
            continue
        begin, taken = (x.copy(), way), 0
        while not np.array_equal(x, other):
            x = follower.step(other, partial(standing, other))
            taken += 1
            assert taken < 1000
        least = least_count(arm, begin, (other, np.zeros(7)), taken, speed, acceleration)
        assert taken <= max(1.1 * least, least + 1)


@pytest.mark.parametrize("name", LIMBS)
def test_a_flip_to_a_target_that_goes_on_takes_little_more_than_the_least_time(name):
    arm, taken = limb(name), {"goes on": [], "from the corner": [], "corner": []}
    for k in range(12):
        for kind, samples, least in moving_flips(arm, np.random.default_rng([109, k])):
            assert samples >= least
            taken[kind].append(samples <= max(1.1 * least, least + 1))
    foreseeable = taken["goes on"] + taken["from the corner"]
    assert len(foreseeable) > 10 and np.mean(foreseeable) >= 0.9


@pytest.mark.parametrize("name", LIMBS)
def test_no_shorter_window_leaves_a_known_path(name):
    arm, found = limb(name), []
    for k in range(20):
        found += known_flips(arm, np.random.default_rng([110, k]))
    assert len(found) > 3 and not any(better for _, better in found)


@pytest.mark.parametrize("name", ["paper", "iiwa"])
def test_a_known_flip_leaves_the_path_for_no_longer_than_it_must(name):
    arm, rng = limb(name), np.random.default_rng(105)
    speed, acceleration = 0.06, 0.006
    one, two = draw(arm, rng, 0.2), draw(arm, rng, 0.2)
    rows = np.concatenate([np.tile(one, (100, 1)), np.tile(two, (100, 1))])
    rows += np.clip(np.sin(np.arange(200) / 20.0), -1.0, 1.0)[:, None] * 0.1
    from manikin.closed_form.joint_region import JointRegion
    from manikin.closed_form.known_path import KnownPath

    found = KnownPath(rows, np.arange(200.0), speed, acceleration, JointRegion(arm._spec)).within_limits()
    assert found is not None
    assert excess(arm, rows[0], found[1:], speed, acceleration, from_rest=False) <= 1e-9
    moved = np.flatnonzero(np.abs(found - rows).max(axis=1) > 1e-12)
    low, high = moved[0] - 1, moved[-1] + 1
    steps = np.diff(rows, axis=0)
    shorter = high - low - 1
    for at in range(low, high - shorter + 1):
        begin, end = (rows[at], steps[at - 1]), (rows[at + shorter], steps[at + shorter])
        assert not can_pass(arm, begin, end, shorter, speed, acceleration)


def test_times_apart_by_different_amounts_keep_speed_and_acceleration():
    arm, rng = limb("iiwa"), np.random.default_rng(106)
    start, targets = random_path(arm, rng, 3.0)
    times = np.cumsum(rng.uniform(0.01, 0.03, len(targets)))
    rows = arm.track(targets, start, speed=4.0, acceleration=20.0, times=times)
    speeds = np.diff(rows, axis=0) / np.diff(times)[:, None]
    middle = 0.5 * (times[1:] + times[:-1])
    assert np.abs(speeds).max() <= 4.0 + 1e-9
    assert (np.abs(np.diff(speeds, axis=0)) / np.diff(middle)[:, None]).max() <= 20.0 + 1e-8
    assert ((rows >= arm.lower) & (rows <= arm.upper)).all()


def test_a_way_of_given_length_exists_where_linear_programming_has_one():
    arm, rng = limb("paper"), np.random.default_rng(107)
    found = 0
    for _ in range(60):
        speed, acceleration = limits(rng)
        x0, x1 = draw(arm, rng, 0.3), draw(arm, rng, 0.3)
        v0, v1 = rng.uniform(-0.3, 0.3, (2, 7)) * speed
        count = int(rng.integers(1, 60))
        s, a = np.full(7, speed), np.full(7, acceleration)
        steps = even_steps(x1 - x0, v0, v1, count, s, a)
        inside = steps is not None
        if steps is not None:
            path = x0 + np.cumsum(steps, axis=0)
            assert np.abs(path[-1] - x1).max() < 1e-12
            assert np.abs(steps).max() <= speed * (1 + 1e-9)
            assert np.abs(np.diff(np.vstack([v0, steps, v1]), axis=0)).max() <= acceleration * (1 + 1e-9)
            inside = bool(((path >= arm.lower - 1e-9) & (path <= arm.upper + 1e-9)).all())
            found += inside
        assert inside == can_pass(arm, (x0, v0), (x1, v1), count, speed, acceleration)
    assert 5 < found < 55


def test_joints_brake_in_as_few_samples_as_their_acceleration_allows():
    steps = braking(np.array([0.1, -0.05, 0.0]), np.array([0.03, 0.05, 0.01]))
    assert np.allclose(steps, [[0.07, 0, 0], [0.04, 0, 0], [0.01, 0, 0], [0, 0, 0]])
    assert braking(np.array([0.1]), np.array([np.inf])).shape == (0, 1)
    assert braking(np.zeros(3), np.full(3, 0.1)).shape == (0, 3)


class _Wall:
    """A region in two parts, with a wall between them that no way leads around."""

    lower, upper = np.full(2, -1.0), np.full(2, 1.0)

    def holds(self, path: np.ndarray) -> bool:
        return bool((np.abs(path) <= 1.0).all() and not (np.abs(path[:, 0] - 0.5) < 0.05).any())

    def inward(self, _path: np.ndarray) -> None:
        return None


def test_a_follower_that_has_no_way_waits_inside_and_says_so():
    follower = LimitedFollower(np.zeros(2), 0.08, 0.02, _Wall())  # type: ignore[arg-type]
    path = [np.zeros(2)]
    for k in range(30):
        goal, way = np.array([0.03 * min(k, 12), 0.0]), np.array([0.03 * (k < 12), 0.0])
        path.append(follower.step(goal, partial(steady, goal, way)).copy())
    assert not follower.waiting and not follower.passing
    for _ in range(20):
        path.append(follower.step(np.array([0.9, 0.3]), partial(standing, np.array([0.9, 0.3]))).copy())
        assert follower.waiting and follower.passing
    assert np.array_equal(path[-1], path[-2])
    for _ in range(20):
        path.append(follower.step(np.array([0.1, 0.3]), partial(standing, np.array([0.1, 0.3]))).copy())
    assert not follower.waiting and np.array_equal(path[-1], [0.1, 0.3])
    steps = np.diff(np.vstack([path[0], *path]), axis=0)
    assert np.abs(steps).max() <= 0.08 + 1e-12 and np.abs(np.diff(steps, axis=0)).max() <= 0.02 + 1e-12
    assert _Wall().holds(np.array(path))


def test_the_numbers_of_a_stream_tell_which_samples_were_on_their_way():
    arm, rng = limb("iiwa"), np.random.default_rng(108)
    start, other = draw(arm, rng, 0.2), draw(arm, rng, 0.2)
    tracker = mk.ArmTracker(arm, start, step=0.1)
    targets = np.repeat(arm.pose(other).matrix("tool")[None], 100, axis=0)
    rows, statuses = tracker.follow(targets)
    on_way = statuses >= 8
    assert on_way[0] and not on_way[-1] and not tracker.interpolating and not tracker.waiting
    assert miss(arm, rows[-1], targets[-1]) < 1e-10
    assert miss(arm, rows[0], targets[0]) > 1e-3


def test_a_limited_tracker_does_not_start_outside_the_ranges():
    arm = limb("iiwa")
    beyond = arm.upper + 0.1
    with pytest.raises(mk.SolveError, match="the start must be within the limits"):
        mk.ArmTracker(arm, beyond, step=0.1)
    tracker = mk.ArmTracker(arm, np.zeros(7), acceleration=0.1)
    with pytest.raises(mk.SolveError, match="the start must be within the limits"):
        tracker.restart(beyond)
