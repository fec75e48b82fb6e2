"""Motions as OpenSim's tables, .mot and .sto (`manikin.markers.files.storage`)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import FormatError
from manikin.formats.opensim.model import OsimModel
from manikin.markers.files.storage import read_table, write_table

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.formats.contents import Contents, Note


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


def read(path: str | os.PathLike[str]) -> Contents:
    """Refused: a table has values, and no figure that they are of."""
    raise FormatError(f"{path}: an OpenSim table has no figure; read it with its model by `read_motion`")


def write(contents: Contents, path: str | os.PathLike[str]) -> tuple[Note, ...]:
    """The degrees of freedom of any figure over time, angles in degrees; of one that was read from an OpenSim model
    all of its coordinates, as OpenSim's tools write them: a coupled one is no angle there."""
    clip = contents.clip()
    _write(path, contents.figure, clip.times, clip.q)
    return ()


def _write(path: str | os.PathLike[str], figure: Figure, times: Any, q: np.ndarray) -> None:
    model = figure.origin
    if isinstance(model, OsimModel) and model.figure.dofs == figure.dofs:
        write_motion(path, model, times, q)
        return
    columns = {
        name: np.degrees(q[:, k]) if figure.dof(name).unit == "rad" else q[:, k]
        for k, name in enumerate(figure.dofs)
    }
    write_table(path, times, columns, name=figure.name)
