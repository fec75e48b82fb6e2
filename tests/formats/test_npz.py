from __future__ import annotations

import io
import json
import math
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin import formats
from manikin.errors import FormatError
from manikin.figure import Curve
from manikin.formats.record import figure_record


@pytest.mark.parametrize("name", ["bvh/cmu_78_11.bvh", "gltf/RobotExpressive.glb"])
def test_everything_comes_back_to_the_last_bit(data_file, tmp_path, name):
    first = formats.read(data_file(name))
    assert mk.save(first, tmp_path / "all.npz") == ()
    again = formats.read(tmp_path / "all.npz")
    assert figure_record(again.figure) == figure_record(first.figure)
    for before, after in zip(first.clips, again.clips, strict=True):
        assert (after.name, after.spline, after.ends) == (before.name, before.spline, before.ends)
        np.testing.assert_array_equal(after.times, before.times)
        np.testing.assert_array_equal(after.q, before.q)
    for before, after in zip(first.skins, again.skins, strict=True):
        assert (after.name, after.segments, after.color) == (before.name, before.segments, before.color)
        for key in ("vertices", "triangles", "bind", "joints", "weights"):
            np.testing.assert_array_equal(getattr(after, key), getattr(before, key))


def test_the_human_with_its_cones_followers_couplings_and_shapes_comes_back(tmp_path):
    body = mk.human(stature=1.62).with_polygons()
    for figure in (mk.human(stature=1.62), body):
        mk.save(figure, tmp_path / "body.npz")
        again = mk.load(tmp_path / "body.npz")
        assert again.describe() == figure.describe() and again.same_structure(figure)
        assert figure.touching and again.touching == figure.touching
        np.testing.assert_array_equal(again.forward(again.rest), figure.forward(figure.rest))


def test_an_axis_that_follows_a_curve_comes_back_with_its_curve(tmp_path):
    curve = Curve([0.5], [[0.0, 1.0, 0.3], [0.575, 1.3, 0.0]])
    joints = [
        mk.Joint("drive", "a", "b", "R(z)"),
        mk.Joint("slide", "b", "c", "T(x)", follow=mk.Follow({"drive": 0.7}, 0.1, curve)),
    ]
    figure = mk.Figure("knee", ["a", "b", "c"], joints)
    mk.save(figure, tmp_path / "knee.npz")
    again = mk.load(tmp_path / "knee.npz")
    q = np.linspace(-2.0, 2.0, 9)[:, None]
    np.testing.assert_array_equal(again.forward(q), figure.forward(q))


def test_clips_are_plain_arrays_for_numpy(data_file, tmp_path):
    clip = mk.load_motion(data_file("bvh/cmu_76_07.bvh"))
    mk.save(clip, tmp_path / "clip.npz")
    with np.load(tmp_path / "clip.npz") as arrays:
        np.testing.assert_array_equal(arrays["clip_0_values"], clip.q)
        np.testing.assert_array_equal(arrays["clip_0_times"], clip.times)
        assert json.loads(str(arrays["meta"]))["clips"][0]["name"] == "cmu_76_07"


def archive(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in members.items():
            target.writestr(f"{name}.npy", data)
    return path


def saved(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def test_nothing_is_unpickled(tmp_path):
    path = archive(tmp_path / "evil.npz", meta=saved(np.array([print], dtype=object), allow_pickle=True))
    with pytest.raises(FormatError, match="numbers or text were expected"):
        formats.read(path)


def test_sizes_are_believed_only_as_far_as_there_are_bytes(tmp_path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with pytest.raises(FormatError, match="does not fit in 0 bytes"):
        formats.read(archive(tmp_path / "big.npz", meta=data))


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ("[]", "not a figure's file"),
        ("{", "meta is not JSON"),
        ('{"manikin": 99}', "version 2"),
        ('{"manikin": 2, "figure": {"name": 3}}', "not a figure's"),
        ('{"manikin": 2, "figure": null}', "not a figure's"),
    ],
)
def test_a_broken_meta_is_refused(tmp_path, meta, message):
    with pytest.raises(FormatError, match=message):
        formats.read(archive(tmp_path / "broken.npz", meta=saved(np.array(meta))))
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(FormatError, match="not an NPZ file"):
        formats.read(tmp_path / "text.npz")


def bomb(path: Path, name: str, shape: tuple[int, ...], claimed: tuple[int, ...] | None = None) -> Path:
    """An archive of one array of zeros, which packs to a thousandth; its header may claim another shape."""
    header = repr({"descr": "<f8", "fortran_order": False, "shape": claimed or shape}).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
        with target.open(f"{name}.npy", "w") as stream:
            stream.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
            for _ in range(math.prod(shape) * 8 >> 20):
                stream.write(bytes(1 << 20))
        for other in {"times", "values", "dofs", "name", "spline", "ends", "limits"} - {name}:
            small = {"dofs": np.array(["j"]), "times": np.arange(2.0), "limits": np.array(True)}
            target.writestr(f"{other}.npy", saved(small.get(other, np.array("cubic"))))
    return path


@pytest.mark.parametrize(
    ("name", "shape", "claimed", "message"),
    [
        ("times", (1 << 25,), None, "256 MB are more than it may take"),
        ("times", (1 << 25,), (2,), "more than the 16 bytes of its shape"),
        ("values", (1 << 25, 1), None, r"values: expected shape \(2, 1\), got \(33554432, 1\)"),
        ("dofs", (1 << 25,), None, "256 MB are more than it may take"),
        ("times", (1 << 27,), None, "its arrays take 1024 MB; at most 1024 MB are read"),
    ],
)
def test_an_archive_of_zeros_is_refused_before_it_is_unpacked(tmp_path, name, shape, claimed, message):
    path = bomb(tmp_path / "bomb.npz", name, shape, claimed)
    assert path.stat().st_size < 10_000_000
    figure = mk.Figure("one", ["a", "b"], [mk.Joint.revolute("j", "a", "b", "z", lower=-1, upper=1)])
    tracemalloc.start()
    with pytest.raises(FormatError, match=message):
        mk.Motion.load(figure, path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 40 << 20  # the file itself, twice, and what unpacking buffers
