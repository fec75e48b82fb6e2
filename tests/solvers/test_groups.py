"""Goals that have no variable in common: each is met as if it were alone."""

from __future__ import annotations

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk


def star(limbs: int, rng: np.random.Generator) -> mk.Figure:
    """Limbs of four hinges on one fixed body; their goals have no variable in common."""
    joints, sites = [], []
    segments = ["body"]
    for k in range(limbs):
        for i in range(4):
            parent = "body" if i == 0 else f"l{k}_{i - 1}"
            segments.append(f"l{k}_{i}")
            joints.append(
                mk.Joint.revolute(
                    f"j{k}_{i}",
                    parent,
                    f"l{k}_{i}",
                    "zyxy"[i],
                    placement=0.3 * rng.normal(size=3),
                    lower=-rng.uniform(0.4, 2.0),
                    upper=rng.uniform(0.4, 2.0),
                )
            )
        sites.append(mk.Site(f"tip{k}", f"l{k}_3", [0.2, 0.0, 0.1]))
    return mk.Figure("star", segments, joints, sites)


def drawn(figure: mk.Figure, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(figure.lower, figure.upper)


@pytest.mark.parametrize("seed", range(10))
def test_every_limb_of_a_star_gets_to_its_goal(seed):
    rng = np.random.default_rng(seed)
    figure = star(4, rng)
    there = figure.pose(drawn(figure, rng))
    goals = [mk.Position(f"tip{k}", there.position(f"tip{k}")) for k in range(4)]
    found = mk.solve(figure.pose(drawn(figure, rng)), goals)
    assert found.reached
    assert (found.q >= figure.lower).all() and (found.q <= figure.upper).all()
    for k in range(4):
        assert np.linalg.norm(found.pose.position(f"tip{k}") - goals[k].target) <= 1e-4


@pytest.mark.parametrize("seed", range(6))
def test_out_of_reach_each_limb_ends_as_low_as_alone(seed):
    rng = np.random.default_rng(seed)
    figure = star(3, rng)
    goals = [mk.Position(f"tip{k}", 1.5 * rng.normal(size=3)) for k in range(3)]
    start = figure.pose(drawn(figure, rng))
    together = mk.solve(start, goals)
    alone = [mk.solve(start, [goal]) for goal in goals]
    assert together.cost <= sum(one.cost for one in alone) * (1.0 + 1e-9) + 1e-12
    assert together.status in ("reached", "stationary")


def test_goals_that_move_weigh_otherwise_and_are_left_out_are_followed():
    rng = np.random.default_rng(3)
    figure = star(3, rng)
    start = drawn(figure, rng)
    problem = mk.Problem(figure, [mk.Position(f"tip{k}", [2.0, 0.0, 0.0]) for k in range(3)])
    for _ in range(8):
        there = figure.pose(drawn(figure, rng))
        for k in range(3):
            changes = {"target": there.position(f"tip{k}"), "weight": float(rng.uniform(0.1, 10.0))}
            problem = moved(problem, k, **changes)
        assert problem.solve(start).reached
    assert moved(problem, 1, target=[9.0, 9.0, 9.0], weight=0.0).solve(start).reached
    assert not moved(problem, 1, target=[9.0, 9.0, 9.0]).solve(start).reached


def test_a_solution_keeps_its_numbers_when_the_goals_move_on():
    rng = np.random.default_rng(4)
    figure = star(3, rng)
    problem = mk.Problem(figure, [mk.Position(f"tip{k}", 2.0 * rng.normal(size=3)) for k in range(3)])
    first = problem.solve(drawn(figure, rng))
    q, misses, limits = (
        first.q.copy(),
        first.position_errors.copy(),
        [limit.name for limit in first.active_constraints()],
    )
    there = figure.pose(drawn(figure, rng))
    problem.solve(targets=[there.position(f"tip{k}") for k in range(3)])
    again = mk.Problem(figure, first.goals).solve(first.q)
    assert (first.q == q).all() and (first.position_errors == misses).all()
    assert [limit.name for limit in first.active_constraints()] == limits
    assert again.position_errors == pytest.approx(misses, abs=1e-6)


def test_a_goal_that_nothing_moves_keeps_its_miss():
    rng = np.random.default_rng(5)
    figure = star(2, rng)
    there = figure.pose(drawn(figure, rng))
    goals = [
        mk.Position("body", [1.0, 0.0, 0.0]),
        *(mk.Position(f"tip{k}", there.position(f"tip{k}")) for k in range(2)),
    ]
    found = mk.solve(figure.pose(drawn(figure, rng)), goals)
    assert not found.reached
    assert found.cost == pytest.approx(1.0, abs=1e-6)
