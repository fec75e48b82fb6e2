"""Forty gestures, without a browser: what a person would expect of each."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from benchmarks.gestures import figures
from benchmarks.gestures.table import GESTURES
from benchmarks.gestures.without_browser import made

from manikin.studio.model.session import Session


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    folder = tmp_path_factory.mktemp("characters")

    @cache
    def of(who):
        if who == "human":
            return figures.document(None)
        path = figures.robot() if who == "robot" else figures.characters(folder)[int(who[-1]) - 1]
        if path is None or not path.is_file():
            pytest.skip(f"no file of {who} on this machine")
        return figures.document(path)

    return of


@pytest.mark.parametrize("gesture", GESTURES, ids=lambda gesture: gesture.title)
def test_a_gesture_does_what_a_person_would_expect(document, gesture):
    seen = made(gesture, document(gesture.who))
    assert [words for words, met in gesture.check(seen) if not met] == []


def test_there_are_forty_of_five_figures():
    assert len(GESTURES) == 40
    assert len({gesture.who for gesture in GESTURES}) == 5


@pytest.mark.parametrize("number", [3, 4, 9, 11], ids=lambda number: GESTURES[number - 1].title)
def test_the_same_gesture_from_the_same_document_gives_the_same_pose(document, number):
    gesture = GESTURES[number - 1]
    one, other = (made(gesture, document(gesture.who)) for _ in range(2))
    assert all(np.array_equal(a.q, b.q) for a, b in zip(one.way, other.way, strict=True))


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("hips", (0.0, 0.0, -0.25)),
        ("hips", (0.0, 0.10, 0.0)),
        ("hips", (0.0, 0.0, 0.05)),
        ("chest", (0.2, 0.0, -0.05)),
        ("right hand", (0.3, -0.2, 0.4)),
        ("right hand", (0.3, -1.0, 0.4)),
    ],
)
def test_a_way_there_and_back_ends_where_it_began(session: Session, name, way):
    before = session.document.pose
    site = {"hips": "pelvis", "right hand": "right_hand"}.get(name, name)
    place = before.position(site)
    session.handle_start("hand", name, place)
    for share in (*np.linspace(0.0, 1.0, 25), *np.linspace(1.0, 0.0, 25)):
        session.drag_to("hand", place + share * np.array(way))
    session.drag_end("hand")
    assert np.degrees(np.abs(session.document.q - before.q).max()) < 1.0


def test_the_lifted_foot_is_no_support(session: Session):
    from manikin.studio.model.gestures import settled

    session.pin("left foot", False)
    foot = session.document.pose.position("left_foot")
    session.handle_start("hand", "left foot", foot)
    for k in range(1, 16):
        session.drag_to("hand", foot + [0.0, 0.0, 0.01 * k])
    session.drag_end("hand")
    document = session.document
    goal = settled(document, document.balances()[0].goal)
    assert goal is not None and all(name.startswith("right_") for name in goal.support)  # type: ignore[attr-defined]
