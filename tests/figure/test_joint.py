from __future__ import annotations

import pickle
from math import inf, nan

import pytest

from manikin.errors import FigureError
from manikin.figure import Follow, Joint


def names(joint: Joint) -> list[str]:
    return [axis.name for axis in joint.axes]


def test_a_one_axis_joint_gives_its_name_to_its_degree_of_freedom():
    assert names(Joint("elbow", "a", "b", "R(z)")) == ["elbow"]


def test_several_axes_add_their_letters():
    assert names(Joint("hip", "a", "b", "R(z)*R(x)")) == ["hip_z", "hip_x"]
    assert names(Joint("hip", "a", "b", "ball")) == ["hip_swing_x", "hip_swing_y", "hip_twist"]


def test_names_can_be_chosen():
    assert names(Joint("hip", "a", "b", "R(z)*R(x)", dofs=["yaw", "roll"])) == ["yaw", "roll"]
    assert names(Joint("hip", "a", "b", "R(z)", dofs="turn")) == ["turn"]


def test_no_limits_means_unlimited():
    (axis,) = Joint("elbow", "a", "b", "R(z)").axes
    assert (axis.lower, axis.upper, axis.rest, axis.stiffness, axis.velocity) == (-inf, inf, None, 1.0, inf)


def test_limits_are_for_all_axes_or_one_an_axis():
    axes = Joint("hip", "a", "b", "R(z)*T(x)", lower=-1, upper=(None, 2)).axes
    assert [(axis.lower, axis.upper, axis.unit) for axis in axes] == [(-1, inf, "rad"), (-1, 2, "m")]


def test_the_short_forms_are_the_long_ones():
    assert Joint.revolute("j", "a", "b", "-y", lower=-1).motion == "R(-y)"
    assert Joint.prismatic("j", "a", "b", [0, 1, 1]).steps[0].units == ("m",)
    assert Joint.continuous("j", "a", "b").axes[0].upper == inf
    assert Joint.fixed("j", "a", "b", [0, 0, 1]).axes == ()
    assert names(Joint.ball("j", "a", "b", "x")) == ["j_swing_y", "j_swing_z", "j_twist"]
    with pytest.raises(FigureError, match="'j': a continuous joint has no limits"):
        Joint.continuous("j", "a", "b", lower=-1)


def test_a_pickled_joint_comes_back_whole():
    joint = Joint(
        "hip", "a", "b", "R(z)*R(x)", [1, 0, 0], lower=[-1, 0], follow=(None, Follow({"k": 2.0}, 0.5))
    )
    back = pickle.loads(pickle.dumps(joint))
    assert (names(back), back.axes[0].lower) == (names(joint), -1.0)
    assert dict(back.axes[1].follow.coefficients) == {"k": 2.0}
    assert not back.placement.flags.writeable


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"motion": "R(0,0,0)"}, "axis is zero"),
        ({"lower": 2, "upper": 1}, "lower limit 2 is above the upper limit 1"),
        ({"lower": inf}, "lower limit inf is above"),
        ({"upper": -inf}, "above the upper limit -inf"),
        ({"lower": nan}, "lower: expected a finite"),
        ({"upper": nan}, "upper: expected a finite"),
        ({"rest": nan}, "rest: expected a finite"),
        ({"rest": inf}, "rest: expected a finite"),
        ({"lower": 0, "upper": 1, "rest": 2}, "rest 2 is outside the range 0 to 1"),
        ({"lower": [0, 1]}, "lower: expected 1 values, one an axis, got 2"),
        ({"stiffness": 0}, "stiffness must be above 0"),
        ({"stiffness": -1}, "stiffness must be above 0"),
        ({"velocity": -1}, "velocity limit must not be negative"),
        ({"placement": [0, 0, nan]}, "placement: expected finite"),
        ({"child_placement": [[1]]}, "child_placement: expected"),
        ({"dofs": ["p", "q"]}, "expected 1 names in dofs, got 2"),
        ({"dofs": [""]}, "dofs: a name"),
        ({"follow": "other"}, "follow must be a Follow"),
        ({"follow": Follow({"k": 1.0}), "rest": 0.0}, "no rest of its own"),
        ({"parent": ""}, "parent: a name"),
    ],
)
def test_a_bad_joint_is_named(options, words):
    arguments = {"parent": "a", "child": "b", "motion": "R(z)", **options}
    with pytest.raises(FigureError, match=f"joint 'elbow'.*{words}"):
        Joint("elbow", **arguments)


def test_a_bad_axis_of_several_is_named():
    with pytest.raises(FigureError, match="joint 'hip', 'hip_x': the lower limit 1"):
        Joint("hip", "a", "b", "R(z)*R(x)", lower=[0, 1], upper=[1, 0])


@pytest.mark.parametrize("follow", [{"k": nan}, {"k": inf}, {"": 1.0}])
def test_a_follow_of_no_number_is_an_error(follow):
    with pytest.raises(FigureError, match="follow"):
        Follow(follow)


def test_a_joint_placed_elsewhere_keeps_its_axes():
    joint = Joint("j", "a", "b", "R(z)*T(x)", [1, 0, 0], [0, 1, 0], lower=-1, upper=2, dofs=("turn", "slide"))
    placed = joint.placed([0, 0, 3], [0, 0, 1])
    assert placed.axes is joint.axes and (placed.name, placed.parent, placed.child) == ("j", "a", "b")
    assert placed.placement[:3, 3].tolist() == [0, 0, 3] and placed.child_placement[:3, 3].tolist() == [
        0,
        0,
        1,
    ]
    assert joint.placement[:3, 3].tolist() == [1, 0, 0]
    with pytest.raises(FigureError, match="joint 'j': placement: expected a 3-vector"):
        joint.placed([1, 2])
