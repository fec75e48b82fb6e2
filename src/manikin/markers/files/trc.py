"""TRC, the marker files of Motion Analysis and of OpenSim: tabs or commas, gaps as empty cells, millimetres or
metres."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from manikin.errors import FormatError
from manikin.files import read_bytes, whole_file
from manikin.markers.markers import Markers, upright

#: A table of numbers as text is no larger.
MOST_BYTES = 256 << 20

UNITS = {
    "m": 1.0,
    "meters": 1.0,
    "metres": 1.0,
    "cm": 1e-2,
    "mm": 1e-3,
    "millimeters": 1e-3,
    "inches": 0.0254,
}


def read(path: str | os.PathLike[str], *, up: str = "y", unit: str | None = None) -> Markers:
    """The markers in a TRC file.

    up: the axis of the file that points up, ``"y"`` as OpenSim has it.
    unit: ``"mm"``, ``"m"``…, where the header says none or lies.

    A cell that is empty, not a number, or a marker with all three cells 0 or beyond 1e6, is a gap. Columns without a
    name in the header are read as far as they are complete; names that follow the measured ones (virtual markers
    without values) are left out.
    """
    file = Path(path)
    lines = _decoded(read_bytes(file, "TRC", MOST_BYTES)).splitlines()
    at = next((k for k, line in enumerate(lines) if line.lstrip().lower().startswith("frame#")), None)
    if at is None:
        raise FormatError(f"{path}: it is no TRC file: no line begins with Frame#")
    comma = lines[at].count(",") > lines[at].count("\t")
    split = (lambda line: line.split(",")) if comma else (lambda line: line.split("\t"))
    header = _header(lines[:at], split)
    names = [cell.strip() for cell in split(lines[at])]
    after = next((k for k, name in enumerate(names) if name.lower().startswith("time")), 1)
    labels = [name for name in names[after + 1 :] if name]
    turn, scale = upright(up, str(path)), _scale(unit, header, path)
    words, rows = _rows(lines[at + 1 :], at + 2, split, path)
    if not rows:
        raise FormatError(f"{path}: it has no frames")
    width = max(len(row) for row in rows) // 3
    if not labels:
        raise FormatError(f"{path}:{at + 1}: no marker has a name")
    labels = labels[:width]
    cells = np.full((len(rows), 3 * len(labels)), np.nan)
    for f, row in enumerate(rows):
        cells[f, : min(len(row), cells.shape[1])] = row[: cells.shape[1]]
    positions = cells.reshape(len(rows), len(labels), 3)
    with np.errstate(invalid="ignore"):
        gone = (positions == 0.0).all(axis=2) | (np.abs(positions) > 1e6).any(axis=2)
    positions[gone] = np.nan
    listed = int(float(header["NumMarkers"])) if _is_number(header.get("NumMarkers", "")) else len(labels)
    kept = [k for k in range(len(labels)) if k < listed or not np.isnan(positions[:, k]).all()]
    return Markers(
        [distinct(labels)[k] for k in kept],
        _times(words, header, path),
        scale * positions[:, kept] @ turn.T,
        file.name,
    )


def _decoded(data: bytes) -> str:
    """Text in UTF-8, or in Latin-1, which older programs write."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _header(lines: list[str], split: object) -> dict[str, str]:
    """The names of the second line with the values of the third, wherever these lines are."""
    for k, line in enumerate(lines[:-1]):
        names = [cell.strip() for cell in split(line)]  # type: ignore[operator]
        if "DataRate" in names or "NumMarkers" in names:
            values = [cell.strip() for cell in split(lines[k + 1])]  # type: ignore[operator]
            # Some programs put several tabs between cells: those that are not empty belong together if as many.
            full, others = [cell for cell in names if cell], [cell for cell in values if cell]
            return dict(
                zip(full, others, strict=True)
                if len(full) == len(others)
                else zip(names, values, strict=False)
            )
    return {}


def _scale(unit: str | None, header: dict[str, str], path: object) -> float:
    word = (unit or header.get("Units") or "").strip().lower()
    if word not in UNITS:
        raise FormatError(
            f"{path}: its unit is {word or 'not given'!r}; give unit= one of {', '.join(UNITS)}"
        )
    return UNITS[word]


def _rows(lines: list[str], first: int, split: object, path: object) -> tuple[list[str], list[list[float]]]:
    """The time and the cells of every line of a frame; only the line of axes, X1 Y1 …, is none."""
    times: list[str] = []
    rows: list[list[float]] = []
    for number, line in enumerate(lines, start=first):
        cells = [cell.strip() for cell in split(line)]  # type: ignore[operator]
        if not any(cells) or (not rows and not any(_is_number(cell) for cell in cells)):
            continue
        if not re.fullmatch(r"[+-]?\d+(\.0*)?", cells[0]):
            raise FormatError(
                f"{path}:{number}: a line of a frame must begin with its number, got {cells[0][:40]!r}"
            )
        if len(cells) < 2 or not _is_number(cells[1]):
            raise FormatError(f"{path}:{number}: frame {cells[0]} has no time")
        times.append(cells[1])
        rows.append([float(cell) if _is_number(cell) else np.nan for cell in cells[2:]])
    return times, rows


def _times(words: list[str], header: dict[str, str], path: object) -> np.ndarray:
    """The times as written; those of the rate if rounded to the digits written they are the same."""
    found = np.array([float(word) for word in words])
    rate = header.get("DataRate", "")
    if _is_number(rate) and float(rate) > 0.0 and not any("e" in word.lower() for word in words):
        digits = max(len(word.partition(".")[2]) for word in words)
        even = found[0] + np.arange(len(found)) / float(rate)
        # Some programs cut where they should round; but a frame that is missing must not be smoothed over.
        off, unit = float(np.abs(even - found).max()), 1.01 * 10.0**-digits
        same = bool((np.diff(found) <= 0.0).any())
        if off <= (unit if same else min(unit, 0.25 / float(rate))):
            return even
    if (np.diff(found) <= 0.0).any():
        k = int(np.argmax(np.diff(found) <= 0.0))
        raise FormatError(f"{path}: time does not go on after frame {k + 1} ({found[k]:g} s)")
    return found


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def distinct(labels: list[str]) -> list[str]:
    """Labels that occur again get a number."""
    seen: dict[str, int] = {}
    found = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        found.append(label if seen[label] == 1 else f"{label}_{seen[label]}")
    return found


def write(markers: Markers, path: str | os.PathLike[str], *, up: str = "y") -> None:
    """Write a TRC file in metres, with empty cells for gaps; `up` as of `read`."""
    turn = upright(up, str(path))
    rate, count = markers.rate, len(markers)
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{Path(path).name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate:.6g}\t{rate:.6g}\t{count}\t{len(markers.labels)}\tm\t{rate:.6g}\t1\t{count}",
        "Frame#\tTime\t" + "\t\t\t".join(markers.labels) + "\t\t",
        "\t\t" + "\t".join(f"{axis}{k + 1}" for k in range(len(markers.labels)) for axis in "XYZ"),
        "",
    ]
    positions = markers.positions @ turn
    for f in range(count):
        cells = ["" if np.isnan(x) else f"{x:.9f}" for x in positions[f].ravel()]
        lines.append("\t".join([str(f + 1), f"{markers.times[f]:.9f}", *cells]))
    with whole_file(path) as beside:
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
