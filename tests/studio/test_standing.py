"""The studio starts and goes on, whatever it kept and whatever browsers send."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import subprocess
import sys

import numpy as np
import pytest

import manikin as mk
from manikin.studio.model.autosave import Autosave
from manikin.studio.model.document import fresh
from manikin.studio.model.session import Session
from manikin.studio.model.source import Source

pytest.importorskip("viser", reason="the extra studio is not installed")

import msgspec
from viser import _messages
from websockets.asyncio.client import connect

from manikin.studio import open_studio
from manikin.studio.files import remove_left_over, working_folder
from manikin.studio.server.values import amiss
from manikin.studio.view.panels.goals import GoalsPanel
from manikin.studio.view.panels.joints import JointsPanel
from manikin.studio.view.panels.keys import KeysPanel
from manikin.studio.view.panels.pose import PosePanel

LINK = b'<robot name="one"><link name="only"/></robot>'


class Browser:
    def __init__(self):
        self.said = []

    def add_notification(self, title, words, **options):
        self.said.append(f"{title}: {words}")


def do(studio, job):
    """In the studio's own thread; what was raised is raised here."""
    problems = []

    def guarded():
        try:
            job()
        except Exception as problem:
            problems.append(problem)

    studio.worker.post(guarded)
    assert studio.worker.drain(60.0)
    if problems:
        raise problems[0]


def written(studio):
    """Wait until the studio has kept what there is."""
    do(studio, studio._write)
    assert studio.keeper.drain(60.0)


@pytest.fixture
def reopen(tmp_path, monkeypatch):
    """Opens a studio on the state of the one before."""
    monkeypatch.setenv("MANIKIN_STATE", str(tmp_path / "state"))
    running = []

    def opened(**options):
        for studio in running:
            studio.close()
        running[:] = [open_studio(port=0, browser=False, folder=tmp_path, shadows=False, **options)]
        assert running[0].worker.drain(60.0)
        return running[0]

    yield opened
    for studio in running:
        studio.close()


def problems_of(studio, monkeypatch):
    found = []
    monkeypatch.setattr(studio.worker, "_failed", found.append)
    return found


def test_a_robot_of_one_link_is_there_again_after_a_restart(reopen, monkeypatch):
    studio = reopen()
    problems = problems_of(studio, monkeypatch)
    do(studio, lambda: studio.take_upload("one.urdf", LINK, Browser()))
    written(studio)
    do(studio, studio._refresh_tabs)
    studio = reopen()
    assert list(studio.session.document.figure.segments) == ["only"] and not studio.notice
    problems += problems_of(studio, monkeypatch)
    do(studio, lambda: studio.session.add_key())
    do(studio, lambda: studio.session.add_goal("position", "only"))
    do(studio, lambda: studio._changed(frozenset(("figure", "keys", "joints", "pose"))))
    do(studio, studio._refresh_tabs)
    assert not problems


@pytest.mark.parametrize(
    "text",
    [
        "figure = ",
        'figure = "human"\n[start]\nright_elbow = 1e400\n',
        'figure = "gone.urdf"\n',
        "\x00",
        "\ufffe" * 9,
    ],
)
def test_what_cannot_be_restored_is_put_aside_reported_and_the_studio_starts(reopen, caplog, text):
    autosave = Autosave("human")
    autosave.folder.mkdir(parents=True)
    autosave.path.write_text(text, encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        studio = reopen()
    aside = autosave.path.with_name(f"{autosave.path.stem}.aside-1.toml")
    assert aside.read_text(encoding="utf-8") == text and not autosave.path.exists()
    assert str(aside) in studio.notice and str(aside) in caplog.text
    assert studio.session.document.source.is_human
    autosave.path.write_text(text, encoding="utf-8")
    assert "aside-2" in reopen().notice and aside.exists()
    assert not reopen().notice


def test_what_is_read_but_cannot_be_shown_is_put_aside_too(reopen, monkeypatch):
    studio = reopen()
    do(studio, lambda: studio.session.preset("kneel"))
    written(studio)
    build, tries = JointsPanel.build, []

    def fails_once(panel):
        tries.append(1)
        if len(tries) == 1:
            raise IndexError("tuple index out of range")
        build(panel)

    monkeypatch.setattr(JointsPanel, "build", fails_once)
    studio = reopen()
    assert "tuple index out of range" in studio.notice and len(tries) == 2
    assert np.array_equal(studio.session.document.q, fresh(Source()).q)
    assert len(list(studio.autosave.folder.glob("*.aside-1.toml"))) == 1


def test_a_broken_index_of_steps_is_put_aside_with_them(reopen):
    studio = reopen()
    do(studio, lambda: studio.session.preset("kneel"))
    written(studio)
    (studio.autosave.steps.folder / "index.json").write_text(
        '{"past": [{"label": "a", "file": "../x.toml"}]}'
    )
    studio = reopen()
    assert "step's file" in studio.notice
    assert len(list(studio.autosave.folder.glob("*.aside-1.history"))) == 1


def test_undo_and_redo_survive_a_restart(reopen):
    studio = reopen()
    poses = [studio.session.document.q]
    for name in ("kneel", "reach", "stand"):
        do(studio, lambda name=name: studio.session.preset(name))
        poses.append(studio.session.document.q)
    do(studio, lambda: studio.session.add_key(0.5))
    do(studio, studio.undo)
    written(studio)
    studio = reopen()
    history = studio.session.history
    assert history.can_undo == "preset stand" and history.can_redo == "add key frame"
    do(studio, studio.redo)
    assert [frame.time for frame in studio.session.document.keys] == [0.5]
    do(studio, studio.undo)
    for label, q in zip(("stand", "reach", "kneel"), poses[-2::-1], strict=True):
        assert history.can_undo == f"preset {label}"
        do(studio, studio.undo)
        np.testing.assert_allclose(studio.session.document.q, q, atol=1e-12, rtol=0)
    assert history.undo() is None
    written(studio)
    studio = reopen()
    assert studio.session.history.can_undo is None and len(studio.session.history.future) == 4
    np.testing.assert_allclose(studio.session.document.q, poses[0], atol=1e-12, rtol=0)


def test_a_step_whose_file_is_gone_is_a_message_and_the_figure_stays(reopen):
    studio = reopen()
    for name in ("kneel", "reach"):
        do(studio, lambda name=name: studio.session.preset(name))
    written(studio)
    studio = reopen()
    for path in studio.autosave.steps.folder.glob("*.toml"):
        path.unlink()
    q = studio.session.document.q
    with pytest.raises(mk.ManikinError, match="before the restart cannot be restored"):
        do(studio, studio.undo)
    assert studio.session.document.q is q and studio.session.history.can_undo is None


def test_files_of_forgotten_steps_are_removed_and_each_is_written_once(tmp_path):
    autosave = Autosave("human", tmp_path)
    session = Session(fresh(Source()))
    for name in ("kneel", "reach", "stand"):
        session.preset(name)
    autosave.steps.write(session.history.past, session.history.future)
    files = {path.name: path.stat().st_mtime_ns for path in autosave.steps.folder.glob("*.toml")}
    assert len(files) == 3
    session.undo()
    session.undo()
    session.add_key(1.0)
    autosave.steps.write(session.history.past, session.history.future)
    left = {path.name: path.stat().st_mtime_ns for path in autosave.steps.folder.glob("*.toml")}
    assert len(left) == 2 and len(set(left.items()) & set(files.items())) >= 1
    index = json.loads((autosave.steps.folder / "index.json").read_text())
    assert [each["label"] for each in index["past"]] == ["preset kneel", "add key frame"] and not index[
        "future"
    ]


def send(studio, handle, value):
    """What a browser's control would send, by a websocket; then the messages that a later browser gets."""

    async def once():
        uri = f"ws://127.0.0.1:{studio.served.port}/"
        import viser

        protocol = [f"viser-v{viser.__version__}"]
        async with connect(uri, subprotocols=protocol, max_size=None) as first:
            message = _messages.GuiUpdateMessage(handle._impl.uuid, {"value": value})
            await first.send(msgspec.msgpack.encode(message.as_serializable_dict()))
            await asyncio.sleep(0.5)
        async with connect(uri, subprotocols=protocol, max_size=None) as later:
            return len(await asyncio.wait_for(later.recv(), 60))

    return asyncio.run(once())


def test_a_value_beyond_a_controls_range_is_refused_and_later_browsers_come_in(reopen):
    studio = reopen()
    do(studio, lambda: studio.session.add_goal("position"))
    do(studio, studio._refresh_tabs)
    rank = studio.panel(GoalsPanel)._level
    key = studio.session.selected
    for value in (1e30, -1e30, 0, 10, math.nan, math.inf, "nine", None, [1], True):
        assert send(studio, rank, value) > 1000
        assert studio.worker.drain(60.0)
        assert rank.value == 1 and studio.session.document.entry(key).level == 1
    assert send(studio, rank, 3) > 1000
    assert rank.value == 3


def test_every_control_refuses_what_it_cannot_have(reopen):
    studio = reopen()
    handles = [
        handle
        for handle in studio.viser.gui._gui_input_handle_from_uuid.values()
        if hasattr(handle._impl, "value")
    ]
    assert len(handles) > 40
    for handle in handles:
        for value in (10**400, 1e30, math.nan, object(), {"a": 1}, b"x" * 20_000, "x" * 20_000, [[]], None):
            assert amiss(handle, {"value": value}) is not None
        assert amiss(handle, {"label": "other"}) is not None
        if not handle._impl.is_button and isinstance(handle.value, (bool, int, float, str, tuple)):
            assert amiss(handle, {"value": handle.value}) is None


def test_a_rank_that_a_scene_gives_beyond_the_control_is_shown_as_its_end(reopen, tmp_path):
    scene = tmp_path / "far.toml"
    goal = '[[goal]]\nkind = "position"\nsite = "right_hand"\ntarget = [0.4, 0, 1]\n'
    scene.write_text(f'figure = "human"\n{goal}level = {10**30}\n')
    studio = reopen()
    do(studio, lambda: studio.open_scene("far"))
    key = studio.session.document.goals[0].key
    do(studio, lambda: studio.session.select(key))
    do(studio, studio._refresh_tabs)
    level = studio.panel(GoalsPanel)._level
    assert level.value == 9 and send(studio, level, 99) > 1000


def test_opening_another_figure_renews_the_plots_parts_and_its_curves(reopen, monkeypatch, arm_file):
    studio = reopen()
    problems = problems_of(studio, monkeypatch)
    for _ in range(2):
        do(studio, studio.session.add_key)
    do(studio, lambda: studio.take_upload("arm.urdf", arm_file.read_bytes(), Browser()))
    for t in (0.0, 1.0):
        do(studio, lambda t=t: studio.session.set_joint("elbow", t))
        do(studio, lambda t=t: studio.session.add_key(t))
    do(studio, studio._refresh_tabs)
    panel = studio.panel(KeysPanel)
    assert panel._part.options == ("joints",) and panel._plotted is not None
    do(studio, studio.undo)
    do(studio, lambda: studio.take_upload("one.urdf", LINK, Browser()))
    for t in (0.0, 1.0):
        do(studio, lambda t=t: studio.session.add_key(t))
    do(studio, studio._refresh_tabs)
    assert panel._plotted is None and not problems


def test_a_tab_that_fails_does_not_keep_the_others_from_being_brought_up_to_date(reopen, monkeypatch):
    studio = reopen()
    monkeypatch.setattr(PosePanel, "refresh", lambda panel, what: 1 / 0)
    do(studio, lambda: studio.session.add_goal("position"))
    with pytest.raises(ZeroDivisionError):
        do(studio, studio._refresh_tabs)
    assert any("position" in label for label in studio.panel(GoalsPanel)._chosen.options)


def test_what_a_killed_export_left_is_removed_and_that_of_a_running_one_is_not(tmp_path, monkeypatch):
    monkeypatch.setenv("MANIKIN_STATE", str(tmp_path))
    code = (
        "import sys, time; from manikin.studio.files import working_folder\n"
        "with working_folder() as folder:\n"
        "    (folder / 'clip.mp4').write_bytes(b'x' * 1000); print(folder, flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        left = tmp_path / "exports" / process.stdout.readline().strip().split("/")[-1]
        with working_folder() as own:
            remove_left_over()
            assert left.is_dir() and own.is_dir()
        assert left.is_dir() and not own.exists()
    finally:
        process.kill()
        process.wait()
    assert (left / "clip.mp4").exists()
    remove_left_over()
    assert not left.exists()


def test_finger_joints_are_not_marked_when_a_hand_is_dragged(reopen):
    studio = reopen()
    figure = studio.session.document.figure
    picture = studio.picture
    fingers = [name for name in figure.dofs if name.startswith("right_index")]
    q = np.array(studio.session.document.q)
    picture._began = q.copy()
    for name in (*fingers, "right_elbow"):
        k = figure.index(name)
        picture._began[k] = 0.5 * (figure.lower[k] + figure.upper[k])
        q[k] = figure.upper[k]
    do(studio, lambda: studio.session.set_pose(q))
    do(studio, lambda: picture._mark_limits(studio.session))
    assert picture.limits.shown == ("right_elbow",)


def test_labels_of_limits_are_apart_in_height_those_beside_each_other_are_one(reopen):
    studio = reopen()
    document = studio.session.document
    limits = studio.picture.limits
    names = ["right_shoulder_flexion", "right_shoulder_abduction", "right_elbow"]
    names += [name for name in document.figure.dofs if name.startswith("spine_l")]
    for some in (names, ["left_ankle_flexion", "right_ankle_flexion", "right_knee"]):
        do(studio, lambda some=some: limits.show(document, some))
        shown = {name: limits._nodes[name] for name in limits.shown}
        heights = [ring.position[2] for ring, label in shown.values() if label.visible]
        assert len(heights) >= 2
        assert min(abs(a - b) for k, a in enumerate(heights) for b in heights[:k]) > 0.05
        said = [label.text for ring, label in shown.values() if label.visible]
        if some is names:
            assert any("shoulder abduction" in text and "shoulder flexion" in text for text in said)
        else:
            assert "Left and right ankle dorsiflexion: at their limits" in said


def test_the_support_that_is_drawn_is_that_of_the_feet_that_stand(reopen):
    studio = reopen()
    session, mark = studio.session, studio.picture._balance

    def corners():
        return mark._corners

    assert corners()[:, 1].max() > 0.05 and corners()[:, 1].min() < -0.05
    do(studio, lambda: session.pin("left foot", False))
    foot = session.document.pose.position("left_foot")
    do(studio, lambda: session.handle_start("hand", "left foot", foot))
    for k in range(1, 16):
        do(studio, lambda k=k: session.drag_to("hand", foot + [0.0, 0.0, 0.01 * k]))
    assert corners()[:, 1].max() < 0.0
    do(studio, lambda: session.drag_end("hand"))
    do(studio, lambda: session.pin_feet(False))
    hips = session.document.pose.position("pelvis")
    do(studio, lambda: session.handle_start("hand", "hips", hips))
    for k in range(1, 16):
        do(studio, lambda k=k: session.drag_to("hand", hips + [0.0, 0.0, 0.03 * k]))
    do(studio, lambda: session.drag_end("hand"))
