"""NumPy's archives of arrays, read without trust: nothing is unpickled, and sizes are looked at before unpacking.

An NPZ file is a zip of NPY files. Of each the zip's directory says the unpacked size, and the first bytes say type and
shape: all of them must agree before memory is taken for the array, which is then unpacked in place.
"""

from __future__ import annotations

import ast
import io
import os
import re
import zipfile
import zlib
from math import prod
from typing import Any

import numpy as np

from manikin.errors import FormatError
from manikin.files import read_bytes

#: What all arrays of a file may unpack to together: a clip of three hours at 120 Hz of 100 degrees of freedom.
MOST_BYTES = 1 << 30
#: What an array whose shape is not checked against another may unpack to; a million keys of a clip are 8 MB.
MOST_FREE = 128 << 20
_LONGEST_HEADER = 10_000
_HEADER = re.compile(rb"\{[^{}]*\}")
_TYPE = re.compile(r"[<|>=]?(f[48]|i[1248]|u[1248]|b1|U\d{1,9})")
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError),
    *(ValueError, SyntaxError, TypeError, OSError, EOFError, KeyError, MemoryError, OverflowError),
)


class Archive:
    """The arrays of an NPZ file. what: a word for the file's kind in messages."""

    def __init__(self, file: str | os.PathLike[str], what: str = "NPZ") -> None:
        self.file = file
        data = read_bytes(file, what)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            infos = self._zip.infolist()
        except _BROKEN as error:
            raise FormatError(f"{file}: this is not an NPZ file: {error}") from None
        self._infos = {info.filename.removesuffix(".npy"): info for info in infos}
        if len(self._infos) < len(infos):
            raise FormatError(f"{file}: two of its arrays have one name")
        total = sum(info.file_size for info in infos)
        if total > MOST_BYTES:
            raise FormatError(
                f"{file}: its arrays take {total >> 20} MB; at most {MOST_BYTES >> 20} MB are read"
            )

    @property
    def names(self) -> list[str]:
        """The names of its arrays."""
        return list(self._infos)

    def text(self, name: str) -> str:
        """An array of one text."""
        found = self.array(name, ())
        if found.dtype.kind != "U":
            raise FormatError(f"{self.file}: {name}: text was expected, not {found.dtype}")
        return str(found[()])

    def array(self, name: str, shape: tuple[int | None, ...] | None = None) -> np.ndarray:
        """One array of numbers or text.

        shape: what its shape must be, None for any length. An array of any length is at most `MOST_FREE` bytes.
        """
        if name not in self._infos:
            raise FormatError(
                f"{self.file}: there is no {name!r} in it, only {', '.join(self.names[:9]) or 'nothing'}"
            )
        try:
            with self._zip.open(self._infos[name]) as stream:
                return self._read(name, stream, shape)
        except FormatError:
            raise
        except _BROKEN as error:
            raise FormatError(f"{self.file}: {name}: it cannot be read: {error}") from None
        except RecursionError:
            raise FormatError(
                f"{self.file}: {name}: it cannot be read: its header is nested too deeply"
            ) from None

    def _read(self, name: str, stream: Any, wanted: tuple[int | None, ...] | None) -> np.ndarray:
        dtype, shape, order, begin = _header(stream)
        there, size = self._infos[name].file_size - begin, prod(shape) * dtype.itemsize
        if size > there:
            raise ValueError(f"{shape} does not fit in {max(there, 0)} bytes")
        if wanted is not None and (
            len(shape) != len(wanted)
            or any(w is not None and n != w for n, w in zip(shape, wanted, strict=True))
        ):
            listed = ", ".join("any" if w is None else str(w) for w in wanted)
            raise FormatError(f"{self.file}: {name}: expected shape ({listed}), got {shape}")
        if size > MOST_FREE and (wanted is None or None in wanted):
            raise ValueError(f"{size >> 20} MB are more than it may take")
        flat = np.empty(prod(shape), dtype)
        if size == 0:
            return flat.reshape(shape)
        view, place = memoryview(flat.view(np.uint8).data).cast("B"), 0
        while place < size:
            count = stream.readinto(view[place : place + (1 << 20)])
            if not count:
                raise EOFError(f"it ends after {place} of {size} bytes")
            place += count
        if stream.read(1):
            raise ValueError(f"it has more than the {size} bytes of its shape")
        return flat.reshape(shape, order=order)


def _header(stream: Any) -> tuple[np.dtype[Any], tuple[int, ...], Any, int]:
    """Type, shape, order and begin of the numbers of an NPY file, version 1 to 3."""
    magic = stream.read(8)
    if magic[:6] != b"\x93NUMPY" or len(magic) < 8 or magic[6] not in (1, 2, 3):
        raise ValueError("it does not begin as NumPy's arrays do")
    width = 2 if magic[6] == 1 else 4
    length = int.from_bytes(stream.read(width), "little")
    if length > _LONGEST_HEADER:
        raise ValueError("its header is too long")
    text = stream.read(length)
    if len(text) < length or _HEADER.fullmatch(text.strip()) is None:
        raise ValueError("its header is cut short, or not a dictionary")
    header = ast.literal_eval(text.decode("utf-8").strip())
    kind, shape = header.get("descr"), header.get("shape")
    if not isinstance(kind, str) or _TYPE.fullmatch(kind) is None:
        raise ValueError(f"numbers or text were expected, not {str(kind)[:40]!r}")
    if not isinstance(shape, tuple) or not all(type(entry) is int and entry >= 0 for entry in shape):
        raise ValueError("its shape is not a tuple of counts")
    if len(shape) > 8:
        raise ValueError(f"it has {len(shape)} dimensions")
    order = "F" if header.get("fortran_order") is True else "C"
    return np.dtype(kind), shape, order, 8 + width + length
