from __future__ import annotations

import numpy as np
import pytest

from manikin.errors import FigureError
from manikin.figure import checks, transforms


def test_a_vector_of_three_places_without_turning():
    assert np.array_equal(checks.placement([1, 2, 3], "here"), transforms.translation([1, 2, 3]))


def test_a_placement_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        checks.placement(None, "here")[0, 0] = 2.0


def test_a_rotation_rounded_in_print_becomes_orthonormal():
    rounded = transforms.rotation(np.round(transforms.exp([0.3, 0.4, 0.5]), 6))
    cleaned = checks.placement(rounded, "here")[:3, :3]
    assert np.abs(cleaned @ cleaned.T - np.eye(3)).max() < 4e-15
    assert np.abs(cleaned - rounded[:3, :3]).max() < 1e-6


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (2.0 * np.eye(4), "not a rotation"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "not a rotation"),
        (np.diag([1.0, 1.0, 1.0, 2.0]), "last row"),
        ([0.0, np.nan, 0.0], "finite"),
        ([0.0, 1.0], "shape"),
        ("nowhere", "3-vector or a 4×4"),
    ],
)
def test_a_placement_that_is_none_says_where_and_why(value, words):
    with pytest.raises(FigureError, match=f"joint 'a': placement.*{words}"):
        checks.placement(value, "joint 'a': placement")


def test_one_value_stands_for_all_axes_and_none_for_the_default():
    assert checks.per_axis(2.0, 3, 0.0, "x") == (2.0, 2.0, 2.0)
    assert checks.per_axis((1.0, None), 2, 7.0, "x") == (1.0, 7.0)
    assert checks.per_axis(None, 2, 7.0, "x") == (7.0, 7.0)


def test_a_wrong_number_of_values_is_counted_in_the_message():
    with pytest.raises(FigureError, match="joint 'a': lower: expected 2 values, one an axis, got 3"):
        checks.per_axis([1, 2, 3], 2, 0.0, "joint 'a': lower")


def test_near_names_are_offered():
    assert "'elbow'" in checks.near("elbwo", ["elbow", "wrist"])
    assert checks.near("q", ["elbow", "wrist"]) == "expected one of: elbow, wrist"
    assert "expected one of 20" in checks.near("q", [f"joint_{k}" for k in range(20)])
