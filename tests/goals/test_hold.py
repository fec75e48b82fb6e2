from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure.transforms import exp

BODY = mk.human(stature=1.75)
REST = BODY.pose()
FEET = [
    mk.Placement(f"{s}_foot", REST.position(f"{s}_foot"), REST.matrix(f"{s}_foot")[:3, :3], hard=True)
    for s in ("left", "right")
]


@pytest.mark.parametrize(
    ("center", "turn"), [([0.42, 0.0, 0.16], 0.0), ([0.4, 0.0, 1.0], 0.0), ([0.3, 0.3, 0.9], 0.6)]
)
def test_both_palms_lie_on_the_sides_of_the_box(center: list[float], turn: float) -> None:
    box = mk.Box(center=center, size=[0.3, 0.36, 0.25], rotation=exp(np.array([0.0, 0.0, turn])))
    solved = mk.solve(BODY, [*mk.hold(box), *FEET])
    assert solved.reached
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hand = solved.pose.matrix(f"{side}_hand")
        seen = box.rotation.T @ (hand[:3, 3] - np.asarray(box.center))
        assert np.allclose(seen, [0.0, sign * 0.18, 0.0], atol=1e-3)
        assert (box.rotation.T @ hand[:3, 2])[1] * sign > 0.9999


def test_a_carried_box_stays_level_between_the_hands_wherever_they_go() -> None:
    box = mk.Box(center=[0.0, 0.0, 0.0], size=[0.3, 0.4, 0.2])
    goals = mk.hold(box, carried=True, hard=True)
    for place in ([0.4, -0.2, 1.0], [0.45, -0.1, 1.3], [0.35, -0.3, 0.7]):
        solved = mk.solve(BODY, [*goals, *FEET, mk.Position("right_hand", place)])
        assert solved.reached
        by_right = mk.held_box(solved.pose, box)
        by_left = mk.held_box(solved.pose, box, side="left")
        assert np.allclose(by_right.center, by_left.center, atol=1e-6)
        assert np.allclose(by_right.rotation, by_left.rotation, atol=1e-6)
        assert by_right.rotation[2, 2] == pytest.approx(1.0, abs=1e-9)


def test_one_hand_and_given_fingers() -> None:
    box = mk.Box(center=[0.45, -0.1, 1.0], size=[0.2, 0.2, 0.2])
    (goal,) = mk.hold(box, both_hands=False, side="left", fingers=30.0)
    assert goal.site == "left_hand"
    solved = mk.solve(BODY, [goal, *FEET])
    assert np.allclose(solved.pose.matrix("left_hand")[:3, 0], [np.cos(np.pi / 6), 0.0, 0.5], atol=2e-3)


def test_what_is_no_box_is_refused() -> None:
    with pytest.raises(mk.GoalError, match="a Box is wanted"):
        mk.hold(mk.Ball([0.0, 0.0, 0.0], 1.0))  # type: ignore[arg-type]
    with pytest.raises(mk.GoalError, match="three edges above 0"):
        mk.hold(mk.Box(center=[0, 0, 0], size=[0.1, 0.0, 0.1]))
    with pytest.raises(mk.GoalError, match="−90 to 90"):
        mk.hold(mk.Box(center=[0, 0, 0], size=[0.1, 0.1, 0.1]), fingers=120.0)
    with pytest.raises(mk.GoalError, match="left"):
        mk.hold(mk.Box(center=[0, 0, 0], size=[0.1, 0.1, 0.1]), side="up")
