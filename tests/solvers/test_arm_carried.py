"""The closed-form arm of the human whose girdle moves with it: limb and girdle agree, or nothing is said."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk


@pytest.fixture(scope="module")
def arm() -> mk.Arm:
    return mk.Arm(mk.human(fingers=False), "right")


def frames(arm: mk.Arm, count: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Values within all limits and couplings, and where they have the hand."""
    rng = np.random.default_rng(seed)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    while len(found) < count:
        q = rng.uniform(arm.lower, arm.upper)
        pose = arm.pose(q)
        values = pose.values()
        if all(c.lower <= c.value(values) <= c.upper for c in arm.figure.couplings):
            found.append((q, pose.matrix(arm.site)))
    return found


def miss(arm: mk.Arm, q: np.ndarray, target: np.ndarray) -> float:
    return float(np.abs(arm.pose(q).matrix(arm.site) - target).max())


def test_random_hand_frames_are_found_and_reached(arm):
    for _q, target in frames(arm, 12, 1):
        rows = arm.solve(target)
        assert len(rows)
        for row in rows:
            assert miss(arm, row, target) < 1e-10
            assert not arm.pose(row).outside


def test_a_frame_whose_interval_has_no_solution_in_its_middle_is_found_all_the_same(arm):
    _q, target = frames(arm, 271, 7)[-1]
    for prefer in ("widest", "rest", "natural"):
        rows = arm.solve(target, prefer=prefer)
        assert len(rows)
        assert max(miss(arm, row, target) for row in rows) < 1e-10
        assert not any(arm.pose(row).outside for row in rows)


@pytest.mark.long
def test_ten_thousand_random_hand_frames_are_all_found_and_none_is_called_unreachable(arm):
    for _q, target in frames(arm, 10_000, 2):
        rows = arm.solve(target)
        assert len(rows)
        assert max(miss(arm, row, target) for row in rows) < 1e-10
        assert arm.check(target).reachable


def _found_again(arm: mk.Arm, count: int, seed: int) -> int:
    """How many known values are among the solutions at their own swivel, all of which reach and keep the limits."""
    back = 0
    for q, target in frames(arm, count, seed):
        phi = arm.swivel(q)
        rows = arm.solve(target, phi)
        for row in rows:
            assert miss(arm, row, target) < 1e-10 and not arm.pose(row).outside
            assert abs((arm.swivel(row) - phi + np.pi) % (2.0 * np.pi) - np.pi) < 1e-6
        back += len(rows) > 0 and np.abs(rows - q).max(axis=1).min() < 1e-6
    return back


def test_values_are_found_again_at_their_own_swivel(arm):
    assert _found_again(arm, 20, 3) == 20


@pytest.mark.long
def test_a_thousand_values_are_found_again_at_their_own_swivel(arm):
    assert _found_again(arm, 1000, 3) == 1000


def _fix_each(arm: mk.Arm, count: int, seed: int) -> int:
    """How often known values are among the solutions with each of their six angles fixed."""
    back = 0
    for q, target in frames(arm, count, seed):
        for place in (0, 1, 2, 4, 5, 6):
            rows = arm.solve_fixed(target, arm.joints[place], q[place])
            for row in rows:
                assert miss(arm, row, target) < 1e-10 and not arm.pose(row).outside
                assert abs(row[place] - q[place]) < 1e-9
            back += len(rows) > 0 and np.abs(rows - q).max(axis=1).min() < 1e-6
    return back


def test_all_six_cases_of_a_fixed_angle_are_solved_on_a_person(arm):
    assert _fix_each(arm, 8, 5) >= 47


def test_all_six_cases_of_a_fixed_angle_find_every_known_solution_with_the_girdle_held():
    held = mk.Arm(mk.human(girdle=False), "right")
    assert _fix_each(held, 20, 6) == 120


@pytest.mark.long
def test_with_the_girdle_moving_one_fixed_angle_in_two_hundred_is_missed_at_most(arm):
    assert _fix_each(arm, 200, 7) >= 1194


def test_many_targets_at_once_are_those_one_by_one(arm):
    known = frames(arm, 6, 4)
    targets, phis = np.array([t for _, t in known]), np.array([arm.swivel(q) for q, _ in known])
    rows, counts = arm.solve_many(targets, phis)
    for i, (target, phi) in enumerate(zip(targets, phis, strict=True)):
        assert rows[i, : counts[i]] == pytest.approx(arm.solve(target, phi), abs=1e-12)
        assert np.isnan(rows[i, counts[i] :]).all()


def test_intervals_hold_solutions(arm):
    for _q, target in frames(arm, 3, 5):
        families = arm.swivel_families(target)
        assert families
        for low, high in arm.swivel_intervals(target):
            for share in (0.02, 0.5, 0.98):
                assert len(arm.solve(target, low + share * (high - low)))


def test_a_verdict_is_a_solution_or_a_bound(arm):
    for _q, target in frames(arm, 4, 6):
        verdict = arm.check(target)
        assert verdict and verdict.proved
    far = target.copy()
    far[:3, 3] += [3.0, 0.0, 0.0]
    verdict = arm.check(far)
    assert not verdict and verdict.proved and "stretched out" in verdict.reason
    assert len(arm.solve(verdict.nearest)) or arm.check(verdict.nearest).reachable
    twisted = target.copy()
    twisted[:3, :3] = target[:3, :3] @ np.diag([-1.0, 1.0, -1.0])
    verdict = arm.check(twisted)
    if not verdict:
        assert not verdict.proved
        assert mk.Arm(arm.figure, "right").check(verdict.nearest) is not None


def test_a_path_is_followed_with_the_girdle_moving(arm):
    start = np.array([0.2, 0.6, 0.0, 1.2, 0.0, 0.0, 0.0])
    base = arm.pose(start).matrix(arm.site)
    angle = np.linspace(0.0, 2.0 * np.pi, 300)
    targets = np.tile(base, (300, 1, 1))
    targets[:, 0, 3] += 0.08 * (np.cos(angle) - 1.0)
    targets[:, 1, 3] += 0.1 * np.sin(angle)
    targets[:, 2, 3] += 0.06 * np.sin(2.0 * angle)
    tracker = mk.ArmTracker(arm, start)
    rows, statuses = tracker.follow(targets)
    assert (statuses == 0).all()
    assert max(miss(arm, row, target) for row, target in zip(rows, targets, strict=True)) < 1e-10
    assert np.abs(np.diff(rows, axis=0)).max() < 0.05
    assert arm.track(targets, start) == pytest.approx(rows, abs=1e-12)


def test_nearest_to_rest_is_nearer_than_the_widest(arm):
    rest = arm.figure.rest[[arm.figure.index(name) for name in arm.joints]]
    for _q, target in frames(arm, 3, 7):
        near, wide = (arm.solve(target, prefer=how) for how in ("rest", "widest"))
        away = [((rows - rest) ** 2).sum(axis=1).min() for rows in (near, wide)]
        assert away[0] <= away[1] + 1e-6
        assert max(miss(arm, row, target) for row in near) < 1e-10


def test_positions_and_fixed_angles_hold_with_the_girdle(arm):
    q = np.array([0.3, 0.9, 0.1, 1.0, 0.2, 0.1, 0.0])
    target = arm.pose(q).matrix(arm.site)
    near = arm.solve_position(target[:3, 3] + [0.03, -0.02, 0.02], q)
    assert arm.pose(near).position(arm.site) == pytest.approx(target[:3, 3] + [0.03, -0.02, 0.02], abs=1e-10)
    rows = arm.solve_fixed(target, arm.joints[2], 0.1)
    assert np.abs(rows - q).max(axis=1).min() < 1e-9
    assert max(miss(arm, row, target) for row in rows) < 1e-10


def test_a_frame_that_only_a_search_finds_with_an_angle_on_its_limit_is_found(arm):
    _, target = frames(arm, 44, 2)[-1]
    (row,) = arm.solve(target)
    assert ((row == arm.lower) | (row == arm.upper)).any()
    assert miss(arm, row, target) < 1e-12 and not arm.pose(row).outside


def test_a_hand_that_is_led_out_of_reach_goes_as_far_as_it_can_and_comes_back(arm):
    start = np.array([0.3, 0.6, 0.2, 1.2, 0.2, 0.1, 0.1])
    began = arm.pose(start).matrix(arm.site)
    away = np.concatenate([np.linspace(0.0, 1.2, 40), np.linspace(1.2, 0.0, 40)])
    path = np.tile(began, (80, 1, 1))
    path[:, :3, 3] += away[:, None] * np.array([0.8, 0.0, 0.6])
    tracker = mk.ArmTracker(arm, start)
    rows, statuses = tracker.follow(path)
    for row, status, target in zip(rows, statuses, path, strict=True):
        pose = arm.pose(row)
        assert not pose.outside
        if status == 0:
            assert miss(arm, row, target) < 1e-9
        elif status == 2:  # the position alone
            assert np.linalg.norm(pose.position(arm.site) - target[:3, 3]) < 1e-7
    shoulder = arm.pose(rows[0]).position("right_shoulder")
    wanted = np.linalg.norm(path[:, :3, 3] - shoulder, axis=1)
    got = np.array([np.linalg.norm(arm.pose(row).position(arm.site) - shoulder) for row in rows])
    far = wanted > 1.2 * arm.reach[1]
    assert far.any() and (statuses[far] >= 4).all()  # called beyond reach, all of them
    assert (got[far] > 0.8 * arm.reach[1]).all()
    assert statuses[-1] == 0


def test_with_the_elbow_nearly_straight_both_solutions_at_a_swivel_are_found(arm):
    for k, (q, _target) in enumerate(frames(arm, 12, 11)):
        q[3] = 0.005 * (1 + k % 6)
        target = arm.pose(q).matrix(arm.site)
        rows = arm.solve(target, arm.swivel(q))
        assert np.abs(rows - q).max(axis=1).min() < 1e-6
        assert max(miss(arm, row, target) for row in rows) < 1e-10


def test_a_path_followed_again_is_the_same_to_the_last_bit_step_by_step_or_at_once(arm):
    start = np.array([0.2, 0.6, 0.0, 1.2, 0.0, 0.0, 0.0])
    angle = np.linspace(0.0, 2.0, 60)
    targets = np.tile(arm.pose(start).matrix(arm.site), (60, 1, 1))
    targets[:, 1, 3] += 0.1 * np.sin(angle)
    targets[40:, 2, 3] += 0.1  # a jump: what is foreseen is far off there
    tracker = mk.ArmTracker(arm, start)
    rows, statuses = tracker.follow(targets)
    assert not statuses.any()
    assert max(miss(arm, row, target) for row, target in zip(rows, targets, strict=True)) < 1e-10
    tracker.restart(start)
    steps = np.array([tracker.step(target).copy() for target in targets])
    assert (steps == rows).all()
    assert (mk.ArmTracker(arm, start).follow(targets)[0] == rows).all()


def test_far_jumps_are_followed_with_the_girdle_moving(arm):
    tracker = mk.ArmTracker(arm, np.array([0.2, 0.6, 0.0, 1.2, 0.0, 0.0, 0.0]))
    for _q, target in frames(arm, 30, 12):
        q = tracker.step(target).copy()
        assert not arm.pose(q).outside
        if tracker.status in ("followed", "flipped") and not tracker.projected:
            assert miss(arm, q, target) < 1e-10
