"""Levenberg–Marquardt inside the ranges: what it ends with, checked by SciPy from there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares, minimize
from tests.problems import moved, work_of

import manikin as mk
from manikin.goals import Goal
from manikin.kernels.pose.slope import slope
from manikin.result import Solution

from .samples import check, potential, random_pose, robot


def residual(goals: list[Goal], figure: mk.Figure):
    """The goals' misses as SciPy takes them, from the figure's own kinematics."""

    def rows(q: np.ndarray) -> np.ndarray:
        pose = figure.pose(np.clip(q, figure.lower, figure.upper))
        parts = []
        for goal in goals:
            frame = pose.matrix(goal.site)
            if isinstance(goal, mk.Position):
                parts.append(np.sqrt(goal.weight) * (frame[:3, 3] - goal.target))
            else:
                share = np.sqrt(goal.position_share), np.sqrt(0.5 * (1.0 - goal.position_share))
                c = np.degrees(1.0) / goal.degrees_per_metre
                parts.append(share[0] * (frame[:3, 3] - goal.position))
                parts.append(share[1] * c * (frame[:3, :3] - goal.orientation).ravel())
        return np.concatenate(parts)

    return rows


def problems(name: str, site: str, count: int, outwards: float, seed: int):
    figure, rng = robot(name), np.random.default_rng(seed)
    for _ in range(count):
        frame = random_pose(figure, rng).matrix(site)
        frame[:3, 3] *= outwards
        yield figure, random_pose(figure, rng), mk.Placement(site, frame[:3, 3], frame[:3, :3])


def projected_slope(solution: Solution) -> float:
    packed = work_of(solution.problem).packed
    figure, variables = solution.figure, packed.variables
    g, x = np.empty(len(variables)), solution.q[variables]
    slope(packed.structure, packed.parameters, packed.workspace, solution.q, g)
    held = ((x <= figure.lower[variables]) & (g > 0)) | ((x >= figure.upper[variables]) & (g < 0))
    return float(np.abs(np.where(held, 0.0, g)).max())


@pytest.mark.parametrize(("name", "site"), [("panda", "panda_hand_tcp"), ("ur5", "tool0")])
def test_least_squares_of_scipy_finds_nothing_better_nearby(name, site):
    for figure, start, goal in problems(name, site, 10, 3.0, 1):
        solution = check(mk.solve(start, [goal], method="lm"))
        assert solution.status == "stationary"
        assert projected_slope(solution) < 1e-6 * (1.0 + solution.cost)
        inside = np.clip(solution.q, figure.lower + 1e-12, figure.upper - 1e-12)
        found = least_squares(
            residual([goal], figure), inside, bounds=(figure.lower, figure.upper), xtol=1e-14, gtol=1e-12
        )
        assert 2.0 * found.cost > solution.cost * (1.0 - 1e-7)


def test_slsqp_from_the_same_start_ends_no_lower_more_often_than_not():
    lower = equal = 0
    for figure, start, goal in problems("panda", "panda_hand_tcp", 12, 3.0, 2):
        solution = check(mk.solve(start, [goal], method="lm"))
        rows = residual([goal], figure)
        found = minimize(
            lambda q, rows=rows: float(rows(q) @ rows(q)),
            start.q,
            method="SLSQP",
            bounds=list(zip(figure.lower, figure.upper, strict=True)),
            options={"maxiter": 300, "ftol": 1e-12},
        )
        assert solution.cost == pytest.approx(potential([goal], solution.pose), rel=1e-9)
        lower += found.fun < solution.cost * (1.0 - 1e-4)
        equal += abs(found.fun - solution.cost) <= 1e-4 * solution.cost
    assert lower <= 6 and equal >= 2


def test_reachable_targets_near_the_start_are_met_in_few_steps():
    figure, rng = robot("panda"), np.random.default_rng(3)
    problem = None
    for _ in range(40):
        pose = random_pose(figure, rng)
        frame = pose.matrix("panda_hand_tcp")
        start = np.clip(pose.q + rng.uniform(-0.1, 0.1, figure.n), figure.lower, figure.upper)
        problem = problem or mk.Problem(figure, [mk.Placement("panda_hand_tcp", frame[:3, 3], frame)])
        problem = moved(problem, 0, position=frame[:3, 3], orientation=frame[:3, :3])
        solution = check(problem.solve(start, method="lm"))
        assert solution.reached and solution.iterations <= 15


def test_joints_that_turn_all_the_way_round_wrap_and_end_nearest_to_the_start():
    figure, rng = robot("ur5"), np.random.default_rng(4)
    for _ in range(40):
        pose = random_pose(figure, rng)
        frame = pose.matrix("tool0")
        start = np.array(pose.q)
        start[5] = 6.2 if pose.q[5] > 0 else -6.2  # at the end of the range
        solution = check(mk.solve(figure.pose(start), [mk.Placement("tool0", frame[:3, 3], frame)]))
        assert solution.reached
        turned = solution.q - 2.0 * np.pi * np.round((solution.q - start) / (2.0 * np.pi))
        inside = (turned >= figure.lower) & (turned <= figure.upper)
        assert (np.abs(solution.q - start)[inside] <= np.pi + 1e-9).all()


def test_out_of_time_it_stops():
    for _, start, goal in problems("panda", "panda_hand_tcp", 5, 3.0, 6):
        assert check(mk.solve(start, [goal], method="lm", time_limit=1e-9)).status == "time_limit"
