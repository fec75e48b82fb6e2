"""Random problems for a figure: targets that a pose has, or the same pushed outwards until none has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.figures import Body

#: Targets of the out-of-reach problems are this many times as far from the figure's base.
OUTWARDS = 1.5


@dataclass(frozen=True)
class RandomProblem:
    """Where to start, where the sites should be, (wishes, 4, 4), and the pose that these were taken from."""

    start: np.ndarray
    targets: np.ndarray
    pose: np.ndarray


def random_problem(body: Body, seed: int, *, reachable: bool) -> RandomProblem:
    """Targets of a pose drawn from the middle 80 % of the ranges, the start from the middle 20 %."""
    rng = np.random.default_rng(seed)
    middle = 0.5 * (body.figure.lower + body.figure.upper)
    half = 0.5 * (body.figure.upper - body.figure.lower)
    pose = middle + 0.8 * half * rng.uniform(-1, 1, body.n)
    start = middle + 0.2 * half * rng.uniform(-1, 1, body.n)
    targets = body.frames(pose)
    if not reachable:
        away = targets[:, :3, 3] - body.center
        if body.reach is not None:
            away *= body.reach / np.linalg.norm(away, axis=1, keepdims=True)
        targets[:, :3, 3] = body.center + OUTWARDS * away
    return RandomProblem(start, targets, pose)


def random_problems(body: Body, count: int, *, reachable: bool) -> list[RandomProblem]:
    """The problems of seeds 0, 1, …"""
    return [random_problem(body, seed, reachable=reachable) for seed in range(count)]
