from __future__ import annotations

from math import degrees

import numpy as np
import pytest

import manikin as mk
from manikin.figure.human import ranges, spine

LUMBAR = {"l5_s1": 0.125, "l4_l5": 0.185, "l3_l4": 0.204, "l2_l3": 0.231, "l1_l2": 0.255}


@pytest.mark.parametrize("region", ["spine", "neck"])
@pytest.mark.parametrize("movement", ["flexion", "side_bend", "twist"])
def test_shares_sum_to_one_and_no_vertebra_leaves_its_range(region: str, movement: str) -> None:
    shares = spine.shares(region, movement)
    assert sum(shares.values()) == pytest.approx(1.0, abs=1e-12)
    for end in ranges.REGIONS[region][movement]:
        for joint, share in shares.items():
            low, high = ranges.vertebra(joint)[movement]
            assert low - 1e-9 <= share * end <= high + 1e-9, joint


def test_lumbar_flexion_is_shared_as_measured() -> None:
    shares = spine.shares("spine", "flexion")
    lumbar = {joint: shares[f"spine_{joint}"] for joint in LUMBAR}
    total = sum(lumbar.values())
    for joint, share in LUMBAR.items():
        assert lumbar[joint] / total == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize("region", ["spine", "neck"])
@pytest.mark.parametrize("movement", ["flexion", "side_bend", "twist"])
@pytest.mark.parametrize("value", [-0.3, 0.4])
def test_the_bent_spine_is_the_full_one_with_shared_values(region: str, movement: str, value: float) -> None:
    bent = mk.human(spine="bend").pose({f"{region}_{movement}": value})
    shared = {f"{joint}_{movement}": share * value for joint, share in spine.shares(region, movement).items()}
    full = mk.human().pose(shared)
    for name in ("head", "chest", "left_hand", "c4", "l2"):
        assert np.allclose(bent.matrix(name), full.matrix(name), atol=1e-12), name


def test_the_whole_flexion_turns_the_chest_by_that_angle() -> None:
    pose = mk.human(spine="bend").pose({"spine_flexion": 0.7})
    forward = pose.matrix("head")[:3, 0]
    assert degrees(np.arctan2(-forward[2], forward[0])) == pytest.approx(degrees(0.7))


def test_a_spine_of_usual_lengths() -> None:
    points = spine.joint_points(spine.Size("male", 1.78, 80.0))
    heights = {joint: point[2] for joint, point in points.items()}
    assert heights["neck_c0_c1"] - heights["neck_c7_t1"] == pytest.approx(0.125, rel=0.15)
    assert heights["neck_c7_t1"] - heights["spine_t12_l1"] == pytest.approx(0.280, rel=0.05)
    assert heights["spine_t12_l1"] - heights["spine_l5_s1"] == pytest.approx(0.180, rel=0.05)
    assert list(heights.values()) == sorted(heights.values())
