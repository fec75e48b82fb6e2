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
    assert "must be three weights" in refused(kind, "axes", value)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        *((value, "must lie between 0 and 1") for value in (0.0, 1.0, -0.1, 1.1)),
        (np.nan, "must be finite"),
        ("half", "must be a number"),
        (None, "must be a number"),
    ],
)
def test_a_position_share_lies_between_zero_and_one(value, says):
    assert says in refused("placement", "position_share", value)


@pytest.mark.parametrize("kind", ANGLES)
@pytest.mark.parametrize(
    ("value", "says"),
    [
        (0.0, "must be positive, got 0"),
        (-1.0, "must be positive, got -1"),
        (np.nan, "must be finite"),
        (np.inf, "must be finite"),
        ("many", "must be a number"),
        (None, "must be a number"),
    ],
)
def test_degrees_per_metre_are_a_positive_number(kind, value, says):
    assert says in refused(kind, "degrees_per_metre", value)


@pytest.mark.parametrize(("kind", "argument"), [("placement", "position"), ("aim", "at"), ("aim", "axis")])
@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([np.nan, 0, 0], "must be finite"),
        ([1, 2], "must be three numbers, got shape (2,)"),
        ([[1, 2, 3]], "must be three numbers, got shape (1, 3)"),
        ("here", "must be three numbers, got 'here'"),
        (None, "must be three numbers"),
    ],
)
def test_points_and_axes_are_three_finite_numbers(kind, argument, value, says):
    assert says in refused(kind, argument, value)


def test_an_aims_axis_must_have_a_direction_and_is_kept_with_length_one():
    assert "no direction" in refused("aim", "axis", [0, 0, 0])
    assert mk.Aim("eyes", [1, 0, 0], axis=(0, 0, 9)).axis.tolist() == [0.0, 0.0, 1.0]


def test_angles_weigh_as_lengths_by_degrees_per_metre():
    """30° matter as much as a metre: c = 180/(30 π), the weight of a row is w c²."""
    expected = 2.0 * (180.0 / (30.0 * np.pi)) ** 2
    options = {"degrees_per_metre": 30.0, "weight": 2.0}
    assert mk.Orientation("hand", TURN, **options).parts()[0].weight == pytest.approx(expected)
    assert mk.Aim("hand", [1, 0, 0], **options).parts()[0].weight == pytest.approx(expected)
    place, turn = mk.Placement("hand", [0, 0, 0], TURN, position_share=0.25, **options).parts()
    assert place.weight == pytest.approx(0.5) and turn.weight == pytest.approx(0.75 * expected)


@pytest.mark.parametrize(
    ("axes", "hard", "kind", "rows", "components"),
    [
        ((1, 1, 1), False, "turn", 3, ()),
        ((2, 2, 2), False, "turn", 3, ()),
        ((0, 0, 2), False, "aim", 2, (2,)),
        ((0, 0, 2), True, "aim", 2, (2,)),
        ((1, 0, 2), False, "axes", 6, (0, 2)),
        ((1, 0, 2), True, "turn", 3, ()),
        ((3, 1, 2), False, "axes", 9, (0, 1, 2)),
    ],
)
def test_an_orientations_part_is_of_the_kind_that_says_what_is_minded(axes, hard, kind, rows, components):
    (part,) = mk.Orientation("hand", TURN, axes=axes, hard=hard).parts()
    assert (part.kind, part.rows, part.components, part.unit, part.hard) == (
        kind,
        rows,
        components,
        "rad",
        hard,
    )
    assert np.abs(part.turn - TURN.as_matrix()).max() < 1e-15
    if kind == "axes":
        which = list(components)
        assert (part.directions == part.turn.T[which]).all()  # the target's axes are its columns
        assert (part.site_axes == np.eye(3)[which]).all()


def test_parts_say_their_kind_unit_and_axes():
    (aim,) = mk.Aim("hand", [1, 2, 3], axis=(0, 2, 0)).parts()
    assert (aim.kind, aim.unit, aim.site_axes[0].tolist()) == ("aim", "rad", [0.0, 1.0, 0.0])
    assert np.abs(aim.site_axes @ aim.site_axes.T - np.eye(3)).max() < 1e-15
    parts = mk.Placement("hand", [0, 0, 0], TURN).parts()
    assert [(part.kind, part.unit) for part in parts] == [("coordinates", "m"), ("turn", "rad")]
