"""Every kind of goal alone, and every pair of kinds together, on a human and on a robot, where both can be met.

The targets are what a pose has: a random one, brought into balance, so that all goals can be met together.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

import manikin as mk
from manikin.figure import Figure, Pose, transforms
from manikin.goals import Goal

from .samples import robot

#: Of each figure: hand, middle, foot, the limb's three sites, and what supports it.
SITES = {
    "human": (
        "right_hand",
        "pelvis",
        "left_foot",
        ("right_shoulder", "right_elbow", "right_wrist"),
        ("left_foot", "left_toes", "right_foot", "right_toes"),
    ),
    "talos": (
        "gripper_left_base_link",
        "base_link",
        "right_sole_link",
        ("arm_left_3_link", "arm_left_4_link", "arm_left_5_link"),
        ("left_sole_link", "right_sole_link", "leg_left_6_link", "leg_right_6_link"),
    ),
}
KINDS = (
    *("position", "orientation", "placement", "aim", "on_line", "on_plane", "ball", "box", "circle", "union"),
    *("outside", "segment", "range", "relative", "center_of_mass", "balance", "swivel", "any_of", "posture"),
)


@cache
def figure(name: str) -> Figure:
    return mk.human(fingers=False) if name == "human" else robot(name)


@cache
def example(name: str, seed: int) -> Pose:
    """A pose within the limits and couplings, in balance."""
    body = figure(name)
    rng = np.random.default_rng(seed)
    spread = np.where(np.isfinite(body.upper - body.lower), body.upper - body.lower, 0.0)
    q = np.clip(body.rest + 0.2 * rng.uniform(-1, 1, body.n) * spread, body.lower, body.upper)
    found = mk.solve(body.pose(q), [mk.Balance(SITES[name][4], margin=0.005, hard=True)])
    assert found.reached
    return found.pose


def goals(name: str, pose: Pose, *, hard: bool) -> dict[str, Goal]:
    """A goal of every kind that the pose meets."""
    hand, middle, foot, limb, support = SITES[name]
    frame = pose.matrix(hand)
    r, turn = frame[:3, 3], frame[:3, :3]
    seen = transforms.inverse(pose.matrix(middle)) @ frame
    stand, lean = pose.position(foot), transforms.log(pose.matrix(foot)[:3, :3])
    made: dict[str, Goal] = {
        "position": mk.Position(hand, r, hard=hard),
        "orientation": mk.Orientation(hand, turn, hard=hard),
        "placement": mk.Placement(hand, r, turn, hard=hard),
        "aim": mk.Aim(hand, r + turn @ [1.5, 0, 0], hard=hard),
        "on_line": mk.OnLine(hand, np.add(r, [0.1, 0.2, 0.3]), [1, 2, 3], hard=hard),
        "on_plane": mk.OnPlane(hand, r, [1, 2, 3], hard=hard),
        "ball": mk.Inside(hand, mk.Ball(np.add(r, [0.02, 0, 0]), 0.03), hard=hard),
        "box": mk.Inside(hand, mk.Box(np.add(r, [0.02, 0, 0]), [0.05] * 3, turn), hard=hard),
        "circle": mk.Inside(hand, mk.Circle(r + turn @ [0.1, 0, 0], turn[:, 2], 0.1), hard=hard),
        "union": mk.Inside(
            hand, mk.Ball([9, 9, 9], 0.1) | mk.Capsule(r, np.add(r, [0, 0, 0.2]), 0.03), hard=hard
        ),
        "outside": mk.Outside(hand, mk.HalfSpace(r - [0, 0, 0.05], [0, 0, 1]), whole=False, hard=hard),
        "range": mk.Range(
            foot,
            x=(stand[0] - 0.05, stand[0] + 0.05),
            y=stand[1],
            z=(stand[2] - 0.01, None),
            turn_z=(lean[2] - 0.1, lean[2] + 0.1),
            hard=hard,
        ),
        "relative": mk.Relative(hand, middle, seen, hard=hard),
        "center_of_mass": mk.CenterOfMass(pose.center_of_mass(), hard=hard),
        "balance": mk.Balance(support, hard=hard),
        "swivel": mk.Swivel(limb, (swivel(pose, limb) - 0.05, swivel(pose, limb) + 0.05), hard=hard),
        "any_of": mk.AnyOf([mk.Position(hand, [9, 9, 9]), mk.Position(hand, r)], hard=hard),
        "posture": mk.Posture(),
    }
    if name == "human":
        # A ball that the forearm just clears.
        off = pose.matrices()["right_forearm"] @ [0.0, 0.0, 0.0, 1.0]
        made["segment"] = mk.Outside("right_forearm", mk.Ball(np.add(off[:3], [0.3, 0, 0.2]), 0.1), hard=hard)
    return made


def swivel(pose: Pose, limb: tuple[str, str, str]) -> float:
    s, e, w = (pose.position(name) for name in limb)
    n = (w - s) / np.linalg.norm(w - s)
    down = np.array([0.0, 0.0, -1.0]) + n[2] * n
    x = e - s - ((e - s) @ n) * n
    return float(np.arctan2(x @ np.cross(n, down), x @ down))


def solved(name: str, *kinds: str, hard: bool, seed: int = 3) -> mk.Solution:
    made = goals(name, example(name, seed), hard=hard)
    return mk.solve(figure(name), [made[kind] for kind in kinds if kind in made])


@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
@pytest.mark.parametrize("name", SITES)
def test_every_goal_alone_is_met(name, hard):
    missed = {
        kind: result.goal_reports for kind in KINDS if not (result := solved(name, kind, hard=hard)).reached
    }
    assert missed == {}


@pytest.mark.parametrize(
    ("name", "hard"),
    [
        ("human", False),
        pytest.param("human", True, marks=pytest.mark.long),
        ("talos", False),
        ("talos", True),
    ],
)
def test_every_pair_of_goals_is_met_together(name, hard):
    missed = {}
    for pair in itertools.combinations(KINDS, 2):
        result = solved(name, *pair, hard=hard)
        if not result.reached:
            missed[pair] = (result.status, result.goal_reports)
    assert missed == {}


@pytest.mark.long
@pytest.mark.parametrize("name", SITES)
def test_pairs_are_met_for_other_targets_too(name):
    missed = 0
    for seed, pair in itertools.product(range(10, 15), itertools.combinations(KINDS, 2)):
        missed += not solved(name, *pair, hard=False, seed=seed).reached
    assert missed <= 0.01 * 5 * len(list(itertools.combinations(KINDS, 2)))
