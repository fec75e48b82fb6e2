"""What a follower promises of every sample, whatever its target does: measured by differences of what it hands out."""

import numpy as np
import pytest
from tests.motion.samples import excess, planar_arm
from tests.solvers.arms import iiwa

import manikin as mk
from manikin.motion.follower import Follower, SampleLimits
from manikin.motion.limits import Limits
from manikin.motion.region import Region


class _Box:
    """Every value between −side and side."""

    def __init__(self, side):
        self.side = side

    def holds(self, path):
        return bool((np.abs(path) <= self.side + 1e-12).all())

    def between(self, start, end, shares):
        return start + shares[:, None] * (end - start)


def _limits(n, speed, acceleration, jerk=np.inf):
    return SampleLimits(np.full(n, speed), np.full(n, acceleration), np.full(n, jerk))


def _excess(x, limits):
    """The greatest share of each limit that samples x (T, n) use."""
    rates = [np.diff(x, order, axis=0) for order in (1, 2, 3)]
    limits = limits.speed, limits.acceleration, limits.jerk
    return [float((np.abs(rate) / most).max()) for rate, most in zip(rates, limits, strict=True)]


def _wandering(seed, jump=1.0):
    """Targets that jump every 300 samples and swing between, (1200, 3)."""
    rng = np.random.default_rng(seed)
    targets = np.repeat(rng.normal(0.0, jump, (4, 3)), 300, axis=0)
    return targets + 0.3 * np.sin(np.arange(1200) / 25.0)[:, None]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("jerk", [np.inf, 0.002])
def test_speed_acceleration_and_jerk_hold_whatever_the_target_does(seed, jerk):
    targets, limits = _wandering(seed), _limits(3, 0.05, 0.004, jerk)
    follower = Follower(targets[0], limits, _Box(20.0))
    x = np.array([targets[0], *(follower.step(target).copy() for target in targets)])
    assert max(_excess(x, limits)) <= 1.0 + 1e-9
    assert np.abs(x[-1] - targets[-1]).max() < 1e-12 and not follower.lagging


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("jerk", [np.inf, 0.002])
def test_a_box_is_never_left_though_the_target_runs_at_its_walls(seed, jerk):
    """Targets clipped at the walls stop dead there; the follower slows down before them."""
    side, limits = 0.9, _limits(3, 0.05, 0.002, jerk)
    targets = np.clip(_wandering(seed, 0.7), -side, side)
    targets = np.concatenate([targets, np.repeat(targets[-1:], 100, axis=0)])
    follower = Follower(targets[0], limits, _Box(side))
    x = np.array([targets[0], *(follower.step(target).copy() for target in targets)])
    assert np.abs(x).max() <= side + 1e-12 and max(_excess(x, limits)) <= 1.0 + 1e-9
    assert (np.abs(targets) == side).any() and np.abs(x[-1] - targets[-1]).max() < 1e-12


def _circle(figure, pose, turns_a_second, rate, seconds):
    here = pose.position("tool") - [0.15, 0.0, 0.0]
    t = 2.0 * np.pi * turns_a_second * np.arange(0.0, seconds, 1.0 / rate)
    return here + 0.15 * np.stack([np.cos(t), np.sin(t), 0.0 * t], axis=1)


def test_a_tracker_with_too_little_speed_or_acceleration_lags_says_so_and_rejoins():
    """It left the circle by 879 mm for good, with 316 rad/s² where 40 was the limit."""
    figure, rate = iiwa(), 200.0
    pose = figure.pose([0.2, 0.6, 0.1, -1.2, 0.1, 0.9, 0.0])
    circle = _circle(figure, pose, 0.5, rate, 6.0)
    targets = np.concatenate([circle, np.repeat(circle[-1:], 100, axis=0)])
    tracker = mk.Tracker(
        pose, [mk.Position("tool", circle[0], hard=True)], rate=rate, velocity=1.73, acceleration=40.0
    )
    q, lagging = [pose.q], []
    for target in targets:
        q.append(tracker.step([target]))
        lagging.append(tracker.lagging)
        off = np.linalg.norm(tracker.pose.position("tool") - target)
        assert tracker.feasible == (off <= 1e-8 * (1 + 1e-6))
        if not tracker.feasible:
            (one,) = tracker.violations
            assert one.kind == "hard goal" and one.unit == "m" and one.amount == pytest.approx(off, abs=1e-7)
    q = np.array(q)
    v = np.diff(q, axis=0) * rate
    assert np.abs(v).max() <= 1.73 * (1 + 1e-9) and np.abs(np.diff(v, axis=0)).max() * rate <= 40.0 * (
        1 + 1e-9
    )
    assert excess(figure, q) <= 0.0
    off = np.linalg.norm(figure.forward(q[1:], "tool")[:, 0, :3, 3] - targets, axis=1)
    lagging = np.array(lagging)
    assert lagging.any() and not lagging[-1] and off[-1] < 1e-8
    assert off.max() < 0.06 and (off[~lagging] < 1e-8).all()


def test_a_jerk_limit_holds_in_a_stream_and_in_a_clip():
    figure, rate = planar_arm(), 100.0
    pose = figure.pose([0.4, 0.5, 0.4, 0.3])
    path = mk.Line(pose.position("tool"), [-0.2, 0.7, 0.0]).over(np.arange(0.0, 1.0, 0.01))
    targets = np.concatenate([path, np.repeat(path[-1:], 100, axis=0)])
    goal = mk.Position("tool", path[0])
    limits = {"velocity": 1.5, "acceleration": 10.0, "jerk": 150.0}
    tracker = mk.Tracker(pose, [goal], rate=rate, **limits)
    stream = np.array([pose.q, *(tracker.step([target]) for target in targets)])
    clip = mk.track(pose, mk.Along(goal, targets), np.arange(len(targets)) / rate, **limits)
    for q in (stream, clip.q):
        for order, most in enumerate(limits.values(), start=1):
            assert np.abs(np.diff(q, order, axis=0)).max() * rate**order <= most * (1 + 1e-9)
        assert np.linalg.norm(figure.forward(q[-1], "tool")[0, :3, 3] - targets[-1]) < 1e-4
    assert clip.feasible.all() and clip.violations == () and clip.lagging.any()


def test_a_region_off_centre_is_crossed_within_it():
    """From one side of a cone's hollow to the other the straight way is outside."""
    figure = mk.Figure(
        "ball",
        ["base", "upper"],
        [mk.Joint.ball("s", "base", "upper", cone=1.2, center=(1.2, 0.0), twist=(-1.0, 1.0))],
        [mk.Site("tip", "upper", (0, 0, 0.3))],
    )
    region, rng = Region(figure), np.random.default_rng(3)
    inside = [q for q in rng.uniform(figure.lower, figure.upper, (400, 3)) if region.holds(q[None])]
    assert len(inside) > 20
    limits = _limits(3, 0.05, 0.004)
    follower = Follower(inside[0], limits, region)
    x = [inside[0]]
    for target in inside[:20]:
        for _ in range(300):
            x.append(follower.step(target).copy())
        assert np.abs(x[-1] - target).max() < 1e-12 and not follower.lagging
    assert max(_excess(np.array(x), limits)[:2]) <= 1.0 + 1e-9
    assert excess(figure, np.array(x)) <= 1e-9


@pytest.mark.parametrize("over", ["none", "speed", "acceleration", "jerk"])
def test_steps_keep_the_limits_that_differences_of_samples_do(over):
    dt = 0.1
    x = np.array([[0.0, 0.0], [0.01, -0.02], [0.03, -0.03], [0.06, -0.03], [0.08, -0.01], [0.09, 0.0]])
    after = [
        np.abs(np.diff(x, order, axis=0))[3 - order :] for order in (1, 2, 3)
    ]  # of the steps after the second
    rates = [each.max(axis=0) / dt**order for order, each in zip((1, 2, 3), after, strict=True)]
    if over != "none":  # of the second coordinate alone
        rates[("speed", "acceleration", "jerk").index(over)][1] *= 0.99
    limits = SampleLimits.of(Limits(*rates), dt)
    steps = np.diff(x, axis=0)
    assert limits.keep(steps[2:], steps[1], steps[1] - steps[0]) == (over == "none")
