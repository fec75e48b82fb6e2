"""The binary buffer of a glTF file as it grows: accessors and buffer views for arrays."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import numpy as np

_KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_COMPONENTS = {"float32": 5126, "uint32": 5125, "uint16": 5123, "uint8": 5121}
ARRAY, ELEMENTS = 34962, 34963


class Buffer:
    """Collects arrays; `accessors` and `views` are the JSON that describes them."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.accessors: list[dict[str, Any]] = []
        self.views: list[dict[str, Any]] = []

    def add(self, array: np.ndarray, *, bounds: bool = False, target: int | None = None) -> int:
        """The number of a new accessor of (count,) or (count, width) numbers; float64 becomes float32."""
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        table = np.ascontiguousarray(array.reshape(len(array), -1))
        self.data += b"\0" * (-len(self.data) % 4)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": table.nbytes}
        if target is not None:
            view["target"] = target
        self.data += table.tobytes()
        entry: dict[str, Any] = {
            "bufferView": len(self.views),
            "componentType": _COMPONENTS[table.dtype.name],
            "count": len(table),
            "type": _KINDS[table.shape[1]],
        }
        if bounds:
            entry["min"], entry["max"] = table.min(axis=0).tolist(), table.max(axis=0).tolist()
        self.views.append(view)
        self.accessors.append(entry)
        return len(self.accessors) - 1

    def glb(self, document: dict[str, Any]) -> bytes:
        """The whole `.glb` file."""
        binary = bytes(self.data) + b"\0" * (-len(self.data) % 4)
        document = self._with_buffers(document, {"byteLength": len(binary)})
        text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        if binary:
            chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

    def gltf(self, document: dict[str, Any]) -> bytes:
        """The whole `.gltf` file, its buffer as base64 within."""
        uri = "data:application/octet-stream;base64," + base64.b64encode(bytes(self.data)).decode()
        document = self._with_buffers(document, {"byteLength": len(self.data), "uri": uri})
        return json.dumps(document, indent=1, allow_nan=False).encode()

    def _with_buffers(self, document: dict[str, Any], buffer: dict[str, Any]) -> dict[str, Any]:
        if not self.data:
            return document
        return {**document, "accessors": self.accessors, "bufferViews": self.views, "buffers": [buffer]}
