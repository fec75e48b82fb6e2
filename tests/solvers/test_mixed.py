"""The quick search over rows of every kind keeps all promises, and finds what the careful descent finds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.mixtures import broken, figure, goals, pose
from tests.problems import work_of

import manikin as mk
from manikin.engines.levels import Descent


def mixture(seed: int):
    rng = np.random.default_rng(seed)
    body = figure(rng)
    start, there = pose(body, rng), pose(body, rng)
    asked = goals(body, start, there, rng)
    levels = [asked[:1], asked[1:]] if rng.random() < 0.2 else asked
    return body, start, levels


def compared(seed: int) -> tuple[list[str], bool, bool]:
    """What is broken, and whether the solve and the careful descent alone reach every goal."""
    _, start, asked = mixture(seed)
    problem = mk.Problem(start, asked)
    found = problem.solve(restarts=0)
    wrong = broken(found, start.q)
    careful = found.reached
    levels = work_of(problem).levels
    if levels is not None:
        levels.mean_start(start.q)
        careful = Descent(levels).run(np.array(start.q), quick_failed=True).reached
    return wrong, found.reached, careful


def check(seeds: range) -> tuple[int, int]:
    """Both counts of what is reached, over all seeds; no promise broken in any."""
    counts = [0, 0]
    for seed in seeds:
        wrong, quick, careful = compared(seed)
        assert not wrong, (seed, wrong)
        counts[0] += quick
        counts[1] += careful
    return counts[0], counts[1]


@pytest.mark.parametrize("block", range(4))
def test_mixtures_keep_their_promises_and_reach_what_the_careful_descent_reaches(block):
    quick, careful = check(range(250 * block, 250 * block + 250))
    assert quick >= careful


@pytest.mark.long
def test_50000_mixtures_keep_their_promises_and_reach_what_the_careful_descent_reaches():
    quick, careful = check(range(10_000, 60_000))
    assert quick >= careful
