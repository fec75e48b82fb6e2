"""Pins, ranges, relations, clearances, balance, objectives and choices: their parts, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.errors import GoalError
from manikin.figure import transforms


def settled(goal, figure=None):
    return goal.settle((mk.human() if figure is None else figure).pose())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mk.Pin("hand", axes="up"), "pin of 'hand': axes"),
        (lambda: mk.Pin("hand", axes=[]), "pin of 'hand': axes"),
        (lambda: mk.Pin("hand", axes=["x", "x"]), "pin of 'hand': axes"),
        (lambda: mk.Pin("hand", axes=3), "pin of 'hand': axes"),
        (lambda: mk.Range("hand"), "range of 'hand': give a range"),
        (lambda: mk.Range("hand", x=(2, 1)), "range of 'hand': x is an empty range"),
        (lambda: mk.Range("hand", x=(np.nan, 1)), "range of 'hand': x is an empty range"),
        (lambda: mk.Range("hand", x=0, y=(2, 1)), "range of 'hand': y is an empty range"),
        (lambda: mk.Range("hand", z="low"), "range of 'hand': z must be a number"),
        (lambda: mk.Range("hand", turn_x=(1, 2, 3)), "range of 'hand': turn_x must be"),
        (lambda: mk.Range("hand", x=1, frame=np.ones((4, 4))), "range of 'hand': frame"),
        (lambda: mk.Relative("hand", "hand"), "relative of 'hand': a site cannot be measured from itself"),
        (lambda: mk.Relative("hand", ""), "relative of 'hand': other"),
        (lambda: mk.Relative("hand", "hip", "there"), "relative of 'hand': goal must be"),
        (
            lambda: mk.Relative("hand", "hip", mk.Position("foot", [0, 0, 0])),
            "relative of 'hand': its goal is for",
        ),
        (lambda: mk.CenterOfMass([0, 0]), "center_of_mass: target"),
        (lambda: mk.CenterOfMass([0, 0, 0], axes=(0, 0, 0)), "center_of_mass: axes"),
        (lambda: mk.Balance([]), "balance: support"),
        (lambda: mk.Balance(margin="wide"), "balance: margin"),
        (lambda: mk.SelfClearance(margin=np.inf), "self_clearance: margin"),
        (lambda: mk.SelfClearance(ignore=["a"]), "self_clearance: ignore"),
        (lambda: mk.SelfClearance(ignore=3), "self_clearance: ignore"),
        (lambda: mk.SelfClearance(segments=[]), "self_clearance: segments"),
        (lambda: mk.AnyOf([]), "any_of: there must be"),
        (lambda: mk.AnyOf([mk.Pin("a"), 3]), "any_of: goals must be a list"),
        (lambda: mk.AnyOf([("a",)]), "any_of: choice 0"),
        (lambda: mk.Swivel("right", 0.0), "swivel: limb"),
        (lambda: mk.Swivel(("a", "b", "c"), (0, None)), "swivel: angle"),
        (lambda: mk.Swivel(("a", "b", "c"), (0, 7)), "swivel: the angle's range"),
        (lambda: mk.Posture([[1.0]]), "posture: q"),
        (lambda: mk.Posture({"knee": np.nan}), "posture: q"),
        (lambda: mk.Posture(weights=[-1.0]), "posture: weights"),
        (lambda: mk.LimitSpring([], margin=0.1), "limit_spring: dofs"),
        (lambda: mk.LimitSpring("knee", margin=0.0), "limit_spring: margin"),
        (lambda: settled(mk.Posture([1.0, 2.0])).parts(), "posture: q must have"),
        (lambda: settled(mk.Posture({"knee": 1.0})).parts(), "posture: q: figure"),
        (lambda: settled(mk.LimitSpring("nose")).parts(), "limit_spring: figure"),
        (lambda: settled(mk.LimitSpring("left_knee", margin=5.0)).parts(), "limit_spring: the margin"),
        (lambda: settled(mk.Balance(["nose"])).parts(), "balance: figure"),
        (lambda: settled(mk.SelfClearance(segments="nose")).parts(), "self_clearance: figure"),
        (lambda: settled(mk.Outside("nose", mk.Ball([0, 0, 0], 1))).parts(), "outside of 'nose'"),
        (lambda: settled(mk.Outside("eyes", mk.Ball([0, 0, 0], 1), whole=True)).parts(), "outside of 'eyes'"),
        (
            lambda: settled(mk.Outside("head", mk.Circle([0, 0, 0], [0, 0, 1], 1))).parts(),
            "outside of 'head'",
        ),
        (
            lambda: settled(
                mk.Relative("left_hand", "pelvis", mk.Relative("left_hand", "head"))
            ).alternatives(),
            "relative of 'left_hand'",
        ),
    ],
)
def test_bad_arguments_are_refused_by_name(make, words):
    with pytest.raises(GoalError) as caught:
        make()
    assert str(caught.value).startswith(words)


def test_a_pin_holds_all_or_the_named_coordinates():
    for axes, kinds, rows in (
        ("all", ["coordinates", "turn"], [3, 3]),
        ("position", ["coordinates"], [3]),
        ("orientation", ["turn"], [3]),
        ("z", ["coordinates"], [1]),
        (["z", "turn_x", "turn_y"], ["coordinates", "rotation"], [1, 2]),
    ):
        parts = settled(mk.Pin("left_foot", axes=axes)).parts()
        assert [part.kind for part in parts] == kinds and [part.rows for part in parts] == rows
        assert all(part.hard for part in parts)


def test_a_range_may_be_open_at_one_end():
    part, turn = mk.Range("hand", x=1, y=(None, 2), z=(0, np.inf), turn_z=(-1, 1)).parts()
    assert part.lower.tolist() == [1, -np.inf, 0] and part.upper.tolist() == [1, 2, np.inf]
    assert turn.unit == "rad" and turn.components == (2,)
    assert [p.rows for p in mk.Range("hand", x=(None, None), y=0).parts()] == [1]


def test_a_relation_takes_short_forms():
    frame = transforms.translation([1, 2, 3])
    for goal, kind in (([1, 2, 3], mk.Position), (frame, mk.Placement), (mk.Ball([0, 0, 0], 1), mk.Inside)):
        made = mk.Relative("left_hand", "pelvis", goal, weight=3.0, hard=True)
        assert isinstance(made.goal, kind)
        parts = settled(made).alternatives()[0]
        assert all(part.base == "pelvis" and part.hard and part.site == "left_hand" for part in parts)
        assert parts[0].weight[0] == pytest.approx(1.5 if kind is mk.Placement else 3.0)


def test_hard_orientations_have_rows_of_full_rank():
    both = mk.Orientation("hand", np.eye(3), axes=(1, 2, 0), hard=True).parts()[0]
    one = mk.Orientation("hand", np.eye(3), axes=(0, 0, 1), hard=True).parts()[0]
    assert (both.kind, both.rows) == ("turn", 3) and (one.kind, one.rows) == ("aim", 2)


def test_choices_are_alternatives_and_know_where_they_come_from():
    left, right = mk.Position("left_hand", [0, 0, 1]), mk.Position("right_hand", [0, 0, 1])
    either = mk.Inside("left_hand", mk.Ball([0, 0, 0], 1) | mk.Ball([1, 0, 0], 1))
    goal = settled(mk.AnyOf([left, (left, right), (either, right), mk.Pin("head")], weight=2.0, hard=True))
    found = goal.alternatives()
    assert [len(parts) for parts in found] == [1, 2, 2, 2, 2]
    assert [goal.chosen(k) for k in range(5)] == [0, 1, 2, 2, 3]
    assert all(part.hard and part.weight.min() == 2.0 for parts in found for part in parts)
    hundreds = settled(mk.AnyOf([mk.Position("left_hand", [k, 0, 0]) for k in range(500)]))
    assert len(hundreds.alternatives()) == 500


def test_outside_means_the_segment_where_it_has_a_shape():
    ball = mk.Ball([0, 0, 0], 1)
    assert settled(mk.Outside("right_hand", ball)).parts()[0].kind == "clear"
    assert settled(mk.Outside("right_hand", ball, whole=False)).parts()[0].kind == "point"
    assert settled(mk.Outside("right_elbow", ball)).parts()[0].kind == "point"
    names = [part.site for part in settled(mk.Outside("right_*", ball)).parts()]
    assert len(names) > 10 and all(name.startswith("right_") for name in names)
    floor = settled(mk.Outside("left_foot", mk.HalfSpace([0, 0, 0], [0, 0, 1]))).parts()
    assert {part.kind for part in floor} == {"clear", "egg"}
    standing = mk.human().pose().position("left_toe")[2]
    assert standing == pytest.approx(0.0, abs=1e-9)


def test_a_posture_may_be_a_pose():
    figure = mk.Figure("f", ["a", "b"], [mk.Joint("j", "a", "b", "R(z)", lower=-1, upper=1)])
    assert mk.Posture(figure.pose({"j": 0.7})).q.tolist() == [0.7]
    result = mk.solve(figure, [mk.Posture(figure.pose({"j": 0.7}))])
    assert result.pose.values()["j"] == pytest.approx(0.7, abs=1e-6)
