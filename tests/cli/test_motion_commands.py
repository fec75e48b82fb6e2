"""`manikin track` and `manikin play`: what they write, say and refuse."""

import json

import numpy as np
import pytest

import manikin as mk

PLACE = [0.65, 0.3, 0.35]


def test_a_tracked_scene_ends_at_its_goal_along_a_straight_line(manikin, scene, tmp_path):
    path = scene(PLACE)
    out = tmp_path / "clip.npz"
    result = manikin("track", path, "--duration", "1", "--rate", "50", "--output", out, "--json")
    data = json.loads(result.stdout)
    assert result.exit_code in (0, 1) and data["samples"] == 51
    figure = mk.load(tmp_path / "arm.urdf")
    motion = mk.Motion.load(figure, out)
    assert np.linalg.norm(motion[-1].position("hand") - PLACE) < 1e-3
    plain = manikin("track", path, "--duration", "1", "--rate", "50")
    assert "position" in plain.stdout.lower() and "of 51 samples reached" in plain.stdout


def test_recorded_targets_are_followed_over_their_gaps(manikin, scene, tmp_path):
    path = scene(PLACE)
    figure = mk.load(tmp_path / "arm.urdf")
    solved = mk.solve(figure, [mk.Position("hand", PLACE)])
    times = np.arange(0.0, 1.0, 0.02)
    targets = PLACE + 0.03 * np.stack([np.sin(times), np.cos(times), 0 * times], axis=1)
    targets[20:25] = np.nan
    assert solved.reached
    np.savez(tmp_path / "seen.npz", times=times, pen=targets)
    result = manikin("track", path, tmp_path / "seen.npz", "--json")
    data = json.loads(result.stdout)
    assert data["samples"] == 50 and data["goals"][0]["position_error"]["largest"] < 0.01
    lines = ["time,x,y,z", *(f"{t},{x},{y},{z}" for t, (x, y, z) in zip(times, targets, strict=True))]
    (tmp_path / "seen.csv").write_text("\n".join(lines))
    again = json.loads(manikin("track", path, tmp_path / "seen.csv", "--json").stdout)
    assert again["goals"][0]["position_error"]["largest"] == pytest.approx(
        data["goals"][0]["position_error"]["largest"], abs=1e-6
    )


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["nowhere.npz"], "there is no such file"),
        (["seen.txt"], ".npz and .csv"),
        (["--rate", "-1"], "must be positive"),
        (["--output", "clip.bvhx"], "cannot write .bvhx"),
    ],
)
def test_what_track_cannot_do_is_an_error_in_a_line(manikin, scene, arguments, words):
    result = manikin("track", scene(PLACE), *arguments)
    assert result.exit_code == 2 and result.stderr.startswith("error: ") and words in result.stderr


def test_play_says_what_is_in_a_clip_and_draws_it(manikin, scene, tmp_path):
    scene(PLACE)
    figure = mk.load(tmp_path / "arm.urdf")
    poses = [figure.pose(), figure.pose({"shoulder": 0.8, "elbow": 0.5})]
    motion = mk.interpolate(poses, [0.0, 1.0], name="reach")
    motion.save(tmp_path / "clip.npz")
    pytest.importorskip("embreex")
    arguments = [
        "--figure",
        tmp_path / "arm.urdf",
        "--animation",
        tmp_path / "clip.gif",
        "--rate",
        "5",
        "--ghosts",
        "2",
    ]
    arguments += ["--size", "80", "--strip", tmp_path / "strip.png"]
    result = manikin("play", tmp_path / "clip.npz", *arguments, "--json")
    data = json.loads(result.stdout)
    assert data["name"] == "reach" and data["keys"] == 2 and data["seconds"] == 1.0
    from PIL import Image

    with Image.open(tmp_path / "clip.gif") as picture:
        assert picture.n_frames == 6 and picture.size == (80, 80)
    with Image.open(tmp_path / "strip.png") as picture:
        assert picture.size == (480, 80)
    shown = manikin("play", tmp_path / "clip.npz", "--figure", tmp_path / "arm.urdf")
    assert "2 over 1 s" in shown.stdout and "all inside their ranges" in shown.stdout
    missing = manikin("play", tmp_path / "none.npz", "--figure", tmp_path / "arm.urdf")
    assert missing.exit_code == 2 and "none.npz" in missing.stderr


def test_play_reads_a_clip_that_was_saved_with_its_figure(manikin, tmp_path):
    figure = mk.Figure(
        "lamp", ["foot", "head"], [mk.Joint.revolute("tilt", "foot", "head", lower=-1, upper=1)]
    )
    nod = mk.Motion(figure, [0.0, 0.5, 1.0], [[0.0], [0.5], [0.0]], name="nod")
    mk.save(nod, tmp_path / "nod.npz")
    data = json.loads(manikin("play", tmp_path / "nod.npz", "--json").stdout)
    assert data["figure"] == "lamp" and data["name"] == "nod" and data["keys"] == 3
    refused = manikin("play", tmp_path / "nod.npz", "--figure", tmp_path / "arm.urdf")
    assert refused.exit_code == 2 and "leave out --figure" in refused.stderr


def test_a_clip_is_taken_over_to_a_smaller_human(manikin, tmp_path):
    body = mk.human(fingers=False)
    bent = {"left_knee": 0.5, "right_knee": 0.5, "left_hip_flexion": 0.25, "right_hip_flexion": 0.25}
    mk.save(mk.interpolate([body.pose(), body.pose(bent)], [0.0, 1.0]), tmp_path / "bow.npz")
    out = tmp_path / "small.npz"
    result = manikin(
        "retarget", tmp_path / "bow.npz", "--stature", "1.4", "--rate", "10", "-o", out, "--json"
    )
    data = json.loads(result.stdout)
    assert data["frames"] == 11 and data["slip"] < 1e-3 and data["roles"]["left_knee"]["by"] == "name"
    small = mk.load_motion(out)
    knee = small.figure.index("left_knee")
    assert small.q[-1, knee] > small.q[0, knee] + 0.2
    plain = manikin("retarget", tmp_path / "bow.npz", "--stature", "1.4", "--rate", "10")
    assert "standing feet and hands move" in plain.stdout and "left_knee" in plain.stdout
    refused = manikin("retarget", tmp_path / "bow.npz", "robot.urdf", "--stature", "1.4")
    assert refused.exit_code == 2 and "has a size of its own" in refused.stderr
