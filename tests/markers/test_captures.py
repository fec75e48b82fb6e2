"""Gait captures followed by the human figure, end to end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.markers import Markers, Tracker, fit, marker_set, recognise

SHARED = Path(__file__).parents[3] / "shared" / "data" / "markers"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="needs the captures of ../shared/data/markers")

#: Capture, the set that is recognised, and the root mean square that the fitted figure leaves, metres.
CAPTURES = [("bmc_walk.trc", "cleveland", 0.011), ("bmc_gait.c3d", "helen_hayes", 0.010)]


@pytest.mark.parametrize("file, expected, most", CAPTURES, ids=[entry[0] for entry in CAPTURES])
def test_a_capture_is_followed_within_a_centimetre_inside_the_ranges(file, expected, most, capsys):
    capture = Markers.load(SHARED / file).trimmed()
    body = mk.human(spine="bend", fingers=False)
    name = recognise(capture.labels)
    assert name == expected
    fitted = fit(body, marker_set(body, name, capture.labels), capture)
    tracked = Tracker(fitted.figure, fitted.markers, rest=1e-4).track(capture)
    summary = tracked.summary()
    assert summary["rms"] < most and fitted.after < 0.5 * fitted.before
    assert summary["frames_not_at_a_minimum"] == 0
    figure = tracked.figure
    assert (tracked.q >= figure.lower - 1e-12).all() and (tracked.q <= figure.upper + 1e-12).all()
    for pose in (figure.pose(q) for q in tracked.q[::20]):
        values = pose.values()
        for coupling in figure.couplings:
            assert coupling.lower - 1e-9 <= coupling.value(values) <= coupling.upper + 1e-9
    places = tracked.markers.on(figure).forward(tracked.q, list(tracked.labels))[..., :3, 3]
    measured = capture.only(tracked.labels).positions
    own, theirs = (np.linalg.norm(np.diff(x, axis=0), axis=2) for x in (places, measured))
    seen = np.isfinite(theirs)
    # No marker of the figure jumps farther than the fastest measured one moves, and what it may be off.
    assert own[seen].max() <= np.nanmax(theirs) + 0.01
    assert all(0.85 < factor < 1.15 for factor in fitted.factors.values())


def test_the_arm_of_a_capture_in_another_marker_set_is_not_recognised():
    with pytest.raises(mk.FigureError, match="no marker set"):
        recognise(Markers.load(SHARED / "pyomeca_markers.trc", up="z").labels)
