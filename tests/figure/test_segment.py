from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from manikin.errors import FigureError
from manikin.figure import Segment, Shape, Site


def test_segments_are_immutable_to_the_last_array():
    segment = Segment("arm", 2.0, [0.1, 0, 0], np.eye(3))
    with pytest.raises(FrozenInstanceError):
        segment.mass = 3.0
    with pytest.raises(ValueError, match="read-only"):
        segment.center_of_mass[0] = 1.0


def test_a_pickled_segment_comes_back_whole_and_read_only():
    shape = Shape("mesh", mesh="a.obj", scale=(2, 2, 2))
    back = pickle.loads(pickle.dumps(Segment("arm", 2.0, [0.1, 0, 0], np.eye(3), (shape,))))
    assert (back.name, back.mass, back.shapes[0].mesh) == ("arm", 2.0, "a.obj")
    assert np.array_equal(back.center_of_mass, [0.1, 0, 0])
    assert not back.center_of_mass.flags.writeable


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mass": -1.0}, "mass must not be negative"),
        ({"mass": float("nan")}, "mass: expected a finite number"),
        ({"mass": float("inf")}, "mass: expected a finite number"),
        ({"mass": "heavy"}, "mass: expected a number"),
        ({"center_of_mass": (0, 0)}, "center_of_mass: expected shape"),
        ({"center_of_mass": (0, 0, float("nan"))}, "center_of_mass: expected finite"),
        ({"inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, "inertia must be symmetric"),
    ],
)
def test_a_bad_segment_is_named(options, words):
    with pytest.raises(FigureError, match=f"segment 'arm': .*{words}"):
        Segment("arm", **options)


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_segment_needs_a_name(name):
    with pytest.raises(FigureError, match="segment: a name must be a string"):
        Segment(name)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cone", 1.0), "unknown kind 'cone'"),
        (("box", 1.0), "'box': size: expected shape"),
        (("sphere", -1.0), "'sphere': size must not be negative"),
        (("mesh", ()), "'mesh': a mesh needs the path"),
        (("cylinder", (1.0, float("nan"))), "'cylinder': size: expected finite"),
    ],
)
def test_a_bad_shape_is_named(arguments, words):
    with pytest.raises(FigureError, match=words):
        Shape(*arguments)


def test_a_site_takes_a_vector_or_a_matrix():
    assert np.array_equal(Site("tip", "hand", [1, 2, 3]).placement[:3, 3], [1, 2, 3])
    assert np.array_equal(Site("tip", "hand").placement, np.eye(4))
    with pytest.raises(FigureError, match="site 'tip': placement"):
        Site("tip", "hand", np.zeros((4, 4)))


def test_a_moved_shape_keeps_all_but_its_place():
    shape = Shape("capsule", (0.1, 0.4), [1.0, 2.0, 3.0], color=(0.1, 0.2, 0.3))
    moved = shape.moved(np.array([0.5, 0.0, -3.0]))
    assert moved.placement[:3, 3].tolist() == [1.5, 2.0, 0.0] and shape.placement[:3, 3].tolist() == [
        1.0,
        2.0,
        3.0,
    ]
    assert (moved.kind, moved.size.tolist(), moved.color.tolist()) == ("capsule", [0.1, 0.4], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="read-only"):
        moved.placement[0, 3] = 1.0


@pytest.mark.parametrize("size", [0.1, (0.1,), [0.1], np.array(0.1), np.array([0.1]), np.float64(0.1)])
def test_a_size_of_one_number_may_stand_alone(size):
    assert Shape("sphere", size).size.tolist() == [0.1]


def test_a_size_that_is_no_number_is_refused():
    with pytest.raises(
        FigureError, match=r"shape 'sphere': size: expected numbers of shape \(1,\), got \('big',\)"
    ):
        Shape("sphere", "big")
