"""The session without a browser: every command, and its undoing."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.errors import ManikinError
from manikin.studio.model.document import fresh
from manikin.studio.model.posing import Poser
from manikin.studio.model.presets import PRESETS
from manikin.studio.model.session import Session
from manikin.studio.model.source import Source


def drag(session, segment, way, steps=20):
    start = session.document.pose.matrices()[segment][:3, 3]
    session.drag_start("me", segment, start)
    for k in range(1, steps + 1):
        session.drag_to("me", start + np.asarray(way) * k / steps)
    return start + np.asarray(way)


def feet(document):
    return np.array([document.pose.matrix(name) for name in ("left_foot", "right_foot")])


def in_balance(document):
    """The centre of mass inside the rectangle around the soles, by plain numbers."""
    center = document.pose.center_of_mass()
    corners = np.array(
        [document.pose.position(f"{side}_{end}") for side in ("left", "right") for end in ("heel", "toe")]
    )
    low, high = corners[:, :2].min(axis=0) - 0.06, corners[:, :2].max(axis=0) + 0.06
    return bool((low <= center[:2]).all() and (center[:2] <= high).all())


@pytest.mark.parametrize(
    ("segment", "way"),
    [
        ("right_hand", (0.3, 0.1, 0.5)),
        ("left_hand", (0.25, -0.1, -0.2)),
        ("head", (0.08, 0.05, -0.1)),
        ("pelvis", (0.0, 0.0, -0.05)),
        ("pelvis", (-0.04, 0.0, -0.04)),
        ("right_forearm", (0.2, -0.1, 0.3)),
    ],
)
def test_a_dragged_part_follows_while_feet_and_balance_hold(session, segment, way):
    before = feet(session.document)
    target = drag(session, segment, way)
    document = session.document
    assert np.linalg.norm(document.pose.matrices()[segment][:3, 3] - target) < 2e-4
    assert np.abs(feet(document) - before).max() < 1e-6
    assert in_balance(document)
    assert document.pose.outside == {}


@pytest.mark.parametrize("way", [(3.0, 0.0, 0.0), (0.0, 0.0, 3.0), (-2.0, 1.0, 0.0), (0.0, 0.0, -2.0)])
def test_what_is_out_of_reach_is_followed_as_far_as_it_goes_and_nothing_slips(session, way):
    before = feet(session.document)
    drag(session, "right_hand", way, steps=40)
    assert np.abs(feet(session.document) - before).max() < 1e-3
    assert in_balance(session.document)
    assert session.document.pose.outside == {}


def test_a_drag_is_one_step_of_undo(session):
    before = session.document
    drag(session, "right_hand", (0.2, 0.0, 0.3))
    session.drag_end("me")
    after = session.document
    assert len(session.history) == 1
    assert session.undo() == "drag right hand"
    assert session.document is before
    session.redo()
    assert session.document is after


@pytest.mark.parametrize(
    ("segment", "label"),
    [
        ("right_middle_middle", "drag right hand"),
        ("left_thumb_distal", "drag left hand"),
        ("t7", "drag chest"),
        ("left_thigh", "drag left thigh"),
    ],
)
def test_a_drag_is_called_by_what_people_call_the_part(session, segment, label):
    drag(session, segment, (0.01, 0.0, 0.01), steps=2)
    assert session.history.can_undo == label


def test_two_hands_may_be_dragged_at_once(session):
    pose = session.document.pose
    starts = {side: pose.matrices()[f"{side}_hand"][:3, 3] for side in ("left", "right")}
    for side, start in starts.items():
        session.drag_start(side, f"{side}_hand", start)
    for k in range(1, 21):
        for side, start in starts.items():
            session.drag_to(side, start + np.array([0.2, 0.0, 0.3]) * k / 20)
    last = session.document.pose.matrices()["right_hand"][:3, 3]
    assert np.linalg.norm(last - starts["right"] - [0.2, 0.0, 0.3]) < 2e-4
    for side in starts:
        session.drag_end(side)


def test_a_new_goal_is_met_where_the_figure_is_and_a_drag_takes_it_along(session):
    before = session.document.q
    entry = session.add_goal("position", "right_hand")
    assert np.array_equal(session.document.q, before)
    drag(session, "right_hand", (0.3, 0.0, 0.4))
    session.drag_end("me")
    moved = session.document.entry(entry.key).goal
    here = session.document.pose.position("right_hand")
    assert np.allclose(np.asarray(moved.target) - entry.goal.target, [0.3, 0.0, 0.4])
    assert np.linalg.norm(here - moved.target) < 1e-4
    assert session.found.misses[entry.key][2]


def test_goals_hold_while_another_part_is_dragged(session):
    entry = session.add_goal("position", "left_hand")
    drag(session, "right_hand", (0.25, 0.0, 0.2))
    session.drag_end("me")
    goal = session.document.entry(entry.key).goal
    assert np.linalg.norm(session.document.pose.position("left_hand") - goal.target) < 2e-4


def test_a_goal_is_weighed_ranked_switched_moved_and_deleted(session):
    entry = session.add_goal("position", "right_hand")
    session.change_goal(entry.key, weight=4.0)
    session.change_goal(entry.key, level=2)
    session.change_goal(entry.key, active=False)
    changed = session.document.entry(entry.key)
    assert (changed.goal.weight, changed.level, changed.active) == (4.0, 2, False)
    frame = np.eye(4)
    frame[:3, 3] = np.asarray(entry.goal.target) + [0.2, 0.1, 0.2]
    session.change_goal(entry.key, active=True)
    session.move_goal(entry.key, frame)
    assert np.linalg.norm(session.document.pose.position("right_hand") - frame[:3, 3]) < 1e-3
    session.delete(entry.key)
    assert all(each.key != entry.key for each in session.document.goals)
    with pytest.raises(ManikinError, match="deleted meanwhile"):
        session.change_goal(entry.key, weight=1.0)


def test_a_joint_is_set_and_the_rest_makes_room(session):
    before = feet(session.document)
    session.set_joint("left_knee", 0.5)
    figure = session.document.figure
    assert session.document.q[figure.index("left_knee")] == pytest.approx(0.5, abs=1e-9)
    assert np.abs(feet(session.document) - before).max() < 1e-6


def test_a_locked_joint_does_not_move(session):
    session.lock("right_elbow", True)
    figure = session.document.figure
    before = session.document.q[figure.index("right_elbow")]
    drag(session, "right_hand", (0.1, 0.0, 0.2))
    assert session.document.q[figure.index("right_elbow")] == before


def test_other_limits_are_kept(session):
    session.set_limits("right_elbow", 0.0, 0.4)
    figure = session.document.figure
    assert figure.upper[figure.index("right_elbow")] == pytest.approx(0.4)
    drag(session, "right_hand", (0.1, 0.0, 0.5))
    assert session.document.q[figure.index("right_elbow")] <= 0.4 + 1e-9
    with pytest.raises(ManikinError, match="below the upper"):
        session.set_limits("right_elbow", 0.5, 0.4)


def test_another_size_keeps_goals_and_feet(session):
    entry = session.add_goal("position", "right_hand")
    before = feet(session.document)
    for stature in (1.6, 1.7, 1.85):
        session.resize(gesture="slider", stature=stature)
    rest = session.document.figure.pose()
    assert rest.position("vertex")[2] - rest.position("left_heel")[2] == pytest.approx(1.85, abs=1e-3)
    assert np.abs(feet(session.document) - before).max() < 1e-6
    assert session.found.misses[entry.key][2]
    session.undo()
    assert session.document.source.options == {}


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_inside_all_limits_and_meet_their_goals(session, name):
    session.preset(name)
    document = session.document
    assert document.pose.outside == {}
    found = Poser(document).look(document.q)
    assert found.feasible
    assert found.reached
    lowest = min(
        document.pose.position(name)[2] for name in ("left_heel", "right_heel", "left_toe", "right_toe")
    )
    assert lowest > -0.03


def test_a_figure_at_a_table_reaches_over_it_and_not_through_it(session):
    session.preset("sit at a table")
    table = next(thing for thing in session.document.things if thing.name == "table")
    top = table.center[2] + table.size[2] / 2
    start = session.document.pose.matrices()["right_hand"][:3, 3]
    drag(session, "right_hand", np.array([table.center[0] - 0.1, -0.2, top + 0.15]) - start, steps=40)
    session.drag_end("me")
    region = table.region()
    frames = session.document.pose
    for site in ("right_hand", "right_fingertip", "right_wrist", "right_elbow"):
        assert region.distance(frames.position(site)) > -0.005
    assert np.linalg.norm(frames.position("seat") - fresh_seat(session)) < 1e-3


def fresh_seat(session):
    other = Session(fresh(Source()))
    other.preset("sit at a table")
    return other.document.pose.position("seat")


def test_things_are_added_changed_and_deleted(session):
    thing = session.add_thing("box")
    session.change_thing(thing.key, center=(1.0, 0.5, 0.2), role="support", size=(0.1, 0.2, 0.3))
    changed = session.document.thing(thing.key)
    assert (changed.center, changed.role, changed.size) == ((1.0, 0.5, 0.2), "support", (0.1, 0.2, 0.3))
    with pytest.raises(ManikinError):
        session.change_thing(thing.key, size=(-1.0, 1.0, 1.0))
    assert session.document.thing(thing.key).size == (0.1, 0.2, 0.3)
    session.delete(thing.key)
    assert session.document.things == ()


def test_an_object_in_the_hand_goes_with_it_and_can_be_dropped(session):
    mass = session.document.figure.mass
    session.hold("parcel", "right_hand", (0.2, 0.1, 0.1), 3.0)
    assert session.document.figure.mass == pytest.approx(mass + 3.0)
    assert "parcel" in session.document.figure.segments
    session.drop("parcel")
    assert session.document.figure.mass == pytest.approx(mass)


def test_key_frames_are_played_through_the_poses_they_were_made_of(session):
    session.add_key()
    first = session.document.q
    drag(session, "right_hand", (0.3, 0.0, 0.4))
    session.drag_end("me")
    session.add_key()
    last = session.document.q
    session.scrub(0.0)
    assert np.allclose(session.document.q, first, atol=1e-9)
    session.scrub(0.5)
    between = session.document.q
    low, high = np.minimum(first, last) - 1e-9, np.maximum(first, last) + 1e-9
    assert ((low <= between) & (between <= high))[6:].all()
    session.scrub(1.0)
    session.play_end()
    assert np.allclose(session.document.q, last, atol=1e-9)
    session.move_key(session.document.keys[1].key, 2.5)
    assert [key.time for key in session.document.keys] == [0.0, 2.5]
    session.delete(session.document.keys[0].key)
    assert len(session.document.keys) == 1


def test_every_command_can_be_undone_and_done_again(session):
    begin = session.document
    states = [begin]
    goal = session.add_goal("aim (gaze)", "eyes")
    states.append(session.document)
    for command in (
        lambda: session.change_goal(goal.key, weight=2.0),
        lambda: session.pin_feet(False),
        lambda: session.keep_balance(False),
        lambda: session.set_joint("right_elbow", 1.0),
        lambda: session.lock("right_elbow", True),
        lambda: session.set_limits("left_elbow", 0.0, 1.0),
        lambda: session.resize(sex="female"),
        lambda: session.add_thing("table"),
        lambda: session.hold("cup", "left_hand", (0.05, 0.05, 0.1)),
        lambda: session.add_key(),
        lambda: session.preset("kneel"),
        lambda: session.delete(session.document.goals[0].key),
    ):
        command()
        states.append(session.document)
    for state in reversed(states[:-1]):
        session.undo()
        assert session.document is state
    assert session.undo() is None
    for state in states[1:]:
        session.redo()
        assert session.document is state
    assert session.redo() is None


def test_the_words_name_what_holds_the_figure(session):
    assert "balance" in session.explain()
    entry = session.add_goal("position", "right_hand")
    frame = np.eye(4)
    frame[:3, 3] = [2.5, 0.0, 1.2]
    session.move_goal(entry.key, frame)
    words = session.explain()
    assert "Right hand misses its target" in words
    assert session.limits
    assert all(name in session.document.figure.dofs for name in session.limits)


def test_a_robot_from_a_file_is_dragged_too(arm_file):
    session = Session(fresh(Source(str(arm_file))))
    start = session.document.pose.matrices()["lower"][:3, 3]
    session.drag_start(1, "lower", start)
    session.drag_to(1, start + np.array([0.1, 0.0, -0.02]))
    session.drag_end(1)
    assert session.document.pose.outside == {}
    assert session.document.pose.matrices()["lower"][0, 3] > 0.09
    with pytest.raises(ManikinError, match="cannot be resized"):
        session.resize(stature=1.8)
    with pytest.raises(ManikinError, match="has no left_foot"):
        session.pin_feet(True)
    session.preset("rest")


def test_undo_gives_back_a_goal_that_was_deleted_while_it_was_dragged(session):
    entry = session.add_goal("position", "right_hand")
    start = session.document.pose.matrices()["right_hand"][:3, 3]
    session.drag_start("me", "right_hand", start)
    session.drag_to("me", start + 0.05)
    session.delete(entry.key)
    with pytest.raises(ManikinError, match="deleted meanwhile"):
        session.drag_to("me", start + 0.1)
    session.undo()
    assert session.document.entry(entry.key)
