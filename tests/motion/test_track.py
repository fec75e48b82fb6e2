"""Following goals over time."""

import numpy as np
import pytest
from tests.motion.samples import HUMAN, excess, planar_arm
from tests.solvers.arms import iiwa

import manikin as mk
from manikin.closed_form.passages import passed
from manikin.motion.limits import Limits
from manikin.motion.refine import jerk_of
from manikin.motion.tracking import within

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
    assert motion.reached.all() and motion.position_errors.max() < 1e-4 and not motion.lagging.any()
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
    assert motion.lagging.any() and not motion.reached.all()
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
    assert np.isnan(motion.position_errors[-1, 2]) and motion.position_errors[0, 2] < 1e-6


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
    assert limits_of(q, 100.0)[1].max() <= 10.0 and not tracker.lagging


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
    assert not tracker.lagging and tracker.solution.reached
    with pytest.raises(mk.SolveError, match="one a goal"):
        tracker.step([here, here])


def test_a_stream_is_judged_by_the_targets_given_though_an_outlier_is_not_followed():
    figure = planar_arm()
    pose = figure.pose(START)
    here = pose.position("tool")
    tracker = mk.Tracker(pose, [mk.Position("tool", here, hard=True)], rate=100.0, velocity=False)
    for _ in range(20):
        tracker.step([here])
    assert tracker.feasible and tracker.violations == ()
    tracker.step([here + [0.1, 0.0, 0.0]])
    off = np.linalg.norm(tracker.pose.position("tool") - here - [0.1, 0.0, 0.0])
    assert off > 0.05 and not tracker.feasible
    (one,) = tracker.violations
    assert one.kind == "hard goal" and one.amount == pytest.approx(off, abs=1e-6)
    tracker.step([None])  # lost: of where it was heading
    assert tracker.feasible


@pytest.mark.parametrize("count", [3, 5, 40])
def test_a_jerk_limit_holds_on_the_curve_of_a_clip_of_few_samples_too(count):
    """A spline's first and last pieces have a jerk that no third difference tells."""
    figure, dt = planar_arm(), 0.01
    pose = figure.pose(START)
    path = pose.position("tool") + 0.02 * np.sin(np.arange(count))[:, None] * [1.0, 0.5, 0.0]
    most = {"velocity": 1.0, "acceleration": 8.0, "jerk": 60.0}
    clip = mk.track(pose, mk.Along(mk.Position("tool", path[0]), path), dt * np.arange(count), **most)
    at = np.linspace(0.0, clip.duration, 20 * count + 1)
    told = {one.kind for one in clip.violations}
    for order, (name, limit) in enumerate(most.items(), start=1):
        assert name in told or np.abs(clip.values(at, order)).max() <= limit * (1.0 + 1e-6)
    assert clip.feasible.all()


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


@pytest.mark.parametrize("even", [True, False])
def test_limits_hold_between_the_samples_of_a_noisy_path_too(even):
    """Samples kept them, the curve between used 2.1 times the acceleration."""
    figure, rng = planar_arm(), np.random.default_rng(5)
    pose = figure.pose(START)
    times = np.arange(0.0, 1.0, 0.01) if even else np.sort(rng.uniform(0.0, 1.0, 60))
    times = times[np.concatenate([[True], np.diff(times) > 2e-3])]
    seen = np.outer(0.5 - 0.5 * np.cos(2.0 * np.pi * times), [-0.3, -0.3, 0.0]) + pose.position("tool")
    seen[:, :2] += rng.normal(0.0, 0.004, (len(times), 2))
    motion = mk.track(
        pose,
        mk.Along(mk.Position("tool", seen[0]), seen),
        times,
        velocity=3.0,
        acceleration=40.0,
        smoothing=0.0,
    )
    assert motion.lagging.any() and motion.feasible.all() and motion.violations == ()
    dense = np.linspace(times[0], times[-1], 5000)
    assert np.abs(motion.velocity(dense)).max() <= 3.0 * 1.001
    assert np.abs(motion.acceleration(dense)).max() <= 40.0 * 1.001
    assert excess(figure, motion.values(dense)) <= 1e-12
    (one,) = {v.kind for v in motion.verify(dense, velocity=0.5)}
    worst = max(motion.verify(dense, velocity=0.5), key=lambda v: v.amount)
    k = figure.dofs.index(worst.name)
    assert one == "velocity" and worst.unit == "rad/s"
    assert worst.amount == pytest.approx(np.abs(motion.velocity(dense)[:, k]).max() - 0.5)


def test_reached_and_errors_are_of_the_target_given_though_an_outlier_is_not_followed():
    figure, times = planar_arm(), np.arange(0.0, 1.0, 0.01)
    pose = figure.pose(START)
    seen = mk.Line(pose.position("tool"), [0.2, 0.7, 0.0]).over(times)
    seen[60] += [0.1, -0.12, 0.0]
    seen[30] = np.nan
    motion = mk.track(pose, mk.Along(mk.Position("tool", seen[0]), seen), times, velocity=False)
    placed = figure.forward(motion.q, "tool")[:, 0, :3, 3]
    off = np.linalg.norm(placed - seen, axis=1)
    assert off[60] > 0.1 and not motion.reached[60] and motion.reached.sum() == len(times) - 1
    assert (
        np.isnan(motion.position_errors[30, 0])
        and np.nanmax(np.abs(motion.position_errors[:, 0] - off)) < 1e-9
    )


# Swings beside a wall with a jump: the angular frequency and phase, the jump, the limits on speed and acceleration.
_BESIDE_A_WALL = [(21.5, 4.33, 1.0, 4.0, 53.6), (11.0, 2.3, 1.0, 2.0, 24.6), (21.1, 2.53, 0.5, 2.0, 81.3)]


@pytest.mark.parametrize(("frequency", "phase", "jump", "speed", "acceleration"), _BESIDE_A_WALL)
def test_a_passage_that_would_leave_the_range_is_made_longer_or_left(
    frequency, phase, jump, speed, acceleration
):
    """Beside a wall the quintic through a jump swings beyond it, by up to 0.22 m."""
    figure = mk.Figure("slide", ["a", "b"], [mk.Joint.prismatic("s", "a", "b", lower=-2.0, upper=1.0)])
    t = np.arange(200) * 0.01
    rows = (0.9 + 0.09 * np.sin(frequency * t + phase) - jump * (t > 1.0))[:, None]
    assert passed(rows, t, speed, acceleration)[0].max() > 1.1
    found, _, inside = passed(rows, t, speed, acceleration, lambda some: bool((some <= 1.0).all()))
    assert found.max() <= 1.0 or not inside
    limits = Limits(np.array([speed]), np.array([acceleration]), np.array([np.inf]))
    kept, lagging = within(figure, t, rows, limits)
    assert kept.max() <= 1.0 + 1e-12 and lagging.any()
    used = limits_of(kept, 100.0)
    assert used[0].max() <= speed * (1 + 1e-9) and used[1].max() <= acceleration * (1 + 1e-9)


def test_a_refined_clip_keeps_the_limits_of_the_tracked_one():
    figure, rng = planar_arm(), np.random.default_rng(2)
    pose = figure.pose(START)
    times = np.arange(0.0, 1.0, 0.01)
    seen = mk.Line(pose.position("tool"), [0.2, 0.7, 0.0]).over(times) + rng.normal(0, 0.003, (100, 3)) * [
        1,
        1,
        0,
    ]
    goals = [mk.Along(mk.Position("tool", seen[0]), seen)]
    clip = mk.track(pose, goals, times, velocity=1.0, acceleration=8.0)
    again = mk.refined(clip, goals, smoothing=1e-14)
    assert again.feasible.all() and again.violations == ()
    speed, acceleration = limits_of(again.q, 100.0)
    assert speed.max() <= 1.0 + 1e-9 and acceleration.max() <= 8.0 + 1e-6


def test_key_frames_say_which_hard_goal_of_which_key_is_missed():
    figure = planar_arm()
    far = mk.Position("tool", [2.0, 0.0, 0.0], hard=True)
    motion = mk.interpolate([figure.pose(START), [far], figure.pose(START)], [0.0, 0.5, 1.0])
    (one,) = motion.violations
    assert motion.feasible.tolist() == [True, False, True] and not motion.reached
    assert (one.kind, one.unit, one.time) == ("hard goal", "m", 0.5)
    assert one.amount == pytest.approx(0.8, abs=1e-3) and "hard goal" in str(one)
