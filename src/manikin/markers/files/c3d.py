"""C3D, the binary format of motion capture: a header, parameters, then 3D points and analog samples by frame.

The layout is that of the C3D user guide (https://www.c3d.org): blocks of 512 bytes, numbers of three kinds of
processor, points as scaled int16 or as float32. Every offset and count is checked against the bytes there are.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FormatError
from manikin.files import read_bytes
from manikin.markers.files.trc import UNITS, distinct
from manikin.markers.markers import Markers, upright

#: A capture is no larger: an hour of 100 markers at 200 Hz takes 1.2 GB.
MOST_BYTES = 2 << 30
_BLOCK = 512
#: The kinds of processor that wrote the file, by the fourth byte of the parameters.
_INTEL, _DEC, _MIPS = 84, 85, 86
#: Bytes of a parameter's values by its type; text is −1.
_SIZES = {-1: 1, 1: 1, 2: 2, 4: 4}


def read(path: str | os.PathLike[str], *, up: str | None = None, unit: str | None = None) -> Markers:
    """The markers in a C3D file.

    up: the axis that points up; by default that of the file's screen (POINT:Y_SCREEN), else ``"z"``.
    unit: the unit of length, if the file gives none. A marker with a negative residual, or with all three
        numbers 0, is a gap.
    """
    file = _File(Path(path))
    rate = file.rate()
    word = (unit or file.text("UNITS")).strip().lower()
    if word not in UNITS:
        raise FormatError(
            f"{path}: its unit is {word or 'not given'!r}; give unit= one of {', '.join(UNITS)}"
        )
    turn = upright(up or _screen(file.text("Y_SCREEN")), str(path))
    points = file.points()
    labels = file.labels()[: points.shape[1]]
    positions = points[:, : len(labels), :3].astype(np.float64)
    with np.errstate(invalid="ignore"):
        gone = (points[:, : len(labels), 3] < 0.0) | (positions == 0.0).all(axis=2)
        gone |= ~(np.abs(positions) < 1e12).all(axis=2)
    positions[gone] = np.nan
    times = (file.first - 1 + np.arange(len(positions))) / rate
    return Markers(labels, times, UNITS[word] * positions @ turn.T, Path(path).name)


@dataclass(frozen=True)
class _Parameter:
    """A parameter's type, its dimensions and the bytes of its values."""

    kind: int
    shape: tuple[int, ...]
    data: bytes


class _File:
    """The bytes of a C3D file and its parameters by group and name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = read_bytes(path, "C3D", MOST_BYTES)
        if len(self.data) < 2 * _BLOCK or self.data[1] != 0x50 or self.data[0] < 2:
            raise self.error("it does not begin as C3D files do")
        self.start = (self.data[0] - 1) * _BLOCK
        if self.start + 4 > len(self.data):
            raise self.error("its parameters are missing")
        self.processor = self.data[self.start + 3]
        if self.processor not in (_INTEL, _DEC, _MIPS):
            raise self.error(f"unknown kind of processor {self.processor}; expected 84, 85 or 86")
        self.order = ">" if self.processor == _MIPS else "<"
        self.parameters = self._parameters()

    def error(self, what: str) -> FormatError:
        """A FormatError that names the file."""
        return FormatError(f"{self.path}: cannot be read as C3D: {what}")

    def _parameters(self) -> dict[tuple[str, str], _Parameter]:
        """All parameters; the first of each name counts. Some files end them only by the begin of the data."""
        groups: dict[int, str] = {}
        found: dict[tuple[int, str], _Parameter] = {}
        place, data = self.start + 4, (self._word(16) - 1) * _BLOCK
        end = min(data, len(self.data)) if data > self.start else len(self.data)
        while place + 2 <= end and self.data[place]:
            length, number = (int(x) for x in np.frombuffer(self.data, np.int8, 2, place))
            name_end = place + 2 + abs(length)
            name = self.data[place + 2 : name_end].decode("latin-1").strip().upper()
            offset = self._word(name_end)
            if number < 0:
                groups.setdefault(-number, name)
            else:
                parameter = self._parameter(name_end + 2, name)
                found.setdefault((number, name), parameter)
            if offset == 0:
                break
            if name_end + offset <= place + 2:
                raise self.error(f"the parameter after {name!r} lies before it")
            place = name_end + offset
        return {(groups.get(number, ""), name): parameter for (number, name), parameter in found.items()}

    def _parameter(self, place: int, name: str) -> _Parameter:
        if place + 2 > len(self.data):
            raise self.error(f"it ends within the parameter {name!r}")
        kind, count = np.frombuffer(self.data, np.int8, 2, place).tolist()
        shape = tuple(self.data[place + 2 : place + 2 + max(count, 0)])
        if kind not in _SIZES or not 0 <= count <= 7 or len(shape) < count:
            raise self.error(f"the parameter {name!r} is of type {kind} with {count} dimensions")
        size = _SIZES[kind] * int(np.prod(shape, dtype=np.int64))
        begin = place + 2 + count
        if begin + size > len(self.data):
            raise self.error(f"it ends within the parameter {name!r}")
        return _Parameter(kind, shape, self.data[begin : begin + size])

    def _word(self, place: int, signed: bool = False) -> int:
        """The 16-bit integer at a place."""
        if place + 2 > len(self.data):
            raise self.error("it ends within its parameters")
        return int.from_bytes(
            self.data[place : place + 2], "big" if self.order == ">" else "little", signed=signed
        )

    def _floats(self, data: bytes) -> np.ndarray:
        """Single floats; those of DEC have their two words exchanged and are four times as great."""
        if self.processor != _DEC:
            return np.frombuffer(data, f"{self.order}f4")
        words = np.frombuffer(data, "<u2").reshape(-1, 2)[:, ::-1]
        with np.errstate(over="ignore", invalid="ignore"):
            return np.ascontiguousarray(words).view("<f4")[:, 0] / np.float32(4.0)

    def values(self, key: str, group: str = "POINT") -> list[float]:
        """The numbers of a parameter, integers without a sign; none if it is missing or text."""
        found = self.parameters.get((group, key))
        if found is None or found.kind == -1:
            return []
        if found.kind == 4:
            return [float(x) for x in self._floats(found.data)]
        return [float(x) for x in np.frombuffer(found.data, "u1" if found.kind == 1 else f"{self.order}u2")]

    def texts(self, key: str) -> list[str]:
        """The texts of a parameter of POINT; none if it is missing."""
        found = self.parameters.get(("POINT", key))
        if found is None or found.kind != -1 or not found.shape:
            return []
        width = found.shape[0]
        count = len(found.data) // width if width else 0
        return [
            found.data[k * width : (k + 1) * width].decode("utf-8", "replace").strip(" \0\t\r\n")
            for k in range(count)
        ]

    def text(self, key: str) -> str:
        """The first text of a parameter; empty if there is none."""
        found = self.texts(key)
        return found[0] if found else ""

    def labels(self) -> list[str]:
        """A name for each marker, LABELS, LABELS2 …, without the subject's; a repeated one gets a description."""
        keys = [name for group, name in self.parameters if group == "POINT" and name.startswith("LABELS")]
        keys = sorted((key for key in keys if key == "LABELS" or key[6:].isdigit()), key=_number)
        labels = [name.split(":")[-1].strip() for key in keys for name in self.texts(key)]
        labels = [name or f"point {k + 1}" for k, name in enumerate(labels)]
        return distinct(_described(labels, self.texts("DESCRIPTIONS")))

    def rate(self) -> float:
        """Frames per second: POINT:RATE, or the header's."""
        rate = next(iter(self.values("RATE")), 0.0) or float(self._floats(self.data[20:24])[0])
        if not 0.0 < rate < 1e9:
            raise FormatError(f"{self.path}: it gives no rate of frames (POINT:RATE)")
        return rate

    @property
    def first(self) -> int:
        """The number of the first frame, from 1."""
        return self._long("ACTUAL_START_FIELD") or self._word(6)

    def _long(self, key: str) -> int:
        """A number of frames of the group TRIAL, in two words; 0 if it is missing."""
        words = self.values(key, "TRIAL")
        return int(words[0]) + (int(words[1]) << 16) if len(words) == 2 else 0

    def _frames(self) -> int:
        """How many frames: by TRIAL, by POINT:LONG_FRAMES, or by the header."""
        start, end = self._long("ACTUAL_START_FIELD"), self._long("ACTUAL_END_FIELD")
        if 0 < start <= end:
            return end - start + 1
        for key in ("LONG_FRAMES", "FRAMES") if self._word(8) == 0xFFFF else ():
            found = next(iter(self.values(key)), 0.0)
            if 0.0 < found < 2**32:
                return int(found)
        return self._word(8) - self._word(6) + 1

    def points(self) -> np.ndarray:
        """(frames, points, 4): x, y and z in the file's unit, and a number that is negative for gaps."""
        count, analog, frames = self._word(2), self._word(4), self._frames()
        scale = float(self._floats(self.data[12:16])[0])
        if not np.isfinite(scale) or frames < 1 or count < 1:
            raise self.error(f"it has {count} points in {max(frames, 0)} frames, scaled by {scale:g}")
        real = scale < 0.0
        channels = int(next(iter(self.values("USED", "ANALOG")), 0.0))
        width = 4 * count + (channels * self._word(18) or analog)
        size = 4 if real else 2
        block = int(next(iter(self.values("DATA_START")), 0.0)) or self._word(16)
        begin = (block - 1) * _BLOCK
        there = max(len(self.data) - begin, 0) // (size * width) if block > 1 else 0
        if there < frames:
            raise self.error(
                f"it has {frames} frames of {size * width} bytes, and there are bytes for {there}"
            )
        raw = self.data[begin : begin + frames * width * size]
        if real:
            found: Any = self._floats(raw)
            return found.reshape(frames, width)[:, : 4 * count].reshape(frames, count, 4)
        words = np.frombuffer(raw, f"{self.order}i2").reshape(frames, width)[:, : 4 * count]
        found = words.reshape(frames, count, 4).astype(np.float64)
        found[..., :3] *= next(iter(self.values("SCALE")), scale)
        return found


def _number(key: str) -> int:
    return int(key[6:] or 1)


def _described(labels: list[str], words: list[str]) -> list[str]:
    """The labels, with a repeated one replaced by its marker's description if that is unique."""
    found: list[str] = []
    for k, label in enumerate(labels):
        word = words[k] if k < len(words) else ""
        own = word and words.count(word) == 1 and word not in labels
        found.append(word if label in found and own else label)
    return found


def _screen(word: str) -> str:
    """The axis that points up on the screen (POINT:Y_SCREEN), of whatever sign; z if there is none."""
    word = word.lower()
    return word[-1] if word[-1:] in ("x", "y", "z") else "z"
