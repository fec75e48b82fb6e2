"""Limbs that are stretched, at rest or folded: the closed form answers there too, and soon."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.arms import iiwa, miss

import manikin as mk
from manikin.closed_form.arm_tracker import ArmTracker

KINDS = [(False, False), (True, False), (False, True), (True, True)]
LIMBS = ["right", "left", "right_leg", "left_leg"]


def _straight(ball: tuple[bool, bool], order: str = "zyx", swing: float | None = None) -> mk.Figure:
    """A limb along z, straight and all axes in line with one another at zero."""

    def spherical(name: str, parent: str, child: str, height: float, is_ball: bool) -> mk.Joint:
        if is_ball:
            ends = {} if swing is None else {"cone": swing}
            return mk.Joint.ball(name, parent, child, placement=(0, 0, height), twist=(-2.0, 2.0), **ends)
        motion = "*".join(f"R({axis})" for axis in order)
        return mk.Joint(
            name, parent, child, motion, placement=(0, 0, height), lower=[-2.8] * 3, upper=[2.8] * 3
        )

    joints = [
        spherical("shoulder", "base", "upper", 0.1, ball[0]),
        mk.Joint("elbow", "upper", "fore", "R(y)", placement=(0, 0, 0.3), lower=0.0, upper=2.5),
        spherical("wrist", "fore", "hand", 0.25, ball[1]),
    ]
    return mk.Figure(
        "straight", ["base", "upper", "fore", "hand"], joints, [mk.Site("tip", "hand", (0, 0, 0.1))]
    )


def _answers(arm: mk.Arm, q: np.ndarray) -> None:
    """Everything that can be asked of a limb, of the target that these values reach."""
    target = arm.pose(q).matrix(arm.site)
    found = arm.solve(target)
    assert len(found) > 0
    assert max(miss(arm, row, target) for row in found) < 1e-9
    assert ((found >= arm.lower) & (found <= arm.upper)).all()
    verdict = arm.check(target)
    assert verdict.reachable and verdict.proved
    tracker = ArmTracker(arm, q)
    assert miss(arm, tracker.step(target), target) < 1e-6
    assert len(arm.swivel_intervals(target)) > 0
    near = arm.solve_position(target[:3, 3], q)
    assert np.abs(arm.pose(near).position(arm.site) - target[:3, 3]).max() < 1e-9


@pytest.mark.parametrize("limb", LIMBS)
def test_the_limbs_of_a_person_at_rest_have_a_closed_form(limb):
    arm = mk.Arm(mk.human(), limb)
    target = mk.human().pose().matrix(arm.site)
    found = arm.solve(target)
    assert len(found) > 0
    assert max(miss(arm, row, target) for row in found) < 1e-9


@pytest.mark.parametrize("ball", KINDS)
@pytest.mark.parametrize("order", ["zyx", "zyz", "xzy"])
def test_a_straight_limb_at_zero_is_solved(ball, order):
    arm = mk.Arm(_straight(ball, order), None, site="tip")
    _answers(arm, np.zeros(7))


@pytest.mark.parametrize("ball", KINDS)
def test_a_straight_limb_in_any_direction_is_solved(ball):
    arm = mk.Arm(_straight(ball, swing=1.5 if any(ball) else None), None, site="tip")
    rng = np.random.default_rng(5)
    for _ in range(4):
        q = rng.uniform(-0.8, 0.8, 7)
        q[3] = 0.0
        _answers(arm, q)


@pytest.mark.parametrize("ball", KINDS)
def test_a_limb_whose_wrist_or_shoulder_alone_is_at_zero_is_solved(ball):
    arm = mk.Arm(_straight(ball), None, site="tip")
    for still in (slice(0, 3), slice(4, 7)):
        q = np.array([0.3, -0.4, 0.2, 1.1, -0.3, 0.5, 0.4])
        q[still] = 0.0
        _answers(arm, q)


def test_the_iiwa_standing_upright_is_solved():
    arm = mk.Arm(iiwa(), None, site="tool")
    _answers(arm, np.zeros(7))
    _answers(arm, np.array([0.3, 0.5, 0.1, 0.0, 0.4, 0.2, 0.1]))


def test_a_target_just_beyond_a_straight_limb_is_refused():
    arm = mk.Arm(mk.human(), "right")
    target = mk.human().pose().matrix("right_hand")
    target[2, 3] -= 0.01
    assert len(arm.solve(target)) == 0
    verdict = arm.check(target)
    assert not verdict.reachable  # not proved: the girdle may give what the limb lacks
