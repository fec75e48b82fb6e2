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
