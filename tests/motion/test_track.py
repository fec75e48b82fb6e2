"""Following goals over time."""

import numpy as np
import pytest
from tests.motion.samples import HUMAN, excess, planar_arm
from tests.solvers.arms import iiwa

import manikin as mk
from manikin.closed_form.passage import Follower
from manikin.closed_form.passages import passed
from manikin.motion.refine import jerk_of

START = [0.4, 0.5, 0.4, 0.3]
RATE = 1000.0


def limits_of(q, rate=RATE):
    """The greatest speeds and accelerations of samples."""
    v = np.diff(q, axis=0) * rate
    return np.abs(v).max(axis=0), np.abs(np.diff(v, axis=0) * rate).max(axis=0)


def test_a_tool_follows_a_line_inside_speeds_and_accelerations():
    figure = iiwa()
    pose = figure.pose([0.2, 0.6, 0.1, -1.2, 0.1, 0.9, 0.0])
    start = pose.matrix("tool")
    end = start.copy()
    end[:3, 3] += [0.05, 0.3, -0.1]
    times = np.arange(0.0, 2.0005, 1e-3)
    goal = mk.Placement("tool", start[:3, 3], start[:3, :3])
    motion = mk.track(pose, mk.Along(goal, mk.Line(start, end)), times, velocity=1.5, acceleration=8.0)
    assert motion.reached.all() and motion.errors.max() < 1e-4 and not motion.slowed.any()
    placed = figure.forward(motion.q, "tool")[:, 0]
    assert np.abs(placed - mk.Line(start, end).over(times)).max() < 1e-4
    speed, acceleration = limits_of(motion.q)
    assert speed.max() <= 1.5 and acceleration.max() <= 8.0 and excess(figure, motion.q) <= 0.0


def test_too_fast_a_path_is_left_and_no_limit_broken():
    figure = planar_arm(velocity=1.0)
    pose = figure.pose(START)
    times = np.arange(0.0, 1.0, 1e-2)
    goal = mk.Position("tool", [0, 0, 0])
    line = mk.Line(pose.position("tool"), [-0.3, 0.6, 0.0])
    motion = mk.track(pose, mk.Along(goal, line), times, acceleration=6.0)
    speed, acceleration = limits_of(motion.q, 100.0)
    assert motion.slowed.any() and not motion.reached.all()
    assert speed.max() <= 1.0 + 1e-6 and acceleration.max() <= 6.0 + 1e-6
    free = mk.track(pose, mk.Along(goal, line), times, velocity=False)
    assert free.reached.all() and limits_of(free.q, 100.0)[0].max() > 1.0


def test_gaps_are_bridged_and_outliers_do_not_pull():
    figure, times = planar_arm(), np.arange(0.0, 2.0, 0.01)
    pose = figure.pose(START)
    path = mk.Line(pose.position("tool"), [0.2, 0.7, 0.0]).over(times)
    seen = path + np.random.default_rng(1).normal(0.0, 0.002, path.shape) * [1, 1, 0]
    seen[40:60] = np.nan
    seen[120] += [0.4, -0.3, 0.0]
    motion = mk.track(pose, mk.Along(mk.Position("tool", path[0]), seen), times, velocity=False)
    placed = figure.forward(motion.q, "tool")[:, 0, :3, 3]
    assert np.linalg.norm(placed - path, axis=1).max() < 0.02
    assert motion.trust[50, 0] == 0.0 and motion.trust[120, 0] < 0.1
    careless = mk.track(
        pose, mk.Along(mk.Position("tool", path[0]), seen), times, velocity=False, robust=False
    )
    assert np.linalg.norm(figure.forward(careless.q, "tool")[120, 0, :3, 3] - path[120]) > 0.1


def test_pins_hold_while_they_last_without_sliding():
    times = np.linspace(0.0, 1.0, 41)
    start = HUMAN.pose(
        {"left_knee": 0.3, "right_knee": 0.3, "left_hip_flexion": 0.2, "right_hip_flexion": 0.2}
    )
    hand = start.position("right_hand")
    goals = [
        mk.Along(mk.Position("right_hand", hand), mk.Line(hand, hand + [0.25, 0.1, 0.3])),
        mk.Pin("left_foot"),
        mk.During(mk.Pin("right_foot"), 0.0, 0.5),
    ]
    motion = mk.track(start, goals, times, velocity=False)
    assert motion.reached.all() and excess(HUMAN, motion.q) < 1e-12
    feet = HUMAN.forward(motion.q, ["left_foot", "right_foot"])
    assert np.abs(feet[:, 0] - start.matrix("left_foot")).max() < 1e-6
    assert np.abs(feet[times <= 0.5, 1] - start.matrix("right_foot")).max() < 1e-6
    assert np.isnan(motion.errors[-1, 2]) and motion.errors[0, 2] < 1e-6


def test_a_clip_refined_as_a_whole_has_half_the_jerk_at_the_same_misses():
    figure, rng = planar_arm(6), np.random.default_rng(3)
    times = np.arange(0.0, 1.5, 1 / 60)
    truth = mk.interpolate(
        [figure.pose([0.3] * 6), figure.pose([0.6, -0.4, 0.9, 0.1, 0.5, -0.2]), figure.pose([0.1] * 6)],
        [0.0, 0.7, 1.5],
    ).values(times)
    sites = [f"link{k}" for k in range(2, 7)] + ["tool"]
    marks = figure.forward(truth, sites)[:, :, :3, 3]
    seen = marks + rng.normal(0.0, 0.005, marks.shape) * [1, 1, 0]
    goals = [mk.Along(mk.Position(site, marks[0, k]), seen[:, k]) for k, site in enumerate(sites)]
    raw = mk.track(figure.pose(truth[0]), goals, times, velocity=False)
    smooth = mk.refined(raw, goals)

    def rms(motion, points):
        return np.sqrt(np.mean((motion.forward(sites)[:, :, :3, 3] - points) ** 2))

    assert jerk_of(times, smooth.q) < 0.5 * jerk_of(times, raw.q)
    assert rms(smooth, seen) <= 1.05 * rms(raw, seen)
    assert rms(smooth, marks) < rms(raw, marks)
    assert excess(figure, smooth.q) <= 0.0


def test_with_many_markers_the_jerk_halves_at_misses_within_a_hundredth():
    names = [f"link{k}" for k in range(5)]
    joints = [
        mk.Joint.revolute(
            f"j{k}", names[k], names[k + 1], placement=(0.3 if k else 0, 0, 0), lower=-2.6, upper=2.6
        )
        for k in range(4)
    ]
    places = [
        mk.Site(f"marker{k}_{i}", names[k + 1], (0.05 + 0.05 * i, 0.03 * (-1) ** i, 0))
        for k in range(4)
        for i in range(6)
    ]
    figure, rng, times = (
        mk.Figure("marked", names, joints, places),
        np.random.default_rng(5),
        np.arange(0.0, 1.5, 1 / 60),
    )
    keys = [figure.pose([0.3] * 4), figure.pose([0.6, -0.4, 0.9, 0.1]), figure.pose([0.1] * 4)]
    truth = mk.interpolate(keys, [0.0, 0.7, 1.5]).values(times)
    sites = [site.name for site in places]
    marks = figure.forward(truth, sites)[:, :, :3, 3]
    seen = marks + rng.normal(0.0, 0.005, marks.shape) * [1, 1, 0]
    goals = [mk.Along(mk.Position(site, marks[0, k]), seen[:, k]) for k, site in enumerate(sites)]
    raw = mk.track(figure.pose(truth[0]), goals, times, velocity=False)
    smooth = mk.refined(raw, goals, allow=0.01)
    before, after = (np.sqrt(np.mean((m.forward(sites)[:, :, :3, 3] - seen) ** 2)) for m in (raw, smooth))
    assert after <= 1.01 * before and jerk_of(times, smooth.q) < 0.5 * jerk_of(times, raw.q)


def test_refining_refuses_what_it_cannot_measure():
    motion = mk.Motion(planar_arm(), [0.0, 1.0], np.zeros((2, 4)))
    with pytest.raises(mk.SolveError, match="only"):
        mk.refined(motion, [mk.OnPlane("tool", [0, 0, 0], [0, 0, 1])])


def test_a_stream_follows_what_the_clip_follows():
    figure = planar_arm()
    pose = figure.pose(START)
    times = np.arange(0.0, 1.0, 0.01)
    path = mk.Line(pose.position("tool"), [0.2, 0.7, 0.0]).over(times)
    goal = mk.Position("tool", path[0])
    tracker = mk.Tracker(pose, [goal], rate=100.0, velocity=3.0)
    q = np.array([tracker.step([target]) for target in path])
    assert np.linalg.norm(figure.forward(q, "tool")[:, 0, :3, 3] - path, axis=1).max() < 1e-4
    assert np.array_equal(tracker.pose.q, q[-1])
    # What is preferred among equals takes more than the limit below; within it the path is followed all the same.
    assert limits_of(q, 100.0)[1].max() > 10.0
    tracker = mk.Tracker(pose, [goal], rate=100.0, velocity=3.0, acceleration=10.0)
    q = np.array([pose.q, *(tracker.step([target]) for target in path)])
    assert np.linalg.norm(figure.forward(q[1:], "tool")[:, 0, :3, 3] - path, axis=1).max() < 1e-4
    assert limits_of(q, 100.0)[1].max() <= 10.0 and not tracker.passing


def test_a_stream_goes_over_gaps_outliers_and_jumps_within_its_limits():
    figure = planar_arm()
    pose = figure.pose(START)
    here = pose.position("tool")
    tracker = mk.Tracker(pose, [mk.Position("tool", here)], rate=100.0, velocity=2.0, acceleration=20.0)
    wild = here + [0.3, 0.0, 0.0]
    targets = [here] * 20 + [wild] + [here] * 10 + [None] * 10 + [np.array([0.2, 0.7, 0.0])] * 200
    q = np.array([pose.q, *(tracker.step([target]) for target in targets)])
    assert np.linalg.norm(figure.forward(q[25], "tool")[0, :3, 3] - here) < 0.1
    assert np.linalg.norm(figure.forward(q[-1], "tool")[0, :3, 3] - targets[-1]) < 1e-4
    speed, acceleration = limits_of(q, 100.0)
    assert speed.max() <= 2.0 + 1e-9 and acceleration.max() <= 20.0 + 1e-9
    assert not tracker.passing and tracker.solution.reached
    with pytest.raises(mk.SolveError, match="one a goal"):
        tracker.step([here, here])


@pytest.mark.parametrize("seed", range(6))
def test_a_follower_keeps_speed_and_acceleration_whatever_its_target_does(seed):
    rng = np.random.default_rng(seed)
    targets = np.repeat(rng.normal(0.0, 1.0, (4, 3)), 300, axis=0)
    targets += 0.3 * np.sin(np.arange(1200) / 25.0)[:, None]
    follower = Follower(targets[0], 0.05, 0.004)
    x = np.array([follower.step(target).copy() for target in targets])
    v = np.diff(x, axis=0)
    assert np.abs(v).max() <= 0.05 + 1e-12 and np.abs(np.diff(v, axis=0)).max() <= 0.004 + 1e-12
    assert np.abs(np.diff(v, 2, axis=0)).max() < 0.004
    assert np.abs(x[-1] - targets[-1]).max() < 1e-12 and not follower.passing


def test_a_known_flip_is_passed_c2_and_the_rest_stays():
    t = np.arange(400) * 0.01
    rows = np.stack([np.sin(t * (1 + 0.1 * k)) for k in range(7)], axis=1)
    rows[190:] += np.random.default_rng(41).uniform(-2.0, 2.0, 7)
    found, moved, kept = passed(rows, t, 4.0, 30.0)
    speed, acceleration = limits_of(found, 100.0)
    assert kept and speed.max() <= 4.0 and acceleration.max() <= 30.0
    assert moved.any() and np.array_equal(found[~moved], rows[~moved])
    assert not passed(rows * 50.0, t, 1.0, 1.0)[2]


def test_the_arms_tracker_passes_a_flip_with_limited_acceleration():
    arm = mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    start = np.array([0.3, 0.5, 0.2, -1.2, 0.4, 0.7, 0.1])
    target = arm.pose(start + np.array([0.5, -0.4, 0.3, 0.3, -0.6, 0.2, 0.4])).matrix("tool")
    tracker = mk.ArmTracker(arm, start, step=0.05, acceleration=0.005)
    q = np.array([start, *(tracker.step(target).copy() for _ in range(80))])
    v = np.diff(q, axis=0)
    assert np.abs(v).max() <= 0.05 + 1e-12 and np.abs(np.diff(v, axis=0)).max() <= 0.005 + 1e-12
    assert np.abs(arm.pose(q[-1]).matrix("tool") - target).max() < 1e-9
    jumps = np.repeat(np.stack([arm.pose(start).matrix("tool"), target]), 60, axis=0)
    rows = arm.track(jumps, start, speed=0.05, acceleration=0.005)
    v = np.diff(rows, axis=0)
    assert np.abs(v).max() <= 0.05 + 1e-12 and np.abs(np.diff(v, axis=0)).max() <= 0.005 + 1e-12


def test_what_track_cannot_honour_is_refused():
    goal = mk.Along(mk.Position("tool", [0, 0, 0]), mk.Line([0.5, 0, 0], [0.4, 0.2, 0]))
    with pytest.raises(mk.SolveError, match="rising"):
        mk.track(planar_arm(), goal, [0.0, 0.0])
    with pytest.raises(mk.SolveError, match="velocity: limits must be positive"):
        mk.track(planar_arm(), goal, [0.0, 1.0], velocity=-1.0)
    with pytest.raises(mk.GoalError, match="no goals"):
        mk.track(planar_arm(), [], [0.0, 1.0])
