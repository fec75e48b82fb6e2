"""Markers: gaps, filters, virtual points."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.errors import PoseError
from manikin.markers import Gap, Markers, hip_centers, middle, on_frame


def circle(frames=101, rate=100.0):
    times = np.arange(frames) / rate
    angle = 2 * np.pi * times
    a = np.stack([np.cos(angle), np.sin(angle), 0.1 * angle], axis=1)
    return Markers(["A", "B"], times, np.stack([a, a + [0.0, 0.0, 1.0]], axis=1))


def without(markers, label, first, last):
    places = markers.positions.copy()
    places[first : last + 1, markers.index(label)] = np.nan
    return Markers(markers.labels, markers.times, places)


def test_gaps_are_told():
    gappy = without(without(circle(), "A", 10, 14), "B", 0, 2)
    assert gappy.gaps() == [Gap("A", 10, 14), Gap("B", 0, 2)]
    assert gappy.gaps()[0].frames == 5


def test_short_gaps_are_filled_smoothly_and_long_ones_and_ends_stay():
    full = circle()
    gappy = without(without(without(full, "A", 10, 14), "A", 40, 80), "B", 0, 2)
    filled = gappy.filled(0.1)
    assert filled["A"][10:15] == pytest.approx(full["A"][10:15], abs=1e-3)
    assert filled.gaps() == [Gap("A", 40, 80), Gap("B", 0, 2)]


def test_a_gap_is_filled_by_others_on_the_same_segment():
    rng = np.random.default_rng(0)
    times = np.arange(60) / 100.0
    local = rng.normal(0, 0.1, (4, 3))
    turns = Rotation.from_rotvec(np.outer(times, [3.0, -2.0, 5.0])).as_matrix()
    places = np.einsum("fij,mj->fmi", turns, local) + np.outer(times, [1.0, 2.0, 0.5])[:, None]
    full = Markers(["A", "B", "C", "D"], times, places)
    filled = without(full, "A", 10, 50).filled(1.0, like={"A": ["B", "C", "D"]})
    assert filled.positions == pytest.approx(full.positions, abs=1e-12)
    with pytest.raises(PoseError, match="three others"):
        full.filled(like={"A": ["B"]})


def test_the_filter_passes_slow_and_stops_fast_motion_without_delay():
    times = np.arange(1000) / 200.0

    def answer(hertz):
        wave = np.zeros((1000, 1, 3))
        wave[:, 0, 0] = np.sin(2 * np.pi * hertz * times)
        found = Markers(["A"], times, wave).filtered(6.0)
        inner = slice(200, 800)
        return float(
            found.positions[inner, 0, 0] @ wave[inner, 0, 0] / (wave[inner, 0, 0] @ wave[inner, 0, 0])
        )

    assert answer(0.5) == pytest.approx(1.0, abs=1e-3)
    assert answer(6.0) == pytest.approx(np.sqrt(0.5), abs=0.01)
    assert abs(answer(30.0)) < 0.01
    with pytest.raises(PoseError, match="cutoff"):
        circle().filtered(60.0)


def test_a_filter_keeps_gaps():
    gappy = without(circle(), "A", 40, 50)
    assert (gappy.filtered(6.0).seen == gappy.seen).all()


def test_middles_and_points_of_a_frame():
    full = circle()
    assert middle(full, "M", ["A", "B"])["M"] == pytest.approx(0.5 * (full["A"] + full["B"]))
    rng = np.random.default_rng(1)
    local = rng.normal(0, 0.2, (4, 3))
    turn = Rotation.random(random_state=0).as_matrix()
    moved = Markers(list("PQR"), [0.0], (local[:3] @ turn.T + [1, 2, 3])[None])
    found = on_frame(moved, "X", dict(zip("PQR", local[:3], strict=True)), local[3])["X"][0]
    assert found == pytest.approx(turn @ local[3] + [1, 2, 3])
    with pytest.raises(PoseError, match="line"):
        on_frame(moved, "X", {"P": [0, 0, 0], "Q": [1, 0, 0], "R": [2, 0, 0]}, [0, 0, 0])


def test_hips_are_where_harringtons_regression_puts_them():
    width, depth = 0.24, 0.15
    places = [[0.0, 0.5 * width, 1.0], [0.0, -0.5 * width, 1.0], [-depth, 0.04, 1.0], [-depth, -0.04, 1.0]]
    pelvis = Markers(["L", "R", "lp", "rp"], [0.0], [places])
    found = hip_centers(pelvis, "L", "R", "lp", "rp")
    back, down, out = 0.24 * depth + 0.0099, 0.30 * width + 0.0109, 0.33 * width + 0.0073
    assert found["LHJC"][0] == pytest.approx([-back, out, 1.0 - down])
    assert found["RHJC"][0] == pytest.approx([-back, -out, 1.0 - down])


def test_parts_of_a_capture():
    full = circle()
    assert len(full.between(0.1, 0.2)) == 11
    assert full.only(["B"]).labels == ("B",)
    assert full.renamed({"A": "a"}).labels == ("a", "B")
    assert full.rate == pytest.approx(100.0)
    again = pickle.loads(pickle.dumps(full))
    assert (again.positions == full.positions).all()
    turned = full.moved([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [1, 0, 0])
    assert turned["A"][0] == pytest.approx([1.0, 1.0, 0.0])
    with pytest.raises(PoseError, match="markers ''"):
        full["a1"]
    with pytest.raises(PoseError, match="ascend"):
        Markers(["A"], [0.0, 0.0], np.zeros((2, 1, 3)))
    with pytest.raises(PoseError, match="shape"):
        Markers(["A"], [0.0], np.zeros((2, 1, 3)))


def test_a_named_marker_set_of_which_hardly_a_label_is_there_is_refused_or_warned_of():
    """One of 51 labels was followed, without a word."""
    from manikin.errors import ManikinWarning
    from manikin.markers import Tracker, marker_set
    from manikin.markers.landmarks import SETS

    body = mk.human(fingers=False)
    own = list(SETS["plug_in_gait"])
    strangers = [f"M{k}" for k in range(50)]
    with pytest.raises(mk.FigureError, match=r"1 of its \d+ labels are among the 51 given"):
        marker_set(body, "plug_in_gait", [own[0], *strangers])
    with pytest.warns(ManikinWarning, match="4 of its"):
        assert len(marker_set(body, "plug_in_gait", [*own[:4], *strangers])) == 4
    places = marker_set(body, "plug_in_gait")
    tracker = Tracker(body, places)
    capture = Markers([own[0], *strangers], [0.0, 0.01], np.zeros((2, 51, 3)))
    with pytest.raises(mk.SolveError, match="1 of the 51 labels"):
        tracker.track(capture)
