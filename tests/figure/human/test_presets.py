from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure.human import PRESETS, preset
from manikin.figure.human.looks import lowest

OPTIONS = [{}, {"girdle": False}, {"spine": "bend"}, {"fingers": False}, {"sex": "female", "percentile": 3}]


def below(pose: mk.Pose, *words: str) -> float:
    return min(
        lowest(shape, frame)
        for name, frame in pose.matrices().items()
        for shape in pose.figure.segments[name].shapes
        if not words or any(word in name for word in words)
    )


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("options", OPTIONS)
def test_presets_are_inside_all_limits_and_couplings(name: str, options: dict[str, object]) -> None:
    figure = mk.human(**options)  # type: ignore[arg-type]
    pose = preset(figure, name)
    assert (pose.q >= figure.lower - 1e-9).all() and (pose.q <= figure.upper + 1e-9).all()
    for coupling in figure.couplings:
        assert coupling.lower - 1e-9 <= coupling.value(pose.values()) <= coupling.upper + 1e-9, coupling.name


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("sex", ["male", "female"])
def test_presets_stand_on_the_ground(name: str, sex: str) -> None:
    assert below(preset(mk.human(sex=sex), name)) == pytest.approx(0.0, abs=2e-3)


def test_sitting_has_the_feet_flat_and_the_seat_at_popliteal_height() -> None:
    figure = mk.human()
    pose = preset(figure, "sit")
    for side in ("left", "right"):
        foot = pose.matrix(f"{side}_foot")
        assert np.allclose(foot[:3, :3], np.eye(3), atol=1e-9)
        assert foot[2, 3] == pytest.approx(0.0, abs=1e-9)
    assert pose.position("seat")[2] == pytest.approx(
        0.2446 * pose.position("vertex")[2] / (0.2446 + 0.5231), rel=1e-6
    )
    thigh = pose.position("left_knee") - pose.position("left_hip")
    assert abs(thigh[2]) < 0.05 * np.linalg.norm(thigh)


def test_kneeling_rests_on_knees_and_toes() -> None:
    pose = preset(mk.human(), "kneel")
    assert below(pose, "shank", "thigh") == pytest.approx(0.0, abs=1e-6)
    assert below(pose, "foot", "toes") == pytest.approx(0.0, abs=1e-4)
    assert pose.position("left_hip")[0] == pytest.approx(pose.position("left_knee")[0], abs=1e-9)


def test_the_t_pose_spreads_level_arms() -> None:
    pose = preset(mk.human(), "t-pose")
    for name in ("elbow", "wrist", "dactylion"):
        assert pose.position(f"left_{name}")[2] == pytest.approx(pose.position("left_shoulder")[2], abs=1e-9)


def test_reaching_brings_the_right_hand_forward_at_the_height_of_the_shoulder() -> None:
    pose = preset(mk.human(), "reach")
    hand, shoulder = pose.position("right_hand"), pose.position("right_shoulder")
    assert hand[0] - shoulder[0] > 0.5
    assert abs(hand[2] - shoulder[2]) < 0.15


def test_unknown_presets_and_other_figures_are_refused() -> None:
    with pytest.raises(mk.PoseError, match="did you mean 'kneel'"):
        preset(mk.human(), "knel")
    robot = mk.Figure("robot", ["a", "b"], [mk.Joint.revolute("j", "a", "b")])
    with pytest.raises(mk.PoseError, match="made by human"):
        preset(robot, "sit")
    with pytest.raises(mk.PoseError, match="unknown preset None; expected one of: stand"):
        preset(mk.human(), None)  # type: ignore[arg-type]
    with pytest.raises(mk.PoseError, match="preset 'sit': a Figure is wanted, got None"):
        preset(None, "sit")  # type: ignore[arg-type]


def test_a_fixed_base_keeps_the_pelvis() -> None:
    figure = mk.human(base="fixed")
    assert np.array_equal(preset(figure, "sit").position("pelvis"), figure.pose().position("pelvis"))


@pytest.mark.parametrize("sex", ["male", "female"])
@pytest.mark.parametrize(
    ("name", "resting"),
    [
        ("kneel-one", ["right_shank", "right_toes", "left_foot"]),
        ("walk", ["left_foot", "right_toes"]),
        ("sit-floor", ["pelvis", "left_foot", "right_foot"]),
        ("squat", ["left_foot", "right_foot"]),
        ("lift", ["left_foot", "right_foot"]),
        ("lean", ["left_foot", "right_foot"]),
    ],
)
def test_every_part_that_a_preset_rests_on_is_on_the_ground(sex: str, name: str, resting: list[str]) -> None:
    pose = preset(mk.human(sex=sex), name)
    assert [below(pose, part) for part in resting] == pytest.approx([0.0] * len(resting), abs=1e-4)
