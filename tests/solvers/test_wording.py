from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk
from manikin.figure.human import preset
from manikin.goals.words import length, near, ordinal

HERE = r"\(.* off\)"


@cache
def body() -> mk.Figure:
    return mk.human(stature=1.75, fingers=False, spine="bend")


def solved(*goals, feet: bool = True) -> mk.Solution:
    pins = [mk.Pin("left_foot"), mk.Pin("right_foot")] if feet else []
    return mk.solve(preset(body(), "stand"), [*goals, *pins])


def said(*goals, feet: bool = True) -> str:
    """The line of the first goal."""
    return solved(*goals, feet=feet).explain().splitlines()[0]


HAND = "right_hand"
PLACE = np.array([0.4, -0.2, 1.2])
FAR = np.array([2.0, -0.2, 1.2])


def test_a_pin_is_one_sentence_though_it_has_two_parts():
    lines = solved(mk.Position(HAND, PLACE)).explain().splitlines()
    assert len(lines) == 3
    assert re.fullmatch(rf"left_foot stays where it is {HERE}\.", lines[1])


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ("position", "in position"),
        ("orientation", "in orientation"),
        (("x", "y", "turn_z"), "along x and y and in its turn about z"),
        ("z", "along z"),
    ],
)
def test_a_pin_by_axes_says_which(axes, words):
    assert re.fullmatch(
        rf"pelvis stays where it is {words} {HERE}\.", said(mk.Pin("pelvis", axes=axes), feet=False)
    )


def test_a_soft_pin_that_gives_way_says_how_far_it_moved_and_is_not_called_out_of_reach():
    pin = mk.Pin("pelvis", hard=False)
    solution = solved(pin, mk.Position(HAND, FAR, weight=100.0))
    moved = np.linalg.norm(solution.pose.position("pelvis") - preset(body(), "stand").position("pelvis"))
    line = solution.explain().splitlines()[0]
    assert line.startswith(f"pelvis has moved by {length(moved)} and ") and "far out of reach" not in line


def test_regions_are_called_by_their_names():
    assert said(mk.Inside(HAND, mk.Ball(PLACE, 0.1))) == "right_hand is inside its ball."
    assert said(mk.Inside(HAND, mk.Box(PLACE, [0.1] * 3))) == "right_hand is inside its box."
    assert said(mk.Inside(HAND, mk.HalfSpace(PLACE, [0, 0, -1]))) == "right_hand is inside its half-space."
    line = said(mk.Inside(HAND, mk.Circle(PLACE, [0, 0, 1], 0.1)))
    assert re.fullmatch(rf"right_hand is on its circle {HERE}\.", line)


def test_of_a_union_the_piece_is_told_and_an_intersection_is_a_region():
    left = mk.Ball(PLACE + [0.0, 3.0, 0.0], 0.1)
    line = said(mk.Inside(HAND, left | mk.Ball(PLACE, 0.1)))
    assert line == "right_hand is inside the second of the 2 pieces of its region."
    both = mk.Ball(PLACE, 0.1) & mk.HalfSpace(PLACE, [0, 0, 1])
    assert said(mk.Inside(HAND, both)) == "right_hand is inside its region."


def test_how_far_a_site_is_outside_its_region_is_measured():
    ball = mk.Ball(FAR, 0.1)
    solution = solved(mk.Inside(HAND, ball))
    line = solution.explain().splitlines()[0]
    assert line.startswith(
        f"right_hand is {length(ball.distance(solution.pose.position(HAND)))} outside its ball: "
    )
    assert "is at its limit" in line


def test_a_clearance_says_how_much_there_is():
    ball = mk.Ball(PLACE + [0.0, 0.6, 0.0], 0.1)
    solution = solved(mk.Outside("right_wrist", ball, margin=0.01, whole=False), mk.Position(HAND, PLACE))
    distance = ball.distance(solution.pose.position("right_wrist"))
    assert solution.explain().splitlines()[0] == f"right_wrist keeps {length(distance)} clear of the ball."


def test_of_several_segments_the_nearest_is_named():
    box = mk.Box(PLACE + [0.0, 0.5, 0.0], [0.2, 0.2, 0.2])
    assert re.fullmatch(
        r"all of right_\* keeps \d+\.\d cm clear of the box, right_\w+ nearest\.",
        said(mk.Outside("right_*", box), mk.Position(HAND, PLACE)),
    )
    floor = mk.HalfSpace([0.0, 0.0, -0.01], [0.0, 0.0, 1.0])
    line = said(mk.Outside("*", floor))
    assert re.fullmatch(r"the figure keeps 1\d?\.\d \w?m clear of the half-space, \w+ nearest\.", line)


def test_what_is_inside_an_obstacle_says_how_deep_and_what_is_too_near_how_near():
    ball = mk.Ball(PLACE, 0.05)
    solution = solved(
        mk.Outside("right_wrist", ball, whole=False, hard=False),
        mk.Position("right_wrist", PLACE, weight=9.0),
    )
    depth = -ball.distance(solution.pose.position("right_wrist"))
    line = solution.explain().splitlines()[0]
    assert line.startswith(f"right_wrist is {length(depth)} inside the ball: ")
    assert "the goals pull against each other" in line
    tiny = mk.Ball(PLACE + [0.05, 0.0, 0.0], 0.01)
    goals = [
        mk.Outside(HAND, tiny, margin=0.06, whole=False, hard=False),
        mk.Position(HAND, PLACE, weight=9.0),
    ]
    assert re.match(r"right_hand comes within \S+ \w+ of the ball, \S+ \w+ too near: ", said(*goals))


def test_balance_says_how_far_inside_the_support():
    solution = solved(mk.Balance(margin=0.02), mk.Position(HAND, PLACE))
    assert re.fullmatch(
        r"the figure is in balance, its centre of mass \d+\.\d cm inside its support\.",
        solution.explain().splitlines()[0],
    )
    line = said(mk.Balance(), mk.Position(HAND, [1.4, -0.2, 0.9], weight=100.0))
    assert re.match(
        r"the figure is out of balance, its centre of mass \d+\.\d cm outside its support: ", line
    )
    assert "far out of reach" not in line


def test_a_margin_that_is_not_kept_is_told_apart_from_falling():
    line = said(mk.Balance(margin=0.2))
    words = r"the figure is not safely in balance, its centre of mass \S+ cm inside its support"
    assert re.match(rf"{words}, \S+ cm less than asked: ", line)


def test_the_centre_of_mass_is_its_own_subject():
    assert re.fullmatch(
        rf"the centre of mass reaches its target {HERE}\.", said(mk.CenterOfMass([0.1, 0.0, 0.85]))
    )
    assert said(mk.CenterOfMass(FAR)).startswith("the centre of mass misses its target by ")


def test_ranges_and_relations():
    assert said(mk.Range(HAND, z=(1.0, 1.2))) == "right_hand is within its ranges."
    assert said(mk.Range(HAND, z=(3.0, None))).startswith("right_hand is outside its ranges by ")
    near_hip = mk.Relative(HAND, "pelvis", [0.0, -0.2, 0.1])
    assert re.fullmatch(rf"right_hand is where it should be from pelvis {HERE}\.", said(near_hip))
    far_up = said(mk.Relative(HAND, "left_foot", [0.0, 0.0, 3.0]))
    assert re.match(r"right_hand is \S+ c?m off where it should be from left_foot: ", far_up)
    pocket = mk.Relative(HAND, "pelvis", mk.Ball([0.0, -0.2, 0.1], 0.05))
    assert said(pocket) == "right_hand is inside its region as pelvis sees it."


def test_the_choice_is_told_by_its_place_in_the_list():
    choice = mk.AnyOf([mk.Position("left_hand", FAR), mk.Position(HAND, PLACE)])
    solution = solved(choice)
    assert solution.choices == {choice: 1}
    assert re.fullmatch(
        rf"right_hand took the second of 2 alternatives {HERE}\.", solution.explain().splitlines()[0]
    )
    both = said(mk.AnyOf([(mk.Position("left_hand", FAR), mk.Position(HAND, FAR + [0, -0.2, 0]))]))
    assert both.startswith("left_hand and right_hand took the first of 1 alternative")
    assert "misses it by" in both


def test_a_choice_among_goals_with_choices_counts_the_goals():
    regions = mk.Ball(FAR, 0.1) | mk.Ball(FAR + [0, 0.3, 0], 0.1)
    choice = mk.AnyOf([mk.Inside("left_hand", regions), mk.Position(HAND, PLACE)])
    assert solved(choice).choices == {choice: 1}


def test_segments_that_overlap_are_named():
    goals = [mk.SelfClearance(segments=["right_hand", "left_hand"], margin=0.01, hard=False)]
    line = said(*goals, mk.Position("left_hand", PLACE), mk.Position(HAND, PLACE + [0, -0.3, 0]))
    assert re.fullmatch(
        r"the figure keeps clear of itself: left_hand and right_hand are nearest, \S+ cm apart\.", line
    ) or re.fullmatch(
        r"the figure keeps clear of itself: right_hand and left_hand are nearest, \S+ cm apart\.", line
    )
    line = said(*goals, mk.Position("left_hand", PLACE, weight=99.0), mk.Position(HAND, PLACE, weight=99.0))
    assert re.match(r"(left|right)_hand and (left|right)_hand overlap by \S+ \w?m: ", line)


def test_a_swivel_is_about_the_elbow():
    line = said(mk.Swivel(("right_shoulder", "right_elbow", "right_wrist"), 0.8), mk.Position(HAND, PLACE))
    assert re.fullmatch(rf"right_elbow reaches its swivel {HERE}\.", line)


def test_objectives_are_not_talked_about():
    solution = solved(mk.Discomfort(), mk.Posture(), mk.Position(HAND, PLACE))
    assert len(solution.explain().splitlines()) == 3
    assert "discomfort" not in repr(solution) and "posture" not in repr(solution)


def test_a_goal_that_hard_goals_keep_out_of_reach_says_so():
    figure = mk.human(stature=1.75, fingers=False, spine="bend")
    goals = [mk.Position("head", [0.0, 0.0, 1.0]), mk.Pin("head")]
    line = mk.solve(preset(figure, "stand"), goals).explain().splitlines()[0]
    assert "it is out of reach as long as the hard goals hold" in line


def test_a_pin_that_weighs_nothing_says_so_once():
    problem = mk.Problem(preset(body(), "stand"), [mk.Position(HAND, PLACE), mk.Pin("left_foot")])
    problem = moved(problem, 1, weight=0.0)
    assert problem.solve().explain().splitlines()[1:] == ["left_foot: its pin goal is switched off."]


@pytest.mark.parametrize(
    ("place", "word"),
    [(0, "first"), (9, "tenth"), (10, "11th"), (20, "21st"), (101, "102nd"), (112, "113th")],
)
def test_ordinals(place, word):
    assert ordinal(place) == word


def test_misses_without_meaning_have_no_digits():
    assert near(3e-12, "m") == "under 1 µm" and near(1e-9, "rad") == "under 0.001°"
    assert near(0.0, "m") == "0 µm" and near(2e-5, "m") == "20 µm" and near(0.001, "rad") == "0.057°"
