"""Whether a target is reachable, and whether that is proved."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.arms import draw, iiwa, random_limb

import manikin as mk

START = np.array([0.1, 0.6, 0.1, 1.2, 0.2, 0.8, 0.3])


def _arm(**ends: tuple[float, float]) -> mk.Arm:
    return mk.Arm(iiwa(**ends), ("A1", "A4", "A7"), site="tool")


def test_a_reachable_target_is_its_own_nearest():
    arm = _arm()
    target = arm.pose(START).matrix("tool")
    verdict = arm.check(target)
    assert verdict and verdict.proved and verdict.reason == ""
    assert np.array_equal(verdict.nearest, target)


@pytest.mark.parametrize("away", [0.6, -0.3])
def test_a_distance_beyond_the_hinge_is_proof_and_the_nearest_point_is_on_the_line(away):
    arm = _arm(A4=(0.2, 1.9))
    target = arm.pose(START).matrix("tool")
    shoulder, offset = np.array([0, 0, 0.36]), np.array([-0.02, -0.01, -0.181])
    wrist = target[:3, :3] @ offset + target[:3, 3]
    line = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    target[:3, 3] += away * line
    verdict = arm.check(target)
    assert not verdict and verdict.proved and "the hinge 'A4' allows" in verdict.reason
    near = verdict.nearest
    assert len(arm.solve(near)) and np.array_equal(near[:3, :3], target[:3, :3])
    moved = near[:3, 3] - target[:3, 3]
    assert np.linalg.norm(np.cross(moved, line)) < 1e-12
    # No hinge angle brings the wrist nearer to the target.
    distances = [
        np.linalg.norm(arm.pose(np.array([0, 0, 0, t4, 0, 0, 0])).position("link6") - shoulder)
        for t4 in np.linspace(0.2, 1.9, 4001)
    ]
    wish = np.linalg.norm(target[:3, :3] @ offset + target[:3, 3] - shoulder)
    assert abs(np.abs(np.array(distances) - wish).min() - np.linalg.norm(moved)) < 1e-3


def test_an_orientation_that_hinges_forbid_is_proof_and_names_the_joint():
    arm = _arm()
    target = arm.pose(START).matrix("tool")
    # Turned about the wrist, which stays.
    offset = np.array([-0.02, -0.01, -0.181])
    wrist = target[:3, :3] @ offset + target[:3, 3]
    target[:3, :3] = target[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    target[:3, 3] = wrist - target[:3, :3] @ offset
    verdict = arm.check(target)
    assert not verdict and verdict.proved and "leave no swivel angle" in verdict.reason
    assert np.abs(verdict.nearest[:3, 3] - target[:3, 3]).max() < 1e-10
    # A scan agrees.
    _, counts = arm.solve_many(np.repeat(target[None], 5000, axis=0), np.linspace(-np.pi, np.pi, 5000))
    assert not counts.any()


def test_what_only_a_coupling_forbids_is_searched_and_not_called_proved():
    figure = iiwa().with_couplings("A1 + A3 >= 5.5")
    arm = mk.Arm(figure, ("A1", "A4", "A7"), site="tool")
    verdict = arm.check(arm.pose(START).matrix("tool"))
    assert not verdict and not verdict.proved and "searched" in verdict.reason


@pytest.mark.parametrize("ball", [(False, False), (True, False), (True, True)])
def test_a_verdict_is_never_against_a_target_that_was_reached(ball):
    rng = np.random.default_rng(60)
    told = 0
    for _ in range(40):
        arm = mk.Arm(random_limb(rng, ball=ball), None, site="tip")
        q = draw(arm, rng)
        assert arm.check(arm.pose(q).matrix("tip"))
        other = arm.pose(draw(arm, rng)).matrix("tip")
        other[:3, :3] = arm.pose(q).matrix("tip")[:3, :3]
        verdict = arm.check(other)
        _, counts = arm.solve_many(np.repeat(other[None], 400, axis=0), np.linspace(-np.pi, np.pi, 400))
        assert bool(verdict) or not counts.any()
        told += not verdict
    assert told > 3


def test_a_leg_that_cannot_turn_its_foot_is_told_so():
    arm = mk.Arm(mk.human(), "right_leg")
    target = arm.pose(np.array([0.0, 0.5, 0.0, 0.9, 0.0, 0.0])).matrix(arm.site)
    assert arm.check(target)
    turned = target.copy()
    turned[:3, :3] = turned[:3, :3] @ np.diag([-1.0, -1.0, 1.0])
    assert not arm.check(turned)
