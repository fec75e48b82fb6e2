"""Motions taken over to figures of other sizes, names and structure."""

import numpy as np
import pytest
from tests.motion.samples import HUMAN, excess

import manikin as mk
from manikin.retargeting.contacts import spans, still


def step():
    """A human that stands, lifts its right foot forward and stands again."""
    bent = {"left_knee": 0.25, "right_knee": 0.25, "left_hip_flexion": 0.12, "right_hip_flexion": 0.12}
    bent |= {"left_ankle_flexion": 0.13, "right_ankle_flexion": 0.13}
    start = HUMAN.pose(bent | {"left_shoulder_flexion": 0.6, "right_elbow": 1.0})
    foot = start.matrix("right_foot")
    lifted, ahead = foot.copy(), foot.copy()
    lifted[:3, 3] += [0.12, 0.0, 0.10]
    ahead[:3, 3] += [0.25, 0.0, 0.0]
    times = np.arange(0.0, 1.2, 1 / 60)
    swing = np.repeat(foot[None], len(times), axis=0)
    first = times < 0.4
    between = (times >= 0.4) & (times <= 0.8)
    way = mk.Spline(np.stack([foot, lifted, ahead]), ease="smooth").over(times[between])
    swing[between], swing[~first & ~between] = way, ahead
    goals = [mk.Pin("left_foot"), mk.Along(mk.Placement("right_foot", foot[:3, 3], foot[:3, :3]), swing)]
    return mk.track(start, goals, times, velocity=False, robust=False)


def robot():
    """A small humanoid of hinges whose links are called as a robot's are."""
    joints, parts = [], ["pelvis", "torso_link"]
    joints.append(
        mk.Joint.revolute("waist", "pelvis", "torso_link", "z", placement=(0, 0, 0.1), lower=-1, upper=1)
    )
    for side, y in (("left", 1.0), ("right", -1.0)):
        chain = [
            ("hip_pitch", "pelvis", (0, 0.1 * y, 0), "y", -2.2, 2.2),
            ("hip_roll", None, (0, 0, 0), "x", -0.6, 0.6),
            ("hip_yaw", None, (0, 0, 0), "z", -0.6, 0.6),
            ("knee", None, (0, 0, -0.3), "y", 0.0, 2.4),
            ("ankle_pitch", None, (0, 0, -0.3), "y", -1.0, 0.8),
            ("ankle_roll", None, (0, 0, 0), "x", -0.4, 0.4),
            ("shoulder_pitch", "torso_link", (0, 0.18 * y, 0.3), "y", -3, 3),
            ("shoulder_roll", None, (0, 0, 0), "x", -2, 2),
            ("shoulder_yaw", None, (0, 0, 0), "z", -2, 2),
            ("elbow", None, (0, 0, -0.2), "y", -2.4, 0.1),
            ("wrist_roll", None, (0, 0, -0.18), "z", -1, 1),
        ]
        for name, parent, at, axis, low, high in chain:
            link = f"{side}_{name}_link"
            joint = mk.Joint.revolute(
                f"{side}_{name}_joint", parent or parts[-1], link, axis, placement=at, lower=low, upper=high
            )
            joints.append(joint)
            parts.append(link)
    return mk.Figure("robot", parts, joints, base="free")


def hardly_slips(motion, figure):
    worst = 0.0
    for role in ("left_ankle", "right_ankle"):
        at = figure.forward(motion.q, motion.roles[role])[:, 0, :3, 3]
        for low, high in spans(motion.contacts[role]):
            worst = max(worst, float(np.ptp(at[low:high], axis=0).max()))
    return worst < 1e-3 and motion.slip() < 1e-3


@pytest.fixture(scope="module")
def walked():
    return step()


def test_a_smaller_human_steps_alike(walked):
    small = mk.human(stature=0.8 * 1.756)
    motion = mk.retarget(walked, small)
    assert 0.75 < motion.scale < 0.85 and excess(small, motion.q) < 1e-12
    assert hardly_slips(motion, small)
    assert motion.contacts["left_ankle"].all() and not motion.contacts["right_ankle"].all()
    assert max(float(miss.max()) for role, miss in motion.misses.items() if "toe" not in role) < 0.05
    # Bones point as they did.
    for one, two in (
        ("left_shoulder", "left_elbow"),
        ("right_elbow", "right_wrist"),
        ("right_hip", "right_knee"),
    ):
        ways = []
        for clip, figure in ((walked, HUMAN), (motion, small)):
            at = figure.forward(clip.q, [one, two])[:, :, :3, 3]
            ways.append((at[:, 1] - at[:, 0]) / np.linalg.norm(at[:, 1] - at[:, 0], axis=1)[:, None])
        assert (ways[0] * ways[1]).sum(axis=1).min() > np.cos(0.2)
    right = small.forward(motion.q, "right_ankle")[:, 0, 0, 3]
    assert right[-1] - right[0] == pytest.approx(0.25 * motion.scale, abs=0.03)


def test_a_robot_of_other_names_and_structure_steps_too(walked):
    figure = robot()
    roles = mk.roles_of(figure)
    assert roles["left_knee"] == "left_knee_link" and roles["right_wrist"] == "right_wrist_roll_link"
    assert roles["left_hip"] == "left_hip_roll_link" and "left_toe" not in roles
    motion = mk.retarget(walked, figure, sole=0.05)
    assert excess(figure, motion.q) <= 0.0 and hardly_slips(motion, figure)
    heights = figure.forward(motion.q, "left_ankle_roll_link")[:, 0, 2, 3]
    assert np.abs(heights - 0.05).max() < 1e-3
    assert "left_knee_link (name)" in str(motion.roles)


def test_roles_are_guessed_shown_and_overridden():
    roles = mk.roles_of(HUMAN)
    assert roles["left_knee"] == "left_knee" and roles.found["left_knee"] == "name"
    assert set(roles.to_dict()) >= {"pelvis", "head", "right_wrist"}
    given = mk.roles_of(HUMAN, {"left_knee": "left_popliteal", "head": None})
    assert (
        given["left_knee"] == "left_popliteal" and given.found["left_knee"] == "given" and "head" not in given
    )
    with pytest.raises(mk.FigureError, match="unknown role"):
        mk.roles_of(HUMAN, {"tail": "pelvis"})
    with pytest.raises(mk.FigureError, match="unknown site"):
        mk.roles_of(HUMAN, {"left_knee": "nowhere"})


def test_names_that_say_nothing_are_read_off_the_geometry():
    figure = robot()
    names = {name: f"part{k}" for k, name in enumerate(figure.segments)}
    joints = [
        mk.Joint(
            f"j{k}",
            names[j.parent],
            names[j.child],
            j.motion,
            j.placement,
            lower=j.axes[0].lower,
            upper=j.axes[0].upper,
        )
        for k, j in enumerate(figure.joints.values())
        if j.name != "root"
    ]
    roles = mk.roles_of(mk.Figure("nameless", list(names.values()), joints, base="free"))
    assert roles["left_ankle"] == names["left_ankle_roll_link"] and roles.found["left_ankle"] == "geometry"
    assert roles["left_knee"] == names["left_knee_link"] and roles["right_elbow"] == names["right_elbow_link"]


def test_a_figure_without_legs_or_on_a_fixed_base_is_refused(walked):
    arm = mk.Figure("arm", ["a", "b"], [mk.Joint.revolute("j", "a", "b")], base="free")
    with pytest.raises(mk.FigureError, match=r"no site found for .*left_hip"):
        mk.retarget(walked, arm)
    with pytest.raises(mk.FigureError, match="free base"):
        mk.retarget(walked, mk.human(base="fixed"))


def test_contacts_are_low_and_slow():
    t = np.arange(0.0, 2.0, 0.01)
    height = np.where((t > 0.5) & (t < 1.0), 0.1 * np.sin(2 * np.pi * (t - 0.5)), 0.0)
    points = np.stack([np.where(t > 0.75, 0.4, 0.0), 0 * t, height], axis=1)
    found = still(t, points, 0.03, 0.3)
    assert found[:45].all() and found[110:].all() and not found[60:90].any()


def test_contacts_of_one_frame_are_where_it_is_low():
    point = np.array([[0.0, 0.0, 0.02]])
    assert (
        still(np.zeros(1), point, 0.05, 0.3, 0.0).all()
        and not still(np.zeros(1), point, 0.01, 0.3, 0.0).any()
    )


def test_a_hand_that_is_said_to_hold_on_stays(walked):
    small = mk.human(stature=1.4)
    held = (walked.times > 0.3) & (walked.times < 0.9)
    motion = mk.retarget(walked, small, contacts={"left_wrist": held})
    at = small.forward(motion.q, motion.roles["left_wrist"])[:, 0, :3, 3]
    assert np.ptp(at[held], axis=0).max() < 1e-3 and np.ptp(at, axis=0).max() > 0.01
    with pytest.raises(mk.FigureError, match=r"contacts: 'left_knee' must be one of .*left_ankle"):
        mk.retarget(walked, small, contacts={"left_knee": held})
