from __future__ import annotations

import numpy as np
import pytest

from manikin.errors import FigureError
from manikin.figure.motions import parse_motion


def labels(text: str) -> list[str]:
    return [label for step in parse_motion(text, "joint 'a'") for label in step.labels]


def test_fixed_has_no_steps():
    assert parse_motion("fixed", "joint 'a'") == ()


@pytest.mark.parametrize(
    ("text", "axis"),
    [
        ("R(z)", [0, 0, 1]),
        ("R(-x)", [-1, 0, 0]),
        (" R( y ) ", [0, 1, 0]),
        ("R(0,3,4)", [0, 0.6, 0.8]),
        ("R(0,0,-2)", [0, 0, -1]),
    ],
)
def test_the_third_column_of_the_turn_is_the_unit_axis(text, axis):
    (step,) = parse_motion(text, "joint 'a'")
    assert step.kind.name == "rotate"
    assert np.abs(step.turn[:, 2] - axis).max() < 1e-15
    assert np.abs(step.turn @ step.turn.T - np.eye(3)).max() < 1e-15
    assert np.linalg.det(step.turn) > 0.0


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e300])
def test_an_axis_of_any_length_is_normalised(scale):
    (step,) = parse_motion(f"T(0,{3 * scale},{4 * scale})", "joint 'a'")
    assert step.kind.name == "slide"
    assert np.abs(step.turn[:, 2] - [0, 0.6, 0.8]).max() < 1e-15


def test_products_keep_their_order_and_kinds():
    assert [step.kind.name for step in parse_motion("T(x)*R(y)*T(0,1,1)", "joint 'a'")] == [
        "slide",
        "rotate",
        "slide",
    ]
    assert [step.kind.name for step in parse_motion("planar", "joint 'a'")] == ["slide", "slide", "rotate"]
    assert [step.kind.name for step in parse_motion("free", "joint 'a'")] == ["slide"] * 3 + [
        "rotation_vector"
    ]
    assert [step.kind.name for step in parse_motion("ball", "joint 'a'")] == ["swing_twist"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("R(z)*R(x)*R(y)", ["z", "x", "y"]),
        ("R(z)*R(-x)*R(z)", ["z1", "x", "z2"]),
        ("R(z)*T(z)", ["z", "tz"]),
        ("R(x)*T(z)", ["x", "z"]),
        ("R(1,0,0)*T(0,1,0.5)", ["x", "2"]),
        ("R(1,1,0)*R(0,1,1)", ["1", "2"]),
        ("ball", ["swing_x", "swing_y", "twist"]),
        ("ball(x)", ["swing_y", "swing_z", "twist"]),
        ("ball(1,1,0)", ["swing_1", "swing_2", "twist"]),
        ("free", ["x", "y", "z", "rx", "ry", "rz"]),
        ("planar", ["x", "y", "yaw"]),
    ],
)
def test_labels_are_letters_made_distinct(text, expected):
    assert labels(text) == expected


@pytest.mark.parametrize("axis", ["x", "y", "z", "-x", "-y", "-z"])
def test_a_balls_swings_are_about_the_axes_they_are_named_after(axis):
    (step,) = parse_motion(f"ball({axis})", "joint 'a'")
    for column, label in enumerate(step.labels[:2]):
        assert np.array_equal(step.turn[:, column], np.eye(3)["xyz".index(label[-1])])


def test_the_inverse_of_a_ball_twists_first_with_the_values_negated():
    kind, turn, sign = parse_motion("ball(x)", "joint 'a'")[0].inverse
    assert (kind.name, sign) == ("twist_swing", -1.0)
    assert np.array_equal(turn, parse_motion("ball(x)", "joint 'a'")[0].turn)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("R(0,0,0)", "axis is zero"),
        ("R(nan,0,1)", "finite"),
        ("R(inf,0,1)", "finite"),
        ("R(w)", "cannot read the axis 'w'"),
        ("R(1,2)", "three numbers"),
        ("hinge", "cannot read 'hinge'"),
        ("R(z)+R(x)", "cannot read"),
        ("R(z)*", "cannot read ''"),
        ("", "cannot read ''"),
        ("ball*R(x)", "cannot read 'ball'"),
        ("R(x)*ball(z)", "cannot be a factor"),
        ("__import__('os')", "cannot read"),
        (7, "must be a string"),
    ],
)
def test_a_motion_that_cannot_be_read_names_the_joint(text, words):
    with pytest.raises(FigureError, match=f"joint 'a'.*{words}"):
        parse_motion(text, "joint 'a'")
