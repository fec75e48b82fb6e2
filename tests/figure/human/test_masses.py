"""Masses and centres of mass against de Leva's table, written out again here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.figure.human import ranges, spine
from manikin.figure.human.masses import trunk_segments

PERCENTILES = (1, 50, 99)
SHARES = {
    "male": dict(
        head=0.0694,
        trunk=0.4346,
        upper_arm=0.0271,
        forearm=0.0162,
        hand=0.0061,
        thigh=0.1416,
        shank=0.0433,
        foot=0.0137,
    ),
    "female": dict(
        head=0.0668,
        trunk=0.4257,
        upper_arm=0.0255,
        forearm=0.0138,
        hand=0.0056,
        thigh=0.1478,
        shank=0.0481,
        foot=0.0129,
    ),
}
#: Centres from the first end point: joint to joint, hand from wrist to finger tip, foot from heel to toe.
CENTERS = {
    "male": dict(upper_arm=0.5772, forearm=0.4574, hand=0.3624, thigh=0.4095, shank=0.4395, foot=0.4415),
    "female": dict(upper_arm=0.5754, forearm=0.4559, hand=0.3427, thigh=0.3612, shank=0.4352, foot=0.4014),
}
ENDS = {
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "wrist"),
    "hand": ("wrist", "dactylion"),
    "thigh": ("hip", "knee"),
    "shank": ("knee", "ankle"),
    "foot": ("heel", "toe"),
}
TRUNK_CENTER = {"male": 0.4486, "female": 0.4151}
HEAD_CENTER = {"male": 0.5002, "female": 0.4841}
NOTCH = {"male": 0.8191, "female": 0.8164}
NAPE = {"male": 0.8639, "female": 0.8570}
DATA = Path(__file__).parents[4] / "shared" / "data" / "anthropometry"


@pytest.mark.parametrize("percentile", PERCENTILES)
@pytest.mark.parametrize("sex", ["male", "female"])
@pytest.mark.parametrize("fingers", [True, False])
def test_segment_masses_are_those_of_the_table(sex: str, percentile: float, fingers: bool) -> None:
    figure = mk.human(sex=sex, percentile=percentile, fingers=fingers)
    masses = {name: segment.mass / figure.mass for name, segment in figure.segments.items()}
    for name, share in SHARES[sex].items():
        if name == "trunk":
            assert sum(masses[part] for part in trunk_segments()) == pytest.approx(share, rel=0.001)
        elif name == "head":
            assert masses["head"] == pytest.approx(share, rel=0.001)
        else:
            assert masses[f"left_{name}"] == pytest.approx(share, rel=0.001)
            assert masses[f"left_{name}"] == masses[f"right_{name}"]


def test_the_total_is_exact() -> None:
    for mass in (40.0, 85.0, 140.0):
        assert mk.human(mass=mass, sex="female").mass == pytest.approx(mass, rel=1e-14)


@pytest.mark.parametrize("percentile", PERCENTILES)
@pytest.mark.parametrize("sex", ["male", "female"])
def test_segment_centres_lie_on_their_lengths(sex: str, percentile: float) -> None:
    figure = mk.human(sex=sex, percentile=percentile)
    pose = figure.pose()
    for name, (start, end) in ENDS.items():
        for side in ("left", "right"):
            a, b = pose.position(f"{side}_{start}"), pose.position(f"{side}_{end}")
            segment = figure.segments[f"{side}_{name}"]
            center = pose.matrices()[segment.name] @ [*segment.center_of_mass, 1.0]
            share = (center[:3] - a) @ (b - a) / ((b - a) @ (b - a))
            assert share == pytest.approx(CENTERS[sex][name], abs=0.01), name


@pytest.mark.parametrize("percentile", PERCENTILES)
@pytest.mark.parametrize("sex", ["male", "female"])
def test_the_whole_body_balances_where_the_table_says(sex: str, percentile: float) -> None:
    """The centre's height from segment masses, centres and landmarks, within 1 % of stature; over the feet."""
    figure = mk.human(sex=sex, percentile=percentile)
    pose = figure.pose()
    stature = pose.position("vertex")[2]
    heights = {
        "head": stature * (1.0 - HEAD_CENTER[sex] * (1.0 - NAPE[sex])),
        "trunk": NOTCH[sex] * stature
        - TRUNK_CENTER[sex] * (NOTCH[sex] * stature - pose.position("left_hip")[2]),
    }
    for name, (start, end) in ENDS.items():
        a, b = pose.position(f"left_{start}")[2], pose.position(f"left_{end}")[2]
        heights[name] = a + CENTERS[sex][name] * (b - a)
    weights = {name: share * (1 if name in ("head", "trunk") else 2) for name, share in SHARES[sex].items()}
    expected = sum(weights[name] * heights[name] for name in weights) / sum(weights.values())
    center = pose.center_of_mass()
    assert abs(center[2] - expected) < 0.01 * stature
    assert 0.53 < center[2] / stature < 0.58
    assert center[1] == pytest.approx(0.0, abs=1e-12)
    assert pose.position("left_heel")[0] < center[0] < pose.position("left_toe")[0]


@pytest.mark.parametrize("sex", ["male", "female"])
def test_shares_are_those_of_the_published_table(sex: str) -> None:
    path = DATA / f"BSP{sex}_ZdeLeva.txt"
    if not path.exists():
        pytest.skip(f"the table {path.name} is not here")
    rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    table = {row[0].strip().lower().replace(" ", "_"): float(row[2]) for row in rows}
    for name, share in SHARES[sex].items():
        assert table[name] == share


def test_inertias_are_those_of_bodies() -> None:
    for segment in mk.human().segments.values():
        if segment.mass > 0.0:
            a, b, c = np.linalg.eigvalsh(segment.inertia)
            assert 0.0 < a <= b <= c <= a + b + 1e-12, segment.name


def test_the_trunk_is_the_pelvis_and_its_vertebrae() -> None:
    vertebrae = {spine.child_of(joint) for joint in ranges.joints_of("spine")}
    assert set(trunk_segments()) == vertebrae | {"pelvis"}
