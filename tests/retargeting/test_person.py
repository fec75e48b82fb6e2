"""Characters and robots as people: joints, ranges, bones' lengths, masses, soles."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.errors import FigureError
from manikin.figure.human.natural_posture import is_human
from manikin.figure.human.ranges import LIMBS
from manikin.figure.rotations import from_vectors, to_swing_twist, to_vectors
from manikin.formats import read
from manikin.formats.people import as_person
from manikin.motion.motion import Motion
from manikin.retargeting.person import at_ease, person

# A rig that spreads its arms: bone, the one it hangs from, and where it begins in the world.
BONES = {
    "Hips": (None, (0.0, 0.0, 1.0)),
    "Spine": ("Hips", (0.0, 0.0, 1.12)),
    "Spine1": ("Spine", (0.0, 0.0, 1.3)),
    "Head": ("Spine1", (0.0, 0.0, 1.55)),
    **{
        name: bone
        for side, y in (("Left", 1.0), ("Right", -1.0))
        for name, bone in {
            f"{side}Shoulder": ("Spine1", (0.0, 0.05 * y, 1.45)),
            f"{side}Arm": (f"{side}Shoulder", (0.0, 0.18 * y, 1.45)),
            f"{side}ForeArm": (f"{side}Arm", (0.0, 0.46 * y, 1.45)),
            f"{side}Hand": (f"{side}ForeArm", (0.0, 0.72 * y, 1.45)),
            f"{side}UpLeg": ("Hips", (0.0, 0.1 * y, 0.95)),
            f"{side}Leg": (f"{side}UpLeg", (0.0, 0.12 * y, 0.52)),
            f"{side}Foot": (f"{side}Leg", (-0.01, 0.13 * y, 0.09)),
            f"{side}ToeBase": (f"{side}Foot", (0.13, 0.14 * y, 0.02)),
        }.items()
    },
}


def rig(seed=0):
    """The rig, each bone's frame turned at random, as those of files are."""
    random = np.random.default_rng(seed)
    frames = {}
    for name, (_, place) in BONES.items():
        frames[name] = np.eye(4)
        frames[name][:3, :3] = from_vectors(random.normal(size=(1, 3)))[0]
        frames[name][:3, 3] = place
    joints = [
        mk.Joint(name, above, name, "ball", np.linalg.inv(frames[above]) @ frames[name])
        for name, (above, _) in BONES.items()
        if above is not None
    ]
    return mk.Figure("rig", list(BONES), joints, base="free", location=frames["Hips"])


def test_a_rig_stands_upright_with_its_arms_hanging_where_all_its_angles_are_zero():
    found = person(rig()).figure
    assert is_human(found)
    at = {name: found.pose(np.zeros(found.n)).position(name) for name in found.sites}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for start, end in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle")):
            way = at[f"{side}_{end}"] - at[f"{side}_{start}"]
            assert way[2] < 0.0 and np.hypot(*way[:2]) < 1e-9
        assert sign * at[f"{side}_shoulder"][1] > 0.1
        assert abs(at[f"{side}_heel"][2]) < 0.02
    assert min(
        at[f"{side}_sole_{k}"][2] for side in ("left", "right") for k in (1, 2, 3, 4)
    ) == pytest.approx(0.0, abs=1e-9)


def test_bones_keep_their_lengths_and_angles_mean_what_they_say():
    source, found = rig(), person(rig()).figure
    rest = source.pose()
    bent = found.pose(
        {"left_hip_flexion": 1.0, "left_knee": 1.2, "right_shoulder_abduction": 0.7, "right_elbow": 0.5}
    )
    for name, (above, _) in BONES.items():
        if above is not None:
            length = np.linalg.norm(rest.position(name) - rest.position(above))
            assert np.linalg.norm(bent.position(name) - bent.position(above)) == pytest.approx(
                length, abs=1e-9
            )
    thigh = bent.position("left_knee") - bent.position("left_hip")
    shank = bent.position("left_ankle") - bent.position("left_knee")
    assert np.degrees(np.arctan2(thigh[0], -thigh[2])) == pytest.approx(np.degrees(1.0), abs=1e-6)
    assert np.degrees(np.arctan2(-shank[0], -shank[2])) == pytest.approx(np.degrees(0.2), abs=1e-6)
    arm = bent.position("right_elbow") - bent.position("right_shoulder")
    assert np.arctan2(-arm[1], -arm[2]) == pytest.approx(0.7, abs=1e-9)  # outwards
    fore = bent.position("right_wrist") - bent.position("right_elbow")
    assert fore[0] > 0.1 * np.linalg.norm(fore)  # forwards


def test_its_ranges_are_the_humans_and_its_weight_is_over_its_feet():
    found = person(rig()).figure
    for name, (low, high) in LIMBS.items():
        for side in ("left", "right"):
            if f"{side}_{name}" in found.dofs:
                k = found.index(f"{side}_{name}")
                assert np.degrees([found.lower[k], found.upper[k]]) == pytest.approx([low, high])
    assert not any(
        np.isinf(found.lower[k]) for k, name in enumerate(found.dofs) if not name.startswith("root_")
    )
    center, feet = found.pose().center_of_mass(), found.pose().position("left_foot")
    assert abs(center[0] - feet[0]) < 0.1 and abs(center[1]) < 1e-6 and 0.9 < center[2] < 1.1


@pytest.mark.parametrize("seed", range(3))
def test_a_clip_of_the_rig_puts_the_persons_limbs_where_the_rigs_are(seed):
    source = rig(seed)
    who = person(source)
    random = np.random.default_rng(seed)
    # Poses that a person can take, as the rig has them.
    figure = who.figure
    low, high = np.maximum(figure.lower, -1.0), np.minimum(figure.upper, 1.0)
    wanted = figure.rest + random.uniform(0.2, 0.6, (5, figure.n)) * (0.5 * (low + high) - figure.rest)
    names = list(BONES)
    frames = figure.forward(wanted, names)
    q = np.array([_values(source, dict(zip(names, each, strict=True))) for each in frames])
    found = who.values(q)
    assert np.abs(figure.forward(found, names) - frames)[..., :3, 3].max() < 1e-6


def _values(source, at):
    """The rig's values at which its bones have these frames."""
    values = {}
    moved = np.linalg.inv(source.location) @ at["Hips"]
    values.update(zip(("root_x", "root_y", "root_z"), moved[:3, 3], strict=True))
    values.update(zip(("root_rx", "root_ry", "root_rz"), to_vectors(moved[None, :3, :3])[0], strict=True))
    for joint in source.joints.values():
        if joint.name == "root":
            continue
        turn = np.linalg.inv(at[joint.parent] @ joint.placement) @ at[joint.child]
        for axis, value in zip(joint.axes, to_swing_twist(turn[None, :3, :3], np.eye(3))[0], strict=True):
            values[axis.name] = value
    return np.array([values[name] for name in source.dofs])


def test_people_take_natural_postures_with_the_rig_too():
    found = person(rig()).figure
    rest = found.pose()
    feet = [mk.Pin(f"{side}_foot", at=rest.matrix(f"{side}_foot")) for side in ("left", "right")]
    low = mk.solve(found, [*feet, mk.Position("right_hand", [0.3, -0.2, 0.2])])
    assert low.reached
    angles = {name: np.degrees(value) for name, value in low.pose.values().items()}
    assert angles["left_knee"] > 40.0 and angles["left_hip_flexion"] > 40.0


def test_the_human_figure_written_as_a_character_is_read_as_the_same_person(tmp_path):
    human = mk.human()
    pose = human.pose(
        {"left_knee": 0.8, "left_hip_flexion": 0.9, "right_elbow": 1.0, "right_shoulder_flexion": 0.6}
    )
    motion = Motion(human, [0.0, 1.0], [human.rest, pose.q], name="bend")
    for suffix in ("glb", "vrm", "bvh"):
        path = tmp_path / f"someone.{suffix}"
        mk.save(motion, path)
        contents = read(path, person=True)
        assert is_human(contents.figure), suffix
        last = mk.Pose(contents.figure, contents.clips[0].q[-1])
        for site in ("left_knee", "left_ankle", "right_elbow", "right_wrist"):
            was, now = (each.position(site) - each.position("pelvis") for each in (pose, last))
            assert np.linalg.norm(now - was) < 0.02, (suffix, site)


def test_the_fingertips_are_the_points_of_the_hands_farthest_from_the_wrists(tmp_path):
    human = mk.human()
    mk.save(human, tmp_path / "someone.vrm", look="skin")
    contents = as_person(read(tmp_path / "someone.vrm"))
    found, skins = contents.figure, contents.skins
    pose = found.pose()
    for side in ("left", "right"):
        wrist, tip = pose.position(f"{side}_wrist"), pose.position(f"{side}_fingertip")
        length = np.linalg.norm(
            human.pose().position(f"{side}_fingertip") - human.pose().position(f"{side}_wrist")
        )
        assert np.linalg.norm(tip - wrist) == pytest.approx(length, rel=0.1)
        nearest = min(np.linalg.norm(skin.posed(pose) - tip, axis=1).min() for skin in skins)
        assert nearest < 1e-3


def biped(bends=1.0, yaw=False):
    """A robot of straight legs and hanging arms whose knees bend in one direction, with ranges."""
    joints = []

    def hang(name, above, child, axis, place, low, high):
        joints.append(mk.Joint(name, above, child, f"R({axis})", place, lower=low, upper=high))

    for side, y in (("left", 0.1), ("right", -0.1)):
        if yaw:
            hang(f"{side}_hip_yaw", "pelvis", f"{side}_hip_turned", "z", (0, y, -0.05), -3.0, 3.0)
        above, place = (f"{side}_hip_turned", (0, 0, 0)) if yaw else ("pelvis", (0, y, -0.05))
        hang(f"{side}_hip_roll", above, f"{side}_hip_rolled", "x", place, -0.5, 0.5)
        hang(f"{side}_hip_pitch", f"{side}_hip_rolled", f"{side}_thigh", "y", (0, 0, 0), -2.0, 2.0)
        low, high = (-0.1, 2.0) if bends > 0 else (-2.0, 0.1)
        hang(f"{side}_knee", f"{side}_thigh", f"{side}_shank", "y", (0, 0, -0.4), low, high)
        hang(f"{side}_ankle_pitch", f"{side}_shank", f"{side}_rolled", "y", (0, 0, -0.4), -0.9, 0.9)
        hang(f"{side}_ankle_roll", f"{side}_rolled", f"{side}_foot", "x", (0, 0, 0), -0.4, 0.4)
        hang(f"{side}_shoulder", "pelvis", f"{side}_arm", "y", (0, 2 * y, 0.45), -3.0, 3.0)
        hang(f"{side}_elbow", f"{side}_arm", f"{side}_forearm", "y", (0, 0, -0.25), -2.0, 0.0)
        hang(f"{side}_wrist", f"{side}_forearm", f"{side}_hand", "y", (0, 0, -0.25), -1.0, 1.0)
    segments = ["pelvis"]
    for joint in joints:
        segments.append(joint.child)
    heavy = [mk.Segment(name, mass=10.0 if name == "pelvis" else 1.0) for name in segments]
    return mk.Figure("biped", heavy, joints)


@pytest.mark.parametrize("bends", [1.0, -1.0])
@pytest.mark.parametrize("yaw", [False, True])
def test_a_robot_at_ease_bends_both_knees_as_they_bend_and_keeps_its_arms(bends, yaw):
    found = person(biped(bends, yaw)).figure
    rest, pose = found.pose(), at_ease(found)
    values = pose.values()
    for side in ("left", "right"):
        assert bends * values[f"{side}_knee"] == pytest.approx(0.35)
        assert np.abs(pose.matrix(f"{side}_foot") - rest.matrix(f"{side}_foot")).max() < 1e-6
        assert all(values[f"{side}_{name}"] == 0.0 for name in ("shoulder", "elbow", "wrist"))
    assert pose.position("pelvis")[2] < rest.position("pelvis")[2] - 0.005


def test_what_has_no_legs_is_refused_by_name():
    arm = mk.Figure("arm", ["base", "upper"], [mk.Joint("a", "base", "upper", "R(z)")])
    with pytest.raises(FigureError, match="arm"):
        person(arm)
