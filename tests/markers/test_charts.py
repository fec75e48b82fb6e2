"""Rotations by three angles are written the way that a reader expects."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure import Joint
from manikin.markers import Marker, Markers, MarkerSet, Tracker
from manikin.markers.charts import Charts
from manikin.markers.places import marker_places


def figure(axes):
    """A body on three slides and three turns without limits, with an arm."""
    joints = [
        Joint("ground", "world", "body", f"T(x)*T(y)*T(z)*{axes}"),
        Joint("arm", "body", "arm", "R(x)", [0, 0, 0.3], lower=-1.0, upper=1.0),
    ]
    return mk.Figure("flyer", ["world", "body", "arm"], joints)


def markers():
    spots = {"a": [0.2, 0, 0], "b": [0, 0.2, 0.05], "c": [-0.1, 0, 0.2]}
    return MarkerSet(
        {**{k: Marker("body", v) for k, v in spots.items()}, "d": Marker("arm", [0, 0.05, 0.25])}
    )


@pytest.mark.parametrize("axes", ["R(z)*R(x)*R(y)", "R(x)*R(y)*R(z)", "R(z)*R(x)*R(z)"])
def test_the_other_way_leaves_every_segment_where_it_is(axes):
    body = figure(axes)
    charts = Charts(body, np.arange(body.n))
    assert charts.triples.tolist() == [[3, 4, 5]]
    rng = np.random.default_rng(1)
    q, before = rng.uniform(-0.9, 0.9, (6, body.n)), rng.uniform(-3.0, 3.0, body.n)
    written = q.copy()
    charts.near(written, before)
    assert np.allclose(body.forward(written, ["body", "arm"]), body.forward(q, ["body", "arm"]), atol=1e-12)


def test_axes_that_are_not_at_right_angles_have_no_other_way():
    body = figure("R(1,1,0)*R(x)*R(y)")
    assert len(Charts(body, np.arange(body.n)).triples) == 0


@pytest.mark.parametrize("thorough", [False, True])
def test_a_capture_is_written_near_rest_and_without_jumps(thorough):
    body, places = figure("R(z)*R(x)*R(y)"), markers()
    times = np.arange(60) / 50.0
    q = np.zeros((60, body.n))
    q[:, 3], q[:, 4], q[:, 5] = 0.3 * np.sin(times), 0.2 + 0.4 * np.sin(3.0 * times), -0.2 * times
    seen = Markers(places, times, marker_places(body, q, places))
    found = Tracker(body, places, multistart=thorough).track(seen).q
    assert np.abs(found - q)[:, 3:6].max() < 1e-5


def test_rows_written_now_one_way_now_the_other_come_out_smooth():
    body = figure("R(z)*R(x)*R(y)")
    charts, times = Charts(body, np.arange(body.n)), np.arange(50) / 25.0
    q = np.zeros((50, body.n))
    q[:, 3:6] = np.stack([0.2 * times, 0.5 * np.sin(times), -0.3 * times], axis=1)
    mixed, odd = q.copy(), np.random.default_rng(2).uniform(size=50) < 0.5
    mixed[odd, 3:6] = np.stack([q[odd, 3] + np.pi, np.pi - q[odd, 4], q[odd, 5] - np.pi], axis=1)
    charts.near(mixed, q[0])
    away = mixed - q
    assert np.abs(away - 2.0 * np.pi * np.rint(away / (2.0 * np.pi))).max() < 1e-12
