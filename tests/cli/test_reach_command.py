"""`manikin reach` and `manikin study`: what they print, write and refuse."""

import json

import pytest
from tests.cli.conftest import ARM

STUDY = """
site = "right_hand"

[population]
percentiles = [5, 95]
sex = "female"

[figure]
fingers = false
spine = "bend"

[points]
list = [[0.4, -0.2, 1.1], [0.5, -0.2, 2.3]]

[[goal]]
kind = "pin"
site = "left_foot"

[[goal]]
kind = "pin"
site = "right_foot"
"""


def test_a_map_is_told_as_json_and_written(manikin, tmp_path):
    pytest.importorskip("xarray")
    mesh, plot, store = tmp_path / "zone.stl", tmp_path / "zone.png", tmp_path / "zone.zarr"
    done = manikin(
        "reach", ARM, "hand", "--pitch", 0.1, "--json", "--mesh", mesh, "--plot", plot, "--output", store
    )
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert told["reached"] > 0 and told["volume"] == pytest.approx(told["reached"] * 1e-3)
    assert mesh.stat().st_size > 100 and plot.stat().st_size > 100 and store.is_dir()
    spoken = manikin("reach", ARM, "hand", "--pitch", 0.1)
    assert f"{told['reached']} of {told['points']} points" in spoken.stdout


def test_a_box_out_of_reach_is_exit_status_one_and_a_broken_one_two(manikin):
    pytest.importorskip("xarray")
    assert manikin("reach", ARM, "hand", "--box", "8,8,8,9,9,9", "--pitch", 0.5).exit_code == 1
    broken = manikin("reach", ARM, "hand", "--box", "8,8")
    assert broken.exit_code == 2 and "six numbers" in broken.stderr


def test_a_study_is_told_as_json_and_as_a_table_and_resumed(manikin, tmp_path):
    pytest.importorskip("zarr")
    file = tmp_path / "study.toml"
    file.write_text(STUDY, encoding="utf-8")
    store, page = tmp_path / "study.zarr", tmp_path / "study.html"
    done = manikin("study", file, "--json", "--output", store, "--report", page)
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert told["people"] == 2 and len(told["points"]) == 2 and told["chunks_computed_twice"] == 0
    assert "2 people" in page.read_text(encoding="utf-8")
    again = manikin("study", file, "--output", store)
    assert again.exit_code == 0 and "2 people, 2 of them women" in again.stdout


def test_a_mistake_in_a_study_file_is_one_line(manikin, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(STUDY.replace("percentiles", "percentile"), encoding="utf-8")
    done = manikin("study", file)
    assert done.exit_code == 2 and done.stderr.count("\n") == 1 and "percentile" in done.stderr


def test_the_example_of_a_study_runs_as_it_is_printed(manikin, tmp_path):
    printed = manikin("study", "--example")
    assert printed.exit_code == 0
    (tmp_path / "study.toml").write_text(printed.stdout.replace("n = 20 ", "n = 2 "), encoding="utf-8")
    done = manikin("study", tmp_path / "study.toml", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["people"] == 2 and told["best"]["share"] == 1.0
    missing = manikin("study")
    assert missing.exit_code == 2 and "--example" in missing.output
