from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm
from manikin.papers import METHODS, Constraint

from .samples import DOWN, branched, three_links

ROWS = [method for method in METHODS if method not in ("ccd", "fabrik", "screws")]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "goal",
    [mk.CenterOfMass([0.5, 0.5, 0.0]), mk.Outside("link2", mk.Ball([0.4, 0.0, 0.4], 0.1), hard=False)],
)
def test_goals_that_are_no_rows_of_a_sites_frame_are_refused_by_name(method, goal):
    words = f"method '{method}' takes goals of sites' frames, not {goal.kind()}"
    with pytest.raises(mk.SolveError, match=words):
        mk.solve(three_links().figure, [goal], method=method)


@pytest.mark.parametrize("method", METHODS)
def test_objectives_are_no_goals_for_them(method):
    goals = [mk.Position("tool", [0.4, 0.0, 0.4]), mk.Posture()]
    with pytest.raises(
        mk.SolveError, match=f"'{method}': posture is no goal that can be met; .* as options="
    ):
        mk.solve(arm(), goals, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_hard_goals_and_levels_are_refused(method):
    near, far = mk.Position("tool", [0.4, 0.0, 0.4]), mk.Position("tool", [0.5, 0.0, 0.4])
    for goals, words in (
        ([mk.Position("tool", [0.4, 0.0, 0.4], hard=True)], "a hard goal"),
        ([[near], [far]], "levels of priority"),
    ):
        with pytest.raises(mk.SolveError, match=f"'{method}' cannot honour {words}.*weighs its goals"):
            mk.solve(arm(), goals, method=method)


@pytest.mark.parametrize("method", [method for method in METHODS if method != "projection"])
def test_a_potential_in_python_is_refused_with_the_reason(method):
    goal = mk.Potential("tool", lambda r, axes: (float(r @ r), 2.0 * r, np.zeros((3, 3))))
    words = f"'{method}' takes rows with a Jacobian, and potential of 'tool' is one number"
    with pytest.raises(mk.SolveError, match=words):
        mk.solve(arm(), [goal], method=method)


@pytest.mark.parametrize("method", ["ccd", "fabrik", "screws"])
def test_constraints_are_no_option_of_methods_for_one_kind_of_goal(method):
    with pytest.raises(mk.SolveError, match="has no option 'constraints'"):
        three_links().solve(method=method, options={"constraints": []})


@pytest.mark.parametrize("method", ROWS)
@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda q: 1.0, "must give values and their derivatives"),
        (lambda q: ([1.0, 2.0], np.zeros(3)), r"2 values need derivatives of shape \(2, 3\), got \(1, 3\)"),
        (lambda q: (np.nan, np.zeros(3)), "is not finite"),
    ],
)
def test_constraints_that_make_no_sense_are_refused_in_words(method, function, words):
    with pytest.raises(mk.SolveError, match=f"constraint 'c': .*{words}"):
        three_links().solve(method=method, options={"constraints": Constraint(function)})


def test_constraints_must_be_constraints():
    with pytest.raises(mk.SolveError, match=r"constraints must be manikin\.papers\.Constraint"):
        three_links().solve(method="newton", options={"constraints": lambda q: (0.0, np.zeros(3))})
    with pytest.raises(mk.SolveError, match="tolerance must be a positive number"):
        Constraint(lambda q: (0.0, np.zeros(3)), tolerance=0.0)
    with pytest.raises(mk.SolveError, match="the function must be callable"):
        Constraint(3.0)


@pytest.mark.parametrize("method", ["ccd", "fabrik"])
def test_one_coordinate_at_a_time_refuses_equalities(method):
    with pytest.raises(mk.SolveError, match=f"'{method}' moves one coordinate at a time, which the equality"):
        mk.solve(
            arm(), [mk.Position("tool", [0.4, 0.0, 0.4])], method=method, constraints=["waist = 0.5*shoulder"]
        )


@pytest.mark.parametrize("method", METHODS)
def test_an_unknown_option_is_refused_with_those_known(method):
    with pytest.raises(
        mk.SolveError, match=f"'{method}' has no option 'speed'; expected one of: .*iterations"
    ):
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
        ("pseudoinverse", {"spacing": "random"}, "unknown spacing 'random'; expected one of: even, smooth"),
        ("pseudoinverse", {"intermediate": -1}, "intermediate must be a whole number"),
        ("pseudoinverse", {"iterations": 1.5}, "iterations must be a whole number"),
        ("pseudoinverse", {"Z": [1.0]}, "Z must be 3 finite values"),
        ("pseudoinverse", {"G1": lambda J: 2.0 * J.T}, "is not a generalized inverse"),
        ("damped", {"damping": 0.0}, "damping must be a positive number"),
        ("damped", {"damping": "clever"}, "must be a number or 'adaptive'"),
        ("resolved_rate", {"weighting": "gold"}, "unknown weighting 'gold'; expected one of: identity, mass"),
        ("lagrange", {"objective": lambda q: (0.0, [0.0])}, "must give 3 derivatives"),
        ("penalty", {"first": -1.0}, "first must be a positive number"),
        ("slack", {"weight": "heavy"}, "weight must be a positive number"),
        ("slack", {"objective": 3.0}, "objective must be an objective such as mk.Posture"),
        ("penalty", {"objective": lambda q: 1.0}, "must give a value and its derivatives"),
        ("penalty", {"objective": lambda q: (np.nan, np.zeros(3))}, "the objective is not finite"),
        ("lagrange", {"recursion": "deep"}, "unknown recursion 'deep'; expected one of: bounded, exhaustive"),
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
