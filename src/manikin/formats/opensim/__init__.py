"""OpenSim's files: models, marker sets, setup files of its tools, tables of motions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from manikin.errors import FormatError
from manikin.formats.opensim.model import OsimModel, load_osim, read_osim

if TYPE_CHECKING:
    from manikin.formats.contents import Contents, Note

__all__ = ["OsimModel", "load_osim", "read", "read_osim", "write"]


def read(path: str | os.PathLike[str], **options: Any) -> Contents:
    """The figure of a model; options as of `load_osim`. Its markers and more are in what `read_osim` gives."""
    from manikin.formats.contents import Contents

    return Contents(load_osim(path, **options))


def write(contents: Contents, path: str | os.PathLike[str], **options: Any) -> tuple[Note, ...]:
    """Refused: what a model of OpenSim's holds besides its tree, muscles above all, a figure has not."""
    raise FormatError(f"{path}: OpenSim models are read, not written")
