"""The kinematics that the natural posture was learned with are those of the figure."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from tools.posture import body

import manikin as mk
from manikin.figure.human import natural

NUMPY = SimpleNamespace(
    stack=lambda arrays, axis: np.stack(arrays, axis), cos=np.cos, sin=np.sin, sqrt=np.sqrt, einsum=np.einsum
)


@pytest.fixture(scope="module")
def figure() -> mk.Figure:
    return mk.human(1.0, spine="bend", fingers=False)


def some_coordinates(count: int) -> np.ndarray:
    return np.random.default_rng(3).normal(0.0, 0.3, (count, len(body.COORDINATES)))


def test_joints_are_where_the_figure_has_them(figure):
    x = some_coordinates(20)
    q = np.zeros((20, figure.n))
    q[:, [figure.index(name) for name in body.COORDINATES]] = x
    x[:, :3] += figure.pose().position("pelvis")
    places = body.forward(NUMPY, x, body.constants(figure))
    assert places == pytest.approx(figure.forward(q, list(body.JOINTS))[..., :3, 3], abs=1e-12)


def test_the_mirror_image_is_that_of_the_figure(figure):
    for x in some_coordinates(5):
        pose = figure.pose(dict(zip(body.COORDINATES, x, strict=True)))
        mirrored = x[body.MIRROR_INDEX] * body.MIRROR_SIGN
        expected = pose.mirrored().values()
        assert mirrored == pytest.approx([expected[name] for name in body.COORDINATES], abs=1e-12)


def test_what_is_learned_is_what_is_asked_of_the_network():
    assert body.COORDINATES == natural.COORDINATES
