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
from manikin.formats.trc import MOST_BYTES


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


def read_motion(path: str | os.PathLike[str], model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Times and the figure's values, (F, n), of a table of an OpenSim model's coordinates; others stay at rest."""
    table = read_table(path)
    figure, q = model.figure, np.tile(np.array(model.figure.rest), (len(table.times), 1))
    kinds = {name: c.in_degrees for name, c in model.spec.coordinates.items()}
    known = set(figure.dofs)
    for name, column in table.columns.items():
        short = name.split("/")[-2] if name.endswith("/value") else name
        if short in known and column.ndim == 1:
            gone = np.flatnonzero(np.isnan(column))
            if len(gone):
                raise FormatError(f"{path}: {name!r} has no value at {table.times[gone[0]]:g} s")
            q[:, figure.index(short)] = np.radians(column) if table.in_degrees and kinds[short] else column
    return table.times, q


def write_motion(
    path: str | os.PathLike[str], model: Any, times: Any, q: Any, *, in_degrees: bool = True
) -> None:
    """All coordinates of an OpenSim model at the figure's values q, (F, n), as OpenSim's tools write them."""
    values = model.values(q)
    kinds = [model.spec.coordinates[name].in_degrees for name in model.coordinates]
    columns = {
        name: np.degrees(values[:, k]) if in_degrees and kinds[k] else values[:, k]
        for k, name in enumerate(model.coordinates)
    }
    write_table(path, times, columns, in_degrees=in_degrees)


def write_figure_motion(path: str | os.PathLike[str], figure: Any, times: Any, q: Any) -> None:
    """The degrees of freedom of any figure as a table, angles in degrees; of one that was read from an OpenSim model
    all of its coordinates, as OpenSim's tools write them: a coupled one is no angle there."""
    from manikin.formats.opensim.model import OsimModel

    model, q = figure.origin, np.asarray(q)
    if isinstance(model, OsimModel) and model.figure.dofs == figure.dofs:
        write_motion(path, model, times, q)
        return
    columns = {
        name: np.degrees(q[:, k]) if figure.dof(name).unit == "rad" else q[:, k]
        for k, name in enumerate(figure.dofs)
    }
    write_table(path, times, columns, name=figure.name)
