"""What the commands share: files written whole, quantities as people read them."""

import os
import stat

import pytest

from manikin.cli.output import duration, print_json, quantity, write_whole
from manikin.errors import FormatError


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "pose.json"
    path.write_text("old")

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(FormatError, match=r"pose\.json: cannot be written: No space left"):
        write_whole(path, "new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_a_written_file_has_the_permissions_of_any_other(tmp_path):
    (tmp_path / "other").write_text("")
    write_whole(tmp_path / "pose.json", "new")
    assert (tmp_path / "pose.json").read_text() == "new"
    modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert len(modes) == 1


def test_a_nan_in_the_results_is_a_bug_and_raised():
    with pytest.raises(ValueError, match="JSON"):
        print_json({"miss": float("nan")})


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.00125, "m", "1.25 mm"),
        (0.4, "m", "0.4 m"),
        (0.0, "m", "0 mm"),
        (3e-7, "m", "<0.001 mm"),
        (0.5, "rad", "28.65°"),
        (1e-9, "rad", "<0.001°"),
    ],
)
def test_quantities(value, unit, shown):
    assert quantity(value, unit) == shown


@pytest.mark.parametrize(("seconds", "shown"), [(3.5e-5, "35 µs"), (1.2e-3, "1.2 ms"), (3.4, "3.4 s")])
def test_durations(seconds, shown):
    assert duration(seconds) == shown
