"""Handles, rings and pins in a real browser."""

from __future__ import annotations

import numpy as np
import pytest
from tests.studio.test_browser import (
    PATIENCE,
    aim,
    browser,  # noqa: F401
    drag,
    drained,
    opened,  # noqa: F401
    page,  # noqa: F401
    settled,
    state,  # noqa: F401
    studio,  # noqa: F401
    until,
)

from manikin.studio.view.handles import ABOVE, PIN, RING


def at(studio, site):  # noqa: F811
    return studio.session.document.pose.position(site)


def test_hips_pulled_down_by_their_handle_are_a_squat_and_one_step_of_undo(studio, page):  # noqa: F811
    session = studio.session
    before = session.document
    steps = len(session.history)
    hips, feet = at(studio, "pelvis"), before.pose.matrix("left_foot")
    aim(
        studio,
        page,
        hips,
        lambda place: drag(page, place, (0, 70)),
        lambda: at(studio, "pelvis")[2] < hips[2] - 0.1 and session.history.can_undo == "drag hips",
        "the squat",
    )
    pose = session.document.pose
    assert pose.values()["left_knee"] > 0.5 and pose.values()["right_knee"] > 0.5
    assert np.abs(pose.matrix("left_foot") - feet)[:3, 3].max() < 1e-3
    up = pose.position("chest") - pose.position("pelvis")
    assert up[2] > np.cos(np.radians(30.0)) * np.linalg.norm(up)
    assert len(session.history) == steps + 1
    page.keyboard.press("Control+z")
    until(lambda: np.array_equal(session.document.q, before.q), "the undoing")


def test_one_click_on_its_pin_pins_a_part_and_another_lets_it_go(studio, page):  # noqa: F811
    session = studio.session
    high = studio.picture.handles._size * (ABOVE + 0.75 * PIN)

    def click(name, wanted):
        place = at(studio, "right_hand") + [0.0, 0.0, high]

        def done():
            return (session.pinned(name) is not None) == wanted

        aim(studio, page, place, lambda point: page.mouse.click(*point), done, f"the pin of the {name}")

    click("right hand", True)
    assert session.history.can_undo == "pin right hand"
    click("right hand", False)


def test_a_pinned_part_that_is_dragged_says_so_and_is_unpinned_at_a_click(studio, page):  # noqa: F811
    session = studio.session
    before, steps = session.document, len(session.history)
    unpin = page.get_by_role("button", name="Unpin left foot")
    for again in (True, False):
        aim(
            studio,
            page,
            at(studio, "left_foot"),
            lambda place: drag(page, place, (40, -40)),
            lambda: unpin.count() > 0,
            "the offer",
        )
        assert session.document is before and len(session.history) == steps
        if again:
            page.keyboard.press("Escape")
            unpin.wait_for(state="hidden", timeout=1000 * PATIENCE)
    unpin.click(timeout=1000 * PATIENCE)
    until(lambda: session.pinned("left foot") is None, "the unpinning")
    unpin.wait_for(state="hidden", timeout=1000 * PATIENCE)
    foot = at(studio, "left_foot")
    aim(
        studio,
        page,
        foot,
        lambda place: drag(page, place, (0, -60)),
        lambda: at(studio, "left_foot")[2] > foot[2] + 0.05,
        "the foot being lifted",
    )


def test_a_click_on_a_handle_shows_rings_that_turn_its_part_where_it_is(studio, page):  # noqa: F811
    session = studio.session
    chest = at(studio, "chest")
    aim(
        studio,
        page,
        chest,
        lambda place: page.mouse.click(*place),
        lambda: session.part == "chest",
        "the chest being chosen",
    )
    page.get_by_text("Keeps direction").wait_for(state="hidden", timeout=1000 * PATIENCE)
    before = session.document.pose.matrix("chest")
    radius = 0.65 * RING * studio.picture.handles._size
    aim(
        studio,
        page,
        chest + radius * np.array([np.cos(0.8), np.sin(0.8), 0.0]),
        lambda place: drag(page, place, (25, -4)),
        lambda: np.abs(session.document.pose.matrix("chest")[:3, :3] - before[:3, :3]).max() > 0.1,
        "the chest being turned",
    )
    after = session.document.pose.matrix("chest")
    assert np.linalg.norm(after[:3, 3] - before[:3, 3]) < 0.02
    assert session.history.can_undo == "drag chest"


def test_a_chosen_hand_keeps_its_direction_when_that_is_asked(studio, page):  # noqa: F811
    session = studio.session
    hand = at(studio, "right_hand")
    aim(
        studio,
        page,
        hand,
        lambda place: page.mouse.click(*place),
        lambda: session.part == "right hand",
        "the hand being chosen",
    )
    page.keyboard.press("o")
    until(lambda: "right hand" in session.oriented, "the direction being kept")
    studio.worker.post(lambda: session.choose(""))
    drained(studio)
    before = session.document.pose.matrix("right_hand")
    aim(
        studio,
        page,
        hand,
        lambda place: drag(page, place, (-40, -60)),
        lambda: np.linalg.norm(at(studio, "right_hand") - hand) > 0.1,
        "the hand being dragged",
    )
    turned = before[:3, :3].T @ session.document.pose.matrix("right_hand")[:3, :3]
    assert np.trace(turned) > 1.0 + 2.0 * np.cos(np.radians(2.0))
    studio.worker.post(lambda: session.orient("right hand", False))
    drained(studio)


# The corners of what is outlined, where they are at rest, and how many corners the whole skin has.
OUTLINED = """() => {
    const found = [];
    window.__viserMutable.scene.traverse((mesh) => {
        if (!mesh.isSkinnedMesh || !mesh.material?.uniforms?.thickness || !mesh.parent.visible) return;
        const {index, attributes: {position}} = mesh.geometry;
        const corners = index ? [...new Set(index.array)] : [...Array(position.count).keys()];
        found.push([corners.map((v) => [position.getX(v), position.getY(v), position.getZ(v)]), position.count]);
    });
    return found;
}"""


def test_of_a_skin_the_part_under_the_mouse_is_outlined_and_not_the_whole(studio, page):  # noqa: F811
    pytest.importorskip("skimage", reason="the extra pictures is not installed")
    session, picture = studio.session, studio.picture
    studio.worker.post(lambda: picture.wear("skin", session))
    drained(studio)
    settled(page)
    try:
        for side, sign in (("left", 1.0), ("right", -1.0)):
            hip, knee = at(studio, f"{side}_hip"), at(studio, f"{side}_knee")

            def outlined(place):
                page.mouse.move(place[0] + 40, place[1])
                page.mouse.move(*place)
                settled(page)
                page.wait_for_timeout(300)

            def only_that(sign=sign, low=knee[2], high=hip[2]):
                found = page.evaluate(OUTLINED)
                if len(found) != 1:
                    return False
                corners, count = np.array(found[0][0]), found[0][1]
                thigh = (sign * corners[:, 1] > -0.02).all() and low - 0.1 < corners[:, 2].min()
                return thigh and corners[:, 2].max() < high + 0.15 and len(corners) < 0.3 * count

            aim(studio, page, 0.5 * (hip + knee), outlined, only_that, f"the {side} thigh's outline")
    finally:
        studio.worker.post(lambda: picture.wear("wood", session))
        drained(studio)
