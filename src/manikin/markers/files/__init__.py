"""Files of markers and of tables over time, one a format; markers are read and written by the suffix."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manikin.errors import FormatError

if TYPE_CHECKING:
    from manikin.markers.markers import Markers

#: The module of each suffix that markers are read from, and of those that they are written to.
_READ = {".trc": "trc", ".c3d": "c3d", ".csv": "csv"}
_WRITTEN = (".trc", ".csv")


def read_markers(path: str | os.PathLike[str], **options: Any) -> Markers:
    """The markers in a ``.trc``, ``.c3d`` or ``.csv`` file; options are the format's."""
    suffix = Path(path).suffix.lower()
    if suffix not in _READ:
        raise FormatError(
            f"{path}: cannot read markers from {suffix or 'it'}; expected one of: {', '.join(_READ)}"
        )
    found: Markers = _module(suffix).read(path, **options)
    return found


def write_markers(markers: Markers, path: str | os.PathLike[str]) -> None:
    """Write a ``.trc`` or ``.csv`` file."""
    suffix = Path(path).suffix.lower()
    if suffix not in _WRITTEN:
        raise FormatError(f"{path}: markers are written as {' or '.join(_WRITTEN)}")
    _module(suffix).write(markers, path)


def _module(suffix: str) -> Any:
    return import_module(f"{__package__}.{_READ[suffix]}")
