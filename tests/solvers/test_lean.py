"""Objectives beside goals that move few coordinates: the rest go where the objectives lead without a step."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.problems import moved, work_of

import manikin as mk


@pytest.fixture(scope="module")
def body() -> mk.Figure:
    return mk.human(stature=1.75)


def _moved(body: mk.Figure, rng: np.random.Generator) -> np.ndarray:
    """A start away from rest in every coordinate but those of couplings."""
    tied = {body.index(name) for coupling in body.couplings for name in coupling.coefficients}
    q = np.array(body.rest)
    low, high = np.maximum(body.lower, q - 0.2), np.minimum(body.upper, q + 0.2)
    for j in range(6, body.n):
        if j not in tied:
            q[j] = rng.uniform(low[j], high[j])
    return q


@pytest.mark.parametrize("objective", [mk.Posture(), mk.Discomfort(), mk.LimitSpring("*knee*", margin=0.2)])
def test_idle_coordinates_go_where_the_objective_leads(body, objective):
    point = body.pose().position("right_hand") + [0.2, 0.1, 0.2]
    problem = mk.Problem(body, [mk.Position("right_hand", point), objective])
    assert work_of(problem).lean is not None
    found = problem.solve(_moved(body, np.random.default_rng(1)))
    assert found.reached
    part = objective.settle(body.pose()).parts()[0]
    moved = {body.index(name) for name in mk.Problem(body, problem.goals[:1]).variables}
    index, factor, origin = part.numbers.reshape(-1, 3).T
    idle = [k for k, j in enumerate(index.astype(int)) if int(j) not in moved]
    assert idle
    value = factor[idle] * (found.q[index.astype(int)[idle]] - origin[idle])
    assert (value >= part.lower[idle] - 1e-12).all() and (value <= part.upper[idle] + 1e-12).all()


def test_the_misses_of_objectives_are_those_that_the_whole_problem_has(body):
    goals = [mk.Posture(weight=2.0), mk.Position("right_hand", [0.4, -0.2, 1.2]), mk.Discomfort()]
    found = mk.Problem(body, goals).solve()
    assert found.reached
    levels = work_of(mk.Problem(body, goals)).levels
    levels.measure(np.array(found.q))
    assert found.raw.misses == pytest.approx(levels.part_misses()[: len(found.raw.misses)], abs=1e-12)
    assert [miss.goal for miss in found.measured] == list(found.goals)


def test_an_objective_that_is_changed_or_left_out_leads_as_a_fresh_one_does(body):
    point = mk.Position("right_hand", [0.4, -0.2, 1.2])
    bent = {"left_knee": 0.7, "right_elbow": 1.0}
    problem = mk.Problem(body, [point, mk.Posture()])
    problem.solve()
    problem = moved(problem, 1, q=bent)
    fresh = mk.Problem(body, [point, mk.Posture(q=bent)])
    assert problem.solve().q == pytest.approx(fresh.solve().q, abs=1e-12)
    free = problem.replace(goals=[point]).solve()
    assert free.reached and free.pose.values()["left_knee"] == body.pose().values()["left_knee"]


def test_goals_that_change_beside_an_objective_are_followed(body):
    problem = mk.Problem(body, [mk.Position("right_hand", [0.4, -0.2, 1.2]), mk.Posture()])
    there = np.array([0.3, -0.4, 1.3])
    handed = problem.solve(targets=[there, None])
    problem = moved(problem, 0, target=there)
    kept = problem.solve()
    assert handed.reached and kept.reached
    assert handed.q == pytest.approx(kept.q, abs=1e-12)
    assert kept.pose.position("right_hand") == pytest.approx(there, abs=1e-4)


def test_idle_coordinates_that_a_coupling_ties_are_left_to_the_search_over_all():
    joints = [
        mk.Joint(name, "base", name, "R(z)", np.eye(4), lower=[-1.0], upper=[1.0]) for name in ("a", "b", "c")
    ]
    figure = mk.Figure(
        "three",
        ["base", "a", "b", "c"],
        joints,
        [mk.Site("tip", "a", [1.0, 0.0, 0.0])],
        couplings=[mk.Coupling({"b": 1.0, "c": 1.0}, -1.0, 0.5)],
    )
    tip = mk.Position("tip", [np.cos(0.3), np.sin(0.3), 0.0])
    problem = mk.Problem(figure, [tip, mk.Posture(q={"b": 0.8, "c": 0.4})])
    assert work_of(problem).lean is not None
    found = problem.solve()
    assert found.reached and found.q == pytest.approx([0.3, 0.45, 0.05], abs=1e-3)
    assert found.q[1] + found.q[2] <= 0.5 + 1e-9


def test_a_posture_far_from_the_goals_ends_at_its_constrained_minimum():
    """Where the pull is long the step is shortened, not bent: its end is the optimum that SciPy finds."""
    arm = mk.Figure.from_dh([(0.4, 0.0, 0.0, 0.0)] * 5)
    tip = list(arm.sites)[-1] if arm.sites else list(arm.segments)[-1]
    rest = np.array([2.0, -2.5, 1.0, 2.0, -1.0])
    target = np.array([0.8, 0.9, 0.0])
    found = mk.solve(arm, [mk.Position(tip, target), mk.Posture(q=rest)])

    def miss(q):
        return (arm.forward(q, (tip,))[0, :3, 3] - target)[:2]

    best = minimize(
        lambda q: ((q - rest) ** 2).sum(),
        found.q,
        constraints=[{"type": "eq", "fun": miss}],
        options={"ftol": 1e-14},
    )
    assert found.reached and found.q == pytest.approx(best.x, abs=2e-3)
