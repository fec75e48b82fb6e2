"""A glTF file's JSON, its buffers and the numbers in them, every index and length checked before it is used.

A `.glb` is twelve bytes, then chunks: the JSON and one binary buffer. Buffers of a `.gltf` are base64 in the
JSON or files beside it. Nothing is fetched from elsewhere.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from manikin.errors import FormatError
from manikin.files import read_bytes
from manikin.references import References

_COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
#: An accessor without a buffer is all zeros and costs nothing to write; this many elements are believed.
MOST_ZEROS = 100_000


class Document:
    """The JSON of a glTF file and access to what it describes."""

    def __init__(self, path: Path, references: References) -> None:
        self.path, self.references = path, references
        data = read_bytes(path, "glTF")
        self._chunk: bytes | None = None
        text = self._glb(data) if data[:4] == b"glTF" else data
        try:
            found = json.loads(text.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{path}: the JSON cannot be read: {error}") from None
        if not isinstance(found, dict):
            raise self.error("the file", "the JSON must be an object")
        self.json = found
        self._lists: dict[str, list[dict[str, Any]]] = {}
        version = self.mapping(found.get("asset"), "asset").get("version")
        if not isinstance(version, str) or version.partition(".")[0] != "2":
            raise self.error("asset", f"only glTF 2.0 is read, this is version {version!r}")
        self._buffers: dict[int, bytes] = {}
        self._arrays: dict[int, np.ndarray] = {}

    def error(self, where: str, what: str) -> FormatError:
        """A FormatError that names the file and the part of it."""
        return FormatError(f"{self.path}: {where}: {what}")

    def _glb(self, data: bytes) -> bytes:
        if len(data) < 20:
            raise self.error("the file", "it ends within the header of a GLB")
        version, length = struct.unpack_from("<II", data, 4)
        if version != 2 or length > len(data):
            raise self.error(
                "the file", f"GLB version {version} of {length} bytes; expected 2 and at most {len(data)}"
            )
        place, text = 12, None
        while place + 8 <= length:
            size, kind = struct.unpack_from("<I4s", data, place)
            chunk = data[place + 8 : place + 8 + size]
            if len(chunk) < size:
                raise self.error("the file", f"a chunk of {size} bytes is cut short")
            if kind == b"JSON" and text is None:
                text = chunk
            elif kind == b"BIN\0" and self._chunk is None:
                self._chunk = chunk
            place += 8 + size
        if text is None:
            raise self.error("the file", "a GLB without a JSON chunk")
        return text

    # Values of the JSON, each of the type it must have.

    def mapping(self, value: Any, where: str) -> dict[str, Any]:
        """An object; nothing is an empty one."""
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.error(where, f"expected an object, found {_shown(value)}")
        return value

    def sequence(self, value: Any, where: str) -> list[Any]:
        """A list; nothing is an empty one."""
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(where, f"expected a list, found {_shown(value)}")
        return value

    def entries(self, key: str) -> list[dict[str, Any]]:
        """All objects of one kind: nodes, meshes, …"""
        if key not in self._lists:
            entries = self.sequence(self.json.get(key), key)
            self._lists[key] = [self.mapping(entry, f"{key} {k}") for k, entry in enumerate(entries)]
        return self._lists[key]

    def index(self, value: Any, count: int, where: str) -> int:
        """An index below `count`."""
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < count:
            raise self.error(where, f"{_shown(value)} is not the number of one of {count}")
        return value

    def count(self, value: Any, where: str) -> int:
        """A number that is not negative."""
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
            raise self.error(where, f"expected a count, found {_shown(value)}")
        return value

    def numbers(self, value: Any, count: int, where: str) -> np.ndarray:
        """A list of `count` finite numbers."""
        found = self.sequence(value, where)
        good = len(found) == count and all(
            isinstance(entry, (int, float)) and not isinstance(entry, bool) for entry in found
        )
        try:
            array = np.array(found, dtype=np.float64) if good else np.full(count, math.nan)
        except OverflowError:
            array = np.full(count, math.nan)
        if not (np.abs(array) < 1e30).all():
            raise self.error(where, f"expected {count} finite numbers, found {_shown(value)}")
        return array

    def text(self, value: Any, default: str) -> str:
        """A name that is not empty, or the default."""
        return value if isinstance(value, str) and value.strip() else default

    # Buffers.

    def buffer(self, number: int) -> bytes:
        """The bytes of a buffer."""
        if number not in self._buffers:
            entry = self.entries("buffers")[number]
            where = f"buffer {number}"
            uri = entry.get("uri")
            if uri is None:
                found = self._chunk if number == 0 else None
                if found is None:
                    raise self.error(where, "it has no uri, and the file has no binary chunk for it")
            elif not isinstance(uri, str):
                raise self.error(where, f"its uri is {_shown(uri)}")
            else:
                found = self._from_uri(uri, where)
            length = self.count(entry.get("byteLength", 0), f"{where}: byteLength")
            if length > len(found):
                raise self.error(where, f"{length} bytes are promised, {len(found)} are there")
            self._buffers[number] = found[:length]
        return self._buffers[number]

    def _from_uri(self, uri: str, where: str) -> bytes:
        if uri.startswith("data:"):
            head, comma, body = uri.partition(",")
            if not comma or not head.endswith(";base64"):
                raise self.error(where, "a data: uri must be base64")
            try:
                return base64.b64decode(body, validate=True)
            except (binascii.Error, ValueError) as error:
                raise self.error(where, f"the base64 cannot be read: {error}") from None
        if "://" in uri:
            raise self.error(where, f"{uri[:80]!r} is not beside the file; nothing is fetched")
        return read_bytes(self.references.path(unquote(uri), f"{self.path}: {where}"), "glTF buffer")

    def _view(self, number: Any, where: str) -> tuple[bytes, int]:
        """The bytes of a buffer view and its stride, 0 for none."""
        views = self.entries("bufferViews")
        view = views[self.index(number, len(views), f"{where}: bufferView")]
        buffers = self.sequence(self.json.get("buffers"), "buffers")
        data = self.buffer(self.index(view.get("buffer"), len(buffers), f"{where}: buffer"))
        begin = self.count(view.get("byteOffset", 0), f"{where}: byteOffset")
        length = self.count(view.get("byteLength"), f"{where}: byteLength")
        if begin + length > len(data):
            raise self.error(where, f"its bufferView ends at {begin + length} of {len(data)} bytes")
        return data[begin : begin + length], self.count(view.get("byteStride", 0), f"{where}: byteStride")

    def accessor(self, number: Any, kinds: tuple[str, ...], where: str) -> np.ndarray:
        """The numbers of an accessor, (count, width), as float64; integers that stand for fractions are made such."""
        entries = self.entries("accessors")
        place = self.index(number, len(entries), f"{where}: accessor")
        entry = entries[place]
        where = f"{where}: accessor {place}"
        kind = entry.get("type")
        if kind not in kinds:
            raise self.error(where, f"its type is {_shown(kind)}, expected {' or '.join(kinds)}")
        if place not in self._arrays:
            self._arrays[place] = self._read(entry, _WIDTHS[kind], where)
        return self._arrays[place]

    def _read(self, entry: dict[str, Any], width: int, where: str) -> np.ndarray:
        component = entry.get("componentType")
        if not isinstance(component, int) or component not in _COMPONENTS:
            raise self.error(where, f"unknown componentType {_shown(component)}")
        dtype = np.dtype(_COMPONENTS[component])
        count = self.count(entry.get("count"), f"{where}: count")
        if entry.get("bufferView") is None:
            if count > MOST_ZEROS:
                raise self.error(where, f"{count} zeros without a bufferView; at most {MOST_ZEROS} are read")
            raw = np.zeros((count, width), dtype)
        else:
            offset = self.count(entry.get("byteOffset", 0), f"{where}: byteOffset")
            raw = self._elements(entry["bufferView"], offset, count, width, dtype, where)
        if entry.get("sparse") is not None:
            raw = self._sparse(self.mapping(entry["sparse"], f"{where}: sparse"), raw, dtype, where)
        with np.errstate(invalid="ignore"):  # what is no number is told below
            result = raw.astype(np.float64)
        if entry.get("normalized") is True and dtype.kind != "f":
            result = np.maximum(result / np.iinfo(dtype).max, -1.0)
        if not (np.abs(result) < 1e30).all():
            raise self.error(where, "a number in it is not finite")
        return result

    def _elements(
        self, view: Any, offset: int, count: int, width: int, dtype: np.dtype[Any], where: str
    ) -> np.ndarray:
        data, stride = self._view(view, where)
        size = width * dtype.itemsize
        stride = stride or size
        if stride < size or offset + (stride * (count - 1) + size if count else 0) > len(data):
            raise self.error(
                where, f"{count} elements of {size} bytes, {stride} apart, are not in {len(data)} bytes"
            )
        if count == 0:
            return np.zeros((0, width), dtype)
        whole = np.frombuffer(data, np.uint8, offset=offset)
        rows = np.lib.stride_tricks.as_strided(whole, (count, size), (stride, 1), writeable=False)
        return np.ascontiguousarray(rows).view(dtype).reshape(count, width)

    def _sparse(self, entry: dict[str, Any], raw: np.ndarray, dtype: np.dtype[Any], where: str) -> np.ndarray:
        count = self.count(entry.get("count"), f"{where}: sparse count")
        indices = self.mapping(entry.get("indices"), f"{where}: sparse indices")
        values = self.mapping(entry.get("values"), f"{where}: sparse values")
        kind = indices.get("componentType")
        if kind not in (5121, 5123, 5125):
            raise self.error(where, f"sparse indices of componentType {_shown(kind)}")
        places = self._elements(
            indices.get("bufferView"),
            self.count(indices.get("byteOffset", 0), f"{where}: sparse byteOffset"),
            count,
            1,
            np.dtype(_COMPONENTS[kind]),
            where,
        )[:, 0].astype(np.int64)
        if len(places) and places.max() >= len(raw):
            raise self.error(where, f"a sparse index is {places.max()}, of {len(raw)} elements")
        offset = self.count(values.get("byteOffset", 0), f"{where}: sparse byteOffset")
        raw = raw.copy()
        raw[places] = self._elements(values.get("bufferView"), offset, count, raw.shape[1], dtype, where)
        return raw


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
