"""The methods on robots of every day, with limits; honest about what they reach, and never outside a range."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.papers import METHODS

from ..samples import ROBOTS, check, robot
from .test_methods import LIMITED


def goals_near(figure: mk.Figure, sites, seed: int, placements: bool) -> list[mk.Goal]:
    rng = np.random.default_rng(seed)
    q = np.clip(figure.rest + rng.uniform(-0.4, 0.4, figure.n), figure.lower, figure.upper)
    there = figure.pose(q)
    if not placements:
        return [mk.Position(site, there.position(site)) for site in sites]
    return [mk.Placement(site, there.position(site), there.matrix(site)[:3, :3]) for site in sites]


@pytest.mark.parametrize("method", [method for method in METHODS if method != "lbfgsb"])
@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_a_robot_near_its_start_stays_inside_its_limits(name, method):
    figure = robot(name)
    statuses = []
    for seed in range(3):
        goals = goals_near(figure, ROBOTS[name][2], seed, method not in ("ccd", "fabrik"))
        statuses.append(check(mk.solve(figure, goals, method=method)).status)
    if method in LIMITED and method != "bounded":
        assert statuses == ["reached"] * 3
    else:
        assert statuses.count("reached") >= 1


@pytest.mark.parametrize("method", ["bounded", "penalty"])
def test_a_humanoid_with_a_free_base_reaches_four_placements(method):
    figure = robot("talos")
    solution = check(mk.solve(figure, goals_near(figure, ROBOTS["talos"][2], 5, True), method=method))
    assert solution.reached
