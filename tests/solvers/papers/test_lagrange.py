"""The recursion over the limits, and multipliers that say what a limit or a target costs."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.papers.chains import planar_chain

from ..samples import check
from .samples import three_links

TIGHT = {"lower": [-3.0] * 3, "upper": [3.0, 0.8, 3.0]}


def cost(target, constraints=(), **limits) -> float:
    figure = three_links(**limits).figure
    solution = mk.solve(figure, [mk.Position("P3", target)], method="lagrange", constraints=constraints)
    assert solution.reached
    return solution.details["objective"]


@pytest.mark.parametrize("limits", [{}, TIGHT])
def test_the_multipliers_of_a_goal_are_the_derivatives_by_its_target_along_the_worlds_axes(limits):
    target, h = np.array([1.0, 1.8, 0.0]), 1e-4
    problem = three_links(**limits)
    u = problem.solve(method="lagrange").details["multipliers"]["position of 'P3'"]
    for axis in range(2):
        step = h * np.eye(3)[axis]
        rate = (cost(target + step, **limits) - cost(target - step, **limits)) / (2.0 * h)
        assert u[axis] == pytest.approx(rate, rel=1e-4, abs=1e-5)
    assert abs(u[2]) < 1e-9


def test_weights_do_not_change_what_a_target_costs():
    goals = [mk.Position("P3", [1.0, 1.8, 0.0], weight=w) for w in (1.0, 9.0)]
    found = [mk.solve(three_links().figure, [goal], method="lagrange") for goal in goals]
    u = [solution.details["multipliers"]["position of 'P3'"] for solution in found]
    np.testing.assert_allclose(u[0], u[1], rtol=1e-6, atol=1e-9)


def test_a_placement_has_six_multipliers_and_like_goals_are_told_apart():
    there = planar_chain().pose([0.9, 0.6, -0.4]).matrix("P3")
    goals = [mk.Position("P3", there[:3, 3]), mk.Orientation("P3", there[:3, :3])]
    whole = mk.Placement("P3", there[:3, 3], there[:3, :3])
    figure = planar_chain(rest=[0.5, 0.8, 0.0])
    names = mk.solve(figure, [whole], method="lagrange").details["multipliers"]
    assert names["placement of 'P3'"].shape == (6,)
    goals.append(mk.Position("P3", there[:3, 3]))
    names = mk.solve(figure, goals, method="lagrange").details["multipliers"]
    assert set(names) == {"position of 'P3' (goal 0)", "orientation of 'P3'", "position of 'P3' (goal 2)"}


def test_the_multiplier_of_a_limit_is_the_derivative_by_its_end():
    multipliers = three_links(**TIGHT).solve(method="lagrange").details["multipliers"]
    target, h = [1.0, 1.8, 0.0], 1e-4
    ends = [cost(target, lower=[-3.0] * 3, upper=[3.0, 0.8 + s * h, 3.0]) for s in (1.0, -1.0)]
    assert multipliers["theta2"] == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=1e-4)
    assert multipliers["theta2"] < 0.0


def test_the_multiplier_of_a_coupling_is_the_derivative_by_its_end():
    target, h = [1.0, 1.8, 0.0], 1e-4
    for sign, text in (("<=", "<= 74.48°"), ("=", "= 74.48°")):
        rows = f"theta2 + 0.5*theta3 {sign} "
        solution = mk.solve(
            three_links().figure,
            [mk.Position("P3", target)],
            method="lagrange",
            constraints=[rows + "1.3"],
        )
        ends = [cost(target, [rows + str(1.3 + s * h)]) for s in (1.0, -1.0)]
        rate = (ends[0] - ends[1]) / (2.0 * h)
        assert solution.details["multipliers"][f"theta2 + 0.5*theta3 {text}"] == pytest.approx(rate, rel=1e-4)


def test_the_exhaustive_recursion_solves_a_problem_for_every_limit():
    problem = three_links(lower=[-3.0] * 3, upper=[3.0] * 3)
    bounded = check(problem.solve(method="lagrange"))
    exhaustive = check(problem.solve(method="lagrange", options={"recursion": "exhaustive"}))
    assert bounded.details["problems"] == 1 and bounded.details["complete"]
    assert exhaustive.details["problems"] == 7 and exhaustive.details["complete"]  # itself and 2n smaller
    np.testing.assert_allclose(bounded.q, exhaustive.q, atol=1e-9)


def test_as_many_levels_as_the_system_is_redundant():
    figure = planar_chain([1.0] * 4, lower=[-1.2] * 4, upper=[1.2] * 4, rest=[0.6, 0.5, 0.4, 0.3])
    problem = mk.Problem(figure, [mk.Position("P4", [1.5, 2.2, 0.0])])
    options = {"recursion": "exhaustive", "problems": 1000}
    solution = check(problem.solve(method="lagrange", options=options))
    # Redundant by two: itself, 8 with one limit held, 24 with two; fewer where the goal cannot be met.
    assert solution.details["complete"] and 9 < solution.details["problems"] <= 33


def test_limits_that_the_first_minimum_does_not_exceed_are_tried_too():
    """The first minimum leaves theta1 and theta2; holding either does, and only one of them is allowed."""
    problem = three_links(lower=[0.0] * 3, upper=[1.2, 1.2, 1.1])
    objective = {"objective": lambda q: (float(q[2] ** 2), [0.0, 0.0, 2.0 * q[2]])}
    solution = check(problem.solve(method="lagrange", options=objective))
    assert solution.details["objective"] == pytest.approx(0.8137007, rel=1e-6)
    assert solution.q[0] == pytest.approx(0.0, abs=1e-9)


def test_too_few_problems_are_said_to_be_too_few():
    problem = three_links(**TIGHT)
    solution = check(problem.solve(method="lagrange", options={"problems": 1}))
    assert not solution.details["complete"] and solution.details["problems"] == 1
