"""A target that is led round a closed path brings every joint back: what goals leave free is not left to chance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import manikin as mk


def arm() -> mk.Figure:
    """Seven hinges."""
    turns = ["R(z)", "R(y)", "R(z)", "R(y)", "R(z)", "R(y)", "R(z)"]
    offsets = [0.3, 0.0, 0.3, 0.05, 0.35, 0.0, 0.1]
    joints = [
        mk.Joint(f"j{k}", f"s{k}", f"s{k + 1}", turn, [0.02 * (k % 2), 0.0, dz], lower=-2.8, upper=2.8)
        for k, (turn, dz) in enumerate(zip(turns, offsets, strict=True))
    ]
    return mk.Figure("arm", [f"s{k}" for k in range(8)], joints, [mk.Site("tip", "s7", [0.05, 0.0, 0.1])])


def closed_path(figure: mk.Figure, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A start, and the tip's places as the joints swing about it by up to 0.3 rad and come back."""
    middle = rng.uniform(0.2, 0.9, figure.n) * np.where(rng.uniform(size=figure.n) < 0.5, -1.0, 1.0)
    phase, size = rng.uniform(0.0, 2.0 * np.pi, figure.n), rng.uniform(0.05, 0.15, figure.n)
    u = np.linspace(0.0, 2.0 * np.pi, count + 1)[1:, None]
    q = middle + size * (np.sin(u + phase) - np.sin(phase))
    return middle, figure.forward(q, ["tip"])[:, 0, :3, 3]


@pytest.mark.parametrize("seed", range(10))
def test_a_position_led_round_brings_every_joint_back_to_where_its_first_round_ended(seed):
    figure = arm()
    start, path = closed_path(figure, np.random.default_rng(seed), 60)
    problem = mk.Problem(figure.pose(start), [mk.Position("tip", path[-1])])
    q, ends = problem.solve().q, []
    for _ in range(5):
        found = problem.solve_path(path, q)
        assert found.reached.all()
        q = found.q[-1]
        ends.append(q)
    assert np.degrees(np.abs(np.array(ends[1:]) - ends[0]).max()) < 1.0


def test_a_target_that_hardly_moves_ends_at_the_posture_nearest_to_rest():
    figure = arm()
    start, path = closed_path(figure, np.random.default_rng(3), 60)
    problem = mk.Problem(figure.pose(start), [mk.Position("tip", path[-1])])
    q = problem.solve().q
    wiggle = path[-1] + 0.002 * np.random.default_rng(0).normal(size=(400, 3))
    wiggle[-1] = path[-1]
    q = problem.solve_path(wiggle, q).q[-1]
    nearest = minimize(
        lambda x: ((x - figure.rest) ** 2).sum(),
        q,
        jac=lambda x: 2.0 * (x - figure.rest),
        constraints=[
            {"type": "eq", "fun": lambda x: figure.forward(x[None], ["tip"])[0, 0, :3, 3] - path[-1]}
        ],
        bounds=list(zip(figure.lower, figure.upper, strict=True)),
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    ).x
    assert np.degrees(np.abs(q - nearest).max()) < 2.0


def on_a_free_base() -> mk.Figure:
    """The arm, carried by a base that moves freely."""
    figure = arm()
    return mk.Figure("drone", figure.segments, figure.joints, figure.sites, base="free")


def led_round(problem: mk.Problem, path: np.ndarray, rounds: int) -> np.ndarray:
    """Where each round ends, each target handed over with its call: (rounds, n)."""
    more = [None] * (len(problem.goals) - 1)
    session, ends = problem.session(), []
    session.solve([path[-1], *more])
    for _ in range(rounds):
        for target in path:
            assert session.solve([target, *more]).reached
        ends.append(session.q)
    return np.array(ends)


def circle(middle: np.ndarray, size: float, count: int) -> np.ndarray:
    u = np.linspace(0.0, 2.0 * np.pi, count + 1)[1:, None]
    return middle + size * np.hstack([np.cos(u), np.sin(u), 0.5 * np.sin(2.0 * u)])


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("turned", [0.0, 3.1])
def test_a_free_base_whose_hand_is_led_round_comes_back_with_it(hard, turned):
    figure = on_a_free_base()
    start = figure.pose(np.concatenate([[1.0, -2.0, 0.5, 0.0, 0.0, turned], np.full(7, 0.4)]))
    path = circle(start.position("tip"), 0.15, 40)
    ends = led_round(mk.Problem(start, [mk.Position("tip", path[-1], hard=hard)]), path, 10)
    assert np.degrees(np.abs(ends[1:, 3:] - ends[0, 3:]).max()) < 1.0
    assert np.abs(ends[1:, :3] - ends[0, :3]).max() < 0.02


def test_a_person_without_a_natural_posture_comes_back_too():
    start = mk.human(stature=1.75).pose()
    path = circle(np.array([0.35, -0.25, 1.15]), 0.12, 60)
    problem = mk.Problem(start, [mk.Position("right_hand", path[-1])], natural=False)
    ends = led_round(problem, path, 6)
    angles = [start.figure.dof(name).unit == "rad" for name in start.figure.dofs]
    assert np.degrees(np.abs(ends[1:] - ends[0])[:, angles].max()) < 1.0


def test_a_base_is_pulled_to_where_this_start_has_it_and_not_to_that_of_an_earlier_solve():
    figure = on_a_free_base()
    there = figure.pose(np.concatenate([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0], np.full(7, 0.4)]))
    away = figure.pose(np.concatenate([[5.0, 0.0, 0.0, 0.0, 0.0, 1.0], np.full(7, 0.4)]))
    problem = mk.Problem(there, [mk.Position("tip", there.position("tip"))])
    led_round(problem, circle(there.position("tip"), 0.1, 20), 1)
    fresh = mk.Problem(away, [mk.Position("tip", away.position("tip") + 0.02)]).solve()
    again = problem.solve(away, targets=[away.position("tip") + 0.02])
    assert np.abs(again.q - fresh.q).max() < 1e-12
