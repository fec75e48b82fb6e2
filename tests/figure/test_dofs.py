from __future__ import annotations

from math import inf

import pytest

from manikin.errors import FigureError
from manikin.figure import Coupling, Figure, Follow, Joint


def chain(*joints: dict, couplings=()) -> Figure:
    made = [
        Joint(**{"parent": str(k), "child": str(k + 1), "motion": "R(z)", **entry})
        for k, entry in enumerate(joints)
    ]
    return Figure("f", [str(k) for k in range(len(joints) + 1)], made, couplings=couplings)


def hinge(name: str, **options) -> dict:
    return {"name": name, **options}


@pytest.mark.parametrize(
    ("lower", "upper", "rest"),
    [(-1, 2, 0), (1, 2, 1.5), (-2, -1, -1.5), (None, None, 0), (1, None, 1), (None, -1, -1), (0, 0, 0)],
)
def test_rest_is_zero_or_the_middle_of_a_range_without_it(lower, upper, rest):
    assert chain(hinge("a", lower=lower, upper=upper)).dof("a").rest == rest


def test_a_follower_has_no_coordinate():
    figure = chain(hinge("a"), hinge("b", follow=Follow({"a": 2.0}, 0.5)), hinge("c"))
    assert figure.dofs == ("a", "c")
    assert dict(figure.followers["b"].coefficients) == {"a": 2.0}


def test_a_follower_of_a_follower_resolves_through():
    figure = chain(
        hinge("c", follow=Follow({"b": -1.0, "a": 1.0}, 1.0)),
        hinge("b", follow=Follow({"a": 2.0}, 0.5)),
        hinge("a"),
    )
    assert dict(figure.followers["c"].coefficients) == {"a": -1.0}
    assert figure.followers["c"].offset == 0.5


def test_a_followers_limits_tighten_its_driver():
    figure = chain(
        hinge("a", lower=-3, upper=3), hinge("b", lower=-1, upper=2, follow=Follow({"a": -2.0}, 1.0))
    )
    assert (figure.dof("a").lower, figure.dof("a").upper) == (-0.5, 1.0)
    assert figure.couplings == ()


def test_a_tightened_range_moves_the_default_rest_into_it():
    figure = chain(hinge("a"), hinge("b", lower=1, upper=2, follow=Follow({"a": 1.0})))
    assert figure.dof("a").rest == 1.5


def test_the_limits_of_a_follower_of_several_become_a_coupling():
    figure = chain(
        hinge("a"), hinge("b"), hinge("c", lower=-1, upper=2, follow=Follow({"a": 1.0, "b": 0.5}, 0.25))
    )
    assert figure.couplings == (Coupling({"a": 1.0, "b": 0.5}, -1.25, 1.75, name="c"),)


def test_an_axis_that_follows_nothing_is_held():
    figure = chain(hinge("a", follow=Follow({}, 0.3)), hinge("b"))
    assert figure.dofs == ("b",)
    with pytest.raises(FigureError, match=r"'a' is held at 0\.3, outside its own limits"):
        chain(hinge("a", lower=1, upper=2, follow=Follow({}, 0.3)))


def test_couplings_may_name_followers():
    figure = chain(
        hinge("a"),
        hinge("b", follow=Follow({"a": 2.0}, 0.5)),
        hinge("c"),
        couplings=[Coupling.parse("b + c <= 1")],
    )
    assert dict(figure.couplings[0].coefficients) == {"a": 2.0, "c": 1.0}
    assert figure.couplings[0].upper == 0.5


def test_only_free_turns_that_drive_nothing_else_wrap():
    figure = chain(
        hinge("free"),
        hinge("limited", lower=-1),
        hinge("slide", motion="T(z)"),
        hinge("driver"),
        hinge("driven", follow=Follow({"driver": 0.5})),
        hinge("coupled"),
        hinge("ball", motion="ball"),
        hinge("two", motion="R(z)*R(x)"),
        couplings=[Coupling.parse("coupled <= 1")],
    )
    assert [name for name in figure.dofs if figure.dof(name).wraps] == ["free", "two_z", "two_x"]


def test_units_and_descriptions_are_kept():
    figure = chain(hinge("a", motion="T(z)", velocity=2.0, stiffness=3.0, descriptions="lifts the tray"))
    dof = figure.dof("a")
    assert (dof.unit, dof.velocity, dof.stiffness, dof.description, dof.joint) == (
        "m",
        2.0,
        3.0,
        "lifts the tray",
        "a",
    )
    assert (dof.lower, dof.upper) == (-inf, inf)


@pytest.mark.parametrize(
    ("joints", "couplings", "words"),
    [
        (
            [hinge("a", follow=Follow({"q": 1.0}))],
            (),
            "joint 'a': 'a' follows the unknown degree of freedom 'q'",
        ),
        ([hinge("a", follow=Follow({"a": 1.0}))], (), "joint 'a': the followers make a cycle: 'a' → 'a'"),
        (
            [
                hinge("a", follow=Follow({"b": 1.0})),
                hinge("b", follow=Follow({"c": 1.0})),
                hinge("c", follow=Follow({"a": 1.0})),
            ],
            (),
            "joint 'c': the followers make a cycle: 'a' → 'b' → 'c' → 'a'",
        ),
        (
            [hinge("a", lower=0, upper=1), hinge("b", lower=2, upper=3, follow=Follow({"a": 1.0}))],
            (),
            "the limits of 'b', which follows 'a', leave 'a' no range",
        ),
        (
            [hinge("a", rest=0.0), hinge("b", lower=2, upper=3, follow=Follow({"a": 1.0}))],
            (),
            "rest 0 of 'a' is outside the range 2 to 3",
        ),
        ([hinge("a")], ["b = 1"], "coupling 'b = 1': unknown degree of freedom 'b'"),
        ([hinge("a", lower=0, upper=1)], ["a >= 2"], "coupling 'a >= 2' can never hold"),
        ([hinge("a"), hinge("b", follow=Follow({"a": 1.0}))], ["a = b + 1"], "can never hold"),
        ([hinge("a_x"), hinge("a", motion="R(x)*R(y)")], (), "called 'a_x', of the joints 'a_x' and 'a'"),
    ],
)
def test_what_cannot_be_is_named(joints, couplings, words):
    with pytest.raises(FigureError, match=words):
        chain(*joints, couplings=[Coupling.parse(text) for text in couplings])
