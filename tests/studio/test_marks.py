"""Goals' marks: they are dragged as what they place, stay the same nodes meanwhile, and show where the miss is."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("viser", reason="the extra studio is not installed")

from manikin.errors import ManikinError


def done(studio, job):
    found = []
    studio.worker.post(lambda: found.append(job()))
    assert studio.worker.drain(60.0)
    return found[0]


def drag(studio, key, start, way, steps=10, end=True):
    """As a browser does that took hold of the mark."""
    phases = ["start", *["update"] * steps, *(["end"] if end else [])]
    for k, phase in enumerate(phases):
        at = start + np.asarray(way) * min(k, steps) / steps
        event = SimpleNamespace(
            phase=phase, client_id=1, client=None, start_position=tuple(start), end_position=tuple(at)
        )
        studio.picture._grabbed_goal(key, event)
        assert studio.worker.drain(60.0)


def test_the_mark_over_a_hand_takes_the_hand_along(studio):
    session = studio.session
    key = done(studio, lambda: session.add_goal("position", "right_hand")).key
    start = session.document.pose.position("right_hand")
    drag(studio, key, start, (0.2, 0.0, 0.3))
    goal = session.document.entry(key).goal
    assert np.allclose(goal.target, start + [0.2, 0.0, 0.3], atol=1e-9)
    assert np.linalg.norm(session.document.pose.position("right_hand") - goal.target) < 1e-3


def test_of_two_goals_on_a_segment_the_one_whose_mark_is_dragged_moves(studio):
    session = studio.session
    first = done(studio, lambda: session.add_goal("position", "right_hand")).key
    second = done(studio, lambda: session.add_goal("position", "right_hand")).key
    before = session.document.entry(first).goal
    start = session.document.pose.position("right_hand")
    drag(studio, second, start, (0.05, 0.0, 0.05))
    assert session.document.entry(first).goal is before
    assert np.allclose(session.document.entry(second).goal.target, start + [0.05, 0.0, 0.05], atol=1e-9)


def test_a_mark_stays_the_same_node_while_its_colour_changes_in_a_drag(studio):
    """One that was made anew would fall from the hand that drags it."""
    session = studio.session
    key = done(studio, lambda: session.add_goal("position", "right_hand")).key
    marks = studio.picture._goals
    nodes, color = list(marks._marks[key].nodes), marks.colors()[key]
    start = session.document.pose.position("right_hand")
    drag(studio, key, start, (3.0, 0.0, 0.0), end=False)
    assert marks.colors()[key] != color
    mark = marks._marks[key]
    assert mark.nodes == nodes and not any(node._impl.removed for node in nodes)
    # The line goes from the hand to the target in the world, though the mark was carried there.
    here, there = session.document.pose.position("right_hand"), session.document.entry(key).goal.target
    assert np.allclose(mark.line.points[0], [here, there], atol=1e-5)
    above = mark.line.name.rsplit("/", 1)[0]
    assert np.allclose(studio.viser.scene._handle_from_node_name[above].position, 0.0)
    shown = mark.frame.position + np.asarray(mark.drawn.target)
    assert np.allclose(shown, there, atol=1e-5)


def test_the_mark_of_a_goal_that_is_no_place_drags_what_carries_its_site(studio):
    session = studio.session
    key = done(studio, lambda: session.add_goal("orientation", "right_hand")).key
    start = session.document.pose.position("right_hand")
    drag(studio, key, start, (0.1, 0.0, 0.1))
    assert np.linalg.norm(session.document.pose.position("right_hand") - start) > 0.1
    assert session.history.can_undo == "drag right hand"


def test_what_has_no_site_says_how_it_is_moved(studio):
    session = studio.session
    key = done(studio, lambda: session.add_goal("centre of mass")).key
    with pytest.raises(ManikinError, match="arrows"):
        session.drag_goal_start(1, key, np.zeros(3))
