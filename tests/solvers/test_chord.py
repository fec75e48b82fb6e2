"""Chords after a step: what is hard stays exact, and what is preferred is still found."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.drag_oracle import flaws
from benchmarks.drag_stationary import from_optimum

import manikin as mk

FEET = ("left_foot", "right_foot")


def circle(count: int) -> np.ndarray:
    u = np.linspace(0.0, 0.4, count, endpoint=False)[:, None]
    return np.array([0.35, -0.25, 1.15]) + 0.15 * np.hstack([np.cos(u), np.sin(u), 0.5 * np.sin(2.0 * u)])


def dragged(goals: list[mk.Goal], path: np.ndarray) -> list[tuple[mk.Solution, np.ndarray, np.ndarray]]:
    """A person's right hand along a path: what was found, its start and its target."""
    rest = mk.human(stature=1.75).pose()
    problem = mk.Problem(
        rest, [mk.Position("right_hand", rest.position("right_hand")), *goals], natural=False
    )
    more = [None] * (len(problem.goals) - 1)
    here, q, found = rest.position("right_hand"), np.array(rest.q), []
    for share in np.linspace(0.1, 1.0, 10):
        q = problem.solve(q, targets=[here + share * (path[0] - here), *more]).q
    for target in path:
        solution = problem.solve(q, targets=[target, *more])
        found.append((solution, q, target))
        q = solution.q
    return found


@pytest.mark.parametrize("objective", [mk.Posture(), mk.Discomfort(), mk.LeastChange()])
def test_an_objective_beside_hard_pins_is_at_its_optimum_at_every_target(objective):
    goals = [*map(mk.Pin, FEET), objective]
    for solution, start, target in dragged(goals, circle(12)):
        figure, asked = solution.pose.figure, solution.goals
        assert solution.reached
        assert not flaws(figure, asked[:3], [target, None, None], start, solution.q)
        assert np.degrees(from_optimum(figure, asked, start, solution.q)) < 0.02


def test_a_drag_with_hard_pins_and_balance_takes_one_step_and_chords():
    goals = [*map(mk.Pin, FEET), mk.Balance(margin=0.02, hard=True)]
    found = dragged(goals, circle(12))
    for solution, start, target in found:
        targets = [target, None, None, None]
        assert not flaws(solution.pose.figure, solution.goals, targets, start, solution.q)
    assert np.median([solution.iterations for solution, _, _ in found]) == 1
    assert np.median([solution.evaluations for solution, _, _ in found]) > 2


def test_a_search_by_chords_ends_where_one_of_whole_steps_from_its_end_stays():
    """A solve from where one ended moves no farther than what counts as there."""
    goals = [*map(mk.Pin, FEET), mk.Posture()]
    rest = mk.human(stature=1.75).pose()
    path = circle(6)
    for solution, _, target in dragged(goals, path):
        fresh = mk.Problem(
            rest.figure.pose(solution.q), [mk.Position("right_hand", target), *goals], natural=False
        )
        assert np.abs(fresh.solve().q - solution.q).max() < 5e-4


@pytest.mark.parametrize("held", ["nothing", "soft feet"])
def test_a_drag_that_goes_on_takes_the_steps_of_a_problem_that_knows_nothing_of_it(held):
    body = mk.human(stature=1.7, fingers=False)
    rest = body.pose()
    feet = [] if held == "nothing" else ["left_foot", "right_foot"]
    goals = [
        mk.Position("right_hand", rest.position("right_hand")),
        *(mk.Placement(foot, rest.matrix(foot)) for foot in feet),
        mk.Posture(),
    ]
    more = [None] * (len(goals) - 1)
    problem = mk.Problem(body, goals, natural=False)
    u = np.linspace(0.0, 1.5, 16)[:, None]
    path = np.array([0.45, -0.15, 0.75]) + 0.25 * np.hstack([np.sin(u), 0.0 * u, 1.0 - np.cos(u)])
    q = problem.solve(targets=[path[0], *more]).q
    ends = 0
    for target in path[1:]:
        found = problem.solve(q, targets=[target, *more])
        other = mk.Problem(body, goals, natural=False).solve(q.copy(), targets=[target, *more])
        assert found.reached
        assert found.q == pytest.approx(other.q, abs=1e-9)
        ends += int(((found.q == body.lower) | (found.q == body.upper)).sum())
        q = found.q
    assert ends > 0  # what holds a step was guessed
