"""Linear couplings in the papers' methods: held by those that hold ranges, reported as left by the others."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm
from manikin.papers import KNOW_LIMITS, METHODS, constrainedness
from manikin.papers.chains import planar_chain

from ..samples import check
from .samples import three_links

HELD = [method for method in KNOW_LIMITS if method not in ("ccd", "fabrik")]
IGNORED = [method for method in METHODS if method not in KNOW_LIMITS]
COUPLINGS = ("waist = 0.5*shoulder", "elbow + wrist <= 1.9", "-0.4 <= upper_arm - forearm <= 0.4")


def coupled(seed: int) -> mk.Problem:
    """A point that the arm can reach inside the couplings."""
    figure, rng = arm(), np.random.default_rng(seed)
    values = {
        "shoulder": rng.uniform(0.0, 0.8),
        "elbow": rng.uniform(0.4, 1.2),
        "wrist": rng.uniform(0.0, 0.6),
        "upper_arm": rng.uniform(-0.3, 0.3),
    }
    there = figure.pose(values | {"waist": 0.5 * values["shoulder"], "forearm": values["upper_arm"]})
    return mk.Problem(figure, [mk.Position("tool", there.position("tool"))], constraints=COUPLINGS)


def human_arm() -> mk.Problem:
    body = mk.human()
    values = {"right_shoulder_flexion": 0.8, "right_elbow": 1.0, "right_shoulder_abduction": 0.4}
    there = body.pose(values).matrix("right_hand")
    goal = mk.Placement("right_hand", there[:3, 3], there[:3, :3])
    return mk.Problem(body, [goal], free=["right_*"])


def human_spine() -> mk.Problem:
    body = mk.human()
    target = body.pose().position("chest") + [0.1, 0.05, -0.03]
    return mk.Problem(body, [mk.Position("chest", target)], free=["spine_*"])


@pytest.mark.parametrize("method", HELD)
def test_couplings_are_held_and_the_point_is_reached(method):
    for seed in (0, 1):
        solution = check(coupled(seed).solve(method=method), COUPLINGS)
        assert solution.reached and not solution.details["left"]


@pytest.mark.parametrize("method", HELD)
def test_a_coupling_that_stands_in_the_way_is_never_broken(method):
    rows = ["-0.8 <= theta2 + theta3 <= 0.8", "-0.2 <= theta2 - theta3 <= 0.2"]
    problem = mk.Problem(three_links().figure, [mk.Position("P3", [1.0, 1.8, 0.0])], constraints=rows)
    solution, best = (
        check(problem.solve(method=method), rows),
        check(problem.solve(method="projection"), rows),
    )
    assert not best.reached and not solution.reached
    assert solution.position_errors[0] >= best.position_errors[0] - 1e-9
    if method in ("lbfgsb", "bounded", "penalty"):
        assert solution.position_errors[0] == pytest.approx(best.position_errors[0], abs=1e-3)


@pytest.mark.parametrize("method", HELD)
def test_an_equality_couples_the_joints_of_the_planar_chain(method):
    figure = three_links().figure
    there = figure.pose([0.5, 0.5, 0.9]).position("P3")
    solution = check(
        mk.solve(figure, [mk.Position("P3", there)], method=method, constraints=["theta1 = theta2"]),
        ["theta1 = theta2"],
    )
    assert solution.reached and solution.q[0] == pytest.approx(solution.q[1], abs=1e-12)


@pytest.mark.parametrize("method", IGNORED)
def test_methods_that_know_no_limits_report_the_coupling_that_they_left(method):
    there = planar_chain().pose([0.9, 0.6, -0.4]).matrix("P3")
    goal = mk.Placement("P3", there[:3, 3], there[:3, :3])
    rows = ["theta1 + theta2 <= 1.4"]
    solution = check(
        mk.solve(planar_chain(rest=[0.5, 0.8, 0.0]), [goal], method=method, constraints=rows), rows
    )
    assert solution.status == "iteration_limit" and solution.details["left_limits"]
    ((name, excess),) = solution.details["left"].items()
    assert name == "theta1 + theta2 <= 80.21°" and excess == pytest.approx(0.1, abs=2e-3)
    assert "left the constraint theta1 + theta2 <= 80.21°, by 5.7°" in solution.explain()


@pytest.mark.parametrize("method", ["ccd", "fabrik"])
def test_one_coordinate_at_a_time_keeps_inequalities(method):
    rows = ["theta1 + theta2 <= 1.3", "theta2 - theta3 >= -0.4"]
    figure = three_links().figure
    there = figure.pose([0.3, 0.8, 1.1]).position("P3")
    solution = check(mk.solve(figure, [mk.Position("P3", there)], method=method, constraints=rows), rows)
    assert solution.position_errors[0] < 0.05


@pytest.mark.parametrize("method", HELD)
def test_a_start_that_breaks_a_coupling_is_moved_into_it_and_told(method):
    problem = mk.Problem(
        arm(), [mk.Position("tool", [0.45, 0.15, 0.35])], constraints=["waist = 0.5*shoulder + 0.1"]
    )
    solution = check(problem.solve(method=method), ["waist = 0.5*shoulder + 0.1"])
    assert set(solution.corrected_start) == {"waist", "shoulder"}
    assert solution.explain().startswith("The start was outside the constraints")


@pytest.mark.parametrize("method", [method for method in METHODS if method != "screws"])
def test_couplings_that_contradict_each_other_are_infeasible(method):
    rows = ["theta1 + theta2 <= 0.1", "theta1 + theta2 >= 0.2"]
    solution = mk.solve(
        three_links().figure, [mk.Position("P3", [1.0, 1.8, 0.0])], method=method, constraints=rows
    )
    assert solution.status == "infeasible" and not solution.reached
    assert "These cannot hold together" in solution.explain()


@pytest.mark.parametrize("method", [method for method in METHODS if method not in ("ccd", "fabrik")])
def test_every_method_works_on_the_arm_of_the_human(method):
    solution = check(human_arm().solve(method=method))
    if method in HELD:
        assert solution.reached
    elif not solution.reached:
        assert solution.status == "iteration_limit" and solution.details["left"]


@pytest.mark.parametrize("method", [method for method in METHODS if method not in ("screws", "fabrik")])
def test_every_method_works_on_the_spine_of_the_human(method):
    solution = check(human_spine().solve(method=method))
    if method in KNOW_LIMITS:
        assert solution.reached
    else:
        assert solution.status == "iteration_limit" and solution.details["left"]


@pytest.mark.parametrize("method", ["bounded", "lbfgsb", "penalty"])
def test_the_coupling_of_the_spine_holds_where_it_binds(method):
    body = mk.human()
    goal = mk.Position("t1", body.pose().position("t1") + [0.0, 0.5, -0.1])
    solution = check(mk.solve(body, [goal], free=["spine_*"], method=method))
    bend = next(c for c in body.couplings if "spine_l5_s1_side_bend" in c.coefficients)
    value = bend.value(dict(zip(body.dofs, solution.q, strict=True)))
    assert not solution.reached and abs(value) == pytest.approx(bend.upper, abs=1e-3)


def test_equalities_are_counted_among_the_constraints():
    figure, goal = three_links().figure, [mk.Position("P3", [1.0, 1.8, 0.0])]
    found = constrainedness(mk.Problem(figure, goal, constraints=["theta1 = theta2"]))
    assert (found.asked, found.couplings, found.usual_rank, found.redundancy) == (3, 1, 3, 0)
    assert "3 constraints (1 of them couplings)" in str(found)
    loose = constrainedness(mk.Problem(figure, goal, constraints=["theta1 <= theta2"]))
    assert (loose.asked, loose.redundancy) == (2, 1)
    twice = constrainedness(mk.Problem(figure, goal, constraints=["theta1 = theta2", "2*theta1 = 2*theta2"]))
    assert (twice.kind, twice.redundancy) == ("over-constrained", 0)


def test_the_redundancy_of_the_human_agrees_with_that_of_its_solution():
    for problem in (human_arm(), human_spine()):
        assert constrainedness(problem).redundancy == problem.solve().degree_of_redundancy()
