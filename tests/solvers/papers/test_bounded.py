from __future__ import annotations

import numpy as np

import manikin as mk
from manikin.papers.chains import branched_chain

from ..samples import check
from .samples import branched

CURLED = (0.6, 0.4, 0.3, 0.5, 0.4, -0.1, -0.7, -0.4, -0.3)


def limited(upper: float = 0.0) -> mk.Problem:
    """Example 7.4: −π < θᵢ < π but for −π < θ₆ < 0."""
    limits = [np.pi] * 9
    limits[5] = upper
    figure = branched_chain(rest=CURLED, lower=[-np.pi] * 9, upper=limits)
    start = figure.pose()
    goals = [
        mk.Position("P6", start.position("P6") + np.array([0.0, -2.0, 0.0])),
        mk.Position("P9", start.position("P9")),
    ]
    return mk.Problem(figure, goals)


def test_the_limited_joint_stays_below_zero_on_the_whole_way():
    free = limited(np.pi).solve(method="bounded", options={"damping": 0.25})
    held = check(limited().solve(method="bounded", options={"damping": 0.25}))
    assert check(free).reached and held.reached
    assert free.q[5] > 0.05
    assert held.details["trajectory"][:, 5].max() <= 1e-12


def test_without_limits_it_is_the_damped_method():
    options = {"damping": 0.25, "intermediate": 6, "iterations": 3}
    np.testing.assert_allclose(
        branched(2).solve(method="bounded", options=options).q,
        branched(2).solve(method="damped", options=options).q,
        atol=1e-8,
    )
