from __future__ import annotations

import numpy as np
import pytest
from tests.figure.human.random_poses import random_poses
from tests.figure.human.shapes import Gaps, depth

import manikin as mk
from manikin.figure.human import PRESETS, preset
from manikin.figure.human.looks import lowest

WIDEST = 0.005
#: Segments that meet at the shoulder, and those of the arm below it.
UPPER = ("t1", "t2", "t3", "t4")
ARM = ("upper_arm", "forearm", "radius", "hand", "thumb", "index", "middle", "ring", "little")


def widest_gap(figure: mk.Figure, count: int, seed: int) -> tuple[float, str]:
    gaps = Gaps(figure)
    return max(gaps.widest(pose) for pose in random_poses(figure, count, seed))


@pytest.mark.parametrize("sex", ["male", "female"])
@pytest.mark.parametrize("percentile", [1, 50, 99])
def test_neighbouring_volumes_stay_joined_in_random_poses(sex: str, percentile: float) -> None:
    gap, joint = widest_gap(mk.human(sex=sex, percentile=percentile), 40, 1)
    assert gap <= WIDEST, joint


@pytest.mark.parametrize("spine", ["full", "bend"])
@pytest.mark.parametrize("fingers", [True, False])
def test_neighbouring_volumes_stay_joined_at_every_detail(spine: str, fingers: bool) -> None:
    gap, joint = widest_gap(mk.human(spine=spine, fingers=fingers, girdle=False), 40, 2)
    assert gap <= WIDEST, joint


@pytest.mark.long
@pytest.mark.parametrize("sex", ["male", "female"])
def test_neighbouring_volumes_stay_joined_in_ten_thousand_random_poses(sex: str) -> None:
    gap, joint = widest_gap(mk.human(sex=sex), 5000, 3)
    assert gap <= WIDEST, joint


@pytest.mark.parametrize("sex", ["male", "female"])
@pytest.mark.parametrize("percentile", [1, 50, 99])
def test_the_soles_touch_the_ground_and_nothing_is_below_it(sex: str, percentile: float) -> None:
    pose = mk.human(sex=sex, percentile=percentile).pose()
    heights = {
        name: min((lowest(shape, frame) for shape in pose.figure.segments[name].shapes), default=1.0)
        for name, frame in pose.matrices().items()
    }
    assert min(heights.values()) >= -1e-12
    assert heights["left_foot"] < 2e-3


@pytest.mark.parametrize("sex", ["male", "female"])
def test_the_top_of_the_head_is_at_the_stature(sex: str) -> None:
    figure = mk.human(sex=sex, stature=1.7)
    upside_down = np.diag([1.0, -1.0, -1.0, 1.0])
    head = figure.pose().matrices()["head"]
    top = max(-lowest(shape, upside_down @ head) for shape in figure.segments["head"].shapes)
    assert top == pytest.approx(1.7, abs=1e-9)


@pytest.mark.parametrize("sex", ["male", "female"])
@pytest.mark.parametrize("percentile", [1, 50, 99])
def test_at_rest_arms_trunk_and_legs_do_not_run_into_each_other(sex: str, percentile: float) -> None:
    pose = mk.human(sex=sex, percentile=percentile).pose()
    names = list(pose.figure.segments)
    trunk = [
        "pelvis",
        *(name for name in names if name[0] in "lt" and name[1:].isdigit() and name not in UPPER),
    ]
    arm = [name for name in names if name.startswith("left_") and name[5:].startswith(ARM)]
    leg = ["thigh", "shank", "foot", "toes"]
    pairs = [(a, b) for a in arm for b in [*trunk, "left_thigh"]]
    pairs += [(f"left_{a}", f"right_{b}") for a in leg for b in leg]
    for first, second in pairs:
        assert depth(pose, first, second) < 1e-3, (first, second)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_keep_volumes_joined(name: str) -> None:
    figure = mk.human()
    assert Gaps(figure).widest(preset(figure, name))[0] <= WIDEST


def test_every_shape_has_a_colour_and_every_weighty_segment_a_shape() -> None:
    figure = mk.human()
    for segment in figure.segments.values():
        assert all(shape.color is not None for shape in segment.shapes), segment.name
        assert segment.shapes or segment.name == "eyes"


def test_shapes_check_their_sizes_and_colours() -> None:
    shape = mk.Shape("tapered_capsule", (0.1, 0.05, 0.3), color=(0.2, 0.4, 1.0))
    assert shape.size.tolist() == [0.1, 0.05, 0.3]
    assert shape.color is not None and list(shape.color) == [0.2, 0.4, 1.0]
    assert mk.Shape("sphere", 1.0).color is None
    with pytest.raises(mk.FigureError, match="'ellipsoid': size"):
        mk.Shape("ellipsoid", (1.0, 2.0))
    with pytest.raises(mk.FigureError, match="from 0 to 1"):
        mk.Shape("sphere", 1.0, color=(0.0, 0.0, 2.0))
