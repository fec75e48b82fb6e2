"""Files in and out; one room a format. `load`, `load_motion`, `read` and `save` choose by the suffix.

| suffix | format | figure | clips |
|---|---|---|---|
| `.urdf` | URDF | in, out | |
| `.xml`, `.mjcf` | MJCF, through MuJoCo | in, out | key frames |
| `.bvh` | BVH | in, out | one |
| `.glb`, `.gltf`, `.vrm` | glTF 2.0, VRM | in, out | any number |
| `.fig` | Peabody | in, out | one pose |
| `.osim` | OpenSim's models | in | |
| `.npz` | Manikin's own, exact | in, out | any number |
| `.mot`, `.sto` | OpenSim's tables | | one, out |
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manikin.errors import FormatError
from manikin.files import is_file
from manikin.formats.source import is_text, refuse_options, refuse_text
from manikin.references import accepts_within

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.formats.contents import Contents, Note
    from manikin.motion.motion import Motion

__all__ = ["load", "load_motion", "read", "save"]

#: The room of each suffix; every room has `read` and `write`.
_ROOMS = {
    ".urdf": "urdf",
    ".xml": "mjcf",
    ".mjcf": "mjcf",
    ".bvh": "bvh",
    ".glb": "gltf",
    ".gltf": "gltf",
    ".vrm": "gltf",
    ".fig": "peabody",
    ".osim": "opensim",
    ".npz": "npz",
}
#: Of those that are only written.
_ONLY_WRITTEN = {".mot": "opensim.storage", ".sto": "opensim.storage"}


def load(
    path: str | os.PathLike[str], *, base: str | None = None, person: bool = False, **options: Any
) -> Figure:
    """The figure in a file, read by its suffix: URDF, MJCF, BVH, glTF, VRM, Peabody, OpenSim or NPZ.

    path: of the file; or URDF itself, as text that begins with ``<``, such as ROS's /robot_description.
    base: ``"fixed"``, ``"free"`` or ``"planar"``, what holds the root in the world; by default what the file
        says, or what is usual for its format (URDF fixed, BVH and characters free).
    person: read a character or a humanoid robot as a person (see `manikin.formats.people`).
    options: those of the format's reader, as ``unit=`` of BVH; see docs/formats.md. What a file refers to lies in
        its own folder, or below those that ``within=`` gives.

    `read` also tells what the file has and a figure cannot hold; `load_motion` gives its clip.
    """
    return read(path, base=base, person=person, **options).figure


def load_motion(path: str | os.PathLike[str], *, clip: str | int | None = None, **options: Any) -> Motion:
    """A clip in a file, with its figure: by name or number, where there are several.

    options: those of `load`.
    """
    try:
        return read(path, **options).clip(clip)
    except FormatError as error:
        raise (
            error if str(path) in str(error) or len(str(path)) > 1000 else FormatError(f"{path}: {error}")
        ) from None


def read(path: str | os.PathLike[str], *, person: bool = False, **options: Any) -> Contents:
    """All that a file has, or URDF as text: figure, clips, skins, and notes of what was left out or assumed.

    person, options: as of `load`.
    """
    text = isinstance(path, str) and is_text(path)
    room = importlib.import_module("manikin.formats.urdf" if text else room_of(path))
    if options.get("base", "") is None:
        del options["base"]
    if "within" in options and not accepts_within(room.read):
        del options["within"]  # such a file refers to no other
    refuse_options(room.read, options, "URDF" if text else path)
    contents: Contents = room.read(path, **options)
    if person:
        from manikin.formats.people import as_person

        return as_person(contents)
    return contents


def save(what: Any, path: str | os.PathLike[str], **options: Any) -> tuple[Note, ...]:
    """Write a Figure, a Pose, a motion, several motions of one figure, what followed a capture, or what `read` gave,
    by the file's suffix.

    options: those of the format's writer, as ``look="skin"`` of glTF; see docs/formats.md.

    The file is written whole or not at all. Returns what the format could not hold, or holds in another form.
    """
    from manikin.formats.contents import contents_of

    contents = contents_of(what)
    room = importlib.import_module(room_of(path, "write"))
    refuse_options(room.write, options, path)
    return tuple(room.write(contents, path, **options))


def suffixes() -> dict[str, str]:
    """Of each suffix what can be done with such a file."""
    return {
        suffix: "read and written" if suffix in _ROOMS else "written" for suffix in (*_ROOMS, *_ONLY_WRITTEN)
    }


def room_of(path: str | os.PathLike[str], do: str = "read") -> str:
    """The module that reads and writes files of this path's suffix."""
    if not isinstance(path, (str, os.PathLike)):
        raise FormatError(f"a file must be given as a path, got {path!r}")
    refuse_text(path)
    suffix = Path(path).suffix.lower()
    rooms = _ROOMS if do == "read" else _ROOMS | _ONLY_WRITTEN
    known = ", ".join(rooms)
    if suffix in rooms:
        return f"manikin.formats.{rooms[suffix]}"
    if not suffix and do == "read" and not is_file(path):
        raise FormatError(f"{path}: there is no such file; figures are read from {known} files")
    hint = "; expand it to .urdf with the xacro command first" if suffix == ".xacro" else ""
    raise FormatError(f"{path}: cannot {do} {suffix or 'a file without a suffix'}{hint}; supported: {known}")
