"""``nearest=True``: as near to the start as SciPy's SLSQP gets with the goals as equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.problems import work_of

import manikin as mk
from manikin.engines.starts.distance import distance

from .samples import ROBOTS, chain, check, random_pose, robot


def nearest_by_scipy(
    figure: mk.Figure, goal: mk.Position, start: np.ndarray, seeds: list[np.ndarray]
) -> float:
    """The least length of q − start that SLSQP finds from these seeds with the goal met to 1e-6."""

    def miss(q: np.ndarray) -> np.ndarray:
        return figure.pose(np.clip(q, figure.lower, figure.upper)).position(goal.site) - goal.target

    best = np.inf
    bounds = list(zip(figure.lower, figure.upper, strict=True))
    for seed in seeds:
        found = minimize(
            lambda q: ((q - start) ** 2).sum(),
            seed,
            bounds=bounds,
            constraints={"type": "eq", "fun": miss},
            method="SLSQP",
            options={"maxiter": 200, "ftol": 1e-10},
        )
        if np.linalg.norm(miss(found.x)) < 1e-6:
            best = min(best, float(np.sqrt(found.fun)))
    return best


def snake(rng: np.random.Generator) -> mk.Figure:
    """Six hinges with limits about changing axes."""
    return chain(
        rng.uniform(0.2, 0.5, 6).tolist(),
        ["R(x)", "R(y)", "R(x)", "R(z)", "R(y)", "R(x)"],
        lower=[-1.8] * 6,
        upper=[1.8] * 6,
    )


@pytest.mark.parametrize("seed", range(6))
def test_no_pose_that_reaches_the_goal_is_nearer_than_the_nearest(seed):
    rng = np.random.default_rng(seed)
    figure = snake(rng)
    start, there = rng.uniform(-1.6, 1.6, (2, 6))
    goal = mk.Position("tip", figure.pose(there).position("tip"))
    problem = mk.Problem(figure.pose(start), [goal])
    work = work_of(problem)
    found = check(problem.solve(nearest=True))
    assert found.reached
    best = nearest_by_scipy(figure, goal, start, [there, start, *rng.uniform(-1.6, 1.6, (10, 6))])
    # The tolerance of the goal, 0.1 mm, is worth something too.
    assert distance(work, found.q, start) <= 1.02 * best + 1e-3
    assert distance(work, found.q, start) <= distance(work, problem.solve().q, start) + 1e-12


def test_a_start_that_reaches_its_goals_stays():
    rng = np.random.default_rng(7)
    figure = snake(rng)
    start = rng.uniform(-1.5, 1.5, 6)
    goal = mk.Position("tip", figure.pose(start).position("tip"))
    found = mk.Problem(figure.pose(start), [goal]).solve(nearest=True)
    assert np.array_equal(found.q, start)


def test_a_humanoid_steps_no_farther_than_by_its_first_solution():
    figure, rng = robot("talos"), np.random.default_rng(8)
    sites = ROBOTS["talos"][2]
    shorter = []
    for _ in range(4):
        there, start = random_pose(figure, rng), random_pose(figure, rng)
        frames = [there.matrix(site) for site in sites]
        goals = [mk.Placement(s, f[:3, 3], f[:3, :3]) for s, f in zip(sites, frames, strict=True)]
        problem = mk.Problem(start, goals, tolerance=(1e-3, 1e-2))
        work, first = work_of(problem), problem.solve()
        found = check(problem.solve(nearest=True, restarts=16), tolerance=(1e-3, 1e-2))
        assert first.reached and found.reached
        begun = np.array(start.q)
        shorter.append(distance(work, found.q, begun) / distance(work, first.q, begun))
    assert max(shorter) <= 1.0 and np.mean(shorter) < 0.9
