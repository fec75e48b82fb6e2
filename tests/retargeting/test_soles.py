"""Toes that a foot rolls over, soles and the ground, clips that begin with a jump, and bones whose lengths stay."""

import numpy as np
import pytest
from tests.motion.samples import HUMAN, excess
from tests.retargeting.test_retarget import robot, step

import manikin as mk
from manikin.retargeting.contacts import spans

RATE = 60.0


@pytest.fixture(scope="module")
def rolled():
    """A human stands on flat feet, rolls up onto its toes, stays there and comes down again."""
    start = HUMAN.pose(
        {f"{side}_{name}": value for side in ("left", "right") for name, value in
         (("knee", 0.3), ("hip_flexion", 0.15), ("ankle_flexion", 0.15))}
    )  # fmt: skip
    times = np.arange(0.0, 2.4, 1.0 / RATE)
    share = np.clip(np.minimum((times - 0.5) / 0.4, (2.0 - times) / 0.4), 0.0, 1.0)
    up = (share**2 * (3.0 - 2.0 * share))[:, None]
    goals = []
    for side in ("left", "right"):
        toe, ankle = start.position(f"{side}_toe"), start.position(f"{side}_ankle")
        away = ankle - toe
        lean = np.array(
            [
                away[0] * np.cos(0.5) + away[2] * np.sin(0.5),
                away[1],
                away[2] * np.cos(0.5) - away[0] * np.sin(0.5),
            ]
        )
        goals += [
            mk.Position(f"{side}_toe", toe, weight=10.0),
            mk.Along(mk.Position(f"{side}_ankle", ankle), toe + away + up * (lean - away)),
        ]
    pelvis = start.position("pelvis")
    goals.append(mk.Along(mk.Position("pelvis", pelvis), pelvis + up * [0.03, 0.0, 0.06]))
    return mk.track(start, goals, times, velocity=False)


def _toe_slide(motion, side):
    """How far a toe moves while it stands, alone too, metres."""
    at = motion.figure.forward(motion.q, motion.roles[f"{side}_toe"])[:, 0, :3, 3]
    found = spans(motion.contacts[f"{side}_toe"])
    return max(float(np.linalg.norm(at[low:high] - at[low], axis=1).max()) for low, high in found)


def test_a_toe_stays_where_it_is_while_the_foot_rolls_over_it(rolled):
    """Its contacts were dropped where the ankle ever stands, by the motion and by `slip`."""
    small = mk.human(stature=1.4)
    motion = mk.retarget(rolled, small)
    for side in ("left", "right"):
        alone = motion.contacts[f"{side}_toe"] & ~motion.contacts[f"{side}_ankle"]
        assert alone.mean() > 0.3 and motion.contacts[f"{side}_ankle"].mean() > 0.2
        assert _toe_slide(motion, side) < 1e-3
    assert motion.slip() == pytest.approx(
        max(_toe_slide(motion, side) for side in ("left", "right")), abs=2e-4
    )
    lifted = small.forward(motion.q, "left_ankle")[:, 0, 2, 3]
    assert lifted.max() - lifted[0] > 0.03 and excess(small, motion.q) < 1e-12


def test_slip_tells_of_a_toe_that_slides_though_its_ankle_stands_at_times(rolled):
    motion = mk.retarget(rolled, mk.human(stature=1.4))
    q = motion.q.copy()
    alone = np.flatnonzero(motion.contacts["left_toe"] & ~motion.contacts["left_ankle"])
    q[alone, 0] += 0.05
    other = mk.retarget(rolled, motion.figure)
    other._q = q
    assert other.slip() == pytest.approx(0.05, abs=2e-3)


def test_feet_below_the_ground_are_told_and_a_robot_without_soles_asks_for_them():
    walked, figure = step(), robot()
    motion = mk.retarget(walked, figure)
    assert any("give sole=" in note for note in motion.notes)
    soles = [mk.Shape("box", (0.2, 0.1, 0.04), (0.03, 0, -0.06))]
    from dataclasses import replace

    segments = [
        replace(part, shapes=soles) if part.name.endswith("ankle_roll_link") else part
        for part in figure.segments.values()
    ]
    shod = mk.Figure("shod", segments, list(figure.joints.values())[1:], base="free")
    motion = mk.retarget(walked, shod)
    assert motion.below.max() < 2e-3 and not any("ground" in note for note in motion.notes)
    low = mk.retarget(walked, shod, sole=0.03)
    assert low.below.max() == pytest.approx(0.05, abs=5e-3)
    assert any("below the ground by up to 5" in note for note in low.notes)
    frames = shod.forward(low.q, "left_ankle_roll_link")[:, 0]
    corners = np.array([[x, y, -0.08, 1.0] for x in (-0.07, 0.13) for y in (-0.05, 0.05)])
    left = (frames @ corners.T)[:, 2].min(axis=1)
    assert (low.below >= -left - 1e-9).all()


def test_a_clip_that_begins_in_another_pose_is_kept_within_speeds_and_says_so():
    """Its first frame made 101 rad/s."""
    walked = step()
    q = walked.q.copy()
    q[0] = HUMAN.pose({"left_shoulder_abduction": 1.5, "right_shoulder_abduction": 1.5}).q
    q[0, :6] = q[1, :6]
    motion = mk.retarget(walked.changed(values=q), mk.human(stature=1.5))
    speed = np.abs(np.diff(motion.q, axis=0))[:, 6:] / np.diff(motion.times)[:, None]
    assert speed.max() <= 10.0 * (1 + 1e-9) and motion.hurry <= 1.0 + 1e-9 and motion.passed[:3].any()
    assert any("begins with a jump" in note for note in motion.notes)
    slow = mk.retarget(walked.changed(values=q), mk.human(stature=1.5), velocity=3.0)
    speed = np.abs(np.diff(slow.q, axis=0)) / np.diff(slow.times)[:, None]
    assert speed.max() <= 3.0 * (1 + 1e-9) and slow.feasible.all() and slow.violations == ()


def test_bones_of_joints_that_also_slide_keep_their_lengths():
    figure = robot()
    joints = []
    for joint in list(figure.joints.values())[1:]:
        if joint.name in ("left_knee_joint", "right_elbow_joint"):
            joint = mk.Joint(joint.name, joint.parent, joint.child, "free", joint.placement)
        joints.append(joint)
    loose = mk.Figure("loose", list(figure.segments.values()), joints, base="free")
    motion = mk.retarget(step(), loose, sole=0.05)
    slides = [k for k, name in enumerate(loose.dofs) if k >= 6 and loose.dof(name).unit == "m"]
    assert len(slides) == 6 and np.abs(motion.q[:, slides]).max() == 0.0 and motion.figure is loose
