"""The command `manikin markers`."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import manikin as mk
from manikin.cli.main import app
from manikin.markers import Markers, marker_set
from manikin.markers.files.storage import read_table
from manikin.markers.places import marker_places


@pytest.fixture
def capture(tmp_path):
    body = mk.human(1.75, spine="bend", fingers=False)
    places = marker_set(body, "plug_in_gait")
    q = np.zeros((30, body.n))
    q[:, body.index("left_knee")] = np.linspace(0.2, 0.8, 30)
    Markers(places, np.arange(30) / 50.0, marker_places(body, q, places)).save(tmp_path / "walk.trc")
    return tmp_path / "walk.trc"


def test_a_capture_becomes_a_motion_a_table_and_a_plot(capture, tmp_path):
    outputs = [tmp_path / "walk.mot", tmp_path / "misses.png"]
    options = ["--no-fit", "--stature", "1.75", "-o", str(outputs[0]), "--plot", str(outputs[1]), "--json"]
    result = CliRunner().invoke(app, ["markers", str(capture), *options])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["marker_set"] == "plug_in_gait" and data["frames"] == 30
    assert data["rms"] < 1e-3 and data["written"] == [str(path) for path in outputs]
    knee = read_table(outputs[0]).columns["left_knee"]
    assert knee == pytest.approx(np.degrees(np.linspace(0.2, 0.8, 30)), abs=1.0)
    assert outputs[1].stat().st_size > 1000


def test_the_table_names_every_marker(capture):
    result = CliRunner().invoke(app, ["markers", str(capture), "--no-fit", "--stature", "1.75"])
    assert result.exit_code == 0
    assert "LKNE" in result.output and "root mean square" in result.output


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([], "give a marker file"),
        (["nothing.trc"], "there is no such file"),
        (["x.txt"], "cannot read markers"),
    ],
)
def test_an_error_is_one_line(arguments, said):
    result = CliRunner().invoke(app, ["markers", *arguments])
    assert result.exit_code == 2
    assert said in result.output


def test_a_model_without_markers_is_told_what_it_lacks(capture, tmp_path):
    model = tmp_path / "arm.osim"
    model.write_text(
        """<?xml version="1.0"?><OpenSimDocument Version="40000"><Model name="arm"><BodySet><objects>
        <Body name="hand"><mass>1</mass></Body></objects></BodySet><JointSet><objects><PinJoint name="j">
        <socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/hand</socket_child_frame>
        <coordinates><Coordinate name="bend"><range>-1 1</range></Coordinate></coordinates></PinJoint></objects>
        </JointSet></Model></OpenSimDocument>"""
    )
    result = CliRunner().invoke(app, ["markers", str(capture), "--figure", str(model)])
    assert result.exit_code == 2
    assert "no markers of its own" in " ".join(result.output.split())
