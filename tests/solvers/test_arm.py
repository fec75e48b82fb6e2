"""The closed form gives back every solution, and only solutions."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.arms import draw, iiwa, miss, random_limb

import manikin as mk

KINDS = [(False, False), (True, False), (False, True), (True, True)]


def _inside(arm: mk.Arm, rows: np.ndarray) -> bool:
    return bool(((rows >= arm.lower) & (rows <= arm.upper)).all())


@pytest.mark.parametrize("ball", KINDS)
def test_solutions_at_the_swivel_of_a_pose_hold_that_pose_and_all_reach_the_target(ball):
    rng = np.random.default_rng(1)
    for _ in range(60):
        arm = mk.Arm(random_limb(rng, ball=ball), None, site="tip")
        for _ in range(3):
            q = draw(arm, rng)
            target = arm.pose(q).matrix("tip")
            found = arm.solve(target, arm.swivel(q))
            assert np.abs(found - q).max(axis=1).min() < 1e-7
            assert _inside(arm, found)
            assert max(miss(arm, row, target) for row in found) < 1e-10


@pytest.mark.parametrize("place", [0, 1, 2, 4, 5, 6])
def test_solutions_with_a_fixed_angle_hold_the_pose_it_came_from(place):
    rng = np.random.default_rng(2 + place)
    for _ in range(60):
        arm = mk.Arm(random_limb(rng), None, site="tip")
        q = draw(arm, rng)
        target = arm.pose(q).matrix("tip")
        found = arm.solve_fixed(target, arm.joints[place], q[place])
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert _inside(arm, found) and len(found) <= 8
        assert np.abs(found[:, place] - q[place]).max() < 1e-7
        assert max(miss(arm, row, target) for row in found) < 1e-10


@pytest.mark.parametrize("place", [0, 1, 2, 4, 5, 6])
def test_every_angle_of_ball_joints_can_be_fixed(place):
    rng = np.random.default_rng(3)
    for _ in range(40):
        arm = mk.Arm(random_limb(rng, ball=(True, True)), None, site="tip")
        q = draw(arm, rng)
        target = arm.pose(q).matrix("tip")
        found = arm.solve_fixed(target, place, q[place])
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert max(miss(arm, row, target) for row in found) < 1e-10
        assert np.abs(found[:, place] - q[place]).max() < 1e-7
        assert _inside(arm, found)
    with pytest.raises(mk.SolveError, match="hinge follows"):
        arm.solve_fixed(target, 3, q[3])


def test_every_solution_that_a_dense_search_finds_is_in_the_list():
    """Newton from many starts, one angle held, finds nothing that the list lacks."""
    rng = np.random.default_rng(4)
    for _ in range(6):
        arm = mk.Arm(random_limb(rng), None, site="tip")
        q = draw(arm, rng)
        target = arm.pose(q).matrix("tip")
        place = int(rng.choice([0, 1, 2, 4, 5, 6]))
        listed = arm.solve_fixed(target, place, q[place])
        free = [j for j in range(7) if j != place]
        for _ in range(60):
            x = draw(arm, rng)
            x[place] = q[place]
            for _ in range(40):
                pose = arm.pose(x)
                now = pose.matrix("tip")
                turn = target[:3, :3] @ now[:3, :3].T
                w = 0.5 * np.array(
                    [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
                )
                error = np.concatenate([target[:3, 3] - now[:3, 3], w])
                step = np.linalg.lstsq(pose.jacobian("tip")[:, free], error, rcond=1e-8)[0]
                x[free] += step * min(1.0, 0.5 / max(np.abs(step).max(), 1e-12))
            if miss(arm, x, target) > 1e-9:
                continue
            x = x - 2 * np.pi * np.round((x - 0.5 * (arm.lower + arm.upper)) / (2 * np.pi))
            if ((x > arm.lower + 1e-6) & (x < arm.upper - 1e-6)).all():
                assert np.abs(listed - x).max(axis=1).min() < 1e-5


@pytest.mark.parametrize("limited", [False, True])
def test_singular_places_give_no_nan_and_lose_no_digits(limited):
    arm = mk.Arm(iiwa(limited), ("A1", "A4", "A7"), site="tool")
    rng = np.random.default_rng(5)
    stretched, shoulder, wrist = (0.0, 1e-12, 1e-9, 1e-8, 1e-5), (0.0, 1e-14, 1e-10, 1e-8), (0.0, 1e-13, 1e-8)
    for place, values in ((3, stretched), (1, shoulder), (5, wrist)):
        for value in values:
            for others in (False, True):
                q = draw(arm, rng)
                q[place] = value
                if others:
                    q[[1, 5]] = 0.0
                target = arm.pose(q).matrix("tool")
                lists = [arm.solve(target, phi) for phi in (arm.swivel(q), 0.3, -2.0)]
                lists += [arm.solve_fixed(target, j, q[j]) for j in (0, 1, 2, 4, 5, 6)]
                assert len(lists[0])
                if not limited:
                    assert all(len(found) for found in (lists[:3] if others else lists))
                for found in lists:
                    assert np.isfinite(found).all()
                    assert all(miss(arm, row, target) < 1e-10 for row in found)


def test_the_wrist_on_the_vertical_through_the_shoulder_is_solved():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    for q3 in (0.5, 1.5):
        q = np.array([0.3, 0.0, 0.2, q3, 0.1, 0.5, 0.0])
        # Turn the upper arm so that the wrist is straight above: A2 is the angle between m and v.
        v = np.array([0.4 * np.sin(q3), 0.42 + 0.4 * np.cos(q3)])
        q[1] = np.arctan2(v[0], v[1])
        q[2] = 0.0
        target = arm.pose(q).matrix("tool")
        wrist = target[:3, :3] @ np.array([-0.02, -0.01, -0.181]) + target[:3, 3]
        assert np.hypot(wrist[0], wrist[1]) < 1e-12
        for phi in np.linspace(-3, 3, 13):
            found = arm.solve(target, phi)
            assert len(found) and all(miss(arm, row, target) < 1e-10 for row in found)


def test_out_of_reach_has_no_solution_and_no_interval():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    target = np.eye(4)
    target[:3, 3] = 2.0, 0.0, 0.3
    assert arm.solve(target, 0.0).shape == (0, 7)
    assert arm.solve(target).shape == (0, 7)
    assert arm.swivel_intervals(target).shape == (0, 2)


def test_many_targets_at_once_agree_with_one_by_one():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    rng = np.random.default_rng(6)
    targets = np.array([arm.pose(draw(arm, rng)).matrix("tool") for _ in range(50)])
    swivels = rng.uniform(-3, 3, 50)
    rows, counts = arm.solve_many(targets, swivels)
    for target, phi, some, count in zip(targets, swivels, rows, counts, strict=True):
        assert np.allclose(some[:count], arm.solve(target, phi), rtol=0, atol=1e-12)
        assert np.isnan(some[count:]).all()


def test_elbow_and_aim():
    arm = mk.Arm(iiwa(False), ("A1", "A4", "A7"), site="tool")
    q = np.array([0.4, 0.7, -0.3, 1.1, 0.4, 0.8, 0.1])
    pose = arm.pose(q)
    target = pose.matrix("tool")
    assert abs(arm.swivel_towards(target, pose.position("link4")) - arm.swivel(q)) < 1e-12
    aimed = arm.aimed([0.4, 0.2, 0.5], [1.0, 0.5, 0.2], axis=(0, 0, 1), roll=0.4)
    found = arm.solve(aimed, 0.3)
    assert len(found)
    for row in found:
        now = arm.pose(row).matrix("tool")
        away = np.array([1.0, 0.5, 0.2]) - now[:3, 3]
        assert np.abs(now[:3, 2] - away / np.linalg.norm(away)).max() < 1e-10


@pytest.mark.parametrize("ball", KINDS)
def test_position_only_keeps_the_wrist(ball):
    rng = np.random.default_rng(7)
    for _ in range(20):
        arm = mk.Arm(random_limb(rng, ball=ball), None, site="tip")
        q, near = draw(arm, rng), draw(arm, rng)
        near[4:] = q[4:]
        point = arm.pose(q).position("tip")
        found = arm.solve_position(point, near)
        assert _inside(arm, found[None])
        assert np.array_equal(found[4:], near[4:])
        assert np.abs(arm.pose(found).position("tip") - point).max() < 1e-10
        assert ((found - near) ** 2).sum() <= ((q - near) ** 2).sum() + 1e-2


def test_a_target_that_is_no_placement_is_refused():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    for target in (np.zeros((4, 4)), np.full((4, 4), np.nan), np.eye(3), np.diag([1.0, 1.0, -1.0, 1.0])):
        with pytest.raises(mk.SolveError, match="arm: "):
            arm.solve(target, 0.0)


def _check_crossings(arms: int, seed: int, ball: tuple[bool, bool]) -> None:
    """Where an angle passes its fixed value between two swivels of a scan, scheme 2 has that solution."""
    rng = np.random.default_rng(seed)
    phis = np.linspace(-np.pi, np.pi, 1441)
    crossings = 0
    for _ in range(arms):
        arm = mk.Arm(random_limb(rng, ball=ball), None, site="tip")
        q = draw(arm, rng)
        target = arm.pose(q).matrix("tip")
        j = int(rng.choice([0, 1, 2, 4, 5, 6]))
        listed = arm.solve_fixed(target, j, q[j])
        found, counts = arm.solve_many(np.repeat(target[None], len(phis), axis=0), phis)
        for k in range(len(phis) - 1):
            after = found[k + 1, : counts[k + 1]]
            for x in found[k, : counts[k]] if len(after) else []:
                y = after[np.abs(after - x).max(axis=1).argmin()]
                if np.abs(y - x).max() < 0.1 and (x[j] - q[j]) * (y[j] - q[j]) < 0.0:
                    crossings += 1
                    between = x + (q[j] - x[j]) / (y[j] - x[j]) * (y - x)
                    assert np.abs(listed - between).max(axis=1).min() < 0.03
    assert crossings > arms


@pytest.mark.long
def test_every_crossing_of_a_dense_swivel_scan_on_a_thousand_arms_is_in_the_list():
    _check_crossings(1000, 8, (False, False))


@pytest.mark.long
@pytest.mark.parametrize("ball", [(True, False), (False, True), (True, True)])
def test_every_crossing_of_a_dense_swivel_scan_on_arms_with_ball_joints_is_in_the_list(ball):
    _check_crossings(300, 9, ball)


def test_every_crossing_of_a_swivel_scan_on_some_arms_with_ball_joints_is_in_the_list():
    _check_crossings(12, 10, (True, True))


def test_an_angle_of_a_ball_joint_can_be_fixed_on_a_limb_that_is_read_from_its_other_end():
    """There the twist comes before the swing."""
    rng = np.random.default_rng(11)
    for k in range(24):
        figure = random_limb(rng, ball=(True, True)).with_site("root", "base").rerooted("hand")
        arm = mk.Arm(figure, None, site="root")
        q, place = draw(arm, rng), (0, 1, 2, 4, 5, 6)[k % 6]
        target = arm.pose(q).matrix("root")
        found = arm.solve_fixed(target, place, q[place])
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert max(miss(arm, row, target) for row in found) < 1e-10
