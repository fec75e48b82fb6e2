"""Starts for the whole body out of a limb's closed form."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure.pose import Pose
from manikin.solvers.starts.limb_seeds import limb_seeds


@pytest.mark.parametrize("site", ["right_foot", "left_foot", "right_hand"])
def test_seeds_reach_the_target_with_everything_else_where_it_was(site):
    body = mk.human(girdle=False)
    rng = np.random.default_rng(90)
    q = body.pose({"spine_l5_s1_flexion": 0.1, "right_elbow": 1.0, "right_knee": 0.8, "left_knee": 0.5}).q
    moved = [i for i, name in enumerate(body.dofs) if name.startswith(site.split("_")[0])]
    found = 0
    for _ in range(10):
        other = q.copy()
        some = rng.choice(moved, 6)
        other[some] = np.clip(q[some] + rng.uniform(-0.2, 0.2, 6), body.lower[some], body.upper[some])
        target = Pose(body, other).matrix(site)
        seeds = limb_seeds(body, site, target, q)
        found += bool(seeds)
        for seed in seeds:
            assert np.abs(Pose(body, seed).matrix(site) - target).max() < 1e-9
            assert ((seed >= body.lower - 1e-9) & (seed <= body.upper + 1e-9)).all()
            changed = {body.dofs[i] for i in np.flatnonzero(seed != q)}
            assert all(name.startswith(site.split("_")[0]) for name in changed)
        away = [np.linalg.norm(seed - q) for seed in seeds]
        assert away == sorted(away)
    assert found >= 5


def test_a_position_alone_keeps_the_wrist():
    body = mk.human(girdle=False)
    q = body.pose({"right_elbow": 1.0, "right_shoulder_flexion": 0.5}).q
    target = np.full((4, 4), np.nan)
    target[:3, 3] = Pose(body, q).position("right_hand") + np.array([0.05, 0.02, 0.05])
    (seed,) = limb_seeds(body, "right_hand", target, q)
    assert np.abs(Pose(body, seed).position("right_hand") - target[:3, 3]).max() < 1e-9
    wrist = [body.index(f"right_{name}") for name in ("wrist_flexion", "wrist_deviation")]
    assert np.array_equal(seed[wrist], q[wrist])


def test_sites_that_end_no_limb_have_none_and_far_targets_are_brought_near():
    body = mk.human(girdle=False)
    q = body.pose().q
    assert limb_seeds(body, "head", np.eye(4), q) == []
    far = Pose(body, q).matrix("right_foot")
    far[2, 3] -= 0.5
    for seed in limb_seeds(body, "right_foot", far, q):
        assert np.abs(Pose(body, seed).matrix("right_foot")[:3, :3] - far[:3, :3]).max() < 1e-9


@pytest.mark.parametrize(
    ("place", "turn"),
    [
        ([0.1, -0.32, 2.02], [-1.15, 0.19, 0.32]),
        ([-0.57, 0.08, 1.66], [0.07, 0.15, -1.38]),
        ([0.7, -0.22, 1.22], [-1.23, -1.31, -0.79]),
    ],
)
def test_a_hand_that_no_swivel_angle_brings_there_is_answered_all_the_same(place, turn):
    """The carried arm has no closed form here; the search for one must not ask itself for seeds."""
    body = mk.human()
    goals = [mk.Placement("right_hand", place, mk.figure.transforms.exp(np.array(turn)))]
    feet = [mk.Pin("left_foot"), mk.Pin("right_foot"), mk.Pin("head")]
    solution = mk.solve(body, [*goals, *feet])
    assert not solution.reached and solution.status in ("stationary", "stopped")
    for pin in feet:
        assert np.abs(solution.pose.matrix(pin.site) - body.pose().matrix(pin.site)).max() < 1e-7
