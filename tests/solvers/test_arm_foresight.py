"""Following a path that is known: the least greatest step, and flips interpolated."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.arms import draw, iiwa, miss, outlasts, random_limb, touching_eight

import manikin as mk
from manikin.closed_form.arm_foresight import interpolated

START = np.array([0.1, 0.6, 0.1, 1.2, 0.2, 0.8, 0.3])


def _steps(rows: np.ndarray, start: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.diff(np.vstack([start, rows]), axis=0), axis=1)


def _check_eight(ends: dict[str, tuple[float, float]], count: int, swivels: int) -> None:
    arm = mk.Arm(iiwa(**ends), ("A1", "A4", "A7"), site="tool")
    targets = touching_eight(arm, START, count)
    tracker = mk.ArmTracker(arm, START)
    stream, _ = tracker.follow(targets)
    tracker.restart(START)
    rows, statuses = tracker.foresee(targets)
    assert not statuses.any()
    assert ((rows >= arm.lower) & (rows <= arm.upper)).all()
    assert max(miss(arm, row, target) for row, target in zip(rows, targets, strict=True)) < 1e-10
    # The stretched pose is on the way.
    assert np.abs(rows[:, 3]).min() < 0.02
    greatest = _steps(rows, START).max()
    assert greatest <= _steps(stream, START).max() * (1.0 + 1e-9)
    # A scan has no way with steps 1.1 times shorter, and one with steps as much longer as its cells are wide.
    assert not outlasts(arm, targets, START, greatest / 1.1, swivels)
    assert outlasts(arm, targets, START, greatest + 4.0 * 2 * np.pi / swivels, swivels)


@pytest.mark.parametrize("ends", [{}, {"A3": (-0.1, 0.15)}])
def test_the_greatest_step_is_that_of_dynamic_programming_over_a_scan(ends):
    _check_eight(ends, 500, 720)


@pytest.mark.long
@pytest.mark.parametrize(("count", "swivels"), [(2000, 4000), (10_000, 2000)])
@pytest.mark.parametrize("ends", [{}, {"A3": (-0.1, 0.15)}, {"A5": (-0.05, 0.4)}])
def test_the_greatest_of_many_steps_is_that_of_dynamic_programming_over_a_scan(ends, count, swivels):
    _check_eight(ends, count, swivels)


@pytest.mark.parametrize("ball", [(True, False), (False, True)])
def test_random_limbs_with_ball_joints_are_followed_with_no_longer_steps_than_a_stream(ball):
    rng = np.random.default_rng(40)
    for _ in range(2):
        arm = mk.Arm(random_limb(rng, ball=ball), None, site="tip")
        start = draw(arm, rng)
        way = np.linspace(0.0, 1.0, 30)[:, None] * (draw(arm, rng) - start) * 0.3 + start
        targets = np.array([arm.pose(q).matrix("tip") for q in way])
        stream, _ = mk.ArmTracker(arm, start).follow(targets)
        rows, statuses = mk.ArmTracker(arm, start).foresee(targets)
        assert not statuses.any()
        assert max(miss(arm, row, target) for row, target in zip(rows, targets, strict=True)) < 1e-10
        assert _steps(rows, start).max() <= _steps(stream, start).max() * (1.0 + 1e-6)


def test_angles_of_more_than_a_turn_go_on_over_pi():
    arm = mk.Arm(iiwa(A1=(-9.0, 9.0)), ("A1", "A4", "A7"), site="tool")
    turn = np.linspace(0.0, 7.0, 200)
    way = np.tile(START, (200, 1))
    way[:, 0] = turn
    targets = np.array([arm.pose(q).matrix("tool") for q in way])
    rows = arm.track(targets, way[0])
    assert np.abs(np.diff(rows, axis=0)).max() < 0.06
    assert rows[:, 0].max() > np.pi + 0.5
    assert max(miss(arm, row, target) for row, target in zip(rows, targets, strict=True)) < 1e-10


def test_a_gap_without_solutions_is_bridged_as_a_stream_does():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    targets = touching_eight(arm, START, 60)[:20]
    targets[8:12, :3, :3] = targets[8:12, :3, :3] @ np.diag([1.0, -1.0, -1.0])
    assert not arm.check(targets[9])
    rows, statuses = mk.ArmTracker(arm, START).foresee(targets)
    assert (statuses[8:12] == 2).all() and not statuses[:8].any() and not statuses[12:].any()
    for row, target, status in zip(rows, targets, statuses, strict=True):
        now = arm.pose(row).matrix("tool")
        assert np.abs((now - target)[:3, 3]).max() < 1e-10
        assert status or miss(arm, row, target) < 1e-10


def test_a_flip_is_interpolated_within_the_speed_and_what_is_slow_enough_stays():
    rng = np.random.default_rng(41)
    rows = np.cumsum(rng.uniform(-0.01, 0.01, (200, 7)), axis=0)
    rows[90:] += rng.uniform(-2.0, 2.0, 7)
    start = rows[0]
    slow, moved = interpolated(start, rows, 0.1)
    assert np.abs(np.diff(np.vstack([start, slow]), axis=0)).max() <= 0.1 * (1.0 + 1e-6)
    assert moved.any() and np.array_equal(slow[~moved], rows[~moved])
    jump = np.abs(rows[90] - rows[89]).max()
    assert moved.sum() <= 1.4 * jump / 0.1 + 3
    # The middle of the way is at the flip.
    assert abs(np.flatnonzero(moved).mean() - 89.5) < 4


def test_times_make_a_speed_and_an_end_too_near_is_not_reached():
    times = np.cumsum(np.full(50, 0.02))
    rows = np.zeros((50, 7))
    rows[45:, 2] = 1.0
    slow, _ = interpolated(rows[0], rows, 2.0, times)
    assert np.abs(np.diff(slow, axis=0)).max() <= 2.0 * 0.02 * (1.0 + 1e-6)
    assert slow[-1, 2] == pytest.approx(1.0)
    slow, moved = interpolated(rows[0], rows, 0.5, times)
    assert slow[-1, 2] == pytest.approx(0.5 * (times[-1] - times[0])) and moved[-1]
    for times_or_speed in ((2.0, times[::-1]), (0.0, None), (1.0, times[:3])):
        with pytest.raises(mk.SolveError, match="arm: "):
            interpolated(rows[0], rows, *times_or_speed)


def test_a_stream_with_a_greatest_step_catches_up_after_a_flip():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    other = START + np.array([0.5, -0.4, 0.3, 0.3, -0.6, 0.2, 0.4])
    target = arm.pose(other).matrix("tool")
    tracker = mk.ArmTracker(arm, START, step=0.05)
    last, seen = START, []
    for _ in range(60):
        now = tracker.step(target).copy()
        assert np.abs(now - last).max() <= 0.05 + 1e-12
        seen.append(tracker.interpolating)
        last = now
    assert seen[0] and not seen[-1]
    assert miss(arm, last, target) < 1e-10
    rows, _ = mk.ArmTracker(arm, START, step=0.05).follow(np.repeat(target[None], 60, axis=0))
    assert np.allclose(rows[-1], last, rtol=0, atol=1e-12)
    with pytest.raises(mk.SolveError, match="greatest step"):
        mk.ArmTracker(arm, START, step=0.0)


def test_a_leg_of_six_angles_follows_a_step():
    arm = mk.Arm(mk.human(), "right_leg")
    start = np.array([0.0, 0.3, 0.0, 0.5, -0.1, 0.05])
    u = np.linspace(0.0, 2 * np.pi, 200)
    targets = np.tile(arm.pose(start).matrix(arm.site), (200, 1, 1))
    targets[:, 0, 3] += 0.1 * np.sin(u)
    targets[:, 2, 3] += 0.03 * (1.0 - np.cos(u))
    stream, met = mk.ArmTracker(arm, start).follow(targets)
    rows, statuses = mk.ArmTracker(arm, start).foresee(targets)
    assert not statuses.any() and not met.any() and rows.shape == (200, 6)
    assert np.allclose(rows, stream, rtol=0, atol=1e-9)
    assert max(miss(arm, row, target) for row, target in zip(rows, targets, strict=True)) < 1e-10
