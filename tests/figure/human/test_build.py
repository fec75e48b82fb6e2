from __future__ import annotations

import pickle

import numpy as np
import pytest
from tests.figure.human.random_poses import random_poses

import manikin as mk

SITES = ["head", "eyes", "chest", "pelvis"] + [
    f"{side}_{name}"
    for side in ("left", "right")
    for name in (
        ["shoulder", "elbow", "wrist", "hand", "fingertip", "hip", "knee", "ankle", "foot", "heel", "toe"]
    )
]


@pytest.fixture(scope="module")
def body() -> mk.Figure:
    return mk.human()


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, 155),
        ({"base": "fixed"}, 149),
        ({"base": "planar"}, 152),
        ({"girdle": False}, 155),
        ({"fingers": False}, 115),
        ({"spine": "bend"}, 86),
        ({"spine": "bend", "fingers": False}, 46),
    ],
)
def test_degrees_of_freedom_at_each_detail(options: dict[str, object], count: int) -> None:
    figure = mk.human(**options)  # type: ignore[arg-type]
    assert figure.n == count
    if figure.base == "free":
        assert figure.dofs[:6] == ("root_x", "root_y", "root_z", "root_rx", "root_ry", "root_rz")


def test_the_spine_has_seventeen_vertebrae_and_eighteen_joints_up_to_the_neck(body: mk.Figure) -> None:
    vertebrae = [name for name in body.segments if name[0] in "lt" and name[1:].isdigit()]
    assert len(vertebrae) == 17
    joints = [name for name in body.joints if name.startswith("spine_")] + ["neck_c7_t1"]
    assert len(joints) == 18
    assert all(len(body.joints[name].axes) == 3 for name in joints)


@pytest.mark.parametrize("spine", ["full", "bend"])
@pytest.mark.parametrize("fingers", [True, False])
def test_every_degree_of_freedom_says_sign_and_zero(spine: str, fingers: bool) -> None:
    figure = mk.human(spine=spine, fingers=fingers)
    for name in figure.dofs[6:]:
        text = figure.dof(name).description
        assert "0 " in text and "positive" in text, name
        side = name.split("_")[0]
        if side in ("left", "right"):
            assert text.startswith(side), name
    texts = [figure.dof(name).description for name in figure.dofs[6:]]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("options", [{}, {"fingers": False}, {"spine": "bend"}])
def test_the_sites_of_the_design_are_there(options: dict[str, object]) -> None:
    figure = mk.human(**options)  # type: ignore[arg-type]
    assert set(SITES) <= set(figure.sites)


def test_site_axes_at_rest(body: mk.Figure) -> None:
    pose = body.pose()
    x, y, z = np.eye(3)
    for name in ("head", "eyes", "chest", "pelvis", "left_foot", "right_heel", "left_toe"):
        assert np.allclose(pose.matrix(name)[:3, :3], np.eye(3), atol=1e-12), name
    for side, out in (("left", y), ("right", -y)):
        for name in ("shoulder", "elbow", "wrist", "hand", "fingertip"):
            frame = pose.matrix(f"{side}_{name}")
            assert np.allclose(frame[:3, 0], -z, atol=1e-12), name  # down the hanging arm
            assert np.allclose(frame[:3, 2], out, atol=1e-12), name  # out of the back of the hand
        for name in ("hip", "knee", "ankle"):
            frame = pose.matrix(f"{side}_{name}")
            assert np.allclose(frame[:3, 0], -z, atol=1e-12)
            assert np.allclose(frame[:3, 2], x, atol=1e-12)


def test_it_stands_over_the_origin_with_its_soles_on_the_ground(body: mk.Figure) -> None:
    pose = body.pose()
    assert np.array_equal(pose.q, np.zeros(body.n))
    assert np.allclose(pose.position("pelvis")[:2], 0.0)
    for name in ("left_heel", "left_foot", "left_toe", "right_heel", "right_foot", "right_toe"):
        assert pose.position(name)[2] == pytest.approx(0.0, abs=1e-12)
    assert pose.position("left_hand")[1] > 0.0 > pose.position("right_hand")[1]
    assert pose.position("left_toe")[0] > pose.position("left_heel")[0]


MOVES = [
    ("left_elbow", "left_hand", (1, 0, 0)),
    ("left_shoulder_abduction", "left_hand", (0, 1, 0)),
    ("right_shoulder_abduction", "right_hand", (0, -1, 0)),
    ("right_shoulder_flexion", "right_hand", (1, 0, 0)),
    ("left_wrist_deviation", "left_fingertip", (1, 0, 0)),
    ("left_wrist_flexion", "left_fingertip", (0, -1, 0)),
    ("right_wrist_flexion", "right_fingertip", (0, 1, 0)),
    ("left_clavicle_elevation", "left_shoulder", (0, 0, 1)),
    ("left_clavicle_protraction", "left_shoulder", (1, 0, 0)),
    ("right_clavicle_protraction", "right_shoulder", (1, 0, 0)),
    ("left_hip_flexion", "left_knee", (1, 0, 0)),
    ("left_hip_abduction", "left_knee", (0, 1, 0)),
    ("left_knee", "left_foot", (-1, 0, 0)),
    ("left_ankle_flexion", "left_toe", (0, 0, 1)),
    ("left_toes", "left_toe", (0, 0, 1)),
    ("left_index_mcp_flexion", "left_fingertip", (0, -1, 0)),
    ("left_index_mcp_spread", "left_fingertip", (1, 0, 0)),
    ("left_thumb_cmc_flexion", "left_thumb_distal", (-1, 0, 0)),
    ("left_thumb_cmc_abduction", "left_thumb_distal", (0, -1, 0)),
    ("spine_l5_s1_flexion", "head", (1, 0, 0)),
    ("spine_l5_s1_side_bend", "head", (0, 1, 0)),
    ("neck_c4_c5_flexion", "head", (1, 0, 0)),
]


@pytest.mark.parametrize(("dof", "site", "direction"), MOVES)
def test_positive_values_move_as_described(
    body: mk.Figure, dof: str, site: str, direction: tuple[float, float, float]
) -> None:
    velocity = body.pose().jacobian(site)[:3, body.index(dof)]
    assert velocity @ direction > 0.7 * np.linalg.norm(velocity) > 0.0


TURNS = [
    ("left_shoulder_rotation", "left_upper_arm", (0, 0, -1)),
    ("right_shoulder_rotation", "right_upper_arm", (0, 0, 1)),
    ("left_hip_rotation", "left_thigh", (0, 0, -1)),
    ("left_forearm_pronation", "left_hand", (0, 0, -1)),
    ("right_forearm_pronation", "right_hand", (0, 0, 1)),
    ("spine_t6_t7_twist", "head", (0, 0, 1)),
    ("eyes_azimuth", "eyes", (0, 0, 1)),
    ("eyes_elevation", "eyes", (0, -1, 0)),
    ("left_ankle_inversion", "left_foot", (-1, 0, 0)),
    ("right_ankle_inversion", "right_foot", (1, 0, 0)),
]


@pytest.mark.parametrize(("dof", "site", "axis"), TURNS)
def test_positive_values_turn_as_described(
    body: mk.Figure, dof: str, site: str, axis: tuple[float, float, float]
) -> None:
    assert np.allclose(body.pose().jacobian(site)[3:, body.index(dof)], axis, atol=1e-12)


def test_no_joint_frame_is_left_handed(body: mk.Figure) -> None:
    for pose in random_poses(body, 30, seed=4):
        for name, frame in pose.matrices().items():
            assert np.linalg.det(frame[:3, :3]) == pytest.approx(1.0, abs=1e-9), name
    for joint in body.joints.values():
        for frame in (joint.placement, joint.child_placement):
            assert np.linalg.det(frame[:3, :3]) == pytest.approx(1.0, abs=1e-12)


def test_it_pickles(body: mk.Figure) -> None:
    again = pickle.loads(pickle.dumps(body))
    assert again.dofs == body.dofs
    assert np.array_equal(again.stiffness, body.stiffness)
    assert np.array_equal(again.pose().position("left_hand"), body.pose().position("left_hand"))


def test_the_eyes_look_together(body: mk.Figure) -> None:
    pose = body.pose({"eyes_azimuth": 0.3, "eyes_elevation": -0.2})
    gaze = pose.matrix("eyes")[:3, :3]
    for side in ("left", "right"):
        assert np.allclose(pose.matrix(f"{side}_eye")[:3, :3], gaze, atol=1e-12)


def test_the_full_spine_is_as_stiff_as_the_bent_one(body: mk.Figure) -> None:
    """K / w_i in a row, moved by shares w_i of 1, store what one joint of K stores."""
    bent = mk.human(spine="bend")
    for region in ("spine", "neck"):
        for movement in ("flexion", "side_bend", "twist"):
            names = [name for name in body.dofs if name.startswith(f"{region}_") and name.endswith(movement)]
            whole = 1.0 / sum(1.0 / body.dof(name).stiffness for name in names)
            assert whole == pytest.approx(bent.dof(f"{region}_{movement}").stiffness)


def test_a_base_has_its_stiffness_whatever_the_root(body: mk.Figure) -> None:
    assert (body.stiffness[:3] > 1.0).all()
    assert np.array_equal(body.rerooted("left_foot").stiffness, body.stiffness)
    assert mk.human(base="fixed").stiffness.shape == (149,)
