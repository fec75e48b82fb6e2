"""A placement as one transform, an orientation as a quaternion: the same goal in fewer words."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.problems import moved

import manikin as mk

TURN = Rotation.from_rotvec([0.3, -0.4, 0.5])
WXYZ = np.roll(TURN.as_quat(), 1)
PLACE = [0.4, -0.2, 1.1]


def transform():
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = TURN.as_matrix(), PLACE
    return found


@pytest.mark.parametrize(
    "goal",
    [
        mk.Placement("right_hand", transform()),
        mk.Placement("right_hand", transform().tolist()),
        mk.Placement("right_hand", PLACE, TURN),
        mk.Placement("right_hand", PLACE, wxyz=WXYZ),
        mk.Placement("right_hand", PLACE, wxyz=-WXYZ),
        mk.Placement("right_hand", [0, 0, 0], np.eye(3)).changed(position=transform()),
        mk.Placement("right_hand", PLACE, np.eye(3)).changed(wxyz=WXYZ),
    ],
)
def test_every_form_of_a_placement_is_the_same_goal(goal):
    assert np.abs(np.asarray(goal.position) - PLACE).max() == 0.0
    assert np.abs(np.asarray(goal.orientation) - TURN.as_matrix()).max() < 1e-15
    assert set(goal.arguments()) == {
        "site",
        "position",
        "orientation",
        "position_share",
        "axes",
        "degrees_per_metre",
        "weight",
        "hard",
    }


@pytest.mark.parametrize(
    "goal",
    [
        mk.Orientation("head", wxyz=WXYZ),
        mk.Orientation("head", TURN),
        mk.Orientation("head", np.eye(3)).changed(wxyz=WXYZ),
    ],
)
def test_every_form_of_an_orientation_is_the_same_goal(goal):
    assert np.abs(np.asarray(goal.target) - TURN.as_matrix()).max() < 1e-15


def test_a_quaternion_reaches_where_its_matrix_does():
    body = mk.human()
    by_matrix = mk.solve(body, [mk.Placement("right_hand", PLACE, TURN)])
    by_numbers = mk.solve(body, [mk.Placement("right_hand", PLACE, wxyz=WXYZ)])
    assert by_numbers.reached == by_matrix.reached
    hand = by_numbers.pose.matrix("right_hand")
    if by_numbers.reached:
        assert np.abs(hand[:3, 3] - PLACE).max() < 1e-4
        assert np.abs(hand[:3, :3] - TURN.as_matrix()).max() < 1e-3


def test_a_changed_goal_takes_a_transform_and_a_quaternion():
    body = mk.human()
    goal = mk.Placement("right_hand", PLACE, np.eye(3))
    problem = mk.Problem(body, [goal])
    problem = moved(problem, 0, position=transform())
    assert np.abs(np.asarray(problem.goals[0].orientation) - TURN.as_matrix()).max() < 1e-15
    problem = moved(problem, 0, wxyz=[1.0, 0.0, 0.0, 0.0])
    assert (np.asarray(problem.goals[0].orientation) == np.eye(3)).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mk.Placement("hand", PLACE), "give a rotation as orientation, or as wxyz.*; got neither"),
        (lambda: mk.Placement("hand", PLACE, np.eye(3), wxyz=WXYZ), "got both"),
        (lambda: mk.Placement("hand", transform().T), "last row must be 0 0 0 1.*transposed"),
        (lambda: mk.Placement("hand", transform(), np.eye(3)), "position must be three numbers"),
        (lambda: mk.Orientation("hand"), "got neither"),
        (lambda: mk.Orientation("hand", wxyz=[1.0, 2.0, 0.0, 0.0]), "length 1"),
        (lambda: mk.Orientation("hand", wxyz=[1.0, 0.0, 0.0]), "four numbers"),
        (lambda: mk.Orientation("hand", wxyz=[float("nan")] * 4), "length 1"),
        (lambda: mk.Orientation("hand", wxyz="up"), "four numbers"),
    ],
)
def test_what_is_no_place_is_refused_in_words(make, words):
    with pytest.raises(mk.GoalError, match=words):
        make()
