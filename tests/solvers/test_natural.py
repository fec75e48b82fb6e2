"""Solves of a human begin at the posture people take, and prefer it among equals."""

from __future__ import annotations

from math import degrees

import numpy as np
import pytest
from tests.problems import work_of

import manikin as mk

SIDES = ("left", "right")


@pytest.fixture(scope="module")
def body() -> mk.Figure:
    return mk.human(stature=1.75, fingers=False)


def feet(body: mk.Figure, heading: float = 0.0, at: tuple[float, float] = (0.0, 0.0)) -> list[mk.Goal]:
    """Both soles on the floor, turned and moved together."""
    c, s = np.cos(heading), np.sin(heading)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    rest = body.pose()
    return [
        mk.Placement(f"{side}_foot", turn @ rest.position(f"{side}_foot") + [*at, 0.0], turn)
        for side in SIDES
    ]


def box(height: float, ahead: float = 0.45) -> list[mk.Goal]:
    return [mk.Position(f"{s}_hand", [ahead, y, height]) for s, y in zip(SIDES, (0.2, -0.2), strict=True)]


def knees(pose: mk.Pose) -> float:
    values = pose.values()
    return degrees(0.5 * (values["left_knee"] + values["right_knee"]))


def trunk(pose: mk.Pose) -> float:
    """How far the line from hips to shoulders leans, degrees."""
    up = 0.5 * sum(pose.position(f"{s}_shoulder") - pose.position(f"{s}_hip") for s in SIDES)
    return degrees(np.arccos(up[2] / np.linalg.norm(up)))


def test_lifting_from_the_floor_bends_knees_and_back(body):
    found = mk.solve(body, [*feet(body), *box(0.15)])
    assert found.reached
    assert knees(found.pose) > 25.0 and trunk(found.pose) > 20.0


def test_a_box_before_the_chest_is_held_upright(body):
    found = mk.solve(body, [*feet(body), *box(1.1, 0.35)])
    assert found.reached and trunk(found.pose) < 15.0
    values = found.pose.values()
    for side in SIDES:
        assert degrees(values[f"{side}_elbow"]) > 20.0
        assert abs(degrees(values[f"{side}_clavicle_elevation"])) < 8.0


def test_styles_are_what_they_are_called(body):
    goals = [*feet(body), *box(0.25)]
    stoop = mk.solve(body, [*goals, mk.Natural(style="stoop")])
    squat = mk.solve(body, [*goals, mk.Natural(style="squat")])
    assert stoop.reached and squat.reached
    usual = mk.solve(body, goals)
    assert knees(squat.pose) > 100.0 and knees(squat.pose) > knees(usual.pose) + 15.0
    assert knees(stoop.pose) < 60.0 and knees(stoop.pose) < knees(usual.pose) - 25.0
    assert trunk(stoop.pose) > trunk(squat.pose) + 25.0


@pytest.mark.parametrize("heading", [1.0, 2.1, -2.8])
def test_the_pelvis_turns_to_the_feet_wherever_the_start_faces(body, heading):
    found = mk.solve(body, [*feet(body, heading, (1.5, -2.0))])
    assert found.reached
    ahead = found.pose.matrix("pelvis")[:3, 0]
    away = np.arctan2(ahead[1], ahead[0]) - heading
    assert abs(degrees(np.arctan2(np.sin(away), np.cos(away)))) < 25.0


def test_the_same_targets_give_the_same_pose_whatever_came_before(body):
    goals = [*feet(body), *box(0.9)]
    problem = mk.Problem(body, goals)
    first = problem.solve().q
    low = [None, None, [0.4, 0.2, 0.2], [0.4, -0.2, 0.2]]
    moved = problem.solve(targets=low).q
    assert problem.solve().q == pytest.approx(first, abs=1e-12)
    assert mk.solve(body, [*feet(body), *box(0.2, 0.4)]).q == pytest.approx(moved, abs=1e-9)


def test_a_start_that_nearly_has_it_is_not_left(body):
    problem = mk.Problem(body, [*feet(body), mk.Position("right_hand", [0.4, -0.2, 1.1])])
    found = problem.solve()
    values = found.pose.with_values(
        {"right_shoulder_rotation": found.pose.values()["right_shoulder_rotation"] + 0.02}
    )
    again = problem.solve(values)
    assert again.reached and np.abs(again.q - values.q).max() < 0.1


def test_pins_mean_the_start_although_the_search_begins_elsewhere(body):
    start = body.pose({"root_x": 0.7, "root_rz": 1.2})
    hand = start.position("right_hand") + [0.1, 0.3, -0.5]
    goals = [mk.Pin("left_foot"), mk.Pin("right_foot"), mk.Position("right_hand", hand)]
    problem = mk.Problem(start, goals)
    for _ in range(2):
        found = problem.solve()
        assert found.reached
        for side in SIDES:
            assert found.pose.matrix(f"{side}_foot") == pytest.approx(start.matrix(f"{side}_foot"), abs=1e-8)
    other = start.with_values({"root_x": 1.0})
    found = problem.solve(other, targets=[None, None, hand + [0.3, 0.0, 0.0]])
    assert found.reached
    assert found.pose.matrix("left_foot") == pytest.approx(other.matrix("left_foot"), abs=1e-8)


def test_switched_off_the_search_begins_at_the_start(body):
    goals = [*feet(body), *box(0.3)]
    plain = mk.Problem(body, goals, natural=False)
    assert work_of(plain).prior is None
    assert np.abs(plain.solve().q - mk.solve(body, goals).q).max() > 0.1


def test_another_objective_says_what_is_preferred(body):
    assert work_of(mk.Problem(body, [*feet(body), mk.LeastChange()])).prior is None


def test_hands_alone_leave_root_and_legs_where_they_are(body):
    found = mk.solve(body, [mk.Position("right_hand", [0.45, -0.2, 1.2])])
    assert found.reached
    assert np.abs(found.q[:3]).max() < 0.1
    for side in SIDES:
        assert found.pose.values()[f"{side}_knee"] == 0.0


def test_an_arm_without_a_goal_hangs_beside_a_bent_trunk_unless_the_start_has_it_elsewhere(body):
    goals = [*feet(body), mk.Position("right_hand", [0.5, -0.15, 0.25])]
    found = mk.solve(body, goals)
    assert found.reached and trunk(found.pose) > 30.0
    down = found.pose.position("left_elbow") - found.pose.position("left_shoulder")
    assert down[2] < -0.5 * np.linalg.norm(down)
    raised = mk.solve(body.pose({"left_shoulder_flexion": 1.0}), goals)
    assert raised.pose.values()["left_shoulder_flexion"] == 1.0


def test_what_is_fixed_is_taken_as_given(body):
    start = mk.figure.human.preset(body, "sit")
    problem = mk.Problem(start, [mk.Position("right_hand", [0.4, -0.2, 0.9])], free=["right_*", "spine_*"])
    found = problem.solve()
    assert found.reached and found.q[:6] == pytest.approx(start.q[:6], abs=0)


def test_other_figures_have_no_natural_posture(body):
    chain = mk.Figure.from_dh([[0.3, 0.0, 0.0, 0.0]] * 4)
    site = next(iter(chain.sites))
    with pytest.raises(mk.GoalError, match="not one that human"):
        mk.Problem(chain, [mk.Position(site, [0.1, 0.1, 0.0]), mk.Natural()])
    assert work_of(mk.Problem(chain, [mk.Position(site, [0.1, 0.1, 0.0])])).prior is None


def test_an_unknown_style_is_refused_with_the_known_ones():
    with pytest.raises(mk.GoalError, match=r"unknown style 'sqat'.*squat"):
        mk.Natural(style="sqat")


def test_two_styles_at_once_are_refused(body):
    """The second was ignored without a word."""
    goals = [*feet(body), *box(0.25), mk.Natural(style="squat")]
    with pytest.raises(mk.GoalError, match="one style at a time, got 'squat' and 'stoop'"):
        mk.solve(body, [*goals, mk.Natural(style="stoop")])
    assert mk.solve(body, [*goals, mk.Natural(style="squat", weight=0.5)]).reached


def test_a_squat_with_a_straight_back_is_had_by_the_head(body):
    goals = [*feet(body), *box(0.25), mk.Natural(style="squat")]
    bent, upright = mk.solve(body, goals), mk.solve(body, [*goals, mk.Position("head", [0.15, 0.0, 1.1])])
    spines = [found.pose.clinical()["trunk_flexion"].value for found in (bent, upright)]
    assert upright.reached and spines[0] > 60.0 and abs(spines[1]) < 15.0
    assert trunk(upright.pose) < 45.0 < trunk(bent.pose) - 10.0
    assert knees(upright.pose) > knees(bent.pose) + 15.0


@pytest.mark.parametrize("at", [(2.0, 0.0, 2.5), (1.0, 1.6, 1.5), (0.5, 0.0, 0.6), (1.0, -1.6, 1.5)])
def test_whoever_looks_aside_turns_eyes_and_neck_and_does_not_lean_for_it(body, at):
    goals = [*feet(body), mk.Position("right_hand", [0.4, -0.2, 1.1])]
    without = mk.solve(body, goals).pose
    looking = mk.solve(body, [*goals, mk.Aim("eyes", at)])
    assert looking.reached

    def way(pose: mk.Pose) -> np.ndarray:
        up = pose.position("t1") - pose.position("pelvis")
        return up / np.linalg.norm(up)

    assert np.degrees(np.arccos(way(without) @ way(looking.pose))) < 10.0
    assert knees(looking.pose) < knees(without) + 12.0
