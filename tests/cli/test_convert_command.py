"""`manikin convert`, and what `manikin info` says of clips."""

import json
from pathlib import Path

import numpy as np
import pytest

import manikin as mk

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Leg
  {
    OFFSET 10 -20 0
    CHANNELS 3 Yrotation Xrotation Zrotation
    End Site
    {
      OFFSET 0 0 15
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.04
0 90 0 10 20 30 40 50 60
5 91 1 11 21 31 41 51 61
6 92 2 12 22 400 42 52 62
"""


@pytest.fixture
def walk(tmp_path) -> Path:
    path = tmp_path / "walk.bvh"
    path.write_text(BVH)
    return path


def test_a_clip_is_converted_and_what_is_lost_is_said(manikin, walk, tmp_path):
    result = manikin("convert", walk, tmp_path / "walk.glb", "--unit", "m")
    assert result.exit_code == 0
    assert "2 segments, 9 degrees of freedom, 1 clips" in result.stdout
    assert "writing: changed: joints: glTF knows no axes" in result.stdout
    before, after = mk.load_motion(walk, unit="m"), mk.load_motion(tmp_path / "walk.glb")
    for t in range(3):
        a, b = before.figure.pose(before.q[t]), after.figure.pose(after.q[t])
        np.testing.assert_allclose(a.matrix("Leg_end"), b.matrix("Leg_end"), atol=1e-4)


def test_bvh_to_bvh_keeps_every_number(manikin, walk, tmp_path):
    assert manikin("convert", walk, tmp_path / "again.bvh").exit_code == 0
    assert (tmp_path / "again.bvh").read_text().split()[-27:] == BVH.split()[-27:]


def test_the_report_is_json(manikin, walk, tmp_path):
    result = manikin("convert", walk, tmp_path / "walk.xml", "--json")
    data = json.loads(result.stdout)
    assert data["clips"] == [
        {"name": "walk", "frames": 3, "seconds": pytest.approx(0.08), "rate": pytest.approx(25)}
    ]
    assert data["segments"] == 2 and {note["kind"] for note in data["read"]} == {"assumed"}
    assert (tmp_path / "walk.xml").exists()


def test_an_option_that_the_format_does_not_know_is_refused(manikin, walk, tmp_path):
    result = manikin("convert", walk, tmp_path / "walk.glb", "--to-unit", "m")
    assert result.exit_code == 2 and "unit is no option of .glb files" in result.stderr
    result = manikin("convert", walk, tmp_path / "walk.abc")
    assert result.exit_code == 2 and "cannot write .abc" in result.stderr
    assert not (tmp_path / "walk.glb").exists()


def test_info_tells_of_clips_and_notes(manikin, walk):
    shown = manikin("info", walk).stdout
    assert "walk" in shown and "25" in shown and "centimetre" in shown
    data = json.loads(manikin("info", walk, "--json", "--unit", "cmu").stdout)
    assert data["clips"][0]["frames"] == 3 and data["notes"] == []
    assert data["dofs"][0]["name"] == "root_x"
