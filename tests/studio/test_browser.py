"""The studio in a real browser: the system's Chromium, drawn by software, one process for all tests."""

from __future__ import annotations

import http.server
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.studio.conftest import chromium

import manikin

pytest.importorskip("viser", reason="the extra studio is not installed")
trimesh = pytest.importorskip("trimesh", reason="the extra studio is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
if chromium() is None:
    pytest.skip("no Chromium among the system's packages: apt-get install chromium", allow_module_level=True)

from manikin.studio import open_studio  # noqa: E402
from manikin.studio.model.document import fresh  # noqa: E402
from manikin.studio.model.source import Source  # noqa: E402

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Software draws slowly: a small window, a quarter of its pixels, and no shadows but where pictures are wanted.
WIDE, HIGH = (1180, 720) if os.environ.get("MANIKIN_SCREENSHOTS") else (900, 560)
# Seconds after which something that did not come about is a failure, however busy the machine.
PATIENCE = 120.0
SHOTS = os.environ.get("MANIKIN_SCREENSHOTS")
DRAFT = "" if SHOTS else "?fixedDpr=0.5"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    folder = tmp_path_factory.mktemp("state")
    old = os.environ.get("MANIKIN_STATE")
    os.environ["MANIKIN_STATE"] = str(folder)
    yield folder
    if old is None:
        del os.environ["MANIKIN_STATE"]
    else:
        os.environ["MANIKIN_STATE"] = old


@pytest.fixture(scope="module")
def opened(browser, state, tmp_path_factory):
    """A studio and a page of it, the help read and put away."""
    studio = open_studio(port=0, browser=False, folder=tmp_path_factory.mktemp("scenes"), shadows=bool(SHOTS))
    page = browser.new_context(viewport={"width": WIDE, "height": HIGH}).new_page()
    page.goto(studio.url + DRAFT)
    start(page)
    # viser's notice that there is no GPU, put away by its own cross.
    notice = page.locator(".mantine-Notification-root", has_text="Software WebGL")
    if notice.count():
        notice.locator("button").click(timeout=1000 * PATIENCE)
    yield studio, page
    studio.close()


@pytest.fixture
def studio(opened):
    """The studio with a person who stands, and its page on the first tab."""
    running, page = opened
    running.look_again = True  # whatever camera the test before left
    running.worker.post(lambda: running.session.open(fresh(Source()), "new"))
    drained(running)
    tab(page, "Pose")
    settled(page)
    return running


@pytest.fixture
def page(opened):
    return opened[1]


def start(page):
    """Put the help away, and wait until it is gone: while it fades it still takes the mouse."""
    page.get_by_role("button", name="Start").click(timeout=1000 * PATIENCE)
    page.get_by_role("dialog").wait_for(state="hidden", timeout=1000 * PATIENCE)


def settled(page):
    """Wait until the page has drawn what it was sent a moment ago."""
    page.wait_for_timeout(200)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def look_from_there(studio):
    """Have all browsers look from where new ones do, and wait until they say so: pixels are reckoned from there."""
    wanted = studio.viser.initial_camera

    def there(camera):
        return np.allclose(camera.position, wanted.position, atol=1e-3) and np.allclose(
            camera.look_at, wanted.look_at, atol=1e-3
        )

    clients = list(studio.viser.get_clients().values())
    for client in clients:
        if not there(client.camera):
            studio.picture.look(client)
    gone = studio.viser.get_clients
    until(lambda: all(there(c.camera) or c.client_id not in gone() for c in clients), "the look")


def drained(studio):
    assert studio.worker.drain(PATIENCE)


def tab(page, name):
    page.get_by_role("tab", name=name).click(timeout=1000 * PATIENCE)


def field(page, label):
    """The input beside a label; of a slider the one to type into."""
    beside = page.get_by_text(label, exact=True).locator("xpath=ancestor::*[.//input][1]")
    return beside.locator("input:not([type=hidden])").last


def until(test, what="it"):
    """Wait for something to become true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = test()
        if found:
            return found
        time.sleep(0.03)
    raise AssertionError(f"{what} did not come about in {PATIENCE:g} s")


def shot(page, name):
    if SHOTS:
        page.wait_for_timeout(4000)
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"))


def on_screen(studio, point, wide=WIDE, high=HIGH):
    """The pixel of a point of the world, by the camera that new browsers get."""
    camera = studio.viser.initial_camera
    position, target = np.array(camera.position), np.array(camera.look_at)
    forward = (target - position) / np.linalg.norm(target - position)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    away = np.asarray(point) - position
    scale = high / 2 / math.tan(camera.fov / 2) / (away @ forward)
    return wide / 2 + scale * (away @ right), high / 2 - scale * (away @ up)


def drag(page, start, way, steps=12):
    """As a person drags: it is let go when what is drawn has come after."""
    page.mouse.move(*start)
    page.mouse.down()
    for k in range(1, steps + 1):
        page.mouse.move(start[0] + way[0] * k / steps, start[1] + way[1] * k / steps)
        page.wait_for_timeout(30)
    settled(page)
    page.mouse.up()


# Where else a person would try who missed what is only a few pixels wide.
AROUND = [(0, 0), (0, 0), (3, 0), (0, -3), (-3, 0), (0, 3), (6, 0), (0, -6), (-6, 0), (0, 6)]


def aim(studio, page, point, do, done, what, high=HIGH):
    """Do something with the mouse at a point of the world, and again as a person would who missed it.

    Drawn by software, what the page shows may be a second old when the mouse goes down: it may turn the view, or take
    hold of what lies beside. Then what it did is undone, and the view as it was.
    """
    session = studio.session
    q = session.document.q

    def undone():
        drained(studio)
        if np.array_equal(session.document.q, q):
            return True
        studio.worker.post(session.undo)
        return False

    for x, y in AROUND:
        look_from_there(studio)
        settled(page)
        pixel = on_screen(studio, point, high=high)
        do((pixel[0] + x, pixel[1] + y))
        end = time.monotonic() + PATIENCE / len(AROUND)
        while time.monotonic() < end:
            drained(studio)
            if not session._drags and done():
                return
            time.sleep(0.05)
        until(undone, "what the mouse did being undone")
    raise AssertionError(f"{what} did not come about in {len(AROUND)} tries")


def grab(studio, page, site, way, moved, high=HIGH, steps=12):
    """Drag a part of the figure by so many pixels, by which it moves so many metres at least."""
    session = studio.session
    before = session.document.pose.position(site)

    def done():
        away = np.linalg.norm(session.document.pose.position(site) - before)
        return away > moved and (session.history.can_undo or "").startswith("drag")

    aim(studio, page, before, lambda at: drag(page, at, way, steps), done, f"{site} being dragged", high)


def test_a_grabbed_hand_takes_the_figure_along_and_its_goal_is_met(studio, page):
    session = studio.session
    document = session.document
    hand = document.pose.position("right_hand")
    feet = document.pose.matrix("left_foot")
    studio.worker.post(lambda: session.select_site("head"))
    drained(studio)
    aim(
        studio,
        page,
        hand,
        lambda at: page.mouse.click(*at),
        lambda: session.site == "right_hand",
        "the hand being chosen",
    )
    page.keyboard.press("g")
    key = until(lambda: session.selected, "the goal")
    page.keyboard.press("Escape")
    studio.worker.post(lambda: session.select(None))
    drained(studio)
    settled(
        page
    )  # the gizmo is gone: it would take the mouse; the goal's mark, over the hand, is as good as the hand
    grab(studio, page, "right_hand", (-90, -150), moved=0.2)

    def away() -> float:
        document = session.document
        return float(np.linalg.norm(document.pose.position("right_hand") - document.entry(key).goal.target))

    until(lambda: away() < 1e-3, "the goal being where the hand was let go")
    assert np.abs(session.document.pose.matrix("left_foot") - feet).max() < 1e-6
    tab(page, "Goals")
    page.get_by_text(re.compile(r"position of right_hand\s*met")).first.wait_for(timeout=1000 * PATIENCE)
    shot(page, "grabbed")
    page.keyboard.press("Control+z")
    until(lambda: np.allclose(session.document.pose.position("right_hand"), hand), "the undoing")


def test_a_joint_at_its_limit_is_marked(studio, page):
    grab(studio, page, "right_hand", (-420, -120), moved=0.3)
    until(lambda: studio.picture.limits.shown, "a marked limit")
    drained(studio)
    marked = studio.picture.limits.shown
    figure, q = studio.session.document.figure, studio.session.document.q
    for name in marked:
        k = figure.index(name)
        assert min(abs(q[k] - figure.lower[k]), abs(q[k] - figure.upper[k])) < 1e-4
    shot(page, "limits")
    tab(page, "Joints")
    studio.worker.post(lambda: studio.show_joints("right_forearm"))
    studio.worker.post(lambda: studio.session.open(fresh(Source()), "new"))
    studio.worker.post(lambda: studio.session.set_joint("right_elbow", math.radians(150.0)))
    page.locator('div[title="at its limit"]', has_text="Right elbow flexion").wait_for(
        timeout=1000 * PATIENCE
    )


def test_a_goal_is_added_weighed_and_deleted(studio, page):
    session = studio.session
    tab(page, "Goals")
    count = len(session.document.goals)
    page.get_by_role("button", name="Add goal").click()
    until(lambda: len(session.document.goals) == count + 1, "the goal")
    key = session.document.goals[-1].key
    weight = field(page, "Weight")

    def weighed() -> bool:
        """Typed again where the panel of the new goal came up only after it was typed."""
        weight.fill("4")
        weight.press("Enter")
        page.wait_for_timeout(300)
        return session.document.entry(key).goal.weight == 4.0

    until(weighed, "the weight")
    shot(page, "goals")
    page.get_by_role("button", name="Delete goal").click()
    until(lambda: len(session.document.goals) == count, "the deleting")
    tab(page, "Pose")
    page.get_by_role("button", name="Undo delete").click()
    until(lambda: len(session.document.goals) == count + 1, "the undoing")


def test_the_body_is_resized_while_the_feet_stay(studio, page):
    session = studio.session
    feet = session.document.pose.position("left_foot")
    tab(page, "Body")
    stature = field(page, "Stature (cm)")
    stature.fill("190")
    stature.press("Enter")
    until(lambda: session.document.source.options.get("stature") == 1.9, "the resizing")
    page.get_by_text("190.0 cm").wait_for(timeout=1000 * PATIENCE)
    assert np.linalg.norm(session.document.pose.position("left_foot") - feet) < 1e-6
    shot(page, "resized")


def test_key_frames_are_played(studio, page):
    session = studio.session
    tab(page, "Keys")
    page.get_by_role("button", name="Add key frame").click()
    until(lambda: len(session.document.keys) == 1, "the first key frame")
    first = session.document.q
    studio.worker.post(lambda: session.preset("kneel"))
    page.get_by_role("button", name="Add key frame").click()
    until(lambda: len(session.document.keys) == 2, "the second key frame")
    last = session.document.q
    seen = []
    session.listen(lambda what: seen.append(session.document.q))
    page.get_by_role("button", name="Play").click()
    until(
        lambda: any(np.abs(q - last).max() > 0.1 and np.abs(q - first).max() > 0.1 for q in seen),
        "the playing",
    )
    until(lambda: not studio.player.playing, "the end")
    drained(studio)
    assert np.allclose(session.document.q, last, atol=1e-6)
    session._listeners.pop()


def test_a_broken_file_is_a_message_and_changes_nothing(studio, page, tmp_path):
    before = studio.session.document
    broken = tmp_path / "broken.urdf"
    broken.write_text("<robot name='x'><link name='a'>", encoding="utf-8")
    tab(page, "File")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload a scene").click()
    chooser.value.set_files(str(broken))
    page.get_by_text("That did not work").first.wait_for(timeout=1000 * PATIENCE)
    page.get_by_text("broken.urdf").first.wait_for(timeout=1000 * PATIENCE)
    assert studio.session.document is before
    shot(page, "broken")


def test_a_saved_scene_is_the_same_when_it_is_opened_again(browser, studio, page):
    session = studio.session
    studio.worker.post(lambda: session.preset("sit at a table"))
    drained(studio)
    tab(page, "File")
    field(page, "Name").fill("sitting")
    page.get_by_role("button", name="Save").first.click()
    path = studio.files.folder / "sitting.toml"
    until(path.exists, "the file")
    again = open_studio(path, port=0, browser=False, shadows=False)
    try:
        other = browser.new_page(viewport={"width": 640, "height": 480})
        other.goto(again.url + DRAFT)
        other.get_by_role("tab", name="Room").wait_for(timeout=1000 * PATIENCE)
        assert np.allclose(again.session.document.q, session.document.q, rtol=0.0, atol=1e-15)
        assert sorted(thing.name for thing in again.session.document.things) == ["seat", "table"]
        other.close()
    finally:
        again.close()


def choose(page, label, option):
    """An entry of a list that opens."""
    field(page, label).click(timeout=1000 * PATIENCE)
    page.get_by_role("option", name=option, exact=True).click(timeout=1000 * PATIENCE)


def tick(page, label):
    page.get_by_label(label, exact=True).or_(field(page, label)).first.click(timeout=1000 * PATIENCE)


def test_from_the_help_alone_a_figure_sits_at_a_table_reaches_and_has_its_picture_taken(
    studio, page, monkeypatch, tmp_path
):
    pytest.importorskip("embreex", reason="the extra pictures is not installed")
    monkeypatch.setattr("manikin.studio.exports.SIZE", (320, 240))
    session = studio.session
    page.get_by_role("button", name="Help").click()
    page.get_by_text("Preset → sit at a table").wait_for(timeout=1000 * PATIENCE)
    start(page)
    choose(page, "Preset", "sit at a table")
    until(lambda: len(session.document.things) == 2, "the seat and the table")
    until(lambda: not studio.look_again, "the look at it")
    drained(studio)
    hand = session.document.pose.position("right_hand")
    table = next(thing for thing in session.document.things if thing.name == "table")
    assert hand[2] > table.center[2] + 0.02  # on the table, not under it
    grab(studio, page, "right_hand", (-60, -40), moved=0.1)
    assert table.region().distance(session.document.pose.position("right_hand")) > 0.0
    shot(page, "sitting")
    tab(page, "File")
    with page.expect_download(timeout=1000 * PATIENCE) as download:
        page.get_by_role("button", name="Picture (.png)").click()
    download.value.save_as(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_a_person_wears_a_skin_and_takes_it_off_again(studio, page):
    """viser's browsers ended with an error where a skinned mesh was removed, and showed nothing more."""
    pytest.importorskip("skimage", reason="the extra pictures is not installed")
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    tab(page, "Body")
    for look in ("skin", "bones", "skin", "wood"):
        choose(page, "Look", look)
        until(lambda look=look: studio.picture.worn == look, f"the look of {look}")
        until(lambda look=look: bool(studio.picture._body._skins) == (look == "skin"), f"the {look}")
        settled(page)
        shot(page, look)
    page.get_by_role("tab", name="Pose").click(timeout=1000 * PATIENCE)
    assert wrong == []


def test_the_zone_is_shown_fades_when_goals_change_and_can_be_cancelled(studio, page):
    pytest.importorskip("skimage", reason="the extra reach is not installed")
    tab(page, "Reach")
    step = field(page, "Step (cm)")
    step.fill("15")
    step.press("Enter")
    page.get_by_role("button", name="Show the zone").click()
    page.get_by_text(re.compile(r"m³, in steps of 15 cm")).wait_for(timeout=1000 * PATIENCE)
    assert studio.picture.zone.zone.volume > 2.0
    shot(page, "zone")
    studio.worker.post(lambda: studio.session.pin_feet(False))
    page.get_by_text("Something has changed since").wait_for(timeout=1000 * PATIENCE)
    page.get_by_role("button", name="Take it away").click()
    until(lambda: studio.picture.zone.zone is None, "the taking away")
    step.fill("3")
    step.press("Enter")
    page.get_by_role("button", name="Show the zone").click()
    page.get_by_role("button", name="Cancel").click(timeout=1000 * PATIENCE)
    page.get_by_text("the zone was cancelled").first.wait_for(timeout=1000 * PATIENCE)
    assert studio.zones.wait(PATIENCE)
    studio.worker.post(studio.zones.remove)
    drained(studio)


def test_a_joint_is_locked_and_given_other_limits(studio, page):
    session = studio.session
    tab(page, "Joints")
    choose(page, "Part", "right arm")
    page.get_by_text("Lock and limits").click()
    choose(page, "Joint", "Right elbow flexion")
    tick(page, "Locked")
    until(lambda: "right_elbow" in session.document.locked, "the lock")
    page.get_by_text("(locked)").first.wait_for(timeout=1000 * PATIENCE)
    upper = field(page, "Upper limit")
    upper.fill("90")
    upper.press("Enter")
    page.get_by_role("button", name="Set limits").click()
    index = session.document.figure.index("right_elbow")
    until(lambda: abs(session.document.figure.upper[index] - math.radians(90.0)) < 1e-9, "the limit")
    page.keyboard.press("Control+z")
    until(lambda: session.document.figure.upper[index] > 2.0, "the undoing")
    page.get_by_text("Lock and limits").click()


def test_key_frames_have_ghosts_and_their_angles_are_plotted(studio, page):
    session = studio.session
    studio.worker.post(session.add_key)
    studio.worker.post(lambda: session.preset("kneel"))
    studio.worker.post(session.add_key)
    tab(page, "Keys")
    page.get_by_text("2 key frames").wait_for(timeout=1000 * PATIENCE)
    tick(page, "Ghosts")
    until(lambda: len(studio.picture._ghost_bodies) == 2, "the ghosts")
    page.get_by_text("Angles over time").click()
    page.locator(".uplot").first.wait_for(timeout=1000 * PATIENCE)
    shot(page, "keys")
    page.get_by_text("Angles over time").click()
    tick(page, "Ghosts")
    until(lambda: not studio.picture._ghost_bodies, "the ghosts going")


@pytest.mark.parametrize("more", [1, pytest.param(3, marks=pytest.mark.long)])
def test_each_of_several_browsers_may_drag_and_all_see_it(browser, studio, page, more):
    others = []
    for _ in range(more):
        other = browser.new_context(viewport={"width": WIDE, "height": 400}).new_page()
        other.goto(studio.url + DRAFT)
        start(other)
        others.append(other)
    for other in others:
        grab(studio, other, "right_hand", (-50, -60), moved=0.1, high=400, steps=6)
        # A hand is a palm and fingers: all of them are called the hand.
        for each in (page, *others):
            each.get_by_role("button", name="Undo drag right hand").wait_for(timeout=1000 * PATIENCE)
        if other is not others[-1]:
            studio.worker.post(studio.session.undo)
            drained(studio)
    moved = studio.session.document
    head = moved.pose.position("head")
    aim(
        studio,
        page,
        head + [0.0, 0.0, 0.08],
        lambda at: drag(page, at, (-30, 20), steps=6),
        lambda: re.match("drag (?!right)", studio.session.history.can_undo or ""),
        "the head being dragged",
    )
    others[0].get_by_role("button", name=re.compile("Undo drag (?!right)")).click(timeout=1000 * PATIENCE)
    until(lambda: np.array_equal(studio.session.document.q, moved.q), "the undoing by the other")
    for other in others:
        other.context.close()


def test_a_camera_dragged_below_the_ground_comes_up_again_and_looks_where_it_looked(studio, page):
    look_from_there(studio)
    settled(page)
    drag(page, (80, HIGH - 80), (10, -420))
    camera = next(iter(studio.viser.get_clients().values())).camera
    until(lambda: abs(float(camera.position[2]) - 0.05) < 1e-3, "the camera just above the ground")
    assert np.allclose(camera.look_at, studio.viser.initial_camera.look_at, atol=1e-2)


class Elsewhere(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<p>elsewhere</p>")

    def log_message(self, *arguments):
        pass


def test_pages_of_others_are_refused_by_the_browser_too(browser, opened):
    running, _ = opened
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{other.server_port}/")
    before = running.served.gate.refused
    said = page.evaluate(
        """url => new Promise(done => { const s = new WebSocket(url);
        s.onopen = () => done('open'); s.onerror = () => done('refused'); })""",
        f"ws://127.0.0.1:{running.served.port}/",
    )
    page.close()
    other.shutdown()
    assert said == "refused"
    assert running.served.gate.refused == before + 1


def start_studio(state, folder):
    """A studio in a process of its own, and what it printed."""
    environment = {
        **os.environ,
        "MANIKIN_STATE": str(state),
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": str(Path(manikin.__file__).parents[1]),
    }
    code = "from manikin.cli.main import app; app()"
    command = [sys.executable, "-c", code, "studio", "--no-browser", "--json", "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    text = ""
    for line in process.stdout:
        text += line
        if line.startswith("}"):
            break
    return process, json.loads(text)


def test_nothing_is_lost_when_it_is_killed(browser, state, tmp_path):
    killed_state = tmp_path / "state"
    process, said = start_studio(killed_state, tmp_path)
    try:
        page = browser.new_page(viewport={"width": 640, "height": 480})
        page.goto(said["url"] + DRAFT)
        start(page)
        page.keyboard.press("k")
        page.keyboard.press("k")
        kept = Path(said["autosave"])
        until(
            lambda: kept.exists() and kept.read_text(encoding="utf-8").count("studio.key") == 2, "the keeping"
        )
        text = kept.read_text(encoding="utf-8")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    page.close()
    assert kept.read_text(encoding="utf-8") == text
    process, said = start_studio(killed_state, tmp_path)
    try:
        page = browser.new_page(viewport={"width": 640, "height": 480})
        page.goto(said["url"] + DRAFT)
        start(page)
        tab(page, "Keys")
        page.get_by_text("2 key frames").wait_for(timeout=1000 * PATIENCE)
        page.close()
    finally:
        process.kill()
        process.wait()


def test_without_its_token_a_browser_sees_nothing(browser, state):
    studio = open_studio(host="0.0.0.0", port=0, browser=False, fresh=True, shadows=False)
    try:
        page = browser.new_page(viewport={"width": 640, "height": 480})
        answer = page.goto(f"http://localhost:{studio.served.port}/")
        assert answer.status == 401
        page.goto(studio.url)
        page.get_by_role("tab", name="Pose").wait_for(timeout=1000 * PATIENCE)
        assert "token" not in page.url
        page.close()
    finally:
        studio.close()


# Counts the times that a canvas was emptied by another size and stayed so over a whole picture.
EMPTIED = """(() => {
    window.blank = 0; window.sizes = [];
    let emptied = false, before = false;
    const own = WebGL2RenderingContext.prototype;
    for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced']) {
        const draw = own[name];
        own[name] = function (...given) { emptied = false; return draw.apply(this, given); };
    }
    const width = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, 'width');
    Object.defineProperty(HTMLCanvasElement.prototype, 'width', {...width, set(value) {
        if (this === window.__viserMutable?.canvas) { emptied = true; window.sizes.push(value); }
        width.set.call(this, value);
    }});
    const next = () => { if (emptied && before) window.blank++; before = emptied; requestAnimationFrame(next); };
    requestAnimationFrame(next);
})()"""
PACE = """(() => ({
    ...window.__manikinPace, blank: window.blank, sizes: window.sizes, width: window.__viserMutable?.canvas?.width,
    samples: window.__viserMutable?.canvas?.getContext('webgl2').getContextAttributes().antialias,
    pixels: window.__viserTestpoints?.devSettings.get().fixedDpr,
    shadows: (() => { let found; window.__viserMutable?.scene?.traverse(
        (object) => { if (object.isSpotLight) found = object.castShadow; }); return found; })(),
    triangles: (() => { let found = 0; window.__viserMutable?.scene?.traverse((object) => {
        if (object.isMesh && object.material.isMeshStandardMaterial) found += object.geometry.index.count / 3; });
        return found; })(),
}))()"""


def test_what_moves_is_drawn_with_fewer_pixels_and_what_rests_with_all_and_hardly_ever_empty(browser, studio):
    page = browser.new_context(viewport={"width": 640, "height": 400}).new_page()
    page.add_init_script(EMPTIED)
    studio.picture.set_shadows(True)
    try:
        page.goto(studio.url)
        start(page)
        until(lambda: page.evaluate(PACE)["width"] == 960, "rest")  # half as many again each way
        ready = "window.__manikinPace.prepared > 0 && window.__manikinPace.waiting === 0"
        until(lambda: page.evaluate(ready), "meshes of fewer triangles")
        resting = page.evaluate(PACE)
        assert resting["software"] and resting["shadows"] and not resting["samples"]
        hand = studio.session.document.pose.position("right_hand")

        def event(phase, lift):
            at = tuple(hand + np.array([0.0, 0.0, lift]))
            return SimpleNamespace(
                phase=phase, client_id=1, client=None, start_position=tuple(hand), end_position=at
            )

        for _ in range(2):
            studio.picture._grabbed("right_hand", event("start", 0.0))
            end = time.monotonic() + PATIENCE
            k, seen = 0, {"moving": False}
            while not seen["moving"] and time.monotonic() < end:
                for _ in range(20):
                    k += 1
                    studio.picture._grabbed("right_hand", event("update", 0.2 + 0.2 * math.sin(0.1 * k)))
                    time.sleep(0.02)
                seen = page.evaluate(PACE)
            assert seen["moving"] and not seen["shadows"] and seen["width"] <= 320
            assert seen["triangles"] < 0.6 * resting["triangles"]
            studio.picture._grabbed("right_hand", event("end", 0.2))
            until(lambda: not page.evaluate(PACE)["moving"], "rest")
            settled(page)
            seen = page.evaluate(PACE)
            assert seen["width"] == 960 and seen["shadows"]
            assert seen["triangles"] >= resting["triangles"]  # more where a limit is marked by now
        last = page.evaluate(PACE)
        # A page is empty while it comes up; of the switches after that one may be seen on a machine that is very busy.
        assert last["blank"] <= resting["blank"] + 1 and len(last["sizes"]) >= len(resting["sizes"]) + 4
    finally:
        studio.picture.set_shadows(bool(SHOTS))
        page.context.close()


def test_a_mesh_of_fewer_triangles_stays_close_to_its_own_and_keeps_its_rim(browser):
    page = browser.new_page()
    script = Path(manikin.__file__).parent / "studio" / "server" / "coarse.js"
    page.add_script_tag(content=script.read_text(encoding="utf-8"))
    whole = trimesh.creation.icosphere(subdivisions=4, radius=0.1)
    whole.vertices[:, 2] *= 1.8
    above = trimesh.Trimesh(whole.vertices, whole.faces[(whole.triangles_center[:, 2] > 0.05)], process=False)
    for mesh in (whole, above):
        fewer = page.evaluate(
            "([points, faces]) => [0.0005, 0.004].map((within) => Array.from("
            "window.__manikinCoarser(new Float32Array(points), new Uint32Array(faces), within)))",
            [mesh.vertices.ravel().tolist(), mesh.faces.ravel().tolist()],
        )
        for within, most, found in zip((0.0005, 0.004), (0.5, 0.15), fewer, strict=True):
            coarse = trimesh.Trimesh(mesh.vertices, np.reshape(found, (-1, 3)), process=False)
            assert len(coarse.faces) < most * len(mesh.faces)
            used = mesh.vertices[np.unique(mesh.faces)]
            _, off, _ = trimesh.proximity.closest_point_naive(coarse, used)
            assert 0.0 < off.max() < 1.5 * within
            assert rim(coarse) == rim(mesh)
            assert (np.einsum("ni,ni->n", coarse.face_normals, coarse.triangles_center) > 0.0).all()
    assert not rim(whole) and rim(above)
    page.close()


def rim(mesh):
    """The edges of one triangle alone."""
    edges, times = np.unique(mesh.edges_sorted, axis=0, return_counts=True)
    return {tuple(edge) for edge in edges[times == 1]}


def test_a_browser_with_a_gpu_keeps_its_samples_and_its_pixels(browser, studio):
    page = browser.new_context(viewport={"width": 640, "height": 400}).new_page()
    page.add_init_script(
        """(() => { const own = WebGL2RenderingContext.prototype, get = own.getParameter;
        own.getParameter = function (what) { return what === 0x9246 ? 'A quick GPU' : get.call(this, what); }; })()"""
    )
    page.goto(studio.url)
    start(page)
    settled(page)
    seen = page.evaluate(PACE)
    assert not seen["software"] and seen["samples"] and seen["pixels"] is None and seen["width"] == 640
    page.context.close()


def test_pixels_that_the_address_fixes_stay(opened):
    seen = opened[1].evaluate("[window.__manikinPace === undefined, window.__viserMutable.canvas.width]")
    assert seen == [True, WIDE // 2] if DRAFT else seen
