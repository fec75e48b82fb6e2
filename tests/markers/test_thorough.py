"""A thorough tracker: limbs as problems of their own, and the lowest minimum rather than the nearest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import manikin as mk
from manikin.figure import Joint
from manikin.kernels.tracking import parts as kernel
from manikin.markers import Marker, Markers, MarkerSet, Tracker
from manikin.markers.parts import MOST, Parts, limbs_of
from manikin.markers.places import marker_places

from .samples import arm, half_sum, human, pose, spots


def crawler(**changes):
    """A trunk of two segments with two arms, each seen by two markers near its axes, and a tail that is seen well."""
    joints = [Joint("waist", "pelvis", "chest", "R(y)*R(x)*R(z)", [0, 0, 0.15], lower=-1.2, upper=1.2)]
    for side, y in (("left", 0.2), ("right", -0.2)):
        joints += [
            Joint(f"{side}_shoulder", "chest", f"{side}_upper", "R(z)*R(x)*R(y)", [0, y, 0.3]),
            Joint(
                f"{side}_elbow", f"{side}_upper", f"{side}_fore", "R(y)", [0, 0, -0.3], lower=0.0, upper=2.6
            ),
        ]
    joints += [Joint("tail", "pelvis", "tail", "R(y)*R(z)", [-0.1, 0, 0], lower=-1.0, upper=1.0)]
    segments = [
        "pelvis",
        "chest",
        "tail",
        *(f"{s}_{p}" for s in ("left", "right") for p in ("upper", "fore")),
    ]
    return mk.Figure("crawler", segments, joints, base="free", **changes)


def seen(figure):
    marks = {f"{s}_upper": Marker(f"{s}_upper", [0.02, 0.0, -0.28]) for s in ("left", "right")}
    marks |= {f"{s}_fore": Marker(f"{s}_fore", [0.0, 0.01, -0.24]) for s in ("left", "right")}
    rng = np.random.default_rng(3)
    for segment in ("pelvis", "chest", "tail"):
        marks |= {f"{segment}_{k}": Marker(segment, rng.normal(0, 0.1, 3)) for k in range(3)}
    return MarkerSet(marks)


def noisy(figure, markers, frames=30, noise=0.012, seed=0):
    rng = np.random.default_rng(seed)
    times = np.arange(frames) / 100.0
    middle = pose(figure, seed, 0.4)
    swing = rng.uniform(0.1, 0.3, figure.n) * np.sin(6.0 * times[:, None] + rng.uniform(0, 6, figure.n))
    q = np.clip(middle + swing, figure.lower, figure.upper)
    places = marker_places(figure, q, markers)
    return Markers(markers, times, places + rng.normal(0, noise, places.shape)), q


def parts_of(tracker):
    found = tracker._parts
    assert isinstance(found, Parts)
    return found


def test_limbs_are_the_branches_that_move_nothing_else():
    figure = crawler()
    tracker = Tracker(figure, seen(figure), multistart=True)
    limbs = {frozenset(limb) for limb in limbs_of(figure, parts_of(tracker))}
    arms = [frozenset(name for name in figure.dofs if name.startswith(side)) for side in ("left", "right")]
    tail = frozenset(name for name in figure.dofs if name.startswith("tail"))
    assert limbs == {*arms, tail}
    assert parts_of(tracker).trunk


def test_the_limbs_of_a_human_are_small_and_share_no_variable():
    body, markers = human()
    limbs = limbs_of(body, parts_of(Tracker(body, markers, multistart=True)))
    names = [name for limb in limbs for name in limb]
    assert len(limbs) >= 2 and len(set(names)) == len(names)
    assert all(0 < len(limb) <= MOST for limb in limbs)
    spanned = [set(coupling.coefficients) for coupling in body.couplings]
    variables = set(Tracker(body, markers).variables)
    for limb in limbs:
        for names in spanned:
            assert not names & set(limb) or names & variables <= set(limb)


def test_a_limb_that_is_coupled_to_another_is_none():
    figure = crawler().with_couplings("left_elbow = right_elbow")
    limbs = limbs_of(figure, parts_of(Tracker(figure, seen(figure), multistart=True)))
    assert [limb for limb in limbs if any("elbow" in name for name in limb)] == []


def test_what_a_limb_is_followed_by_is_seen_from_its_base():
    """P of each limb on the trunk, from the kernels' own arrays, adds up to what NumPy gives."""
    figure = crawler()
    markers = seen(figure)
    capture, q = noisy(figure, markers, frames=1)
    tracker = Tracker(figure, markers, multistart=True)
    tracker.begin(q[0])
    found = tracker.follow(capture.positions[0]).copy()
    parts = parts_of(tracker)
    begin = kernel.HEADER
    for p, pack in enumerate(parts._packs[1:]):
        at = int(parts.table[begin + kernel.RECORD * p + kernel.AT_B])
        targets = parts.buffer[at : at + 3 * len(pack.labels)].reshape(-1, 3)
        base = int(parts.table[begin + kernel.RECORD * p + kernel.BASE])
        if base == 0:
            assert targets == pytest.approx(capture.only(pack.labels).positions[0])
            continue
        # Distances among a limb's targets, and from its base's origin, do not depend on where one looks from.
        measured = capture.only(pack.labels).positions[0]
        own = np.linalg.norm(targets[:, None] - targets, axis=2)
        assert own == pytest.approx(np.linalg.norm(measured[:, None] - measured, axis=2), abs=1e-12)
    assert tracker.cost == pytest.approx(2.0 * half_sum(tracker, found, capture.positions[0]))


def test_poses_are_at_scipys_minimum_inside_the_ranges():
    figure = crawler()
    markers = seen(figure)
    capture, q = noisy(figure, markers, frames=4)
    tracker = Tracker(figure, markers, multistart=True, rest=1e-4)
    tracked = tracker.track(capture, start=q[0])
    assert tracked.converged.all()
    assert (tracked.q >= figure.lower).all() and (tracked.q <= figure.upper).all()
    for f in range(4):
        found = minimize(
            lambda x: half_sum(tracker, x, capture.positions[f]),  # noqa: B023
            tracked.q[f],
            method="L-BFGS-B",
            bounds=list(zip(figure.lower, figure.upper, strict=True)),
            options={"ftol": 1e-15, "gtol": 1e-10},
        )
        assert 0.5 * tracked.cost[f] <= found.fun * (1 + 1e-6)


def test_every_frame_is_at_the_lowest_of_many_minima():
    """Against 40 searches a frame with the plain tracker, from poses all over the ranges."""
    figure = crawler()
    markers = seen(figure)
    capture, q = noisy(figure, markers, frames=25, noise=0.02, seed=4)
    thorough = Tracker(figure, markers, multistart=True).track(capture, start=q[0])
    plain = Tracker(figure, markers)
    rng = np.random.default_rng(0)
    low, high = np.maximum(figure.lower, -np.pi), np.minimum(figure.upper, np.pi)
    ends = np.empty((len(capture), 40))
    for f in range(len(capture)):
        for k in range(40):
            start = low + (high - low) * rng.uniform(size=figure.n)
            start[:6] = thorough.q[f, :6]
            plain.begin(start)
            plain.follow(capture.positions[f])
            ends[f, k] = plain.cost
    assert (thorough.cost <= ends.min(axis=1) * (1 + 1e-6)).all()
    assert (ends.max(axis=1) > 1.05 * ends.min(axis=1)).mean() > 0.5  # there are others


def test_a_frame_that_begins_in_a_worse_minimum_leaves_it():
    figure = crawler()
    markers = seen(figure)
    capture, q = noisy(figure, markers, frames=12, noise=0.004, seed=1)
    turned = q.copy()
    for name in ("left_shoulder", "right_shoulder"):
        turned[:, [figure.index(dof) for dof in figure.dofs if dof.startswith(name)]] += [0.3, 0.4, 2.5]
    for f in range(len(capture)):
        plain, thorough = Tracker(figure, markers), Tracker(figure, markers, multistart=True)
        plain.begin(q[f])
        plain.follow(capture.positions[f])
        thorough.begin(turned[f])
        thorough.follow(capture.positions[f])
        assert thorough.cost <= plain.cost * (1 + 1e-6)


def test_a_stream_gives_what_a_file_gives():
    figure = crawler()
    markers = seen(figure)
    capture, q = noisy(figure, markers, frames=30)
    whole = Tracker(figure, markers, multistart=True).track(capture, start=q[0])
    stream = Tracker(figure, markers, multistart=True)
    stream.begin(q[0])
    for f, frame in enumerate(capture.positions):
        assert stream.follow(frame) == pytest.approx(whole.q[f], abs=1e-12)


def test_gaps_couplings_and_empty_frames_are_kept():
    figure = crawler().with_couplings("tail_y + tail_z <= 0.1")
    markers = seen(figure)
    capture, _ = noisy(crawler(), markers, frames=20)
    places = capture.positions.copy()
    places[5:9, 0] = np.nan
    places[12] = np.nan
    tracked = Tracker(figure, markers, multistart=True).track(Markers(markers, capture.times, places))
    assert np.isfinite(tracked.q).all()
    assert np.isnan(tracked.marker_errors[12]).all() and (tracked.q[12] == tracked.q[11]).all()
    pair = [figure.index(name) for name in figure.dofs if name.startswith("tail")]
    assert tracked.q[:, pair].sum(axis=1).max() <= 0.1 + 1e-9


def test_a_figure_of_one_limb_and_a_free_root_is_followed_too():
    figure = arm()
    markers = spots(figure)
    q = pose(figure)
    tracker = Tracker(figure, markers, multistart=True)
    tracker.begin(pose(figure, 1))
    tracker.follow(marker_places(figure, q, markers))
    assert np.nanmax(tracker.misses) < 1e-6


def test_turns_that_no_marker_sees_do_not_pile_up():
    """Poses drawn anew are anywhere on the circle; a coordinate without limits stays within a turn of where it was."""
    figure = crawler()
    markers = seen(figure)
    capture, q = noisy(figure, markers, frames=60, noise=0.02, seed=3)
    tracker = Tracker(figure, markers, multistart=True)
    tracked = tracker.track(capture, start=q[0])
    wraps = [k for k, name in enumerate(figure.dofs) if figure.dof(name).wraps]
    assert len(wraps) == 6
    assert (np.abs(np.diff(tracked.q[:, wraps], axis=0)) <= np.pi + 1e-9).all()
    again = tracker.track(capture, start=q[0])
    assert again.q == pytest.approx(tracked.q, abs=0.0)  # what was remembered is forgotten at a new start


def test_a_stretched_elbow_that_its_range_holds_is_turned_over():
    joints = [
        Joint("shoulder", "chest", "upper", "R(y)*R(x)*R(z)", [0, 0, 1.4]),
        Joint("elbow", "upper", "fore", "R(y)", [0, 0, -0.3], lower=0.0, upper=2.6),
    ]
    figure = mk.Figure("arm", ["chest", "upper", "fore"], joints)
    markers = MarkerSet({"elbow": Marker("upper", [0, 0, -0.3]), "wrist": Marker("fore", [0, 0, -0.25])})
    q = np.array([0.4, -0.3, 0.5, 0.35])
    measured = marker_places(figure, q[None], markers)[0]
    found = []
    for thorough in (False, True):
        tracker = Tracker(figure, markers, multistart=thorough)
        tracker.begin(q + [0.0, 0.0, np.pi, -0.35])
        found.append((tracker.follow(measured)[3], tracker.cost))
    assert found[0][0] == 0.0 and found[0][1] > 1e-4, "where it begins is no trap"
    assert abs(found[1][0] - 0.35) < 1e-5 and found[1][1] < 1e-12
