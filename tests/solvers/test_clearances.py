"""Whole shapes kept clear while something else is reached, checked by points on the shapes."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure import Pose
from manikin.figure.shapes import capsules_of, round_cone_distance

TABLE = mk.Box(lower=[0.22, -1.0, 0.85], upper=[1.0, 1.0, 0.9])
FEET = (mk.Pin("left_foot"), mk.Pin("right_foot"))


def capsules(pose: Pose, name: str) -> list[np.ndarray]:
    frame = pose.matrices()[name]
    turn, place = frame[:3, :3], frame[:3, 3]
    return [
        np.array([*(turn @ c[:3] + place), *(turn @ c[3:6] + place), c[6], c[7]])
        for c in capsules_of(pose.figure, name, "test")
    ]


def clearance(pose: Pose, region, names) -> float:
    """The least distance of the segments from a region of one piece, by points along their capsules."""
    least = np.inf
    for name in names:
        for c in capsules(pose, name):
            for t in np.linspace(0.0, 1.0, 101):
                x = c[:3] + t * (c[3:6] - c[:3])
                least = min(least, region.distance(x) - c[6] - t * (c[7] - c[6]))
    return least


def test_an_elbow_is_pushed_out_of_the_table_that_the_hand_reaches_over():
    body = mk.human(fingers=False)
    arm = ("right_forearm", "right_radius", "right_hand", "right_upper_arm")
    target = mk.Position("right_hand", [0.5, -0.2, 0.94])
    start = body.pose({"right_elbow": 1.2, "right_shoulder_flexion": 0.3})
    through = mk.solve(start, [target, *FEET], natural=False)
    assert through.reached and clearance(through.pose, TABLE, arm) < -0.02
    over = mk.solve(start, [target, *FEET, *(mk.Outside(name, TABLE, 0.01, hard=True) for name in arm)])
    assert over.reached and clearance(over.pose, TABLE, arm) >= 0.01 - 1e-7
    soft = mk.solve(start, [target, *FEET, *(mk.Outside(name, TABLE, 0.01) for name in arm)])
    assert soft.reached and clearance(soft.pose, TABLE, arm) >= 0.01 - 2e-4


@pytest.mark.parametrize("hard", [False, True])
def test_all_segments_are_kept_clear_of_a_pillar(hard):
    body = mk.human(fingers=False)
    pillar = mk.Capsule([0.38, -0.12, 0.0], [0.38, -0.12, 2.0], 0.06)
    goals = [mk.Position("right_hand", [0.55, -0.02, 1.2]), *FEET]
    names = [name for name, segment in body.segments.items() if segment.shapes]
    assert clearance(mk.solve(body, goals).pose, pillar, names) < -0.04
    found = mk.solve(body, [*goals, mk.Outside("*", pillar, 0.005, hard=hard)])
    assert found.reached and clearance(found.pose, pillar, names) >= 0.005 - (1e-7 if hard else 2e-4)


def test_a_hand_goes_to_the_other_side_without_touching_the_trunk():
    body = mk.human(fingers=False)
    parts = (
        "right_upper_arm",
        "right_forearm",
        "right_radius",
        "right_hand",
        "t7",
        "l3",
        "pelvis",
        "left_hand",
    )
    clear = mk.SelfClearance(0.005, segments=parts, hard=True)
    pairs = [pair for pair in clear.settle(body.pose()).listed() if pair.kept]
    found = mk.solve(body, [mk.Position("right_hand", [0.1, 0.2, 1.1]), *FEET, clear])
    assert found.reached and len(pairs) > 8
    for a, b, rest, *_ in pairs:
        least = min(
            round_cone_distance(d, c[:3] + t * (c[3:6] - c[:3])) - c[6] - t * (c[7] - c[6])
            for c in capsules(found.pose, a)
            for d in capsules(found.pose, b)
            for t in np.linspace(0.0, 1.0, 21)
        )
        assert least >= min(0.005, rest) - 1e-7, (a, b)


def test_feet_stand_on_the_floor_and_not_in_it():
    body = mk.human(fingers=False)
    floor = mk.HalfSpace([0, 0, 0], [0, 0, 1])
    goals = [
        mk.Position("pelvis", [0.0, 0.0, 0.7]),
        mk.Outside("*_foot", floor, hard=True),
        mk.Balance(hard=True),
    ]
    found = mk.solve(
        body, [*goals, *(mk.Range(f"{s}_foot", z=0, turn_x=0, turn_y=0) for s in ("left", "right"))]
    )
    assert found.reached
    for side in ("left", "right"):
        assert found.pose.position(f"{side}_foot")[2] == pytest.approx(0.0, abs=1e-4)
        assert (
            clearance(found.pose, floor, [f"{side}_foot"]) > -0.01
        )  # enclosing capsules are a little larger
