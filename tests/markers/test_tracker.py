"""Following markers: at the minimum, inside ranges, couplings and loops, over gaps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from manikin.errors import FigureError, PoseError, SolveError
from manikin.formats.opensim import read_osim
from manikin.markers import Marker, Markers, MarkerSet, Tracker
from manikin.markers.places import marker_places

from .samples import arm, half_sum, human, pose, spots


def walk(figure, markers, frames=40, noise=0.005, seed=0):
    """Markers of a smooth motion inside the ranges, with noise; and the motion."""
    rng = np.random.default_rng(seed)
    times = np.arange(frames) / 100.0
    middle, swing = pose(figure, seed, 0.2), 0.15 * rng.uniform(0.3, 1.0, figure.n)
    q = middle + swing * np.sin(2 * np.pi * (1.5 * times[:, None] + rng.uniform(0, 1, figure.n)))
    q = np.clip(q, figure.lower, figure.upper)
    places = marker_places(figure, q, markers)
    return Markers(markers, times, places + rng.normal(0, noise, places.shape)), q


def test_markers_without_noise_give_the_motion_back():
    figure = arm()
    markers = spots(figure)
    capture, q = walk(figure, markers, noise=0.0)
    tracked = Tracker(figure, markers).track(capture)
    assert tracked.converged.all()
    assert tracked.marker_errors == pytest.approx(np.zeros_like(tracked.marker_errors), abs=1e-6)
    assert tracked.q == pytest.approx(q, abs=1e-5)


def test_every_frame_is_at_scipys_minimum():
    figure = arm()
    markers = spots(figure)
    capture, q = walk(figure, markers, frames=4, noise=0.03)
    tracker = Tracker(figure, markers, rest=1e-3)
    tracked = tracker.track(capture, start=q[0])
    for f in range(4):
        found = minimize(
            lambda x: half_sum(tracker, x, capture.positions[f]),  # noqa: B023
            tracked.q[f],
            method="L-BFGS-B",
            bounds=list(zip(figure.lower, figure.upper, strict=True)),
            options={"ftol": 1e-15, "gtol": 1e-10},
        )
        assert 0.5 * tracked.cost[f] <= found.fun * (1 + 1e-7)
        assert tracked.cost[f] == pytest.approx(2 * half_sum(tracker, tracked.q[f], capture.positions[f]))


def test_a_pose_that_markers_pull_out_of_its_range_stays_on_its_end():
    figure = arm()
    markers = spots(figure)
    q = pose(figure)
    wild = q.copy()
    wild[figure.index("wrist_x")] = 1.4
    tracker = Tracker(figure, markers)
    tracker.begin(q)
    found = tracker.follow(marker_places(figure, wild, markers))
    assert found[figure.index("wrist_x")] == 0.8
    assert (found >= figure.lower).all() and (found <= figure.upper).all()


def test_couplings_hold_to_rounding():
    figure = arm().with_couplings("wrist_x + wrist_z <= 0.2", "shoulder_twist = 0.5*elbow - 0.4")
    markers = spots(figure)
    capture, _ = walk(arm(), markers, noise=0.02)
    tracked = Tracker(figure, markers).track(capture, start={"shoulder_twist": -0.4})
    x = dict(zip(figure.dofs, tracked.q.T, strict=True))
    assert (x["wrist_x"] + x["wrist_z"]).max() <= 0.2 + 1e-9
    assert x["shoulder_twist"] == pytest.approx(0.5 * x["elbow"] - 0.4, abs=1e-9)
    free = Tracker(arm(), markers).track(capture)
    assert (tracked.cost >= free.cost - 1e-12).all()


def test_a_loop_stays_closed():
    from pathlib import Path

    data = Path(__file__).parents[1] / "formats" / "osim" / "data"
    model = read_osim(data / "four_bar.osim")
    figure = model.figure
    tracker = Tracker(figure, model.markers)
    rng = np.random.default_rng(0)
    for _ in range(20):
        places = marker_places(figure, [1.2, -1.0, -1.1], model.markers)
        q = tracker.follow(places + rng.normal(0, 0.03, places.shape))
        assert figure.loops[0].gap(figure.pose(q))[0] < 1e-7


def test_a_marker_that_is_not_seen_counts_nothing():
    figure = arm()
    markers = spots(figure)
    capture, q = walk(figure, markers, noise=0.0)
    places = capture.positions.copy()
    places[5:15, 2] = np.nan
    places[20] = np.nan
    tracked = Tracker(figure, markers).track(Markers(markers, capture.times, places))
    assert np.isnan(tracked.marker_errors[5:15, 2]).all() and np.isnan(tracked.marker_errors[20]).all()
    assert (tracked.q[20] == tracked.q[19]).all()
    assert tracked.q[:20] == pytest.approx(q[:20], abs=1e-5)
    summary = tracked.summary()
    assert summary["frames_with_gaps"] == 11
    assert summary["markers"][2]["missing"] == 11


def test_weights_say_what_counts():
    figure = arm()
    markers = spots(figure)
    capture, _ = walk(figure, markers, noise=0.03)
    plain = Tracker(figure, markers).track(capture)
    heavy = Tracker(figure, markers, weights={"hand_0": 1000.0}).track(capture, start=plain.q[0])
    k = plain.labels.index("hand_0")
    assert (heavy.marker_errors[:, k] < 0.2 * plain.marker_errors[:, k]).all()
    without = Tracker(figure, markers, weights={"hand_0": 0.0}).track(capture, start=plain.q[0])
    assert np.isnan(without.marker_errors[:, k]).all()


def test_a_coordinate_task_pulls_and_its_values_may_change_over_time():
    figure = arm()
    markers = spots(figure).only(["trunk_0", "trunk_1", "trunk_2", "upper_0", "upper_1", "upper_2", "hand_0"])
    capture, q = walk(figure, markers, noise=0.0)
    wanted = np.linspace(0.3, 0.5, len(capture))
    tracker = Tracker(figure, markers, tasks={"elbow": (1e4, 0.4)})
    tracked = tracker.track(capture, start=q[0], values={"elbow": wanted})
    assert tracked.q[:, figure.index("elbow")] == pytest.approx(wanted, abs=1e-3)


def test_fixed_coordinates_stay_or_take_given_values():
    figure = arm()
    markers = spots(figure)
    capture, q = walk(figure, markers, noise=0.0)
    j = figure.index("elbow")
    held = Tracker(figure, markers, fixed=["elbow"]).track(capture, start=q[0])
    assert (held.q[:, j] == q[0, j]).all()
    driven = Tracker(figure, markers, fixed=["elbow"]).track(capture, start=q[0], values={"elbow": q[:, j]})
    assert driven.q == pytest.approx(q, abs=1e-5)


def test_a_stream_gives_what_a_file_gives_and_threads_the_same():
    body, markers = human()
    capture, _ = walk(body, markers, frames=700, noise=0.004)
    tracker = Tracker(body, markers, rest=1e-3)
    whole = tracker.track(capture)
    stream = Tracker(body, markers, rest=1e-3)
    stream.begin(whole.q[0])
    for f in range(50):
        q = stream.follow(capture.positions[f])
        if f:
            assert q == pytest.approx(whole.q[f], abs=1e-6)
    assert np.nanmax(stream.misses) < 0.05 and stream.cost > 0.0
    side = Tracker(body, markers, rest=1e-3).track(capture, start=whole.q[0], threads=2)
    assert side.q == pytest.approx(whole.q, abs=1e-5)


def test_the_first_frame_is_found_whichever_way_the_figure_looks():
    body, markers = human()
    for seed in range(6):
        q = pose(body, seed, 0.3)
        q[:3] = [3.0, -2.0, 0.1]
        q[3:6] = np.random.default_rng(seed).uniform(-1.5, 1.5, 3)
        tracker = Tracker(body, markers)
        tracker.follow(marker_places(body, q, markers))
        assert np.nanmax(tracker.misses) < 1e-4


def test_thorough_is_never_worse():
    figure = arm()
    markers = spots(figure, each=1)
    capture, q = walk(figure, markers, noise=0.05)
    quick = Tracker(figure, markers)
    thorough = Tracker(figure, markers, multistart=True)
    for f in range(len(capture)):
        quick.begin(q[f])
        thorough.begin(q[f])
        quick.follow(capture.positions[f])
        thorough.follow(capture.positions[f])
        assert thorough.cost <= quick.cost * (1 + 1e-12)


def test_progress_is_told_and_may_stop():
    figure = arm()
    markers = spots(figure)
    capture, _ = walk(figure, markers, frames=600)
    told = []
    Tracker(figure, markers).track(capture, progress=lambda done, of: told.append((done, of)))
    assert told == [(256, 600), (512, 600), (600, 600)]

    def stop(done, of):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Tracker(figure, markers).track(capture, progress=stop)


def test_what_makes_no_sense_is_refused():
    figure = arm()
    markers = spots(figure)
    capture, _ = walk(figure, markers, frames=3)
    with pytest.raises(SolveError, match="neither"):
        Tracker(figure)
    with pytest.raises(FigureError, match="no segment 'tail'"):
        Tracker(figure, MarkerSet({"a": Marker("tail", [0, 0, 0])}))
    with pytest.raises(SolveError, match="no marker or sensor 'hnd_0'"):
        Tracker(figure, markers, weights={"hnd_0": 1.0})
    with pytest.raises(SolveError, match="must not be negative"):
        Tracker(figure, markers, weights={"hand_0": -1.0})
    with pytest.raises(PoseError, match="elbw"):
        Tracker(figure, markers, tasks={"elbw": 1.0})
    with pytest.raises(SolveError, match="none of the figure's markers"):
        Tracker(figure, markers).track(capture.renamed({label: f"{label}!" for label in capture.labels}))
    with pytest.raises(PoseError, match="infinite"):
        Tracker(figure, markers).follow(np.full((len(markers), 3), np.inf))


def test_a_captured_motion_begins_from_rest_in_another_pose_without_a_jolt():
    figure, markers = human()
    capture, _ = walk(figure, markers, frames=80, noise=0.0)
    tracked = Tracker(figure, markers, rest=1e-6).track(capture)
    start = figure.pose()
    motion = tracked.begun(start, 0.4)
    np.testing.assert_allclose(motion.values(0.0), start.q, atol=1e-12)
    assert np.abs(motion.velocity(0.0)).max() < 0.02 * np.abs(motion.velocity(0.2)).max()
    late = tracked.times[tracked.times > 0.4]
    np.testing.assert_allclose(motion.values(late), tracked.motion.values(late), atol=1e-9)
    between = motion.values(np.linspace(0.0, 0.4, 201))
    assert (between >= figure.lower - 1e-9).all() and (between <= figure.upper + 1e-9).all()
    with pytest.raises(PoseError, match="time to begin in"):
        tracked.begun(start, 5.0)


@pytest.mark.parametrize(
    ("totals", "enough"),
    [
        ([3e-13], True),  # met exactly
        ([1.0] * 6, False),
        ([1.0] * 7, True),  # one minimum, found by all
        ([1.0] * 14 + [2.0], False),
        ([1.0] * 15 + [2.0], True),
        ([1.0] * 24 + [2.0, 3.0], False),
        ([1.0, 1.0 + 1e-7] * 4, True),  # the same but for rounding
    ],
)
def test_a_first_frame_is_begun_anew_until_no_further_minimum_is_to_be_expected(totals, enough):
    from manikin.markers.tracker import _enough

    assert _enough(totals) is enough


def test_the_first_frame_fits_no_worse_than_from_all_starts_there_are(monkeypatch):
    figure = arm()
    markers = spots(figure)
    found = []
    for rule in (None, lambda totals: False):
        if rule is not None:
            monkeypatch.setattr("manikin.markers.tracker._enough", rule)
        found.append([])
        for seed in range(12):
            capture, _ = walk(figure, markers, frames=1, noise=0.02, seed=seed)
            found[-1].append(Tracker(figure, markers).track(capture).cost[0])
    assert found[0] == pytest.approx(found[1], rel=1e-5)
