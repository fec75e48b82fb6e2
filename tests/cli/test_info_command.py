"""`manikin info`: the tree, the ranges and the data."""

import json
from pathlib import Path

ARM = Path(__file__).parents[1] / "data" / "slider_arm.urdf"


def test_ranges_are_in_degrees_and_metres(manikin):
    result = manikin("info", ARM)
    assert result.exit_code == 0
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines() if line.strip()}
    assert rows["elbow"] == ["°", "-114.59", "114.59", "0", "171.89"]
    assert rows["slide"] == ["m", "0", "0.2", "0", "0.5"]


def test_the_tree_hangs_each_segment_under_its_parent(manikin):
    lines = manikin("info", ARM).stdout.splitlines()

    def depth(name):
        return next(line.index(name) for line in lines if line.strip(" └├─│").startswith(name))

    assert depth("post") < depth("upper") < depth("fore") < depth("hand")


def test_the_mass_is_shown(manikin):
    assert "3 kg" in manikin("info", ARM).stdout


def test_a_free_base_adds_six_degrees_of_freedom(manikin):
    assert "9 degrees of freedom" in manikin("info", ARM, "--base", "free").stdout


def test_json_is_the_description_of_the_figure(manikin):
    from manikin.formats import load

    data = json.loads(manikin("info", ARM, "--json").stdout)
    assert data.keys() == load(ARM).describe().keys() | {"clips", "skins", "humanoid", "notes"}
    assert data["name"] == "slider_arm"


def test_a_missing_file_is_an_error_in_a_line(manikin, tmp_path):
    result = manikin("info", tmp_path / "none.urdf")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ") and "none.urdf" in result.stderr


def test_the_human_needs_no_file(manikin):
    data = json.loads(manikin("info", "human", "--json").stdout)
    assert len(data["dofs"]) == 155 and data["mass"] > 60.0
