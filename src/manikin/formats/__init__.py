"""Files in and out; one module a format. `load` chooses by the suffix."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manikin.errors import FormatError

if TYPE_CHECKING:
    from manikin.figure import Figure

__all__ = ["load"]

_SUFFIXES = (".urdf", ".osim")


def load(path: str | os.PathLike[str], *, base: str = "fixed", **options: Any) -> Figure:
    """The figure in a file, read by its suffix: ``.urdf`` (see `manikin.formats.urdf.load_urdf` for its
    options), ``.osim`` (an OpenSim model; see `manikin.formats.opensim.read_osim`).

    base: ``"fixed"``, ``"free"`` or ``"planar"``, what holds the root in the world.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise FormatError(f"a figure's file must be given as a path, got {path!r}")
    suffix = Path(path).suffix.lower()
    if suffix == ".urdf":
        from manikin.formats.urdf import load_urdf

        return load_urdf(path, base=base, **options)
    if suffix == ".osim":
        from manikin.formats.opensim import load_osim

        return load_osim(path, base=base, **options)
    if not suffix and not Path(path).exists():
        raise FormatError(
            f"{path}: there is no such file; figures are read from {', '.join(_SUFFIXES)} files"
        )
    hint = "; expand it to .urdf with the xacro command first" if suffix == ".xacro" else ""
    raise FormatError(
        f"{path}: cannot read {suffix or 'a file without a suffix'}{hint}; supported: {', '.join(_SUFFIXES)}"
    )
