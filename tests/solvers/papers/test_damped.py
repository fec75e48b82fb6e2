from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.papers.methods.damped import adaptive

from ..samples import check
from .samples import BRANCHED, branched

STEPS = {"intermediate": 40, "iterations": 0}


def stretched() -> mk.Problem:
    """Example 7.3: the tip of the long chain is drawn towards and past the end of its reach."""
    figure = branched(2).figure
    start = figure.pose()
    goals = [mk.Position("P6", [5.8, 2.5, 0.0]), mk.Position("P9", start.position("P9"))]
    return mk.Problem(figure, goals)


def test_near_the_stretched_pose_more_damping_means_smaller_and_smoother_steps():
    longest, conditions, residuals = [], [], []
    for damping in (0.1, 0.25, 1.5, 10.0):
        solution = check(stretched().solve(method="damped", options={"damping": damping, **STEPS}))
        steps = np.diff(np.vstack([BRANCHED, solution.details["trajectory"]]), axis=0)
        longest.append(np.abs(steps).max())
        conditions.append(solution.details["condition"].max())
        residuals.append(solution.details["residual"][0])
        assert len(solution.details["damping"]) == 41
        assert (solution.details["damping"] == damping).all()
        assert not solution.reached
    undamped = stretched().solve(method="pseudoinverse", options=STEPS)
    steps = np.diff(np.vstack([BRANCHED, undamped.details["trajectory"]]), axis=0)
    assert np.abs(steps).max() > longest[1]
    assert longest == sorted(longest, reverse=True)
    assert conditions == sorted(conditions, reverse=True)
    assert residuals == sorted(residuals)


def test_too_much_damping_lags_behind_its_target():
    ends = [
        branched(2).solve(method="damped", options={"damping": damping, **STEPS}).position_errors.max()
        for damping in (0.1, 0.25, 1.5, 10.0)
    ]
    assert ends == sorted(ends) and ends[0] < 0.05 and ends[3] > 0.3


def test_adaptive_damping_is_none_away_from_singular_poses_and_most_at_them():
    near, far = np.diag([1.0, 0.05]), np.diag([1.0, 0.5])
    assert adaptive(far, 2, 0.2, 0.3) == 0.0
    assert adaptive(near, 2, 0.2, 0.3) == pytest.approx(0.3 * np.sqrt(1.0 - 0.0625))
    assert adaptive(np.diag([1.0, 0.0]), 2, 0.2, 0.3) == pytest.approx(0.3)
    assert adaptive(np.diag([1.0, 0.0]), 1, 0.2, 0.3) == 0.0


def test_adaptive_damping_comes_on_only_near_the_stretched_pose():
    solution = check(stretched().solve(method="damped", options={"damping": "adaptive", **STEPS}))
    assert solution.details["damping"][0] == 0.0 < solution.details["damping"].max() <= 0.2
    assert check(branched(2).solve(method="damped", options={"damping": "adaptive"})).reached
