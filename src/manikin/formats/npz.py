"""NPZ, Manikin's own: figure, clips and skins, exact to the last bit, in NumPy's archive.

``meta`` is JSON, the figure and the names of the rest; ``clip_0_times``, ``clip_0_values`` and so on are plain
arrays, so that anything that reads NumPy's files reads the clips. Nothing in it is pickled, and nothing is
unpickled.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FigureError, FormatError, PoseError
from manikin.files import whole_file
from manikin.formats.contents import Contents, Note
from manikin.formats.record import figure_from, figure_record
from manikin.formats.references import References
from manikin.formats.skin import Skin
from manikin.formats.source import read_bytes
from manikin.motion.motion import Motion

VERSION = 1
_SKIN_ARRAYS = ("vertices", "triangles", "bind", "joints", "weights")
#: What one entry may unpack to: a zip of a megabyte can hold a thousand.
MOST_BYTES = 1 << 30
_HEADER = re.compile(rb"\{[^{}]*\}")


def write(contents: Contents, path: str | os.PathLike[str]) -> list[Note]:
    """Write everything."""
    meta = {
        "manikin": VERSION,
        "figure": figure_record(contents.figure),
        "clips": [
            {"name": clip.name, "spline": clip.spline, "ends": clip.ends, "limits": clip.limits}
            for clip in contents.clips
        ],
        "skins": [
            {"name": skin.name, "segments": list(skin.segments), "color": skin.color}
            for skin in contents.skins
        ],
        "humanoid": dict(contents.humanoid),
    }
    arrays: dict[str, Any] = {"meta": np.array(json.dumps(meta))}
    for k, clip in enumerate(contents.clips):
        arrays[f"clip_{k}_times"], arrays[f"clip_{k}_values"] = clip.times, clip.q
    for k, skin in enumerate(contents.skins):
        for key in _SKIN_ARRAYS:
            arrays[f"skin_{k}_{key}"] = getattr(skin, key)
    with whole_file(path) as beside, Path(beside).open("wb") as stream:
        np.savez_compressed(stream, **arrays)
    return []


def read(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    within: References | Iterable[str | os.PathLike[str]] | None = None,
) -> Contents:
    """Everything that `write` wrote.

    base: refused unless it is the figure's own: the file says what holds the root.
    within: further folders that meshes may lie in; one that is in none of them, nor in the file's own folder,
        becomes ``outside://…``.
    """
    file = Path(path)
    archive = _Archive(file)
    if "meta.npy" not in archive.zip.namelist() and "values.npy" in archive.zip.namelist():
        raise FormatError(
            f"{file}: this is a motion without its figure; read it with Motion.load(figure, path)"
        )
    try:
        meta = json.loads(str(archive.array("meta")[()]))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{file}: meta is not JSON: {error}") from None
    if not isinstance(meta, dict) or meta.get("manikin") != VERSION:
        raise FormatError(f"{file}: this is not a figure's file of version {VERSION}")
    try:
        figure = figure_from(meta.get("figure"), References(file, within).mesh)
        if base is not None and base != figure.base:
            raise FormatError(f"{file}: the figure has a {figure.base} base, not a {base} one")
        clips = [
            Motion(
                figure,
                archive.array(f"clip_{k}_times"),
                archive.array(f"clip_{k}_values"),
                **{key: entry[key] for key in ("name", "spline", "ends", "limits")},
            )
            for k, entry in enumerate(_list(meta, "clips"))
        ]
        skins = [_skin(archive, k, entry, figure.segments) for k, entry in enumerate(_list(meta, "skins"))]
        humanoid = {str(bone): str(name) for bone, name in dict(meta.get("humanoid") or {}).items()}
    except FormatError:
        raise
    except (FigureError, PoseError) as error:
        raise FormatError(f"{file}: {error}") from error
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        raise FormatError(f"{file}: it cannot be read: {error!r}") from None
    return Contents(figure, tuple(clips), tuple(skins), humanoid)


def _list(meta: dict[str, Any], key: str) -> list[Any]:
    found = meta.get(key, [])
    if not isinstance(found, list):
        raise FigureError(f"{key} must be a list")
    return found


def _skin(archive: _Archive, k: int, entry: dict[str, Any], known: Any) -> Skin:
    names = [str(name) for name in entry["segments"]]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise FigureError(f"skin {k}: unknown segment {unknown[0]!r}")
    color = None if entry["color"] is None else tuple(float(part) for part in entry["color"])
    if color is not None and len(color) != 3:
        raise FigureError(f"skin {k}: a colour has three numbers")
    arrays = {key: archive.array(f"skin_{k}_{key}") for key in _SKIN_ARRAYS}
    return Skin(str(entry["name"]), segments=names, color=color, **arrays)


class _Archive:
    """The arrays of an NPZ file. Sizes are believed only as far as there are bytes for them."""

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            self.zip = zipfile.ZipFile(io.BytesIO(read_bytes(file, "NPZ")))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError) as error:
            raise FormatError(f"{file}: this is not an NPZ file: {error}") from None

    def array(self, name: str) -> np.ndarray:
        """One array, of numbers or text."""
        data = self._bytes(name)
        try:
            return self._array(data, name)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, OverflowError) as error:
            raise FormatError(f"{self.file}: {name}: it cannot be read: {error}") from None

    def _bytes(self, name: str) -> bytes:
        try:
            info = self.zip.getinfo(f"{name}.npy")
        except KeyError:
            raise FormatError(
                f"{self.file}: there is no {name!r} in it; is it a figure's NPZ file?"
            ) from None
        if info.file_size > min(MOST_BYTES, 1100 * info.compress_size + 1024):
            raise FormatError(f"{self.file}: {name}: {info.file_size} bytes are more than it can unpack to")
        try:
            return self.zip.read(info)
        except (
            zipfile.BadZipFile,
            zlib.error,
            RuntimeError,
            NotImplementedError,
            ValueError,
            OSError,
            EOFError,
            KeyError,
        ) as error:
            raise FormatError(f"{self.file}: {name}: it cannot be unpacked: {error}") from None

    def _array(self, data: bytes, name: str) -> np.ndarray:
        """NumPy's own format, version 1 to 3: magic, length, a header of three entries, the numbers."""
        if data[:6] != b"\x93NUMPY" or len(data) < 12 or data[6] not in (1, 2, 3):
            raise ValueError("it does not begin as NumPy's arrays do")
        size = 2 if data[6] == 1 else 4
        length = int.from_bytes(data[8 : 8 + size], "little")
        begin = 8 + size
        if length > 10_000 or begin + length > len(data):
            raise ValueError("its header is cut short, or too long")
        text = data[begin : begin + length].strip()
        if _HEADER.fullmatch(text) is None:
            raise ValueError("its header is not a dictionary")
        header = ast.literal_eval(text.decode("utf-8"))
        kind, shape = header.get("descr"), header.get("shape")
        if not isinstance(kind, str) or not re.fullmatch(r"[<|>=]?(f[48]|i[1248]|u[1248]|U\d{1,9})", kind):
            raise ValueError(f"numbers or text were expected, not {str(kind)[:40]!r}")
        if not isinstance(shape, tuple) or not all(type(entry) is int and entry >= 0 for entry in shape):
            raise ValueError("its shape is none")
        dtype = np.dtype(kind)
        count = 1
        for entry in shape:
            count *= entry
        body = data[begin + length :]
        if len(shape) > 8 or count * dtype.itemsize > len(body):
            raise ValueError(f"{shape} does not fit in {len(body)} bytes")
        if dtype.kind == "U" and dtype.itemsize == 0:
            return np.zeros(shape, dtype)
        found = np.frombuffer(body, dtype, count)
        return found.reshape(shape, order="F" if header.get("fortran_order") is True else "C")
