"""Markers as a plain table: ``time``, then three columns a marker, ``NAME_x``, ``NAME_y``, ``NAME_z`` (or ``.X`` …)."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

import numpy as np

from manikin.errors import FormatError
from manikin.files import read_text, whole_file
from manikin.markers.files.trc import MOST_BYTES, UNITS
from manikin.markers.markers import Markers, upright

_COLUMN = re.compile(r"(?P<label>.+?)[\s_.:(]*(?P<axis>[xyzXYZ])\)?")


def read(
    path: str | os.PathLike[str], *, up: str = "z", unit: str = "m", rate: float | None = None
) -> Markers:
    """The markers in a table with a header; empty cells are gaps.

    rate: frames a second, where the table has no column ``time``.
    """
    text = read_text(path, "CSV", MOST_BYTES)
    try:
        lines = [line for line in csv.reader(text.split("\n")) if line and not line[0].startswith("#")]
    except csv.Error as problem:
        raise FormatError(f"{path}: cannot be read as CSV: {problem}") from None
    if len(lines) < 2:
        raise FormatError(f"{path}: it needs a header and one frame at least")
    if unit not in UNITS:
        raise FormatError(f"{path}: unknown unit {unit!r}; expected one of: {', '.join(UNITS)}")
    header = [cell.strip() for cell in lines[0]]
    table = _numbers(lines[1:], len(header), path)
    clock = next((k for k, name in enumerate(header) if name.lower() in ("time", "time (s)", "t")), None)
    if clock is None and not rate:
        raise FormatError(f"{path}: it has no column 'time'; give rate=, frames a second")
    times = table[:, clock] if clock is not None else np.arange(len(table)) / float(rate or 1.0)
    columns: dict[str, dict[str, int]] = {}
    for k, name in enumerate(header):
        match = _COLUMN.fullmatch(name)
        if k != clock and match is not None:
            columns.setdefault(match["label"], {})[match["axis"].lower()] = k
    columns = {label: axes for label, axes in columns.items() if len(axes) == 3}
    if not columns:
        raise FormatError(f"{path}: no three columns are a marker's; name them NAME_x, NAME_y, NAME_z")
    positions = np.stack([table[:, [axes[a] for a in "xyz"]] for axes in columns.values()], axis=1)
    return Markers(columns, times, UNITS[unit] * positions @ upright(up, str(path)).T, Path(path).name)


def _numbers(lines: list[list[str]], width: int, path: object) -> np.ndarray:
    table = np.full((len(lines), width), np.nan)
    for f, line in enumerate(lines):
        for k, cell in enumerate(line[:width]):
            word = cell.strip()
            if word and word.lower() not in ("nan", "na"):
                try:
                    table[f, k] = float(word)
                except ValueError:
                    raise FormatError(f"{path}:{f + 2}: {word!r} is no number") from None
                if np.isinf(table[f, k]):
                    raise FormatError(f"{path}:{f + 2}: {word!r} is not a finite number")
    return table


def write(markers: Markers, path: str | os.PathLike[str]) -> None:
    """Write a table in metres, z up, with empty cells for gaps."""
    with whole_file(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["time", *(f"{label}_{axis}" for label in markers.labels for axis in "xyz")])
        for time, frame in zip(markers.times, markers.positions, strict=True):
            cells = ["" if np.isnan(x) else repr(round(float(x), 9)) for x in frame.ravel()]
            writer.writerow([repr(float(time)), *cells])
