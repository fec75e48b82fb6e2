"""The page in a real browser: restarts, dialogs, narrow screens, values that a control does not have."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull
from tests.studio.test_browser import (
    DRAFT,
    PATIENCE,
    browser,  # noqa: F401
    drained,
    field,
    opened,  # noqa: F401
    page,  # noqa: F401
    settled,
    start,
    state,  # noqa: F401
    studio,  # noqa: F401
    tab,
    until,
)

import manikin as mk
from manikin.formats.contents import Contents
from manikin.formats.skin import Skin
from manikin.studio import open_studio

NARROW = {"width": 360, "height": 700}
TABS = ("Pose", "Goals", "Joints", "Body", "Room", "Keys", "Reach", "File")
# Pairs of texts on the page of which, as far as they are not cut off, one lies over the other.
OVERLAPS = """() => {
    const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode, parent = node.parentElement;
        if (!node.textContent.trim() || parent.closest('script, style, .mantine-Notification-root')) continue;
        if (!parent.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const edge = parent.getBoundingClientRect();
        const cut = getComputedStyle(parent).overflowX === 'hidden';
        for (const box of range.getClientRects())
            if (box.width > 1 && box.height > 1)
                found.push({text: node.textContent.trim(), node, left: box.left, top: box.top, bottom: box.bottom,
                    right: cut ? Math.min(box.right, edge.right) : box.right});
    }
    const over = [];
    found.forEach((a, k) => found.slice(0, k).forEach((b) => {
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (a.node !== b.node && x > 1 && y > 3) over.push([a.text, b.text, x, y]);
    }));
    return [found.length, over];
}"""
IN_FRONT = """() => [...document.querySelectorAll('[role=tab]')].filter((tab) => {
    const box = tab.getBoundingClientRect();
    const at = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    return box.left >= 0 && box.right <= innerWidth && box.width > 0 && tab.contains(at);
}).map((tab) => tab.textContent)"""


def skinned(path):
    """A file with a figure of two segments that wears a skin."""
    joint = mk.Joint("neck", "trunk", "head", "ball", (0, 0, 0.5))
    figure = mk.Figure("someone", ["trunk", "head"], [joint], base="free")
    corners = np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (0.0, 0.5, 1.0)])
    triangles = ConvexHull(corners).simplices
    bones = (corners[:, 2:] > 0.6).astype(int)
    bind = np.stack([np.eye(4), np.eye(4)])
    bind[1, 2, 3] = -0.5
    skin = Skin(
        "shell", corners, triangles, ["trunk", "head"], bind, bones, np.ones((12, 1)), (1.0, 0.5, 0.0)
    )
    mk.save(Contents(figure, (), (skin,)), path)
    return path.read_bytes()


def test_a_page_that_is_open_while_a_skinned_figure_is_started_again_comes_back(
    browser,  # noqa: F811
    tmp_path,
    monkeypatch,
):
    monkeypatch.setenv("MANIKIN_STATE", str(tmp_path / "state"))
    content = skinned(tmp_path / "someone.npz")
    running = open_studio(port=0, browser=False, folder=tmp_path, shadows=False)
    port = running.served.port
    try:
        running.worker.post(lambda: running.take_upload("someone.npz", content))
        drained(running)
        seen = browser.new_context(viewport={"width": 640, "height": 400}).new_page()
        seen.goto(running.url + DRAFT)
        start(seen)
        for _ in range(3):
            running.close()
            seen.wait_for_timeout(500)
            running = open_studio(port=port, browser=False, folder=tmp_path, shadows=False)
            assert running.session.document.figure.name == "someone" and not running.notice
            until(lambda: running.viser.get_clients(), "the page")  # noqa: B023
            seen.get_by_role("button", name="Undo open someone.npz").wait_for(timeout=1000 * PATIENCE)
            seen.wait_for_timeout(2500)  # a page that is gone is loaded again by then
            seen.get_by_role("tab", name="Keys").click(timeout=1000 * PATIENCE)
            count = len(running.session.document.keys)
            seen.get_by_role("button", name="Add key frame").click(timeout=1000 * PATIENCE)
            until(lambda: len(running.session.document.keys) == count + 1, "the key frame")  # noqa: B023
            running.worker.post(running.session.undo)
            drained(running)
        seen.context.close()
    finally:
        running.close()


def test_escape_closes_the_dialog_and_shortcuts_do_not_act_behind_it(studio, page):  # noqa: F811
    session = studio.session
    dialog = page.get_by_role("dialog")
    page.keyboard.press("h")
    dialog.wait_for(timeout=1000 * PATIENCE)
    before = session.document
    for key in ("k", "g", "f", "b", "Delete", "Control+z", "Control+s", "h"):
        page.keyboard.press(key)
    page.wait_for_timeout(500)
    drained(studio)
    assert session.document is before and dialog.count() == 1
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden", timeout=1000 * PATIENCE)
    page.keyboard.press("k")
    until(lambda: len(session.document.keys) == 1, "the key frame")
    page.keyboard.press("h")
    dialog.wait_for(timeout=1000 * PATIENCE)
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    dialog.wait_for(state="hidden", timeout=1000 * PATIENCE)


def test_escape_closes_an_open_list_and_the_palette(studio, page):  # noqa: F811
    tab(page, "Goals")
    field(page, "New goal").click(timeout=1000 * PATIENCE)
    page.get_by_role("option", name="position", exact=True).wait_for(timeout=1000 * PATIENCE)
    page.keyboard.press("Escape")
    page.get_by_role("option", name="position", exact=True).wait_for(state="hidden", timeout=1000 * PATIENCE)
    tab(page, "Goals")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").wait_for(timeout=1000 * PATIENCE)
    page.keyboard.type("k")
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden", timeout=1000 * PATIENCE)
    assert not studio.session.document.keys


def test_on_a_narrow_screen_all_tabs_are_there_and_no_text_lies_over_another(browser, studio):  # noqa: F811
    session = studio.session
    studio.worker.post(session.add_key)
    studio.worker.post(lambda: session.preset("sit at a table"))
    studio.worker.post(session.add_key)
    studio.worker.post(lambda: session.add_goal("position"))
    drained(studio)
    narrow = browser.new_context(viewport=NARROW).new_page()
    narrow.goto(studio.url + DRAFT)
    start(narrow)
    notice = narrow.locator(".mantine-Notification-root", has_text="Software WebGL")
    if notice.count():
        notice.locator("button").click(timeout=1000 * PATIENCE)
        notice.wait_for(state="hidden", timeout=1000 * PATIENCE)
    assert set(TABS) - {"Reach"} <= set(narrow.evaluate(IN_FRONT)) <= set(TABS)
    for name in narrow.evaluate(IN_FRONT):
        tab(narrow, name)
        settled(narrow)
        narrow.wait_for_timeout(500)
        count, over = narrow.evaluate(OVERLAPS)
        assert count > 10 and over == [], name
    narrow.context.close()


def test_a_rank_beyond_its_range_leaves_the_goal_and_later_pages_come_in(browser, studio, page):  # noqa: F811
    session = studio.session
    studio.worker.post(lambda: session.add_goal("position"))
    drained(studio)
    key = session.selected
    tab(page, "Goals")
    rank = field(page, "Rank")
    for value in ("1" + "0" * 30, "99", "-5"):
        rank.fill(value)
        rank.press("Enter")
        page.wait_for_timeout(400)
    drained(studio)
    assert 1 <= session.document.entry(key).level <= 9
    later = browser.new_context(viewport=NARROW).new_page()
    later.goto(studio.url + DRAFT)
    later.get_by_role("tab", name="Goals").wait_for(timeout=1000 * PATIENCE)
    later.context.close()


def test_what_is_not_restored_is_told_on_the_page(browser, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("MANIKIN_STATE", str(tmp_path / "state"))
    running = open_studio(port=0, browser=False, folder=tmp_path, shadows=False)
    kept = running.autosave.path
    running.close()
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("figure = [", encoding="utf-8")
    running = open_studio(port=0, browser=False, folder=tmp_path, shadows=False)
    try:
        seen = browser.new_context(viewport={"width": 640, "height": 400}).new_page()
        seen.goto(running.url + DRAFT)
        seen.get_by_text("Not restored").wait_for(timeout=1000 * PATIENCE)
        seen.get_by_text("aside-1.toml").wait_for(timeout=1000 * PATIENCE)
        seen.context.close()
    finally:
        running.close()
