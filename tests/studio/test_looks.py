"""A person in the studio as wood, with a skin, as bones."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk

pytest.importorskip("viser", reason="the extra studio is not installed")
pytest.importorskip("skimage", reason="the extra pictures is not installed")

from manikin.figure.human.surface import known_skins, not_skin


def wear(studio, look):
    studio.worker.post(lambda: studio.picture.wear(look, studio.session))
    assert studio.worker.drain(120.0)


def test_a_skin_follows_the_pose_and_what_is_held_keeps_its_shape(studio):
    session = studio.session
    studio.worker.post(lambda: session.hold("box", "right_hand", (0.2, 0.1, 0.1)))
    wear(studio, "skin")
    body = studio.picture._body
    assert len(body._skins) > 1 and [name for name, _ in body._meshes] == ["box"]
    studio.worker.post(lambda: session.preset("kneel"))
    assert studio.worker.drain(120.0)
    pose = session.document.pose
    low, high = studio.picture._body.extent()
    seen = known_skins(session.document.figure)[0].posed(pose)
    assert (seen.min(axis=0) >= low - 1e-9).all() and (seen.max(axis=0) <= high + 1e-9).all()
    assert high[2] < 1.6


def test_a_resized_body_is_of_wood_until_its_skin_is_made(studio):
    wear(studio, "skin")
    studio.worker.post(lambda: studio.session.resize(stature=1.6))
    assert studio.worker.drain(120.0)
    figure = studio.session.document.figure
    studio.worker.post(lambda: studio.picture.dress(studio.session))
    assert studio.worker.drain(120.0)
    body = studio.picture._body
    assert body.figure is figure and len(body._skins) > 1 and not body._meshes
    top = max(skin.vertices(figure.pose())[:, 2].max() for skin in body._skins)
    assert top == pytest.approx(1.6, abs=0.03)


def test_bones_are_drawn_for_every_segment(studio):
    wear(studio, "bones")
    body = studio.picture._body
    assert {name for name, _ in body._meshes} == set(body.figure.segments) and not body._skins


def test_a_picture_with_a_skin_shows_what_is_held():
    from manikin.pictures.body import Body

    figure = mk.human().with_held("box", at="right_hand", size=(0.2, 0.1, 0.1))
    assert not_skin(figure) == ["box"]
    surfaces = Body(figure, look="skin").surfaces(figure.pose())
    box = figure.pose().matrix("box")[:3, 3]
    corners = surfaces[0].corners.reshape(-1, 3)
    assert np.abs(corners.mean(axis=0) - box).max() < 0.2
