from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm
from manikin.papers import METHODS

from .samples import DOWN, branched, three_links


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "goal",
    [
        mk.Aim("tool", at=[1.0, 0.0, 0.0]),
        mk.OnLine("tool", [0.4, 0.0, 0.4], [0.0, 1.0, 0.0]),
        mk.OnPlane("tool", [0.4, 0.0, 0.4], [0.0, 0.0, 1.0]),
    ],
)
def test_goals_of_other_kinds_are_refused_by_name(method, goal):
    words = f"method '{method}' takes positions, orientations and placements, not {goal.kind()} of 'tool'"
    with pytest.raises(mk.SolveError, match=words):
        mk.solve(arm(), [goal], method=method)


@pytest.mark.parametrize("method", METHODS)
def test_a_potential_in_python_is_refused(method):
    goal = mk.Potential("tool", lambda r, axes: (float(r @ r), 2.0 * r, np.zeros((3, 3))))
    with pytest.raises(mk.SolveError, match=f"'{method}' takes no potential that Python computes"):
        mk.solve(arm(), [goal], method=method)


@pytest.mark.parametrize("method", ["ccd", "fabrik"])
def test_one_coordinate_at_a_time_refuses_equalities(method):
    with pytest.raises(mk.SolveError, match=f"'{method}' moves one coordinate at a time, which the equality"):
        mk.solve(
            arm(), [mk.Position("tool", [0.4, 0.0, 0.4])], method=method, constraints=["waist = 0.5*shoulder"]
        )


@pytest.mark.parametrize("method", METHODS)
def test_axes_weighted_unlike_are_refused(method):
    goal = mk.Orientation("tool", DOWN, axes=(1.0, 0.0, 0.0))
    with pytest.raises(mk.SolveError, match="needs all axes of an orientation weighted alike"):
        mk.solve(arm(), [goal], method=method)


@pytest.mark.parametrize("method", METHODS)
def test_an_unknown_option_is_refused_with_those_known(method):
    with pytest.raises(mk.SolveError, match=f"'{method}' has no option 'speed'; known are: .*iterations"):
        three_links().solve(method=method, options={"speed": 3})


def test_options_must_be_a_mapping():
    with pytest.raises(mk.SolveError, match="options must map names to values"):
        three_links().solve(method="damped", options=[0.1])


def test_options_belong_to_the_papers_methods_only():
    with pytest.raises(mk.SolveError, match="method 'auto' has no options"):
        three_links().solve(options={"damping": 0.1})


@pytest.mark.parametrize("method", ["ccd", "fabrik"])
def test_one_hinge_at_a_time_refuses_orientations_and_balls(method):
    with pytest.raises(mk.SolveError, match="takes positions only, not placement of 'tool'"):
        mk.solve(arm(), [mk.Placement("tool", [0.4, 0.0, 0.4], DOWN)], method=method)
    ball = mk.Figure(
        "f", ["a", "b"], [mk.Joint("j", "a", "b", "ball")], [mk.Site("tip", "b", (0.0, 0.0, 1.0))]
    )
    with pytest.raises(mk.SolveError, match="is part of a ball joint or a free root"):
        mk.solve(ball, [mk.Position("tip", [1.0, 0.0, 0.0])], method=method)


def test_fabrik_takes_one_position_and_no_slide():
    with pytest.raises(mk.SolveError, match="takes one position, and here are 2"):
        branched(2).solve(method="fabrik")
    slide = mk.Figure(
        "f", ["a", "b"], [mk.Joint.prismatic("j", "a", "b", "z")], [mk.Site("tip", "b", (0.0, 0.0, 1.0))]
    )
    goal = mk.Position("tip", [0.0, 0.0, 1.5])
    with pytest.raises(mk.SolveError, match="knows hinges only; 'j' slides"):
        mk.solve(slide, [goal], method="fabrik")
    assert mk.solve(slide, [goal], method="ccd").reached


def test_screws_needs_placements():
    with pytest.raises(mk.SolveError, match="needs position and orientation of a site"):
        three_links().solve(method="screws")


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("pseudoinverse", {"spacing": "random"}, "unknown spacing 'random'; known are: even, smooth"),
        ("pseudoinverse", {"intermediate": -1}, "intermediate must be a whole number"),
        ("pseudoinverse", {"iterations": 1.5}, "iterations must be a whole number"),
        ("pseudoinverse", {"Z": [1.0]}, "Z must be 3 finite values"),
        ("pseudoinverse", {"G1": lambda J: 2.0 * J.T}, "is not a generalized inverse"),
        ("damped", {"damping": 0.0}, "damping must be a positive number"),
        ("damped", {"damping": "clever"}, "must be a number or 'adaptive'"),
        ("resolved_rate", {"weighting": "gold"}, "unknown weighting 'gold'; known are: identity, mass"),
        ("lagrange", {"objective": lambda q: (0.0, [0.0])}, "must give 3 derivatives"),
        ("penalty", {"first": -1.0}, "first must be a positive number"),
        ("slack", {"weight": "heavy"}, "weight must be a positive number"),
        ("slack", {"objective": 3.0}, "objective must be an objective such as mk.Posture"),
        ("penalty", {"objective": lambda q: 1.0}, "must give a value and its derivatives"),
        ("penalty", {"objective": lambda q: (np.nan, np.zeros(3))}, "the objective is not finite"),
        ("lagrange", {"recursion": "deep"}, "unknown recursion 'deep'; known are: bounded, exhaustive"),
        ("bounded", {"objective": None}, "has no option 'objective'"),
    ],
)
def test_options_that_make_no_sense_are_refused_in_words(method, options, words):
    with pytest.raises(mk.SolveError, match=words):
        three_links().solve(method=method, options=options)


def test_weighting_by_mass_needs_mass():
    with pytest.raises(mk.SolveError, match="needs segments with mass and inertia"):
        mk.solve(
            arm(),
            [mk.Position("tool", [0.4, 0.0, 0.4])],
            method="resolved_rate",
            options={"weighting": "mass"},
        )
