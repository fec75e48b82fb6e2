"""What is sent to browsers, without one."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import manikin as mk
from manikin.figure.human import preset
from manikin.pictures.browser import body_meshes
from manikin.studio.view.quaternion import matrix_of, wxyz_of
from manikin.studio.worker import Worker

pytest.importorskip("viser", reason="the extra studio is not installed")

from manikin.studio.view.body import Body


class Node:
    def __init__(self, **given):
        self.position, self.wxyz = (
            given.get("position", np.zeros(3)),
            given.get("wxyz", np.array([1.0, 0, 0, 0])),
        )


class Scene:
    """Takes nodes as viser does, and says where they are in the world."""

    def __init__(self):
        self.nodes = {}

    def add_frame(self, name, **given):
        given.pop("show_axes")
        self.nodes[name] = Node(**given)
        return self.nodes[name]

    def add_mesh_simple(self, name, *arrays, **given):
        self.nodes[name] = Node()
        return self.nodes[name]

    def world(self, name):
        frame = np.eye(4)
        path = ""
        for part in name.strip("/").split("/"):
            path += f"/{part}"
            node = np.eye(4)
            node[:3, :3], node[:3, 3] = matrix_of(self.nodes[path].wxyz), self.nodes[path].position
            frame = frame @ node
        return frame


@pytest.mark.parametrize("hung_from", ["pelvis", "left_foot"])
def test_nodes_stand_where_the_segments_are(hung_from):
    body = mk.human().rerooted(hung_from)
    scene = Scene()
    shown = Body(scene, body, body.rest)
    pose = preset(mk.human(), "kneel").rerooted(hung_from) if hung_from != "pelvis" else preset(body, "kneel")
    pose = body.pose(pose.q)
    assert shown.show(pose) > 0
    for name, frame in pose.matrices().items():
        assert np.allclose(scene.world(shown._paths[name]), frame, atol=1e-4)
    assert shown.show(pose) == 0


def test_a_figure_drawn_anew_never_takes_the_names_of_the_old_one():
    body = mk.human()
    first, second = Body(Scene(), body, body.rest), Body(Scene(), body, body.rest)
    assert not set(first._paths.values()) & set(second._paths.values())


def test_a_bent_elbow_is_few_messages():
    body = mk.human()
    shown = Body(Scene(), body, body.rest)
    assert shown.show(body.pose({"left_elbow": 1.0})) <= 3


def test_quaternions_and_matrices_are_inverse_also_at_half_turns():
    from scipy.spatial.transform import Rotation

    turns = Rotation.random(200, rng=np.random.default_rng(1)).as_matrix()
    turns = np.concatenate(
        [turns, [np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1]), np.eye(3)]]
    )
    for turn, quaternion in zip(turns, wxyz_of(turns), strict=True):
        assert np.allclose(matrix_of(quaternion), turn, atol=1e-12)
        assert quaternion[0] >= 0.0


def test_every_figure_has_something_to_grab(arm_file):
    for figure in (mk.human(), mk.load(arm_file)):
        meshes = body_meshes(figure)
        assert any(meshes.values())
        for parts in meshes.values():
            for mesh in parts:
                assert mesh.faces.max() < len(mesh.vertices)
                assert np.isfinite(mesh.vertices).all()


def test_of_events_that_wait_only_the_latest_is_answered_and_order_is_kept():
    worker = Worker(lambda words: None, lambda: None)
    done, gate = [], threading.Event()
    worker.start()
    worker.post(lambda: gate.wait(120))
    for k in range(50):
        worker.latest("drag", lambda k=k: done.append(k))
    worker.post(lambda: done.append("end"))
    worker.latest("drag", lambda: done.append("next"))
    gate.set()
    assert worker.drain()
    worker.close()
    assert done == [49, "end", "next"]
    assert worker.dropped == 49


def test_what_may_wait_is_done_once_when_nothing_else_waits():
    worker = Worker(lambda words: None, lambda: None)
    done, gate, ended = [], threading.Event(), threading.Event()
    worker.start()
    worker.post(lambda: gate.wait(120))
    for k in range(3):
        worker.later("tabs", lambda: (done.append("tabs"), ended.set()))
        worker.latest(("drag", k), lambda k=k: done.append(k))
    gate.set()
    assert ended.wait(120)
    worker.close()
    assert done == [0, 1, 2, "tabs"]


def test_what_may_wait_has_its_turn_though_work_never_ends(monkeypatch):
    monkeypatch.setattr("manikin.studio.worker.OVERDUE", 0.0)
    worker = Worker(lambda words: None, lambda: None)
    ended, rounds = threading.Event(), []

    def again():
        rounds.append(1)
        if not ended.is_set():
            worker.post(again)

    worker.start()
    worker.post(again)
    worker.later("tabs", ended.set)
    assert ended.wait(120)
    worker.close()
    assert rounds


def test_a_support_of_other_corners_has_the_same_faces():
    from manikin.studio.view.balance import LIFT, fan

    corners = np.array([[0.0, 0.0, 0.1], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.2]])
    for some in (corners, corners[:3]):
        vertices = fan(some, 9)
        assert vertices.shape == (9, 3)
        assert np.allclose(vertices[:, 2], LIFT)
        around = vertices[1:, :2].astype(float) - vertices[0, :2]
        after = np.roll(around, -1, axis=0)
        area = 0.5 * (around[:, 0] * after[:, 1] - around[:, 1] * after[:, 0])
        assert area.sum() == pytest.approx(1.0 if len(some) == 4 else 0.5, rel=1e-6)
        assert (area >= -1e-7).all()


@pytest.mark.parametrize("position", [(2.0, 1.0, -0.5), (0.1, 0.0, -2.0), (0.2, 0.0, 0.0), (0.2, 0.0, -1.0)])
def test_a_camera_below_the_ground_goes_up_and_stays_as_far_from_what_it_looks_at(position):
    from manikin.studio.view.stage import EYE, MARGIN, above_ground

    target = np.array([0.2, 0.0, 0.9])
    found = above_ground(np.array(position), target)
    assert found[2] == EYE
    far = np.linalg.norm(np.array(position) - target)
    assert np.linalg.norm(found - target) == pytest.approx(max(far, np.hypot(MARGIN, 0.85)), rel=1e-9)
    away, before = (found - target)[:2], (np.array(position) - target)[:2]
    assert np.linalg.norm(before) == 0.0 or away @ before == pytest.approx(
        np.linalg.norm(away) * np.linalg.norm(before)
    )


def test_a_camera_above_the_ground_or_one_that_looks_below_it_stays():
    from manikin.studio.view.stage import above_ground

    assert above_ground(np.array([2.0, 1.0, 0.5]), np.array([0.0, 0.0, 0.9])) is None
    assert above_ground(np.array([2.0, 1.0, -3.0]), np.array([0.0, 0.0, -2.0])) is None


def test_what_goes_wrong_is_told_and_the_work_goes_on(capsys):
    told, done = [], []
    worker = Worker(told.append, lambda: None)
    worker.start()

    def wrong():
        raise mk.GoalError("no such site")

    def bug():
        raise ZeroDivisionError("oh")

    for job in (wrong, bug, lambda: done.append(1)):
        worker.post(job)
    assert worker.drain()
    worker.close()
    assert told[0] == "no such site"
    assert "ZeroDivisionError" in told[1]
    assert done == [1]
    assert "ZeroDivisionError" in capsys.readouterr().err


def skinned(arm_file, stretch=1.0, odd=False):
    """A tube of vertices about the arm, bound to its two links at rest, in units of its own."""
    from manikin.formats.skin import Skin

    figure = mk.load(arm_file)
    frames = figure.pose().matrices()
    height = np.linspace(0.1, 0.7, 13)
    vertices = np.array([[0.04 * x, 0.04 * y, z] for z in height for x, y in ((1, 0), (0, 1), (-1, -1))])
    weight = np.clip((vertices[:, 2] - 0.4) / 0.2, 0.0, 1.0)
    bind = np.array(
        [np.linalg.inv(frames[name]) @ np.diag([stretch] * 3 + [1.0]) for name in ("upper", "lower")]
    )
    if odd:
        bind[1] = bind[1] @ np.diag([1.0, 1.1, 1.0, 1.0])
    joints = np.tile([0, 1], (len(vertices), 1))
    weights = np.column_stack([1.0 - weight, weight])
    return figure, Skin(
        "tube", vertices / stretch, [[0, 1, 2]], ("upper", "lower"), bind, joints, weights, (0.5, 0.5, 0.5)
    )


@pytest.mark.parametrize("stretch", [1.0, 0.01])
def test_bones_in_the_browser_bend_a_skin_as_the_file_says(arm_file, stretch):
    from manikin.studio.view.skin import bound

    figure, skin = skinned(arm_file, stretch)
    vertices, bones = bound(skin, figure.pose())
    pose = figure.pose({"shoulder": 0.4, "elbow": 1.1})
    frames = pose.matrices()
    now = np.array([frames[name] for name in skin.segments]) @ np.linalg.inv(bones)
    whole = np.column_stack([vertices, np.ones(len(vertices))])
    blended = sum(
        skin.weights[:, k : k + 1] * np.einsum("vij,vj->vi", now[skin.joints[:, k], :3], whole)
        for k in (0, 1)
    )
    assert np.allclose(blended, skin.posed(pose), atol=1e-9)


def test_a_skin_whose_bones_are_stretched_is_shown_as_it_looks_at_rest(arm_file):
    from manikin.studio.view.skin import bound

    figure, skin = skinned(arm_file, odd=True)
    vertices, bones = bound(skin, figure.pose())
    assert np.allclose(vertices, skin.posed(figure.pose()))
    assert np.allclose(bones[1], figure.pose().matrices()["lower"])


def test_a_hand_laid_on_a_skin_is_on_the_segment_below(arm_file):
    from manikin.studio.view.skin import SkinMark

    class Skins(Scene):
        def add_mesh_skinned(self, name, *arrays, **given):
            self.nodes[name] = Node()
            return self.nodes[name]

    figure, skin = skinned(arm_file)
    mark = SkinMark(Skins(), "/skin", skin, figure, opacity=None)
    pose = figure.pose({"elbow": 1.2})
    end = skin.posed(pose)[-1]
    assert mark.segment_at(pose, end + 0.01) == "lower"
    assert mark.segment_at(pose, np.array([0.0, 0.0, 0.2])) == "upper"
    assert mark.segment_along(pose, np.array([0.0, 3.0, 0.2]), np.array([0.0, -1.0, 0.0])) == "upper"
    assert mark.segment_along(pose, end + [0.0, 2.0, 0.0], np.array([0.0, -1.0, 0.0])) == "lower"
