"""A BVH file as a figure and its clip."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FigureError, FormatError, PoseError
from manikin.figure import Figure, Joint, Segment, Site, rotations
from manikin.files import read_bytes
from manikin.formats.axes import axes_of, metres, rotated
from manikin.formats.bvh.hierarchy import Bone, Hierarchy
from manikin.formats.contents import Contents, Names, Notes
from manikin.formats.numbers import read_numbers
from manikin.formats.source import line_of
from manikin.motion.motion import Motion

_MOTION = re.compile(rb"(?<![^\s}])MOTION(?!\S)", re.IGNORECASE)
_FRAMES = re.compile(rb"\s*Frames\s*:\s*(\d{1,12})(?!\S)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*Frame\s+Time\s*:\s*(\S+)", re.IGNORECASE)
_BASES = ("free", "fixed", "planar", "channels")
_ROOT_DOFS = tuple(f"root_{label}" for label in ("x", "y", "z", "rx", "ry", "rz", "yaw"))
_DEGREE = math.pi / 180.0


def read(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    unit: str | float = "cm",
    up: str = "y",
) -> Contents:
    """The figure and the clip in a BVH file.

    base: ``"free"`` (the default), whose values are the root's position and rotation vector in the file's axes;
        ``"channels"``, the root's channels as an ordinary joint of a fixed segment ``world``, so that every
        value is a number of the file; ``"fixed"`` or ``"planar"``, where the clip's root stays.
    unit: what one unit of the file is: ``"m"``, ``"cm"``, ``"mm"``, ``"inch"``, ``"cmu"`` …, or a number of metres.
    up: the file's vertical axis, ``"y"`` (facing z) or ``"z"`` (facing x).

    Values are the file's numbers, in radians and metres; a joint's are in the order of its channels.
    """
    file = Path(path)
    base = "free" if base is None else base
    if base not in _BASES:
        raise FormatError(f"{file}: unknown base {base!r}; expected one of: {', '.join(_BASES)}")
    scale, axes = metres(unit, str(file)), axes_of(up, str(file))
    data = read_bytes(file, "BVH").removeprefix(b"\xef\xbb\xbf")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4096]:
        raise FormatError(f"{file}: this is not plain text; save it as UTF-8 first")
    motion = _MOTION.search(data)
    head = data[: motion.start()] if motion else data
    bones = Hierarchy(_decoded(head), str(file)).bones
    notes = Notes()
    if unit == "cm":
        size = scale * _extent(bones)
        notes.assumed(
            "unit",
            f"BVH says no unit of length; one is taken to be a centimetre, which makes the skeleton {size:.3g} m from "
            f'end to end (give unit="m", "mm", "inch", "cmu" or a number of metres)',
        )
    try:
        figure, columns = _figure(file, bones, base, scale, axes, notes)
    except FigureError as error:
        raise FormatError(f"{file}: {error}") from error
    if motion is None:
        notes.left_out("MOTION", "the file has a skeleton and no motion")
        return Contents(figure, notes=tuple(notes))
    clip = _clip(file, data, motion.end(), bones, figure, columns, notes)
    return Contents(figure, () if clip is None else (clip,), notes=tuple(notes))


def _extent(bones: list[Bone]) -> float:
    """The longest side of the box about all joints and ends at zero, in the file's unit."""
    places: list[np.ndarray] = []
    points: list[np.ndarray] = []
    for bone in bones:
        places.append(np.array(bone.offset) + (places[bone.parent] if bone.parent >= 0 else 0.0))
        points += [places[-1], *(places[-1] + np.array(end) for end in bone.ends)]
    return float(np.ptp(points, axis=0).max())


def _decoded(head: bytes) -> str:
    try:
        return head.decode("utf-8")
    except UnicodeDecodeError:
        return head.decode("latin-1")


class _Columns:
    """Which channel, times what, makes each coordinate; and how the root's own channels are to be read."""

    def __init__(self, bones: list[Bone], base: str, scale: float) -> None:
        self.firsts = np.concatenate([[0], np.cumsum([len(bone.channels) for bone in bones])]).tolist()
        self.base, self.scale = base, scale
        self.index: dict[str, int] = {}
        self.factor: dict[str, float] = {}

    def add(self, dof: str, column: int, position: bool) -> None:
        self.index[dof] = column
        self.factor[dof] = self.scale if position else _DEGREE


def _figure(
    file: Path, bones: list[Bone], base: str, scale: float, axes: np.ndarray, notes: Notes
) -> tuple[Figure, _Columns]:
    channels = base == "channels"
    segment_names = Names(["world"] if channels else [])
    joint_names = Names([] if channels else ["root"])
    dof_names = Names([] if channels else _ROOT_DOFS)
    names = [segment_names.unique(bone.name) for bone in bones]
    for bone, name in zip(bones, names, strict=True):
        if bone.name != name:
            notes.changed(f"line {bone.line}", f"a second joint {bone.name!r} is called {name!r}")
    columns = _Columns(bones, base, scale)
    joints = []
    for k, (bone, name) in enumerate(zip(bones, names, strict=True)):
        if bone.parent < 0 and not channels:
            continue
        parent = "world" if bone.parent < 0 else names[bone.parent]
        joints.append(
            _joint(bone, parent, name, joint_names.unique(name), columns, columns.firsts[k], dof_names)
        )
    segments = [Segment(name) for name in (["world", *names] if channels else names)]
    location = rotated(axes)
    if base in ("fixed", "planar"):
        location[:3, 3] = axes @ np.array(bones[0].offset) * scale
        if bones[0].channels:
            notes.left_out(names[0], f"a {base} base leaves out the motion of the root")
    stem = file.stem or "figure"
    sites = _sites(bones, names, scale, segment_names)
    figure = Figure(stem, segments, joints, sites, base="fixed" if channels else base, location=location)
    return figure, columns


def _sites(bones: list[Bone], names: list[str], scale: float, taken: Names) -> list[Site]:
    return [
        Site(taken.unique(f"{name}_end"), name, np.array(end) * scale)
        for bone, name in zip(bones, names, strict=True)
        for end in bone.ends
    ]


def _joint(
    bone: Bone, parent: str, child: str, name: str, columns: _Columns, first: int, dof_names: Names
) -> Joint:
    """Slides first, whatever the order of the channels, then the turns in theirs."""
    order = sorted(range(len(bone.channels)), key=lambda k: not bone.channels[k][1])
    steps, dofs, rest = [], [], []
    offset = np.array(bone.offset) * columns.scale
    placement = offset.copy()
    for k in order:
        letter, position = bone.channels[k]
        dof = dof_names.unique(f"{child}_{'t' if position else ''}{letter}")
        columns.add(dof, first + k, position)
        dofs.append(dof)
        steps.append(f"{'T' if position else 'R'}({letter})")
        axis = "xyz".index(letter)
        rest.append(offset[axis] if position else 0.0)
        if position:
            placement[axis] = 0.0
    motion = "*".join(steps) or "fixed"
    more: dict[str, Any] = {"dofs": dofs, "rest": rest} if steps else {}
    return Joint(name, parent, child, motion, placement, **more)


def _clip(
    file: Path, data: bytes, begin: int, bones: list[Bone], figure: Figure, columns: _Columns, notes: Notes
) -> Motion | None:
    frames = _FRAMES.match(data, begin)
    if frames is None:
        raise FormatError(f"{file}:{line_of(data, begin)}: expected 'Frames:' and their number after MOTION")
    seconds = _FRAME_TIME.match(data, frames.end())
    if seconds is None:
        raise FormatError(f"{file}:{line_of(data, frames.end())}: expected 'Frame Time:' and a number")
    count = int(frames.group(1))
    table = _table(file, data, seconds.end(), count, bones, notes)
    if table is None:
        return None
    times = np.arange(len(table)) * _frame_time(file, data, seconds, len(table))
    index = [columns.index.get(dof, 0) for dof in figure.dofs]
    factor = [columns.factor.get(dof, 0.0) for dof in figure.dofs]
    values = table[:, index] * factor if index else np.zeros((len(table), 0))
    if columns.base == "free":
        values[:, :6] = _root(table, bones[0], columns.scale)
    try:
        return Motion(figure, times, values, name=file.stem)
    except PoseError as error:
        raise FormatError(f"{file}: {error}") from error


def _frame_time(file: Path, data: bytes, match: re.Match[bytes], count: int) -> float:
    word = match.group(1)
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not (1e-9 < value < 1e9 or (count == 1 and 0.0 <= value < 1e9)):
        line = line_of(data, match.start(1))
        raise FormatError(
            f"{file}:{line}: Frame Time: {word[:40].decode('latin-1')!r} is not a number of seconds above 0"
        )
    return value


def _table(
    file: Path, data: bytes, begin: int, count: int, bones: list[Bone], notes: Notes
) -> np.ndarray | None:
    """The numbers, a row a frame."""
    width = sum(len(bone.channels) for bone in bones)
    numbers = read_numbers(data[begin:])
    if numbers is None:
        raise _bad_number(file, data, begin)
    if width == 0 or (count == 0 and not len(numbers)):
        if len(numbers):
            raise FormatError(f"{file}: there are numbers after Frame Time, but no joint has channels")
        notes.left_out("MOTION", "the motion has no frames" if count == 0 else "no joint has channels")
        return None
    rows, left = divmod(len(numbers), width)
    if left or not rows:
        raise FormatError(
            f"{file}: {len(numbers)} numbers after Frame Time make no whole frames of {width} channels; "
            f"Frames: {count} asks for {count * width}"
        )
    if rows != count:
        notes.changed("MOTION", f"Frames: says {count}, but there are {rows}; those that are there are taken")
    # One sum finds any NaN or infinity; numbers too large to sum are none of a figure either.
    if not math.isfinite(float(np.abs(numbers).sum())) or float(np.abs(numbers).max()) > 1e12:
        row, column = divmod(int(np.argmax(~(np.abs(numbers) <= 1e12))), width)
        raise FormatError(
            f"{file}: frame {row + 1}, channel {column + 1}: {numbers[row * width + column]} is not a finite number "
            "of a sensible size"
        )
    return numbers.reshape(rows, width)


def _bad_number(file: Path, data: bytes, begin: int) -> FormatError:
    for match in re.finditer(rb"\S+", data[begin:]):
        try:
            float(match.group().decode("ascii"))
        except ValueError:
            line = line_of(data, begin + match.start())
            shown = match.group()[:40].decode("latin-1")
            return FormatError(f"{file}:{line}: {shown!r} is not a number")
    return FormatError(f"{file}:{line_of(data, begin)}: the motion cannot be read as numbers")


def _root(table: np.ndarray, bone: Bone, scale: float) -> np.ndarray:
    """Position and rotation vector of a free root, (T, 6)."""
    result = np.zeros((len(table), 6))
    result[:, :3] = np.array(bone.offset) * scale
    order, angles = "", []
    for k, (letter, position) in enumerate(bone.channels):
        if position:
            result[:, "xyz".index(letter)] = table[:, k] * scale
        else:
            order += letter
            angles.append(table[:, k] * _DEGREE)
    if order:
        result[:, 3:] = rotations.to_vectors(rotations.from_euler(order, np.stack(angles, axis=1)))
    return result
