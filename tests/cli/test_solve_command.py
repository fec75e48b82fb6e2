"""`manikin solve`: its exit status, its table, its JSON and the file it writes."""

import json

import pytest


def test_a_reached_scene_exits_with_0_and_shows_every_goal(manikin, scene):
    result = manikin("solve", scene([0.65, 0.3, 0.35]))
    assert result.exit_code == 0
    assert "position" in result.stdout.lower() and "pen" in result.stdout and "reached" in result.stdout


def test_a_missed_goal_exits_with_1_and_is_explained(manikin, scene):
    result = manikin("solve", scene([2.0, 0.0, 0.5]))
    assert result.exit_code == 1
    assert "stationary" in result.stdout
    assert "slide" in result.stdout  # the limit that holds it


def test_json_is_all_that_is_on_stdout(manikin, scene):
    result = manikin("solve", scene([0.65, 0.3, 0.35]), "--json")
    data = json.loads(result.stdout)
    assert data["status"] == "reached" and data["reached"] is True
    assert set(data["q"]) == {"shoulder", "elbow", "slide"}
    assert len(data["goals"]) == 1


@pytest.mark.parametrize("target", [[0.65, 0.3, 0.35], [2.0, 0.0, 0.5]])
def test_the_pose_is_written_also_when_a_goal_is_missed(manikin, scene, tmp_path, target):
    path = scene(target)
    manikin("solve", path, "--output", tmp_path / "pose.json")
    pose = (tmp_path / "pose.json").read_text()
    assert all(name in pose for name in ("shoulder", "elbow", "slide"))
    json.loads(pose)
    assert {file.name for file in tmp_path.iterdir()} == {"arm.urdf", "scene.toml", "pose.json"}


def test_an_output_that_cannot_be_written_is_an_error_in_a_line(manikin, scene, tmp_path):
    result = manikin("solve", scene([0.65, 0.3, 0.35]), "--output", tmp_path / "nowhere" / "pose.json")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ") and "pose.json: cannot be written" in result.stderr


def test_a_broken_scene_is_an_error_in_a_line(manikin, scene):
    path = scene([0.5, 0.3])
    result = manikin("solve", path)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == f"error: {path}: goal 1 (position): target has 2 numbers, not 3\n"


def test_a_missing_scene_is_an_error_in_a_line(manikin, tmp_path):
    result = manikin("solve", tmp_path / "none.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {tmp_path / 'none.toml'}: there is no such file\n"


def test_a_picture_of_the_result_is_drawn_on_request(manikin, scene, tmp_path):
    image = pytest.importorskip("PIL.Image", reason="the extra manikin[pictures] is not installed")
    manikin("solve", scene([0.65, 0.3, 0.35]), "--picture", tmp_path / "pose.png")
    assert image.open(tmp_path / "pose.png").size == (800, 800)


def test_json_has_the_alternative_that_was_taken(manikin, scene):
    path = scene([0.65, 0.3, 0.35])
    choice = (
        '[[goal]]\nkind = "any_of"\ngoals = [{ kind = "position", site = "pen", target = [9, 0, 0] }, '
        '{ kind = "position", site = "pen", target = [0.65, 0.3, 0.35] }]\n'
    )
    path.write_text(path.read_text(encoding="utf-8") + choice, encoding="utf-8")
    data = json.loads(manikin("solve", path, "--json").stdout)
    assert [goal["choice"] for goal in data["goals"]] == [None, 1]


ARM_GOAL = "hand=0.65,0.3,0.35"


def test_a_figure_is_posed_by_goals_of_the_command_line(manikin, scene, tmp_path):
    scene([0.65, 0.3, 0.35])
    result = manikin("solve", tmp_path / "arm.urdf", "--goal", ARM_GOAL, "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 0 and data["reached"] and data["goals"][0]["kind"] == "position"
    missed = manikin("solve", tmp_path / "arm.urdf", "--goal", "hand=9,0,0", "--fixed", "slide", "--quiet")
    assert missed.exit_code == 1 and missed.stdout == ""


def test_goals_of_the_command_line_add_to_those_of_a_scene(manikin, scene):
    result = manikin("solve", scene([0.65, 0.3, 0.35]), "--look-at", "pen=9,0,0.35", "--json")
    assert [goal["kind"] for goal in json.loads(result.stdout)["goals"]] == ["position", "aim"]


def test_angles_of_a_goal_are_degrees_as_in_scene_files():
    import numpy as np

    from manikin.cli.given import goal_of

    goal = goal_of("hand=0.4,0.2,0.5 rpy=180,0,0")
    assert goal.kind() == "placement" and goal.orientation == pytest.approx(np.diag([1.0, -1.0, -1.0]))
    assert goal_of("hand=rpy=0,0,90").kind() == "orientation"
    assert goal_of("hand=1,2,3").kind() == "position"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--goal", "hand"], "--goal: must be SITE=X,Y,Z, got 'hand'"),
        (["--goal", "hand=1,2"], "--goal hand: must be 3 numbers with commas between them, got '1,2'"),
        (["--goal", "hand=1,2,3 axis=1,0,0"], "after the point comes rpy=R,P,Y or wxyz=W,X,Y,Z"),
        (["--goal", "hnad=1,2,3"], "did you mean 'hand'"),
        (["--obstacle", "cube:1,2,3"], "--obstacle: must begin with box:, sphere:, capsule:, half_space:"),
        (["--stature", "1.7"], "--stature is of the human"),
        (["--tolerance", "1"], "--tolerance: must be 2 numbers"),
        (["--start", "nowhere.json"], "nowhere.json"),
    ],
)
def test_what_an_option_must_be_is_said_with_what_was_got(manikin, scene, tmp_path, arguments, words):
    scene([0.65, 0.3, 0.35])
    result = manikin("solve", tmp_path / "arm.urdf", *arguments)
    assert result.exit_code == 2 and result.stderr.startswith("error: ") and words in result.stderr


@pytest.mark.parametrize("what", ["goals", "presets", "methods", "formats", "marker-sets"])
def test_info_lists_what_there_is(manikin, what):
    data = json.loads(manikin("info", f"--{what}", "--json").stdout)
    assert len(data[what.replace("-", "_")]) > 2
    assert manikin("info").exit_code == 2
