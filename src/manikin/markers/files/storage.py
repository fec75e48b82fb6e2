"""OpenSim's tables, .mot and .sto: a header, names of columns, numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import isinf, isnan
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FormatError
from manikin.files import read_text, whole_file
from manikin.markers.files.trc import MOST_BYTES


@dataclass(frozen=True, eq=False)
class Table:
    """Columns over time. in_degrees: whether angles are in degrees, as the header says. header: its other entries."""

    name: str
    times: np.ndarray
    columns: Mapping[str, np.ndarray]
    in_degrees: bool
    header: Mapping[str, str]


def read_table(path: str | os.PathLike[str]) -> Table:
    """A .mot or .sto file. Cells may hold several numbers with commas, as quaternions: then a column is (F, k)."""
    lines = read_text(path, "OpenSim table", MOST_BYTES).splitlines()
    end = next((k for k, line in enumerate(lines) if line.strip().lower() == "endheader"), None)
    if end is None:
        raise FormatError(f"{path}: it is no OpenSim table: no line says endheader")
    header = {}
    for line in lines[:end]:
        key, mark, value = line.partition("=")
        if mark:
            header[key.strip()] = value.strip()
    body = [(k, line) for k, line in enumerate(lines[end + 1 :], start=end + 2) if line.strip()]
    if len(body) < 2:
        raise FormatError(f"{path}: it has no rows")
    names = body[0][1].split()
    if names[0].lower() != "time":
        raise FormatError(f"{path}:{body[0][0]}: the first column must be time, got {names[0]!r}")
    cells = []
    for number, line in body[1:]:
        row = line.split()
        if len(row) != len(names):
            raise FormatError(f"{path}:{number}: {len(row)} cells in a row of {len(names)} columns")
        try:
            cells.append([[float(part) for part in cell.split(",")] for cell in row])
        except ValueError:
            raise FormatError(f"{path}:{number}: a cell is no number") from None
        if any(isinf(part) for cell in cells[-1] for part in cell) or isnan(cells[-1][0][0]):
            raise FormatError(f"{path}:{number}: a cell is infinite, or the time is no number")
    columns = {}
    for k, name in enumerate(names):
        widths = {len(row[k]) for row in cells}
        if len(widths) != 1:
            raise FormatError(f"{path}: the cells of column {name!r} hold different counts of numbers")
        column = np.array([row[k] for row in cells])
        columns[name] = column[:, 0] if column.shape[1] == 1 else column
    times = columns.pop(names[0])
    degrees = header.get("inDegrees", header.get("indegrees", "no")).lower() in ("yes", "true")
    title = lines[0].partition("=")[2].strip() or lines[0].strip() if end else ""
    return Table(title or Path(path).stem, times, columns, degrees, header)


def write_table(
    path: str | os.PathLike[str],
    times: Any,
    columns: Mapping[str, Any],
    *,
    name: str = "Coordinates",
    in_degrees: bool = True,
) -> None:
    """Write a .mot or .sto file; columns (F,) of finite numbers."""
    table = np.column_stack([times, *columns.values()]) if columns else np.asarray(times)[:, None]
    if not np.isfinite(table).all():
        raise FormatError(f"{path}: a number to write is not finite")
    lines = [
        name,
        "version=1",
        f"nRows={len(table)}",
        f"nColumns={table.shape[1]}",
        f"inDegrees={'yes' if in_degrees else 'no'}",
        "endheader",
        "\t".join(["time", *columns]),
        *("\t".join(f"{number:.10g}" for number in row) for row in table),
    ]
    with whole_file(path) as beside:
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
