from __future__ import annotations

import numpy as np
import pytest
from tests.figure.human.random_poses import random_poses
from tests.figure.samples import branching, placed

import manikin as mk
from manikin.figure.mirror import partners

M = np.diag([1.0, -1.0, 1.0, 1.0])


def worst_miss(figure: mk.Figure, count: int, seed: int) -> float:
    other = partners(figure.segments)
    worst = 0.0
    for pose in random_poses(figure, count, seed):
        frames, images = pose.matrices(), pose.mirrored().matrices()
        worst = max(worst, *(np.abs(M @ frames[other[name]] @ M - images[name]).max() for name in frames))
    return worst


@pytest.mark.parametrize(
    "options", [{}, {"spine": "bend", "fingers": False}, {"sex": "female", "girdle": False}]
)
def test_every_segment_of_a_human_lands_on_the_mirror_image(options: dict[str, object]) -> None:
    assert worst_miss(mk.human(**options), 100, 1) < 1e-12  # type: ignore[arg-type]


@pytest.mark.long
def test_ten_thousand_random_poses_land_on_their_mirror_images() -> None:
    assert worst_miss(mk.human(), 10_000, 2) < 1e-12


def test_at_rest_left_and_right_are_mirror_images_down_to_sites_and_shapes() -> None:
    figure = mk.human(sex="female", percentile=30)
    pose = figure.pose()
    for name, other in partners(figure.sites).items():
        assert np.abs(M @ pose.matrix(name) @ M - pose.matrix(other)).max() < 1e-12
    for name, other in partners(figure.segments).items():
        mine, theirs = figure.segments[name], figure.segments[other]
        assert mine.mass == theirs.mass
        assert np.abs(M[:3, :3] @ mine.center_of_mass - theirs.center_of_mass).max() < 1e-12
        if name != other:
            for shape, image in zip(mine.shapes, theirs.shapes, strict=True):
                assert shape.kind == image.kind and np.array_equal(shape.size, image.size)
                assert np.abs(M @ shape.placement[:, 3] - image.placement[:, 3]).max() < 1e-12


def test_limits_are_the_same_on_both_sides() -> None:
    figure = mk.human()
    for name, other in partners(figure.dofs).items():
        if name != other:
            assert figure.dof(name).lower == figure.dof(other).lower
            assert figure.dof(name).upper == figure.dof(other).upper


def test_mirroring_twice_is_the_same_pose_and_keeps_the_limits() -> None:
    figure = mk.human()
    for pose in random_poses(figure, 5, 3):
        image = pose.mirrored()
        assert np.array_equal(image.mirrored().q, pose.q)
        assert (image.q >= figure.lower - 1e-12).all() and (image.q <= figure.upper + 1e-12).all()


def test_clinical_names_keep_their_values_and_sides_change() -> None:
    pose = mk.human().pose(
        {"left_elbow": 1.0, "spine_l3_l4_twist": 0.02, "root_y": 0.5, "root_z": 0.1, "root_rz": 0.4}
    )
    values = pose.mirrored().values()
    assert values["right_elbow"] == 1.0 and values["left_elbow"] == 0.0
    assert values["spine_l3_l4_twist"] == -0.02
    assert (values["root_y"], values["root_z"], values["root_rz"]) == (-0.5, 0.1, -0.4)


def test_signs_come_from_the_geometry_not_from_the_names() -> None:
    """Both wheels turn about y; both flaps about the same x, so one mirrors with its sign changed."""
    joints = [
        mk.Joint.revolute("left_wheel", "cart", "left_w", "y", placement=[0, 0.5, 0]),
        mk.Joint.revolute("right_wheel", "cart", "right_w", "y", placement=[0, -0.5, 0]),
        mk.Joint.revolute("l_flap", "cart", "l_f", "x", placement=[0.2, 0.5, 0.1]),
        mk.Joint.revolute("r_flap", "cart", "r_f", "x", placement=[0.2, -0.5, 0.1]),
    ]
    figure = mk.Figure(
        "cart",
        ["cart", "left_w", "right_w", "l_f", "r_f"],
        joints,
        base="planar",
        location=placed(1, 2, 0, 0, 0, 0.3),
    )
    values = (
        figure.pose({"left_wheel": 0.3, "l_flap": 0.2, "root_yaw": 0.1, "root_y": 0.4}).mirrored().values()
    )
    assert values == pytest.approx(
        {
            "right_wheel": 0.3,
            "left_wheel": 0.0,
            "r_flap": -0.2,
            "l_flap": 0.0,
            "root_yaw": -0.1,
            "root_y": -0.4,
            "root_x": 0.0,
        }
    )


def test_a_figure_that_is_not_symmetric_says_so() -> None:
    with pytest.raises(mk.PoseError, match="no mirror image"):
        branching().pose().mirrored()
    lopsided = mk.Figure(
        "lopsided", ["a", "b"], [mk.Joint.revolute("j", "a", "b", (1.0, 1.0, 0.0), placement=[0.0, 0.0, 1.0])]
    )
    with pytest.raises(mk.PoseError, match="'j' and 'j' do not move it in mirrored ways"):
        lopsided.pose().mirrored()


def test_partners_pair_whole_words_only() -> None:
    names = [
        "left_arm",
        "right_arm",
        "LeftArm",
        "RightArm",
        "arm_l",
        "arm_r",
        "L_leg",
        "R_leg",
        "bright",
        "spine_l5_s1",
        "left_x",
    ]
    assert partners(names) == {
        "left_arm": "right_arm",
        "right_arm": "left_arm",
        "LeftArm": "LeftArm",
        "RightArm": "RightArm",
        "arm_l": "arm_r",
        "arm_r": "arm_l",
        "L_leg": "R_leg",
        "R_leg": "L_leg",
        "bright": "bright",
        "spine_l5_s1": "spine_l5_s1",
        "left_x": "left_x",
    }
