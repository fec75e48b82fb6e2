"""Reaching in balance: targets that a balanced pose reaches are reached in balance, the hull checked by SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import manikin as mk
from manikin.figure import Figure, Pose

MARGIN = 0.02


def depth(pose: Pose) -> float:
    """How far the centre of mass is inside the hull of the feet, by another path than the kernels'."""
    frames = pose.matrices()
    corners = mk.Balance().settle(pose).points()
    seen = np.array([(frames[name.split(":")[1]] @ [*place, 1.0])[:2] for name, place in corners])
    hull = ConvexHull(seen)
    return -float((hull.equations[:, :2] @ pose.center_of_mass()[:2] + hull.equations[:, 2]).max())


def held(body: Figure) -> list[mk.Goal]:
    return [mk.Pin("left_foot"), mk.Pin("right_foot"), mk.Balance(margin=MARGIN, hard=True)]


def reaches(count: int, seed: int) -> tuple[int, float, float]:
    """How many of so many targets are reached, the least depth, and the farthest that a foot moved."""
    body = mk.human(fingers=False)
    rng = np.random.default_rng(seed)
    spread = np.where(np.isfinite(body.upper - body.lower), body.upper - body.lower, 0.0)
    reached, least, moved = 0, np.inf, 0.0
    for _ in range(count):
        q = np.clip(body.rest + 0.35 * rng.uniform(-1, 1, body.n) * spread, body.lower, body.upper)
        wild = body.pose(q).position("right_hand")
        balanced = mk.solve(body, [*held(body), mk.Position("right_hand", wild)]).pose
        assert depth(balanced) >= MARGIN - 1e-9
        found = mk.solve(body, [*held(body), mk.Position("right_hand", balanced.position("right_hand"))])
        reached += found.reached
        least = min(least, depth(found.pose))
        for foot in ("left_foot", "right_foot"):
            moved = max(moved, float(np.abs(found.pose.matrix(foot) - body.pose().matrix(foot)).max()))
    return reached, least, moved


def test_targets_of_balanced_poses_are_reached_in_balance():
    reached, least, moved = reaches(40, 0)
    assert reached >= 38 and least >= MARGIN - 1e-6 and moved < 1e-8


@pytest.mark.long
def test_two_hundred_targets_of_balanced_poses_are_reached_in_balance():
    reached, least, moved = reaches(200, 1)
    assert reached >= 190 and least >= MARGIN - 1e-6 and moved < 1e-8


def test_leaning_out_too_far_is_not_done_in_balance():
    body = mk.human(fingers=False)
    found = mk.solve(body, [*held(body), mk.Position("right_hand", [1.6, 0.0, 1.0])])
    assert not found.reached and depth(found.pose) >= MARGIN - 1e-6
