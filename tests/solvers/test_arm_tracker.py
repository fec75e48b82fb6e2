"""Following a moving target."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.arms import draw, iiwa, miss, random_limb

import manikin as mk

START = np.array([0.1, 0.6, 0.1, 1.2, 0.2, 0.8, 0.3])


def _eight(arm: mk.Arm, start: np.ndarray, count: int, size: float, lift: float = 0.0) -> np.ndarray:
    u = np.linspace(0.0, 2 * np.pi, count)
    targets = np.tile(arm.pose(start).matrix(arm.site), (count, 1, 1))
    targets[:, 1, 3] += size * np.sin(u)
    targets[:, 2, 3] += 0.5 * size * np.sin(2 * u) - lift
    return targets


def test_a_figure_of_eight_is_followed_with_the_least_steps():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    targets = _eight(arm, START, 1000, 0.2, 0.05)
    targets[:, 2, 3] += 0.05
    rows, statuses = mk.ArmTracker(arm, START).follow(targets)
    assert not statuses.any()
    assert max(miss(arm, row, target) for row, target in zip(rows, targets, strict=True)) < 1e-10
    assert ((rows >= arm.lower) & (rows <= arm.upper)).all()
    for i in range(0, 999, 25):
        width, centre = np.pi, 0.0
        for _ in range(2):
            phis = centre + np.linspace(-width, width, 2001)
            found, _ = arm.solve_many(np.repeat(targets[i + 1][None], 2001, axis=0), phis)
            cost = np.where(np.isnan(found[:, :, 0]), np.inf, ((found - rows[i]) ** 2).sum(axis=2)).min(
                axis=1
            )
            width, centre = 4e-3, phis[cost.argmin()]
        assert ((rows[i + 1] - rows[i]) ** 2).sum() <= 1.21 * cost.min()


@pytest.mark.parametrize("ends", [{}, {"A3": (-0.1, 0.15)}, {"A1": (-0.3, 0.3), "A5": (0.0, 0.5)}])
def test_ten_thousand_samples_through_the_stretched_pose_and_along_a_limit_step_least(ends):
    arm = mk.Arm(iiwa(**ends), ("A1", "A4", "A7"), site="tool")
    count = 10_000
    targets = _eight(arm, START, count, 0.3)
    rows, statuses = mk.ArmTracker(arm, START).follow(targets)
    assert (statuses > 0).any() and np.isfinite(rows).all()
    assert ((rows >= arm.lower) & (rows <= arm.upper)).all()
    if ends:
        places = [arm.joints.index(name) for name in ends]
        touching = np.minimum(rows - arm.lower, arm.upper - rows)[:, places] < 1e-9
        assert touching.any(axis=1).sum() > 100
    ratios = []
    for i in range(0, count - 1, 50):
        if statuses[i + 1] != 0:
            continue
        width, centre = np.pi, 0.0
        for _ in range(2):
            phis = centre + np.linspace(-width, width, 1001)
            found, _ = arm.solve_many(np.repeat(targets[i + 1][None], 1001, axis=0), phis)
            cost = np.where(np.isnan(found[:, :, 0]), np.inf, ((found - rows[i]) ** 2).sum(axis=2)).min(
                axis=1
            )
            width, centre = 8e-3, phis[cost.argmin()]
        ratios.append(np.sqrt(((rows[i + 1] - rows[i]) ** 2).sum() / cost.min()))
    assert len(ratios) > 20 and max(ratios) < 1.1


def test_a_target_that_leaves_the_reach_is_projected_and_comes_back():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    targets = _eight(arm, START, 2000, 0.3)
    tracker = mk.ArmTracker(arm, START)
    rows, statuses = tracker.follow(targets)
    beyond = statuses >= 4
    assert 0 < beyond.sum() < 2000 and not (statuses % 4).any()
    assert np.isfinite(rows).all()
    for row, target, out in zip(rows, targets, beyond, strict=True):
        now = arm.pose(row).matrix("tool")
        assert np.abs(now[:3, :3] - target[:3, :3]).max() < 1e-10
        if out:
            shoulder, offset = np.array([0, 0, 0.36]), np.array([-0.02, -0.01, -0.181])
            wrist, wish = (m[:3, :3] @ offset + m[:3, 3] - shoulder for m in (now, target))
            assert abs(np.linalg.norm(wrist) - arm.reach[1]) < 1e-9
            assert np.linalg.norm(np.cross(wrist, wish)) < 1e-9
        else:
            assert np.abs(now - target).max() < 1e-10
    # The hinge opens with the square root of the distance to the edge of reach, here a millimetre a sample.
    assert np.abs(np.diff(rows, axis=0)).max() < 0.2


def test_steps_one_by_one_are_those_of_the_array_and_allocate_no_array():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    targets = _eight(arm, START, 50, 0.1, 0.05)
    rows = arm.track(targets, START, foresight=False)
    tracker = mk.ArmTracker(arm, START)
    for row, target in zip(rows, targets, strict=True):
        now = tracker.step(target)
        assert now is tracker.q and np.allclose(now, row, rtol=0, atol=1e-9)
        assert tracker.status == "followed" and not tracker.projected


@pytest.mark.parametrize("ball", [(False, False), (True, False), (True, True)])
def test_random_limbs_follow_small_moves_within_their_limits(ball):
    rng = np.random.default_rng(20)
    for _ in range(15):
        arm = mk.Arm(random_limb(rng, ball=ball), None, site="tip")
        start = draw(arm, rng)
        way = np.linspace(0.0, 1.0, 40)[:, None] * (draw(arm, rng) - start) * 0.15 + start
        targets = np.array([arm.pose(q).matrix("tip") for q in way])
        rows, statuses = mk.ArmTracker(arm, start).follow(targets)
        assert ((rows >= arm.lower) & (rows <= arm.upper)).all()
        for row, target, status in zip(rows, targets, statuses, strict=True):
            assert status in (0, 1)
            assert miss(arm, row, target) < 1e-10


def test_orientation_is_given_up_last_and_the_wrist_then_keeps_its_angles():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    target = arm.pose(START).matrix("tool")
    # The hand turned back into the forearm: no wrist can do that there.
    target[:3, :3] = target[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    assert len(arm.swivel_intervals(target)) == 0
    tracker = mk.ArmTracker(arm, START)
    row = tracker.step(target).copy()
    assert tracker.status == "position only"
    assert np.array_equal(row[4:], START[4:])
    assert np.abs(arm.pose(row).position("tool") - target[:3, 3]).max() < 1e-10


def test_a_start_that_is_not_seven_numbers_is_refused():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    with pytest.raises(mk.SolveError, match="7 finite start values"):
        mk.ArmTracker(arm, [0.0] * 6)
