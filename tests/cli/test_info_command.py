"""`manikin info`: the tree, the ranges and the data."""

import json
from pathlib import Path

import pytest

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

    def line(name):
        return next(k for k, line in enumerate(lines) if line.strip(" └├─│").startswith(name))

    assert depth("post") < depth("upper")
    chain = ["upper", "fore", "hand"]  # without a branch: one block, in order
    assert [line(name) - line("upper") for name in chain] == [0, 1, 2]
    assert len({depth(name) for name in chain}) == 1


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_human_fits_a_narrow_terminal_with_every_name_whole(manikin, monkeypatch, columns):
    from manikin.figure.human import human

    monkeypatch.setenv("COLUMNS", str(columns))
    shown = manikin("info", "human").stdout
    lines = [line.rstrip() for line in shown.splitlines()]
    assert max(map(len, lines)) <= columns
    words = set(shown.split())
    body = human()
    assert set(body.segments) | set(body.dofs) <= words
    below = {
        line.strip(" └├─│").split()[0]: len(line) - len(line.lstrip(" └├─│")) for line in lines[2:90] if line
    }
    for name, joint in body.joints.items():  # a branch is farther in than what it branches from
        siblings = [other for other in body.joints.values() if other.parent == joint.parent]
        if joint.parent in below and len(siblings) > 1:
            assert below[joint.child] > below[joint.parent], name


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
