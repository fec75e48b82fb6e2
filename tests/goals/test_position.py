"""Position, OnLine, OnPlane."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk

from .test_goal import refused

VECTORS = [("position", "target"), ("on_line", "point"), ("on_plane", "point")]
DIRECTIONS = [("on_line", "direction"), ("on_plane", "normal")]


@pytest.mark.parametrize(("kind", "argument"), [*VECTORS, *DIRECTIONS])
@pytest.mark.parametrize("value", [[np.nan, 0, 0], [0, np.inf, 1]])
def test_numbers_must_be_finite(kind, argument, value):
    assert "finite" in refused(kind, argument, value)


@pytest.mark.parametrize(("kind", "argument"), [*VECTORS, *DIRECTIONS])
@pytest.mark.parametrize("value", [[1, 2], [1, 2, 3, 4], [[1, 2, 3]], 5.0, "abc", None, [[1], [2, 3]]])
def test_a_vector_has_three_numbers(kind, argument, value):
    assert "three numbers" in refused(kind, argument, value)


def test_the_message_says_the_shape_that_it_got():
    assert "(1, 3)" in refused("position", "target", [[1, 2, 3]])


@pytest.mark.parametrize(("kind", "argument"), DIRECTIONS)
@pytest.mark.parametrize("value", [[0, 0, 0], [1e-13, 0, 0]])
def test_a_direction_must_have_a_length(kind, argument, value):
    assert "no direction" in refused(kind, argument, value)


def test_directions_are_kept_with_length_one():
    assert mk.OnLine("hand", [0, 0, 0], [0, 3, 4]).direction.tolist() == [0.0, 0.6, 0.8]
    assert mk.OnPlane("hand", [0, 0, 0], [0, 0, -1e-6]).normal.tolist() == [0.0, 0.0, -1.0]


def test_targets_are_kept_as_arrays_of_floats():
    target = mk.Position("hand", (1, 2, 3)).target
    assert target.dtype == np.float64 and target.tolist() == [1.0, 2.0, 3.0]


def test_each_is_one_part_in_metres_with_a_row_for_every_direction_that_is_not_free():
    goals = [
        mk.Position("hand", [1, 2, 3], weight=2.0),
        mk.OnLine("hand", [1, 2, 3], [0, 0, 1], weight=2.0),
        mk.OnPlane("hand", [1, 2, 3], [0, 0, 1], weight=2.0),
    ]
    for goal, rows in zip(goals, (3, 2, 1), strict=True):
        (part,) = goal.parts()
        assert (part.kind, part.site, part.unit, part.rows) == ("coordinates", "hand", "m", rows)
        assert part.point.tolist() == [1.0, 2.0, 3.0]
        assert part.weight.tolist() == [2.0] * rows and not part.lower.any() and not part.upper.any()
        assert np.abs(part.directions @ part.directions.T - np.eye(rows)).max() < 1e-15
    assert not goals[1].parts()[0].directions[:, 2].any()
    assert goals[2].parts()[0].directions.tolist() == [[0.0, 0.0, 1.0]]
