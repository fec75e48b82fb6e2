from __future__ import annotations

from math import pi, radians

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin import formats
from manikin.errors import FormatError
from manikin.formats.axes import Y_UP
from manikin.formats.posed import segment_frames

SMALL = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Leg
  {
    OFFSET 10 -20 0
    CHANNELS 2 Yrotation Xrotation
    JOINT Foot
    {
      OFFSET 0 -40 0
      CHANNELS 4 Xrotation Yposition Zrotation Zposition
      End Site
      {
        OFFSET 0 0 15
      }
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.04
0 90 0 10 20 30 40 50 60 -39 70 2
5 91 1 11 21 31 41 51 61 -38 71 3
"""

FILES = ("cmu_78_11", "cmu_76_07", "makehuman_tpose")


def written(tmp_path, text, name="small.bvh"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def turn(order, degrees):
    """Rz·Rx·Ry … by SciPy, whose capital letters are turns about the moving axes."""
    return Rotation.from_euler(order.upper(), degrees, degrees=True).as_matrix()


def test_a_frame_is_the_product_of_its_channels_in_the_order_written(tmp_path):
    contents = formats.read(written(tmp_path, SMALL))
    clip = contents.clips[0]
    frames = segment_frames(contents.figure, clip.q)
    root = turn("zxy", [10, 20, 30])
    leg = root @ turn("yx", [40, 50])
    foot = leg @ turn("xz", [60, 70])
    leg_place = [0, 0.9, 0] + root @ [0.1, -0.2, 0]
    foot_place = leg_place + leg @ [
        0,
        -0.39,
        0.02,
    ]  # position channels take the place of the offset, axis by axis
    end = foot_place + foot @ [0, 0, 0.15]
    for name, rotation, place in (
        ("Hips", root, [0, 0.9, 0]),
        ("Leg", leg, leg_place),
        ("Foot", foot, foot_place),
    ):
        np.testing.assert_allclose(frames[name][0, :3, :3], Y_UP @ rotation, atol=1e-14)
        np.testing.assert_allclose(frames[name][0, :3, 3], Y_UP @ place, atol=1e-14)
    np.testing.assert_allclose(clip.figure.forward(clip.q[0], "Foot_end")[0, :3, 3], Y_UP @ end, atol=1e-14)


def test_values_are_the_files_numbers(tmp_path):
    clip = mk.load_motion(written(tmp_path, SMALL), base="channels", unit="cm")
    values = clip.figure.pose(clip.q[1]).values()
    assert values["Hips_tx"] == pytest.approx(0.05) and values["Hips_z"] == pytest.approx(radians(11))
    assert values["Leg_y"] == pytest.approx(radians(41)) and values["Foot_tz"] == pytest.approx(0.03)
    np.testing.assert_array_equal(clip.times, [0.0, 0.04])


def test_a_free_root_and_its_channels_stand_in_the_same_place(tmp_path):
    path = written(tmp_path, SMALL)
    free, channels = (mk.load_motion(path, base=base) for base in ("free", "channels"))
    assert free.figure.base == "free" and channels.figure.root == "world"
    a, b = segment_frames(free.figure, free.q), segment_frames(channels.figure, channels.q)
    for name in a:
        np.testing.assert_allclose(a[name], b[name], atol=1e-14)


def test_the_rest_pose_is_the_skeleton_of_the_offsets(tmp_path):
    figure = mk.load(written(tmp_path, SMALL))
    pose = figure.pose()
    np.testing.assert_allclose(
        pose.position("Foot") - pose.position("Hips"), Y_UP @ [0.1, -0.6, 0.0], atol=1e-15
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("  ", "\t"),
        lambda text: " ".join(text.split()),
        lambda text: text.replace("{\n", "{").replace("\n}", "}"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip(),
        lambda text: text + "\n\n  \n",
        lambda text: text.replace("Frames: 2", "Frames:2").replace("Time: ", "Time:"),
        lambda text: text.upper().replace("HIPS", "Hips").replace("LEG", "Leg").replace("FOOT", "Foot"),
    ],
)
def test_layout_of_the_text_does_not_matter(tmp_path, change):
    plain = mk.load_motion(written(tmp_path, SMALL))
    other = mk.load_motion(written(tmp_path, change(SMALL), "other.bvh"))
    assert other.figure.dofs == plain.figure.dofs
    np.testing.assert_array_equal(other.q, plain.q)
    np.testing.assert_array_equal(other.times, plain.times)


def test_names_may_hold_spaces_and_come_twice(tmp_path):
    text = SMALL.replace("JOINT Leg", "JOINT left leg").replace("JOINT Foot", "JOINT Hips")
    contents = formats.read(written(tmp_path, text))
    assert list(contents.figure.segments) == ["Hips", "left leg", "Hips_2"]
    assert any("'Hips_2'" in note.text for note in contents.notes)


def test_z_up_and_units_are_as_told(tmp_path):
    path = written(tmp_path, SMALL)
    clip = mk.load_motion(path, up="z", unit=0.5)
    np.testing.assert_allclose(clip.figure.forward(clip.q[0], "Hips")[0, :3, 3], [0, 45, 0])
    assert mk.load_motion(path, unit="cmu").q[0, 1] == pytest.approx(90 * 0.0254 / 0.45)
    assert any(note.kind == "assumed" and "centimetre" in note.text for note in formats.read(path).notes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("HIERARCHY", "HIER", "begins with HIERARCHY"),
        ("OFFSET 10 -20 0", "OFFSET 10 x 0", r"small\.bvh:8: OFFSET of 'Leg': 'x' is not a number"),
        ("OFFSET 10 -20 0", "", "joint 'Leg' has no OFFSET"),
        ("OFFSET 10 -20 0", "OFFSET 10 nan 0", "not a finite number"),
        ("CHANNELS 2 Yrotation", "CHANNELS 2 Yrot", "unknown channel 'Yrot'; expected one of: Xposition"),
        ("CHANNELS 2", "CHANNELS 3", "unknown channel 'JOINT'"),
        ("CHANNELS 2", "CHANNELS two", "expected how many there are"),
        ("Frames: 2", "Frames: two", "expected 'Frames:'"),
        ("Frame Time: 0.04", "Frame Time: 0", "not a number of seconds above 0"),
        ("Frame Time: 0.04", "Frame Time: nan", "not a number of seconds above 0"),
        ("71 3", "71 three", r"small\.bvh:25: 'three' is not a number"),
        ("71 3", "71 nan", "frame 2, channel 12: nan"),
        ("71 3", "71 1e400", "frame 2, channel 12: inf"),
        ("71 3", "71", "23 numbers .* no whole frames of 12 channels; Frames: 2 asks for 24"),
        ("  JOINT Foot", "} JOINT Foot", "found 'JOINT'|not closed|expected"),
        ("JOINT Leg", "ROOT Leg", "a second ROOT"),
    ],
)
def test_a_broken_file_is_refused_with_its_line_and_reason(tmp_path, old, new, message):
    assert old in SMALL
    with pytest.raises(FormatError, match=message):
        formats.read(written(tmp_path, SMALL.replace(old, new, 1)))


def test_a_wrong_number_of_frames_is_told_and_what_is_there_is_read(tmp_path):
    contents = formats.read(written(tmp_path, SMALL.replace("Frames: 2", "Frames: 7")))
    assert len(contents.clips[0].times) == 2
    assert any("Frames: says 7, but there are 2" in note.text for note in contents.notes)


@pytest.mark.parametrize("name", FILES)
def test_frames_of_real_clips_equal_those_of_bvhio(data_file, name):
    bvhio = pytest.importorskip("bvhio")
    path = data_file(f"bvh/{name}.bvh")
    unit = 0.1 if "makehuman" in name else 0.0254 / 0.45
    clip = mk.load_motion(path, unit=unit)
    frames = segment_frames(clip.figure, clip.q)
    peer = bvhio.readAsHierarchy(str(path))
    for t in range(len(clip.times)):
        peer.loadPose(t)
        for joint, _, _ in peer.layout():
            place = Y_UP @ joint.PositionWorld.to_list() * unit
            np.testing.assert_allclose(frames[joint.Name][t, :3, 3], place, atol=1e-6)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("base", ["free", "channels"])
def test_a_clip_written_and_read_again_is_the_same(data_file, tmp_path, name, base):
    first = formats.read(data_file(f"bvh/{name}.bvh"), base=base)
    notes = mk.save(first, tmp_path / "again.bvh")
    again = formats.read(tmp_path / "again.bvh", base=base)
    assert notes == ()
    assert again.figure.dofs == first.figure.dofs and list(again.figure.sites) == list(first.figure.sites)
    np.testing.assert_allclose(again.clips[0].q, first.clips[0].q, atol=1e-11)
    np.testing.assert_allclose(again.clips[0].times, first.clips[0].times, atol=1e-12)
    for joint in first.figure.joints.values():
        assert again.figure.joints[joint.name].motion == joint.motion
        np.testing.assert_allclose(again.figure.joints[joint.name].placement, joint.placement, atol=1e-13)


def test_what_is_written_bvhio_reads_the_same(tmp_path):
    bvhio = pytest.importorskip("bvhio")
    body = mk.human()
    rng = np.random.default_rng(5)
    low, high = np.maximum(body.lower, -2.0), np.minimum(body.upper, 2.0)
    q = low + (high - low) * rng.random((4, body.n))
    clip = mk.Motion(body, [0.0, 0.1, 0.2, 0.3], q)
    notes = mk.save(clip, tmp_path / "body.bvh", unit="m")
    assert any("ranges" in note.text for note in notes) and any("masses" in note.text for note in notes)
    peer = bvhio.readAsHierarchy(str(tmp_path / "body.bvh"))
    again = mk.load_motion(tmp_path / "body.bvh", unit="m")
    mine, theirs = segment_frames(again.figure, again.q), segment_frames(body, q)
    for t in range(4):
        peer.loadPose(t)
        for joint, _, _ in peer.layout():
            np.testing.assert_allclose(
                mine[joint.Name][t, :3, 3], Y_UP @ joint.PositionWorld.to_list(), atol=2e-6
            )
    for name in body.segments:
        carrier = next((joint for joint in body.joints.values() if joint.child == name), None)
        center = np.zeros(4) if carrier is None else carrier.child_placement[:, 3] * [1, 1, 1, 0]
        place = theirs[name][:, :3, 3] + np.einsum("tij,j->ti", theirs[name][:, :3, :3], center[:3])
        np.testing.assert_allclose(mine[name][:, :3, 3], place, atol=1e-9)


def test_uneven_times_are_sampled_anew_and_told(tmp_path):
    figure = mk.Figure("f", ["a", "b"], [mk.Joint("j", "a", "b", "ball", (0, 0, 1))])
    clip = mk.Motion(figure, [0.0, 0.1, 0.4], [[0, 0, 0], [0.3, 0, 0], [1.2, 0, 0]])
    notes = mk.save(clip, tmp_path / "uneven.bvh", rate=20)
    again = mk.load_motion(tmp_path / "uneven.bvh")
    assert len(again.times) == 9 and any(
        note.kind == "changed" and "sampled anew" in note.text for note in notes
    )
    tilt = segment_frames(again.figure, again.q)["b"][:, :3, :3]
    angles = [np.linalg.norm(Rotation.from_matrix(tilt[0].T @ matrix).as_rotvec()) for matrix in tilt]
    np.testing.assert_allclose(angles, 3.0 * again.times, atol=1e-9)


def test_numbers_are_read_alike_with_and_without_the_kernel():
    from manikin.formats.numbers import _by_numpy, read_numbers

    rng = np.random.default_rng(3)
    words = [f"{value:.{digits}f}" for digits in range(12) for value in rng.uniform(-400, 400, 200)]
    words += [f"{value:.{digits}e}" for digits in range(10) for value in rng.normal(size=200) * 1e5]
    words += [
        "0",
        "-0",
        "+3.",
        ".5",
        "-.25",
        "1e22",
        "9007199254740993",
        "123456789012345678",
        "1e-300",
        repr(pi),
    ]
    text = "\t".join(words).encode()
    found = read_numbers(text)
    np.testing.assert_array_equal(found, [float(word) for word in words])
    np.testing.assert_array_equal(_by_numpy(text), found)
    for bad in (b"1 2 x", b"1 2-3", b"1..2", b"1e", b"--1", "1 é".encode()):
        assert read_numbers(bad) is None
