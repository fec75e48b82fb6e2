"""Orientation, Placement, Aim."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manikin as mk

from .test_goal import refused

ROTATIONS = [("orientation", "target"), ("placement", "orientation")]
ANGLES = ["orientation", "placement", "aim"]
TURN = Rotation.from_rotvec([0.3, -0.5, 0.7])


@pytest.mark.parametrize(("kind", "argument"), ROTATIONS)
@pytest.mark.parametrize(
    "value",
    [
        np.zeros((3, 3)),
        2.0 * np.eye(3),
        np.diag([1.0, 1.0, -1.0]),
        np.eye(3) + 1e-3,
        np.diag([1.0, 1.0, 1.0, 1.0]) * 0.5,
    ],
)
def test_a_matrix_that_is_no_rotation_is_refused(kind, argument, value):
    assert "not a rotation matrix" in refused(kind, argument, value)


@pytest.mark.parametrize(("kind", "argument"), ROTATIONS)
@pytest.mark.parametrize(
    "value", [[1, 0, 0], np.eye(2), np.eye(5), 1.0, "up", None, np.eye(3)[None], Rotation.identity(2)]
)
def test_a_rotation_is_three_by_three_or_four_by_four(kind, argument, value):
    assert "rotation" in refused(kind, argument, value)


@pytest.mark.parametrize(("kind", "argument"), ROTATIONS)
def test_a_rotation_must_be_finite(kind, argument):
    assert "finite" in refused(kind, argument, np.full((3, 3), np.nan))


def test_a_rotation_may_be_a_matrix_a_transform_or_scipys():
    transform = np.eye(4)
    transform[:3, :3] = TURN.as_matrix()
    transform[:3, 3] = 1.0, 2.0, 3.0
    for value in (TURN, TURN.as_matrix(), TURN.as_matrix().tolist(), transform):
        for kept in (
            mk.Orientation("hand", value).target,
            mk.Placement("hand", [0, 0, 0], value).orientation,
        ):
            assert kept.shape == (3, 3) and np.abs(kept - TURN.as_matrix()).max() < 1e-15
            assert not kept.flags.writeable


def test_a_rotation_printed_to_six_digits_is_made_orthonormal():
    kept = mk.Orientation("hand", TURN.as_matrix().round(6)).target
    assert np.abs(kept @ kept.T - np.eye(3)).max() < 4e-15
    assert np.abs(kept - TURN.as_matrix()).max() < 2e-6


@pytest.mark.parametrize("kind", ["orientation", "placement"])
@pytest.mark.parametrize(
    "value",
    [(0, 0, 0), (1, 1), (1, 1, 1, 1), (1, -1, 1), (np.nan, 1, 1), (np.inf, 1, 1), "xyz", None, ("a", 1, 1)],
)
def test_axes_are_three_weights_none_negative_not_all_zero(kind, value):
    refused(kind, "axes", value)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 1.1, np.nan, "half", None])
def test_a_position_share_lies_between_zero_and_one(value):
    refused("placement", "position_share", value)


@pytest.mark.parametrize("kind", ANGLES)
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, "many", None])
def test_degrees_per_metre_are_a_positive_number(kind, value):
    refused(kind, "degrees_per_metre", value)


@pytest.mark.parametrize(("kind", "argument"), [("placement", "position"), ("aim", "at"), ("aim", "axis")])
@pytest.mark.parametrize("value", [[np.nan, 0, 0], [1, 2], [[1, 2, 3]], "here", None])
def test_points_and_axes_are_three_finite_numbers(kind, argument, value):
    refused(kind, argument, value)


def test_an_aims_axis_must_have_a_direction_and_is_kept_with_length_one():
    assert "no direction" in refused("aim", "axis", [0, 0, 0])
    assert mk.Aim("eyes", [1, 0, 0], axis=(0, 0, 9)).axis.tolist() == [0.0, 0.0, 1.0]


def test_angles_weigh_as_lengths_by_degrees_per_metre():
    """30° matter as much as a metre: c = 180/(30 π), the term's weight is w c²."""
    expected = 2.0 * (180.0 / (30.0 * np.pi)) ** 2
    options = {"degrees_per_metre": 30.0, "weight": 2.0}
    assert mk.Orientation("hand", TURN, **options).terms()[0].weight == pytest.approx(expected)
    assert mk.Aim("hand", [1, 0, 0], **options).terms()[0].weight == pytest.approx(expected)
    point, axes = mk.Placement("hand", [0, 0, 0], TURN, position_share=0.25, **options).terms()
    assert point.weight == pytest.approx(0.5) and axes.weight == pytest.approx(0.75 * expected)


def test_terms_say_their_kind_unit_and_axes():
    (axes,) = mk.Orientation("hand", TURN, axes=(0, 0, 2)).terms()
    assert (axes.kind, axes.unit, axes.axis_weights) == ("axes", "rad", (0.0, 0.0, 2.0))
    assert np.abs(axes.directions - TURN.as_matrix().T).max() < 1e-15  # the target's axes are its columns
    (aim,) = mk.Aim("hand", [1, 2, 3], axis=(0, 2, 0)).terms()
    assert (aim.kind, aim.unit, aim.site_axes[0].tolist()) == ("aim", "rad", [0.0, 1.0, 0.0])
    assert [term.kind for term in mk.Placement("hand", [0, 0, 0], TURN).terms()] == ["point", "axes"]
