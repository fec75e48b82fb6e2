from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm
from manikin.pictures.color import AXES, MISSED, REACHED
from manikin.pictures.marks import Marks, draw_goal

POSE = arm().pose()
HERE = POSE.position("tool")
TURN = POSE.matrix("tool")[:3, :3]
OFF = HERE + np.array([0.2, 0.0, 0.0])
TURNED = TURN @ np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def drawn(goal, reached=None) -> Marks:
    marks = Marks(1.0)
    draw_goal(marks, POSE, goal, reached)
    return marks


def colors(marks: Marks) -> set[tuple[float, ...]]:
    return {tuple(part.colors[0].tolist()) for part in (*marks.solid, *marks.clear)}


MET = [
    mk.Position("tool", HERE),
    mk.Orientation("tool", TURN),
    mk.Placement("tool", HERE, TURN),
    mk.Aim("tool", at=HERE + 0.3 * TURN[:, 0]),
    mk.OnLine("tool", HERE, [0, 1, 0]),
    mk.OnPlane("tool", HERE, [0, 0, 1]),
]
OFF_GOALS = [
    mk.Position("tool", OFF),
    mk.Orientation("tool", TURNED),
    mk.Placement("tool", OFF, TURN),
    mk.Aim("tool", at=HERE + 5.0 * TURN[:, 1]),
    mk.OnLine("tool", OFF, [0, 1, 0]),
    mk.OnPlane("tool", OFF, [1, 0, 0]),
]


@pytest.mark.parametrize("goal", MET, ids=lambda goal: goal.kind())
def test_what_is_met_is_green(goal):
    found = colors(drawn(goal))
    assert tuple(REACHED.tolist()) in found
    assert tuple(MISSED.tolist()) not in found


@pytest.mark.parametrize("goal", OFF_GOALS, ids=lambda goal: goal.kind())
def test_what_is_missed_is_orange(goal):
    assert tuple(MISSED.tolist()) in colors(drawn(goal))


@pytest.mark.parametrize(
    "goal", [OFF_GOALS[0], OFF_GOALS[2], OFF_GOALS[4], OFF_GOALS[5]], ids=lambda g: g.kind()
)
def test_a_rod_joins_the_site_to_where_it_should_be(goal):
    points = np.concatenate([part.corners.reshape(-1, 3) for part in drawn(goal).solid])
    for place in (HERE, OFF):
        assert np.linalg.norm(points - place, axis=1).min() < 0.02
    middle = np.linalg.norm(points - (HERE + OFF) / 2, axis=1)
    assert middle.min() < 0.11  # a rod has corners at its ends, both near enough


def test_the_solution_has_the_last_word():
    found = colors(drawn(OFF_GOALS[0], {"m": True}))
    assert tuple(MISSED.tolist()) not in found


def test_a_suppressed_axis_is_not_drawn():
    found = colors(drawn(mk.Orientation("tool", TURN, axes=(0, 0, 1))))
    assert tuple(AXES[2].tolist()) in found
    assert tuple(AXES[0].tolist()) not in found


def test_a_far_aim_is_an_arrow_that_does_not_leave():
    points = np.concatenate([part.corners.reshape(-1, 3) for part in drawn(OFF_GOALS[3]).solid])
    assert np.linalg.norm(points - HERE, axis=1).max() < 0.65


def test_a_goal_without_a_mark_of_its_own_is_a_ball_at_its_site():
    goal = mk.Potential("tool", lambda position, axes: (0.0, np.zeros(3), np.zeros((3, 3))))
    (ball,) = drawn(goal, {"": False}).solid
    assert ball.corners.reshape(-1, 3).mean(axis=0) == pytest.approx(HERE, abs=1e-3)
    assert tuple(ball.colors[0].tolist()) == tuple(MISSED.tolist())
