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

import numpy as np
import pytest
from tests.studio.conftest import chromium

import manikin

pytest.importorskip("viser", reason="the extra studio is not installed")
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
# Software draws slowly: a small window, and no shadows but where pictures are wanted.
WIDE, HIGH = (1180, 720) if os.environ.get("MANIKIN_SCREENSHOTS") else (900, 560)
# Seconds after which something that did not come about is a failure, however busy the machine.
PATIENCE = 120.0
SHOTS = os.environ.get("MANIKIN_SCREENSHOTS")


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
    page.goto(studio.url)
    page.get_by_role("button", name="Start").click(timeout=1000 * PATIENCE)
    yield studio, page
    studio.close()


@pytest.fixture
def studio(opened):
    """The studio with a person who stands, and its page on the first tab."""
    running, page = opened
    running.worker.post(lambda: running.session.open(fresh(Source()), "new"))
    running.worker.drain()
    tab(page, "Pose")
    return running


@pytest.fixture
def page(opened):
    return opened[1]


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


def on_screen(studio, point):
    """The pixel of a point of the world, by the camera that new browsers get."""
    camera = studio.viser.initial_camera
    position, target = np.array(camera.position), np.array(camera.look_at)
    forward = (target - position) / np.linalg.norm(target - position)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    away = np.asarray(point) - position
    scale = HIGH / 2 / math.tan(camera.fov / 2) / (away @ forward)
    return WIDE / 2 + scale * (away @ right), HIGH / 2 - scale * (away @ up)


def drag(page, start, way, steps=12):
    page.mouse.move(*start)
    page.mouse.down()
    for k in range(1, steps + 1):
        page.mouse.move(start[0] + way[0] * k / steps, start[1] + way[1] * k / steps)
        page.wait_for_timeout(30)
    page.mouse.up()


def test_a_grabbed_hand_takes_the_figure_along_and_its_goal_is_met(studio, page):
    session = studio.session
    document = session.document
    hand = document.pose.position("right_hand")
    feet = document.pose.matrix("left_foot")
    at = on_screen(studio, hand)
    page.mouse.click(*at)
    until(lambda: session.site == "right_hand", "the hand being chosen")
    page.keyboard.press("g")
    key = until(lambda: session.selected, "the goal")
    page.keyboard.press("Escape")
    studio.worker.post(lambda: session.select(None))
    drag(page, at, (-90, -150))
    until(
        lambda: np.linalg.norm(session.document.pose.position("right_hand") - hand) > 0.2,
        "the hand following",
    )
    studio.worker.drain()

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
    hand = studio.session.document.pose.position("right_hand")
    drag(page, on_screen(studio, hand), (-420, -120))
    until(lambda: studio.picture.limits.shown, "a marked limit")
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
    weight.fill("4")
    weight.press("Enter")
    until(lambda: session.document.entry(key).goal.weight == 4.0, "the weight")
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
    studio.worker.drain()
    assert np.allclose(session.document.q, last, atol=1e-6)
    session._listeners.pop()
    shot(page, "keys")


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
    studio.worker.drain()
    tab(page, "File")
    field(page, "Name").fill("sitting")
    page.get_by_role("button", name="Save").first.click()
    path = studio.files.folder / "sitting.toml"
    until(path.exists, "the file")
    shot(page, "sitting")
    again = open_studio(path, port=0, browser=False, shadows=False)
    try:
        other = browser.new_page(viewport={"width": 640, "height": 480})
        other.goto(again.url)
        other.get_by_role("tab", name="Room").wait_for(timeout=1000 * PATIENCE)
        assert np.allclose(again.session.document.q, session.document.q, rtol=0.0, atol=1e-15)
        assert sorted(thing.name for thing in again.session.document.things) == ["seat", "table"]
        other.close()
    finally:
        again.close()


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
    command = [sys.executable, "-c", code, "studio", "--no-open", "--json", "--port", "0"]
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
        page.goto(said["url"])
        page.get_by_role("button", name="Start").click(timeout=1000 * PATIENCE)
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
        page.goto(said["url"])
        page.get_by_role("button", name="Start").click(timeout=1000 * PATIENCE)
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
