"""Recorded people on a smaller one and on a Unitree G1, judged by plain forward kinematics."""

import numpy as np
import pytest
from benchmarks.peers.robots import ROBOTS, published
from tests.motion.samples import excess
from tests.retargeting.recorded import at_120_hertz, from_postures

import manikin as mk
from manikin.figure import kinematics
from manikin.retargeting.contacts import GRIP, spans

#: How high a G1's ankle is above its sole, which is a mesh.
SOLE = 0.03
POSTURES = {"02_06": "bends over, scoops up, rises, lifts an arm", "02_10": "washes"}


def target(which):
    if which == "smaller":
        return mk.human(stature=0.8 * 1.756), {}
    file = published(ROBOTS["g1"])
    if not file.is_file():
        pytest.skip("example-robot-data is not installed")
    return mk.load(file, base="free"), {"sole": SOLE}


def places(figure, q, site):
    """(T, 3), by the plain NumPy of `figure.kinematics`, one frame at a time."""
    return np.array([kinematics.site_matrix(figure, row, site)[:3, 3] for row in q])


def slide(motion):
    """The farthest that an ankle goes while its foot stands."""
    worst = 0.0
    for role in ("left_ankle", "right_ankle"):
        for low, high in spans(motion.contacts[role]):
            some = motion.q[np.unique(np.linspace(low, high - 1, min(high - low, 40)).astype(int))]
            at = places(motion.figure, some, motion.roles[role])
            worst = max(worst, float(np.linalg.norm(at - at[0], axis=1).max()))
    return worst


def touches(source, motion):
    """By wrist and part in contact in the source, how far the way between them is from s times the source's."""
    at = {
        role: source.figure.forward(source.q, site)[:, 0, :3, 3]
        for role, site in motion.source_roles.sites.items()
    }
    leg = sum(
        np.linalg.norm(at[f"left_{one}"][0] - at[f"left_{two}"][0])
        for one, two in (("hip", "knee"), ("knee", "ankle"))
    )
    found = {}
    for hand, part in motion.touches:
        away = at[hand] - at[part]
        near = np.flatnonzero(np.linalg.norm(away, axis=1) < GRIP * leg)
        if part in motion.roles and len(near):
            one, two = (places(motion.figure, motion.q[near], motion.roles[role]) for role in (hand, part))
            found[hand, part] = np.linalg.norm(one - two - motion.scale * away[near], axis=1)
    return found


@pytest.mark.parametrize("which", ["smaller", "g1"])
@pytest.mark.parametrize("name", ["cmu_78_11", "cmu_76_07"])
def test_a_clip_of_120_hertz_goes_over_without_sliding_and_inside_all_limits(name, which):
    source = at_120_hertz(name)
    figure, options = target(which)
    motion = mk.retarget(source, figure, **options)
    assert motion.contacts["left_ankle"].any() or motion.contacts["right_ankle"].any()
    assert slide(motion) < 1e-3 and motion.slip() < 1e-3
    assert excess(figure, motion.q) < 1e-12
    assert max(float(motion.misses[f"{side}_wrist"].max()) for side in ("left", "right")) < 0.01
    assert max(float(motion.misses[f"{side}_hip"].max()) for side in ("left", "right")) < 0.03


@pytest.mark.parametrize("which", ["smaller", "g1"])
@pytest.mark.parametrize("name", POSTURES)
def test_feet_stand_and_hands_keep_what_they_touch(name, which):
    source = from_postures(name, rate=10.0)
    figure, options = target(which)
    motion = mk.retarget(source, figure, **options)
    assert motion.contacts["left_ankle"].mean() > 0.9 and motion.contacts["right_ankle"].mean() > 0.9
    assert slide(motion) < 1e-3 and excess(figure, motion.q) < 1e-12
    found = touches(source, motion)
    assert found
    # Of all that is touched, in every frame; and what the motion says of it is so.
    assert max(float(missed.max()) for missed in found.values()) < 1e-3
    for pair, missed in motion.touch_misses(source).items():
        assert missed == pytest.approx(found[pair], abs=1e-9)


@pytest.mark.parametrize("which", ["smaller", "g1"])
@pytest.mark.parametrize("name", POSTURES)
def test_no_joint_jumps_from_frame_to_frame(name, which):
    source = from_postures(name, rate=60.0).trim(4.0, 13.0)
    figure, options = target(which)
    motion = mk.retarget(source, figure, **options)
    speeds = np.abs(np.diff(motion.q, axis=0)) * 60.0
    assert motion.hurry <= 1.0 and (speeds[:, 6:] <= motion.speed[6:] * (1.0 + 1e-9)).all()
    assert (motion.speed[6:] <= 16.0).all()
    if figure.velocity is not None:
        assert (motion.speed[6:] <= figure.velocity[6:]).all()
    assert slide(motion) < 1e-3 and excess(figure, motion.q) < 1e-12


def test_speeds_and_accelerations_that_are_asked_for_are_kept():
    source = from_postures("02_06", rate=60.0).trim(10.0, 13.0)
    figure = mk.human(stature=1.4)
    motion = mk.retarget(source, figure, velocity={"*": 8.0, "root_*": np.inf}, acceleration=300.0)
    speed = np.diff(motion.q, axis=0) * 60.0
    assert np.abs(speed[:, 6:]).max() <= 8.0 * (1.0 + 1e-9)
    assert np.abs(np.diff(speed, axis=0)).max() * 60.0 <= 300.0 * (1.0 + 1e-9)
    assert motion.hurry <= 1.0 and slide(motion) < 1e-3
    with pytest.raises(mk.SolveError, match=r"velocity: limits must be positive"):
        mk.retarget(source, figure, velocity=-1.0)
