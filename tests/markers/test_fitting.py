"""Sizes and marker places fitted to a trial, and marker sets of the human figure."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.errors import FigureError
from manikin.markers import Marker, Markers, MarkerSet, Tracker, fit, landmark, marker_set, recognise, resized
from manikin.markers.landmarks import SETS
from manikin.markers.places import marker_places, segment_frames

from .samples import pose

TRUE = {"left_thigh": 1.08, "right_thigh": 1.08, "left_shank": 0.95, "right_shank": 0.95, "pelvis": 1.03}


def body():
    return mk.human(1.75, spine="bend", fingers=False)


@pytest.mark.parametrize("name", SETS)
def test_every_marker_set_is_its_own_mirror_image(name):
    figure = body()
    places = marker_places(figure, np.zeros(figure.n), found := marker_set(figure, name))
    by = dict(zip(found, places, strict=True))
    for label, landmark_name in SETS[name].items():
        other = landmark_name.replace("left_", "right_")
        partner = next((k for k, v in SETS[name].items() if v == other), None)
        if landmark_name.startswith("left_") and partner is not None:
            assert by[partner] == pytest.approx(by[label] * [1, -1, 1], abs=1e-9)
    assert recognise(SETS[name]) == name


def test_landmarks_are_near_the_surface_or_at_joints():
    figure = body()
    knee = marker_places(figure, np.zeros(figure.n), MarkerSet({"k": landmark(figure, "left_knee_lateral")}))[
        0
    ]
    site = figure.pose().matrix("left_knee")[:3, 3]
    assert knee - site == pytest.approx([0.0, 0.056, 0.0], abs=1e-3)
    with pytest.raises(FigureError, match="left_knee_lateral"):
        landmark(figure, "left_knee_latral")


def test_a_resized_figure_has_its_joints_further_apart():
    figure = body()
    larger = resized(figure, {"left_thigh": 1.1})
    zero = np.zeros(figure.n)
    thigh = [
        np.linalg.norm(np.diff(f.forward(zero, ["left_hip", "left_knee"])[:, :3, 3], axis=0))
        for f in (figure, larger)
    ]
    assert thigh[1] == pytest.approx(1.1 * thigh[0])
    assert segment_frames(larger, zero, ["right_shank"]) == pytest.approx(
        segment_frames(figure, zero, ["right_shank"])
    )
    with pytest.raises(FigureError, match="above 0"):
        resized(figure, {"left_thigh": -1.0})


def test_a_fit_finds_the_sizes_that_made_the_markers():
    figure = body()
    places = marker_set(figure, "cleveland")
    person = resized(figure, TRUE)
    worn = MarkerSet({k: Marker(m.segment, TRUE.get(m.segment, 1.0) * m.position) for k, m in places.items()})
    rng = np.random.default_rng(0)
    q = np.array([pose(figure, seed, 0.4) for seed in range(12)])
    seen = marker_places(person, q, worn) + rng.normal(0, 0.002, (12, len(places), 3))
    found = fit(figure, places, Markers(places, np.arange(12) / 10.0, seen), rest=1e-6)
    assert found.after < 0.35 * found.before and found.after < 0.006
    for name in ("left_thigh", "left_shank"):
        # The priors, of proportions and of where markers sit, share what is left between them.
        assert found.factors[name] == pytest.approx(TRUE[name], abs=0.025)
    assert found.factors["left_thigh"] == found.factors["right_thigh"]
    assert max(found.moved.values()) < 0.02
    tracked = Tracker(found.figure, found.markers).track(Markers(places, np.arange(12) / 10.0, seen))
    assert tracked.summary()["rms"] < 0.006


def test_markers_that_no_set_has_are_not_recognised():
    with pytest.raises(FigureError, match="no marker set"):
        recognise(["foo", "bar"])
