"""Limbs of six angles: one spherical joint with two axes only."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.arms import draw, iiwa, miss
from tests.solvers.samples import robot

import manikin as mk


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_humans_leg_gives_back_its_poses_straight_ones_too(side):
    arm = mk.Arm(mk.human(), f"{side}_leg")
    assert arm.site == f"{side}_foot" and len(arm.joints) == 6 and arm.joints[3] == f"{side}_knee"
    rng = np.random.default_rng(50)
    for k in range(60):
        q = draw(arm, rng)
        if k % 3 == 0:
            q[3] = 0.0 if k % 2 else 1e-9
        if k == 0:
            q[:] = 0.0
        target = arm.pose(q).matrix(arm.site)
        found = arm.solve(target)
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert ((found >= arm.lower) & (found <= arm.upper)).all()
        assert max(miss(arm, row, target) for row in found) < 1e-10
        assert any(
            abs(low - arm.swivel(q)) < 1e-6 and low == high for low, high in arm.swivel_intervals(target)
        )


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_robots_leg_is_solved_with_all_its_solutions(side):
    arm = mk.Arm(robot("talos"), None, site=f"{side}_sole_link")
    assert len(arm.joints) == 6
    rng = np.random.default_rng(51)
    targets = []
    for _ in range(25):
        q = draw(arm, rng)
        targets.append(arm.pose(q).matrix(arm.site))
        found = arm.solve(targets[-1])
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert max(miss(arm, row, targets[-1]) for row in found) < 1e-10
    rows, counts = arm.solve_many(np.array(targets))
    for target, some, count in zip(targets, rows, counts, strict=True):
        assert np.array_equal(some[:count], arm.solve(target)) and np.isnan(some[count:]).all()


@pytest.mark.parametrize("first", [True, False])
def test_six_hinges_with_two_at_either_end_are_recognised_and_solved(first):
    axes = "zyyzyz" if first else "zyzyzy"
    heights = [0.1, 0.0, 0.3, 0.3, 0.0, 0.0] if first else [0.1, 0.1, 0.0, 0.3, 0.3, 0.0]
    joints = [
        mk.Joint(f"j{i}", f"s{i}", f"s{i + 1}", f"R({a})", placement=(0, 0, h), lower=-2.5, upper=2.5)
        for i, (a, h) in enumerate(zip(axes, heights, strict=True))
    ]
    figure = mk.Figure("six", [f"s{i}" for i in range(7)], joints, [mk.Site("tip", "s6", (0.02, 0.03, 0.1))])
    hinge = "j2" if first else "j3"
    arm = mk.Arm(figure, ("j0", hinge, "j5"), site="tip")
    assert arm.joints == tuple(f"j{i}" for i in range(6))
    rng = np.random.default_rng(52)
    most = 0
    for _ in range(60):
        q = draw(arm, rng)
        target = arm.pose(q).matrix("tip")
        found = arm.solve(target)
        most = max(most, len(found))
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert max(miss(arm, row, target) for row in found) < 1e-10
        tracked = mk.ArmTracker(arm, q).step(target)
        assert np.abs(tracked - q).max() < 1e-6
    assert most >= 4


def test_every_solution_of_six_angles_that_newton_finds_is_in_the_list():
    arm = mk.Arm(robot("talos"), None, site="left_sole_link")
    rng = np.random.default_rng(53)
    for _ in range(2):
        q = draw(arm, rng)
        target = arm.pose(q).matrix(arm.site)
        listed = arm.solve(target)
        for _ in range(8):
            x = draw(arm, rng)
            for _ in range(40):
                pose = arm.pose(x)
                now = pose.matrix(arm.site)
                turn = target[:3, :3] @ now[:3, :3].T
                w = 0.5 * np.array(
                    [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
                )
                columns = pose.jacobian(arm.site)[:, arm.limb.places]
                step = np.linalg.lstsq(columns, np.concatenate([target[:3, 3] - now[:3, 3], w]), rcond=1e-8)[
                    0
                ]
                x = x + step * min(1.0, 0.5 / max(np.abs(step).max(), 1e-12))
            if miss(arm, x, target) < 1e-9 and ((x > arm.lower + 1e-6) & (x < arm.upper - 1e-6)).all():
                assert np.abs(listed - x).max(axis=1).min() < 1e-5


def test_a_position_leaves_the_swivel_free():
    arm = mk.Arm(mk.human(), "left_leg")
    q = np.array([0.1, 0.7, 0.1, 1.0, -0.1, 0.1])
    point = arm.pose(q).position(arm.site)
    near = q + np.array([0.1, -0.1, 0.1, 0.1, 0.0, 0.0])
    found = arm.solve_position(point, near)
    assert found.shape == (6,) and np.array_equal(found[4:], near[4:])
    assert np.abs(arm.pose(found).position(arm.site) - point).max() < 1e-10
    places = []
    for phi in np.linspace(-np.pi, np.pi, 73):
        for row in arm.solve_position(point, near, swivel=phi):
            assert np.abs(arm.pose(row).position(arm.site) - point).max() < 1e-10
            assert ((row >= arm.lower) & (row <= arm.upper)).all()
            places.append(phi)
    assert len(places) > 3


def test_what_six_angles_cannot_do_is_refused_with_the_reason():
    arm = mk.Arm(mk.human(), "right_leg")
    target = arm.pose(np.zeros(6)).matrix(arm.site)
    with pytest.raises(mk.SolveError, match="six angles, so the target leaves no swivel"):
        arm.solve(target, 0.1)
    with pytest.raises(mk.SolveError, match="six angles, so the target leaves no swivel"):
        arm.solve_many(target[None], 0.1)
    with pytest.raises(mk.SolveError, match="no further one can be fixed"):
        arm.solve_fixed(target, 0, 0.0)
    with pytest.raises(mk.SolveError, match="6 finite start values"):
        mk.ArmTracker(arm, np.zeros(7))
    with pytest.raises(mk.FigureError, match="unknown limb 'right_wing'"):
        mk.Arm(mk.human(), "right_wing")


def test_axes_that_miss_one_another_are_named():
    joints = [
        mk.Joint(f"j{i}", f"s{i}", f"s{i + 1}", f"R({a})", placement=place)
        for i, (a, place) in enumerate(
            zip(
                "zyzyxy",
                [(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0.3), (0, 0.02, 0.3), (0, 0, 0.03)],
                strict=True,
            )
        )
    ]
    with pytest.raises(mk.FigureError, match=r"'j4', 'j5' miss one another by 0\.0"):
        mk.Arm(mk.Figure("off", [f"s{i}" for i in range(7)], joints), None, site="s6")


def test_seven_angles_are_preferred_to_six():
    assert len(mk.Arm(iiwa(), None, site="tool").joints) == 7
