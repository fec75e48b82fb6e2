"""C3D files made here, by the C3D user guide: any kind of processor, points as scaled integers or as floats."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

INTEL, DEC, MIPS = 84, 85, 86


def c3d(
    positions: np.ndarray,
    labels: list[str],
    *,
    processor: int = INTEL,
    real: bool = True,
    scale: float = 0.1,
    rate: float = 50.0,
    first: int = 1,
    analog: tuple[int, int] = (0, 0),
    units: str = "mm",
    screen: str = "+Z",
    labels_per_list: int = 255,
    padding: bytes = b"",
) -> bytes:
    """The bytes of a C3D file of these positions (frames, points, 3), in the file's unit; NaN is a gap.

    analog: channels, and samples of each per frame. padding: bytes after the parameters, in place of their end.
    """
    frames, points = positions.shape[:2]
    order = ">" if processor == MIPS else "<"

    def word(value: int) -> bytes:
        return struct.pack(f"{order}H", value)

    def real_number(value: float) -> bytes:
        if processor != DEC:
            return struct.pack(f"{order}f", value)
        low, high = struct.unpack("<HH", struct.pack("<f", 4.0 * value))
        return struct.pack("<HH", high, low)

    def group(number: int, name: str) -> bytes:
        return struct.pack("bb", len(name), -number) + name.encode() + word(3) + b"\0"

    def parameter(number: int, name: str, kind: int, shape: tuple[int, ...], data: bytes) -> bytes:
        body = struct.pack("bB", kind, len(shape)) + bytes(shape) + data + b"\0"
        return struct.pack("bb", len(name), number) + name.encode() + word(2 + len(body)) + body

    def texts(number: int, name: str, words: list[str]) -> bytes:
        width = max(map(len, words))
        data = "".join(text.ljust(width) for text in words).encode()
        return parameter(number, name, -1, (width, len(words)), data)

    factor = -scale if real else scale
    records = group(1, "POINT") + group(2, "ANALOG")
    records += parameter(1, "USED", 2, (), word(points)) + parameter(1, "SCALE", 4, (), real_number(factor))
    records += parameter(1, "RATE", 4, (), real_number(rate)) + parameter(2, "USED", 2, (), word(analog[0]))
    if analog[0]:
        records += parameter(2, "RATE", 4, (), real_number(rate * analog[1]))
    records += parameter(1, "UNITS", -1, (len(units),), units.encode())
    records += parameter(1, "Y_SCREEN", -1, (2,), screen.encode())
    for k in range(0, len(labels), labels_per_list):
        number = k // labels_per_list + 1
        records += texts(1, "LABELS" if number == 1 else f"LABELS{number}", labels[k : k + labels_per_list])
    blocks = -(-(len(records) + 40) // 512)
    start = blocks + 2
    records += parameter(1, "DATA_START", 2, (), word(start)) + (padding or b"\0\0")
    records = bytes([1, 0x50, blocks, processor]) + records
    records = (records + (padding or b"\0") * 512)[: 512 * blocks]
    header = bytes([2, 0x50]) + word(points) + word(analog[0] * analog[1]) + word(first)
    header += word(first + frames - 1) + word(0) + real_number(factor) + word(start) + word(analog[1])
    header = (header + real_number(rate)).ljust(512, b"\0")
    rows = []
    for frame in positions:
        for xyz in frame:
            gap = bool(np.isnan(xyz).any())
            values = [0.0, 0.0, 0.0] if gap else xyz.tolist()
            if real:
                rows += [real_number(value) for value in (*values, -1.0 if gap else 0.0)]
            else:
                rows += [struct.pack(f"{order}h", round(value / scale)) for value in values]
                rows.append(struct.pack(f"{order}h", -1 if gap else 0))
        rows += [real_number(7.0) if real else word(7)] * (analog[0] * analog[1])
    return header + records + b"".join(rows)


def written(folder: Path, data: bytes, name: str = "made.c3d") -> Path:
    """A file of these bytes."""
    path = folder / name
    path.write_bytes(data)
    return path
