"""Uploads of every format, and every export, through a studio without a browser."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from tests.opened import opened

import manikin as mk
from manikin.errors import FormatError, ManikinError
from manikin.formats import _ROOMS
from manikin.studio.model.document import fresh
from manikin.studio.model.source import Source
from manikin.studio.model.state import uploads_folder

pytest.importorskip("viser", reason="the extra studio is not installed")

from manikin.studio import open_studio

HUMANOID = {
    "hips": "pelvis",
    "spine": "l3",
    "head": "head",
    **{
        f"{side}{bone}": f"{side}_{segment}"
        for side in ("left", "right")
        for bone, segment in (
            ("UpperArm", "upper_arm"),
            ("LowerArm", "forearm"),
            ("Hand", "hand"),
            ("UpperLeg", "thigh"),
            ("LowerLeg", "shank"),
            ("Foot", "foot"),
        )
    },
}


class Browser:
    """Takes files as a browser does."""

    def __init__(self):
        self.files: dict[str, bytes] = {}
        self.said: list[str] = []
        self.camera = type(
            "Camera", (), {"position": (2.0, 1.0, 1.4), "look_at": (0.0, 0.0, 0.9), "fov": 0.7}
        )()

    def send_file_download(self, name, content, *, save_immediately):
        assert save_immediately  # without a further click
        self.files[name] = content

    def add_notification(self, title, words, **options):
        self.said.append(f"{title}: {words}")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    import os

    old = os.environ.get("MANIKIN_STATE")
    os.environ["MANIKIN_STATE"] = str(tmp_path_factory.mktemp("state"))
    studio = open_studio(port=0, browser=False, folder=tmp_path_factory.mktemp("scenes"), fresh=True)
    yield studio
    studio.close()
    if old is None:
        del os.environ["MANIKIN_STATE"]
    else:
        os.environ["MANIKIN_STATE"] = old


@pytest.fixture
def studio(running):
    running.worker.post(lambda: running.session.open(fresh(Source()), "new"))
    assert running.worker.drain(60.0)
    return running


def do(studio, job):
    """In the studio's own thread, as its tabs do; what was raised is raised here."""
    problems: list[Exception] = []

    def guarded():
        try:
            job()
        except Exception as problem:
            problems.append(problem)

    studio.worker.post(guarded)
    assert studio.worker.drain(60.0)
    if problems:
        raise problems[0]


def moving(studio, seconds=1.0):
    """Two key frames: standing, and kneeling a while later."""
    do(studio, lambda: studio.session.add_key(0.0))
    do(studio, lambda: studio.session.preset("kneel"))
    do(studio, lambda: studio.session.add_key(seconds))


@pytest.mark.parametrize("suffix", sorted(set(_ROOMS) - {".osim", ".xml", ".mjcf"}))
def test_a_figure_of_every_format_is_uploaded(studio, arm_file, tmp_path, suffix):
    path = tmp_path / f"arm{suffix}"
    if suffix == ".vrm":
        mk.save(mk.human(fingers=False), path, humanoid=HUMANOID)
    else:
        mk.save(mk.load(arm_file), path)
    before = studio.session.document
    browser = Browser()
    do(studio, lambda: studio.take_upload(path.name, path.read_bytes(), browser))
    document = studio.session.document
    assert browser.said == [f"Opened: {path.name}"]
    assert document.figure.n == mk.load(path, **document.source.options).n
    assert document.source.is_file and str(tmp_path) not in document.source.kind
    assert studio.picture._body.figure is document.figure
    do(studio, studio.undo)
    assert studio.session.document is before


def test_an_mjcf_model_is_uploaded(studio, arm_file, tmp_path):
    pytest.importorskip("mujoco", reason="the extra formats is not installed")
    path = tmp_path / "arm.xml"
    mk.save(mk.load(arm_file), path)
    do(studio, lambda: studio.take_upload(path.name, path.read_bytes(), Browser()))
    assert studio.session.document.figure.n == 2


def test_an_opensim_model_is_uploaded(studio):
    text = """<?xml version="1.0"?><OpenSimDocument Version="40000"><Model name="arm"><BodySet><objects>
    <Body name="upper"><mass>1</mass><mass_center>0 0 0</mass_center><inertia>1 1 1 0 0 0</inertia></Body>
    </objects></BodySet><JointSet><objects><PinJoint name="shoulder">
    <socket_parent_frame>ground_offset</socket_parent_frame><socket_child_frame>upper_offset</socket_child_frame>
    <coordinates><Coordinate name="angle"><range>-1 1</range></Coordinate></coordinates><frames>
    <PhysicalOffsetFrame name="ground_offset"><socket_parent>/ground</socket_parent></PhysicalOffsetFrame>
    <PhysicalOffsetFrame name="upper_offset"><socket_parent>/bodyset/upper</socket_parent></PhysicalOffsetFrame>
    </frames></PinJoint></objects></JointSet></Model></OpenSimDocument>"""
    do(studio, lambda: studio.take_upload("arm.osim", text.encode(), Browser()))
    assert "angle" in studio.session.document.figure.dofs


@pytest.mark.parametrize("suffix", sorted(set(_ROOMS)))
def test_a_broken_file_of_every_format_changes_nothing(studio, suffix):
    before = studio.session.document
    for content in (b"", b"\x00\xff\x13 nothing of the kind", b"<a"):
        with pytest.raises(ManikinError) as problem:
            do(studio, lambda content=content: studio.take_upload(f"broken{suffix}", content, Browser()))
        assert "broken" in str(problem.value)
        assert studio.session.document is before


def test_a_file_of_a_kind_that_is_not_known_is_refused_with_those_that_are(studio):
    with pytest.raises(FormatError, match=r"\.urdf"):
        do(studio, lambda: studio.take_upload("figure.docx", b"PK", Browser()))


def test_a_clip_in_a_file_becomes_key_frames_that_are_played(studio, tmp_path):
    body = mk.human(fingers=False, spine="bend")
    poses = [body.pose({"right_elbow": angle}) for angle in (0.2, 1.0, 1.8)]
    mk.save(mk.Motion.of(poses, [0.0, 0.5, 1.0]), tmp_path / "bend.npz")
    content = (tmp_path / "bend.npz").read_bytes()
    do(studio, lambda: studio.take_upload("bend.npz", content, Browser()))
    document = studio.session.document
    assert document.keys[0].time == 0.0 and document.keys[-1].time == pytest.approx(1.0)
    elbow = document.figure.index("right_elbow")
    assert document.keys[-1].q[elbow] == pytest.approx(1.8)
    assert document.q[elbow] == pytest.approx(0.2)
    do(studio, lambda: studio.session.scrub(0.5))
    assert studio.session.document.q[elbow] == pytest.approx(1.0, abs=1e-6)


def test_a_scene_and_a_pose_go_out_and_come_in_again(studio):
    browser = Browser()
    do(studio, lambda: studio.session.preset("sit at a table"))
    sat = studio.session.document
    for what in ("scene", "pose"):
        do(studio, lambda what=what: studio.export(what, browser))
    do(studio, lambda: studio.session.open(fresh(Source()), "new"))
    name = studio.files.name
    do(studio, lambda: studio.take_upload("pose.json", browser.files[f"{name}.pose.json"], browser))
    assert np.allclose(studio.session.document.q, sat.q, atol=1e-12)
    assert not studio.session.document.things
    do(studio, lambda: studio.take_upload("scene.toml", browser.files[f"{name}.toml"], browser))
    assert sorted(thing.name for thing in studio.session.document.things) == ["seat", "table"]
    assert np.allclose(studio.session.document.q, sat.q, atol=1e-12)


def test_a_clip_goes_out_and_comes_in_again(studio):
    browser = Browser()
    with pytest.raises(ManikinError, match="no key frames"):
        do(studio, lambda: studio.export("clip", browser))
    moving(studio)
    keys = studio.session.document.keys
    do(studio, lambda: studio.export("clip", browser))
    content = browser.files[f"{studio.files.name}.clip.json"]
    data = json.loads(content)
    assert data["times"][0] == 0.0 and data["times"][-1] == 1.0
    assert np.allclose(data["q"][-1], keys[-1].q, atol=1e-9)
    do(studio, lambda: studio.session.open(fresh(Source()), "new"))
    do(studio, lambda: studio.take_upload("clip.json", content, browser))
    again = studio.session.document.keys
    assert again[0].time == 0.0 and again[-1].time == 1.0
    assert np.allclose(again[-1].q, keys[-1].q, atol=1e-9)


@pytest.mark.parametrize("suffix", ["bvh", "glb", "npz"])
def test_a_clip_goes_out_for_other_programs(studio, tmp_path, suffix):
    moving(studio)
    browser = Browser()
    do(studio, lambda: studio.export(suffix, browser))
    path = tmp_path / f"clip.{suffix}"
    path.write_bytes(browser.files[f"{studio.files.name}.{suffix}"])
    clip = mk.load_motion(path)
    assert clip.times[-1] - clip.times[0] == pytest.approx(1.0, abs=0.02)
    last = studio.session.document.pose.matrices()
    found = clip.sample(float(clip.times[-1])).matrices()
    for name in ("right_hand", "left_foot", "head"):
        assert np.linalg.norm(found[name][:3, 3] - last[name][:3, 3]) < 1e-4


def test_a_picture_is_taken_from_where_the_browser_looks(studio, monkeypatch):
    pytest.importorskip("embreex", reason="the extra pictures is not installed")
    image = pytest.importorskip("PIL.Image")
    monkeypatch.setattr("manikin.studio.exports.SIZE", (200, 150))
    taken = []
    for camera in ((2.0, 1.0, 1.4), (-2.5, 0.3, 1.0)):
        browser = Browser()
        browser.camera.position = camera
        do(studio, lambda browser=browser: studio.export("picture", browser))
        assert studio.exports.wait(120.0)
        (content,) = browser.files.values()
        taken.append(np.asarray(image.open(io.BytesIO(content)).convert("RGB"), dtype=float))
    assert taken[0].shape == (150, 200, 3)
    assert taken[0].std() > 10.0
    assert np.abs(taken[0] - taken[1]).mean() > 3.0


def test_a_video_is_made_shown_as_it_grows_and_can_be_cancelled(studio, monkeypatch):
    pytest.importorskip("embreex", reason="the extra pictures is not installed")
    iio = pytest.importorskip("imageio.v3")
    monkeypatch.setattr("manikin.studio.exports.VIDEO", (96, 64))
    moving(studio, seconds=0.2)
    shares: list[float | None] = []
    monkeypatch.setattr(studio.exports, "_progress", shares.append)
    browser = Browser()
    do(studio, lambda: studio.export("video", browser))
    with pytest.raises(ManikinError, match="another export"):
        do(studio, lambda: studio.export("video", browser))
    assert studio.exports.wait(300.0)
    (content,) = browser.files.values()
    frames = list(iio.imiter(content, extension=".mp4"))
    assert 4 <= len(frames) <= 7 and frames[0].shape == (64, 96, 3)
    assert np.abs(frames[0].astype(float) - frames[-1]).mean() > 1.0
    assert shares[0] == 0.0 and shares[-1] is None and len(shares) >= 6
    failed: list[str] = []
    monkeypatch.setattr(studio.exports, "_failed", failed.append)
    do(studio, lambda: studio.export("video", Browser()))
    studio.exports.cancel()
    assert studio.exports.wait(300.0)
    assert failed == ["the export was cancelled"]


def test_the_web_page_needs_nothing_else_and_leaves_the_pose_as_it_was(studio):
    moving(studio)
    q = studio.session.document.q
    browser = Browser()
    do(studio, lambda: studio.export("page", browser))
    page = browser.files[f"{studio.files.name}.html"].decode()
    assert page.count("__manikinPace") == 1  # which plays as smoothly
    assert len(page) > 100_000
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=[\"']?(https?:)?//", page)
    assert studio.session.document.q is q
    assert np.allclose(studio.picture._body._pose.q, q)


def test_names_in_uploads_lead_nowhere(studio, arm_file):
    content = arm_file.read_bytes()
    do(studio, lambda: studio.take_upload("../../../../tmp/evil.urdf", content, Browser()))
    from manikin.studio.model.state import uploads_folder

    assert uploads_folder() in Path(studio.session.document.source.kind).parents


def test_an_upload_opens_nothing_but_itself(studio, tmp_path, monkeypatch):
    """Scenes, includes, meshes of packages and links: of an uploaded file nothing else is opened."""
    pytest.importorskip("mujoco", reason="the extra formats is not installed")
    secret = tmp_path / "lamps"
    secret.mkdir()
    (secret / "secret.xml").write_text("<mujocoinclude><body name='secret'/></mujocoinclude>")
    (secret / "secret.stl").write_bytes(b"solid")
    (secret / "secret.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    up = os.path.relpath(secret, uploads_folder() / "x")
    for written in (str(secret / "secret.xml"), f"{up}/secret.xml"):
        text = f"<mujoco><worldbody><body><include file='{written}'/></body></worldbody></mujoco>"
        with opened() as paths, pytest.raises(ManikinError, match="include"):
            do(studio, lambda text=text: studio.take_upload("a.xml", text.encode(), Browser()))
        assert not [path for path in paths if path.resolve().is_relative_to(secret)]
    before = studio.session.document
    for name in (str(secret / "secret.urdf"), f"{up}/secret.urdf"):
        with opened() as paths, pytest.raises(ManikinError, match="an uploaded scene opens no other file"):
            do(
                studio,
                lambda name=name: studio.take_upload("s.toml", f'figure = "{name}"'.encode(), Browser()),
            )
        assert not [path for path in paths if path.resolve().is_relative_to(secret)]
    assert studio.session.document is before
    robot = (
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="package://lamps/secret.stl"/></geometry>'
        "</visual></link></robot>"
    )
    do(studio, lambda: studio.take_upload("r.urdf", robot.encode(), Browser()))
    assert studio.session.document.figure.segments["a"].shapes[0].mesh == "package://lamps/secret.stl"
