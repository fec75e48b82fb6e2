"""The inside of limits with couplings: a point strictly there, and limits that have none found out."""

from __future__ import annotations

import numpy as np

import manikin as mk
from manikin.papers.interior import Interior
from manikin.papers.view import View

from ..samples import check
from .samples import three_links

GOAL = [mk.Position("P3", [1.0, 1.8, 0.0])]


def inside(constraints, start) -> tuple[View, Interior]:
    figure = three_links(lower=[0.0] * 3, upper=[1.5] * 3).figure
    view = View(mk.Problem(figure, GOAL, constraints=constraints), np.array(start), "m")
    return view, Interior.of(view.limits, view.start)


def test_a_start_in_a_corner_is_moved_off_every_limit_and_stays_near():
    view, found = inside(["theta1 + theta2 <= 1.2", "theta2 = theta3"], [0.0, 1.2, 1.2])
    slack = found.S @ found.start - found.s0
    assert (slack > 1e-5).all() and np.abs(found.start - view.start).max() < 0.01
    np.testing.assert_allclose(found.E @ found.start, found.e, atol=1e-12)


def test_a_start_inside_is_left_where_it_is():
    view, found = inside(["theta1 + theta2 <= 2.0"], [0.5, 0.5, 0.5])
    np.testing.assert_array_equal(found.start, view.start)


def test_limits_that_only_touch_are_equalities():
    _, found = inside(["theta1 + theta2 <= 1.0", "theta1 + theta2 >= 1.0 + 0.0*theta3"], [0.5, 0.5, 0.5])
    assert len(found.E) == 2  # both ends, one row each
    assert np.abs(found.N.T @ [1.0, 1.0, 0.0]).max() < 1e-12
    assert (found.S @ found.start > found.s0).all()


def test_the_penalty_moves_along_limits_that_only_touch():
    figure = three_links(lower=[-3.0] * 3, upper=[3.0] * 3).figure
    there = figure.pose([0.5, 0.6, 0.9]).position("P3")
    rows = ["theta1 + theta2 <= 1.1", "theta1 + theta2 >= 1.1"]
    solution = check(mk.solve(figure, [mk.Position("P3", there)], method="penalty", constraints=rows), rows)
    assert solution.reached
