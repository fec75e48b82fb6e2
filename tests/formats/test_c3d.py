"""C3D files: every kind of processor, integers and floats, beside ezc3d; damaged files are refused."""

from __future__ import annotations

import numpy as np
import pytest
from c3d_files import DEC, INTEL, MIPS, c3d, written

from manikin.errors import FormatError
from manikin.markers.files import c3d as c3d_file

LABELS = ["LASI", "RASI", "subject:SACR"]


def capture(frames: int = 4, points: int = 3) -> np.ndarray:
    """Positions in tenths of a millimetre, with a gap."""
    positions = np.random.default_rng(5).integers(-20_000, 20_000, (frames, points, 3)) / 10.0
    positions[1, 0] = np.nan
    return positions


@pytest.mark.parametrize("processor", [INTEL, DEC, MIPS])
@pytest.mark.parametrize("real", [True, False])
def test_points_are_those_written_on_any_processor(tmp_path, processor, real):
    positions = capture()
    path = written(tmp_path, c3d(positions, LABELS, processor=processor, real=real, first=11, analog=(2, 5)))
    markers = c3d_file.read(path)
    assert markers.labels == ("LASI", "RASI", "SACR")
    assert markers.times == pytest.approx([0.2, 0.22, 0.24, 0.26])
    assert markers.positions == pytest.approx(1e-3 * positions, abs=2e-7, nan_ok=True)


@pytest.mark.parametrize("processor", [INTEL, DEC])
@pytest.mark.parametrize("real", [True, False])
def test_points_are_those_that_ezc3d_reads(tmp_path, processor, real):
    ezc3d = pytest.importorskip("ezc3d")
    path = written(tmp_path, c3d(capture(30, 3), LABELS, processor=processor, real=real))
    file = ezc3d.c3d(str(path))
    theirs = np.asarray(file["data"]["points"])[:3].transpose(2, 1, 0)
    assert c3d_file.read(path).positions == pytest.approx(1e-3 * theirs, abs=1e-6, nan_ok=True)


def test_a_real_capture_is_as_ezc3d_reads_it(data_file):
    ezc3d = pytest.importorskip("ezc3d")
    path = data_file("markers/bmc_gait.c3d")
    file = ezc3d.c3d(str(path))
    theirs = np.asarray(file["data"]["points"])[:3].transpose(2, 1, 0)
    theirs[(theirs == 0.0).all(axis=2)] = np.nan
    assert c3d_file.read(path).positions == pytest.approx(1e-3 * theirs, abs=1e-6, nan_ok=True)


def test_more_labels_than_one_list_holds_are_read_in_order(tmp_path):
    labels = [f"M{k}" for k in range(300)]
    path = written(tmp_path, c3d(np.ones((1, 300, 3)), labels))
    assert c3d_file.read(path).labels == tuple(labels)
    many = written(tmp_path, c3d(np.ones((1, 300, 3)), labels, labels_per_list=25))
    assert c3d_file.read(many).labels == tuple(labels)  # LABELS10 after LABELS9


def test_parameters_without_an_end_go_up_to_the_data(tmp_path):
    last = b"\x01\x01X" + (5000).to_bytes(2, "little") + b"\x01\x00\x05\x00"
    assert len(c3d_file.read(written(tmp_path, c3d(capture(), LABELS, padding=last)))) == 4


def test_the_axis_that_points_up_is_that_of_the_screen(tmp_path):
    path = written(tmp_path, c3d(np.array([[[1.0, 2.0, 3.0]]]), ["A"], screen="+Y"))
    assert c3d_file.read(path).positions[0, 0] == pytest.approx([1e-3, -3e-3, 2e-3])
    assert c3d_file.read(path, up="z").positions[0, 0] == pytest.approx([1e-3, 2e-3, 3e-3])


def test_a_unit_that_the_file_does_not_give_is_asked_for(tmp_path):
    path = written(tmp_path, c3d(np.ones((1, 1, 3)), ["A"], units="  "))
    with pytest.raises(FormatError, match="unit= one of"):
        c3d_file.read(path)
    assert c3d_file.read(path, unit="m").positions[0, 0].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda data: b"x" * len(data), "does not begin"),
        (lambda data: data[:2000], "there are bytes for"),
        (lambda data: data[:600], "it ends within|does not begin"),
        (lambda data: data[:515] + b"\x00" + data[516:], "kind of processor"),
        (lambda data: data[:8] + b"\xff\xff" + data[10:], "there are bytes for"),
        (lambda data: data[:2] + b"\xff\xff" + data[4:], "there are bytes for"),
        (lambda data: data[:2] + b"\x00\x00" + data[4:], "0 points"),
        (lambda data: b"", "empty"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, change, message):
    path = written(tmp_path, change(c3d(capture(400), LABELS)))
    with pytest.raises(FormatError, match=message):
        c3d_file.read(path)
