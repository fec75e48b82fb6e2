"""A document as the text of a scene file, the TOML that the command reads, and back."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FormatError
from manikin.figure import Coupling, Figure
from manikin.goals import Ball, Box, Capsule, Circle, Goal, HalfSpace, Region
from manikin.goals.region import Joined
from manikin.studio.model.document import Document, Entry, Thing
from manikin.studio.model.source import GIVEN, Source

HEADER = "# A scene of Manikin's studio. Lengths are metres, angles degrees.\n"


def scene_text(document: Document, folder: Path) -> str:
    """The text of the scene, to lie in this folder: file names of figures are written relative to it."""
    figure = document.figure
    lines = [HEADER, f"figure = {_toml(_figure_name(document.source, folder))}\n"]
    if document.source.options:
        lines.append(_table("options", dict(document.source.options)))
    lines += [_table("[site]", _site(*site)) for site in document.source.sites]
    lines += [
        _table(
            "[held]",
            {"name": held.name, "at": held.at, "size": held.size, "mass": held.mass, "offset": held.offset},
        )
        for held in document.source.held
    ]
    if document.source.limits:
        scaled = {
            name: [end * _unit(figure, name) for end in ends] for name, ends in document.source.limits.items()
        }
        lines.append(_table("limits", scaled))
    lines.append(_table("start", _values(figure, document.q)))
    lines += [_table("[goal]", _entry(entry, figure)) for entry in document.goals]
    lines += [_table("[obstacle]", _obstacle(thing)) for thing in document.things if thing.role == "obstacle"]
    lines += [_table("[constraint]", _constraint(each, figure)) for each in document.constraints]
    metres, radians = document.tolerance
    solve: dict[str, Any] = {"tolerance": {"position": metres, "orientation_degrees": math.degrees(radians)}}
    if document.locked:
        solve["free"] = [name for name in figure.dofs if name not in document.locked]
    lines.append(_table("solve", solve))
    lines += [_table("[studio.thing]", _thing(each)) for each in document.things if each.role != "obstacle"]
    for frame in document.keys:
        lines.append(_table("[studio.key]", {"time": frame.time, "values": _values(figure, frame.q)}))
    return "\n".join(lines)


def _figure_name(source: Source, folder: Path) -> str:
    if source.kind in ("human", GIVEN):
        return source.kind
    path = Path(source.kind).resolve()
    try:
        return Path(os.path.relpath(path, folder.resolve())).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


def _unit(figure: Figure, name: str) -> float:
    return 180.0 / math.pi if figure.dof(name).unit == "rad" else 1.0


def _values(figure: Figure, q: np.ndarray) -> dict[str, float]:
    """Values in degrees and metres by name; those at rest are left out."""
    return {
        name: _in_degrees(float(value)) if figure.dof(name).unit == "rad" else float(value)
        for name, value, rest in zip(figure.dofs, q, figure.rest, strict=True)
        if value != rest
    }


def _in_degrees(value: float) -> float:
    """Degrees that are read back as this very number, where there are such: rounding is looked for next door."""
    near = math.degrees(value)
    for candidate in (round(near, 9), near, math.nextafter(near, math.inf), math.nextafter(near, -math.inf)):
        if candidate * math.radians(1.0) == value:
            return candidate
    return near


def _site(name: str, segment: str, offset: Any) -> dict[str, Any]:
    frame = np.asarray(offset, dtype=np.float64)
    if frame.shape == (3,):
        return {"name": name, "segment": segment, "offset": frame}
    return {"name": name, "segment": segment, "offset": frame[:3, 3], "matrix": frame[:3, :3]}


def _obstacle(thing: Thing) -> dict[str, Any]:
    return {"name": thing.name, "region": region_table(thing.region())}


def _thing(thing: Thing) -> dict[str, Any]:
    return {"name": thing.name, "role": thing.role, "region": region_table(thing.region())}


def _constraint(coupling: Coupling, figure: Figure) -> dict[str, Any]:
    """Coefficients and ends, which a file has in degrees where all degrees of freedom turn."""
    turns = all(figure.dof(name).unit == "rad" for name in coupling.coefficients)
    unit = 180.0 / math.pi if turns else 1.0
    return {
        "coefficients": dict(coupling.coefficients),
        "lower": coupling.lower * unit,
        "upper": coupling.upper * unit,
    }


def _entry(entry: Entry, figure: Figure) -> dict[str, Any]:
    table = goal_table(entry.goal, figure)
    if entry.level != 1:
        table["level"] = entry.level
    if not entry.active:
        table["active"] = False
    return table


def goal_table(goal: Goal, figure: Figure, *, inner: bool = False) -> dict[str, Any]:
    """A goal as the table of a scene file: its kind, then its arguments but for those that are as by default."""
    table: dict[str, Any] = {"kind": goal.kind()}
    for item in dataclasses.fields(goal):
        if not item.init:
            continue
        value = getattr(goal, item.name)
        if inner and item.name == "site":
            continue
        default = item.default
        if default is not dataclasses.MISSING and _same(value, default):
            continue
        table[item.name] = _argument(goal, item.name, value, figure)
    return table


def _same(value: Any, default: Any) -> bool:
    if value is None or default is None:
        return value is default
    try:
        return bool(np.array_equal(np.asarray(value), np.asarray(default)))
    except (TypeError, ValueError):
        return False


def _argument(goal: Goal, name: str, value: Any, figure: Figure) -> Any:
    kind = goal.kind()
    if isinstance(value, Region):
        return region_table(value)
    if isinstance(value, Goal):
        return goal_table(value, figure, inner=True)
    if name == "orientation" or (kind == "orientation" and name == "target"):
        return {"matrix": np.asarray(value)}
    if name == "frame":
        frame = np.asarray(value)
        return {"position": frame[:3, 3], "matrix": frame[:3, :3]}
    if name.startswith("turn_") or (kind == "swivel" and name == "angle"):
        return [math.degrees(end) for end in value]
    if kind == "any_of" and name == "goals":
        return [
            goal_table(one[0], figure) if len(one) == 1 else [goal_table(each, figure) for each in one]
            for one in goal.choices()  # type: ignore[attr-defined]
        ]
    if kind == "posture" and name == "q":
        values = value if isinstance(value, Mapping) else dict(zip(figure.dofs, value, strict=True))
        return {dof: float(each) * _unit(figure, dof) for dof, each in values.items()}
    if kind == "posture" and name == "weights" and not isinstance(value, Mapping):
        return {dof: float(each) for dof, each in zip(figure.dofs, value, strict=True)}
    if kind == "limit_spring" and name == "margin":
        first = figure.dofs[int(figure.select(goal.dofs)[0])]  # type: ignore[attr-defined]
        return value * _unit(figure, first)
    if callable(value) or hasattr(value, "centers"):
        raise FormatError(f"{goal.label()}: {name} is something of Python's that a scene file cannot hold")
    return value


def region_table(region: Region) -> dict[str, Any]:
    """A region as the table of a scene file."""
    if isinstance(region, Joined):
        word = "all" if region.both else "any"
        return {word: [region_table(region.one), region_table(region.other)]}
    if isinstance(region, Box):
        table: dict[str, Any] = {"center": region.center, "size": region.size}
        if not np.array_equal(region.rotation, np.eye(3)):
            table["rotation"] = {"matrix": region.rotation}
        return {"box": table}
    if isinstance(region, Ball):
        return {"ball": {"center": region.center, "radius": region.radius}}
    if isinstance(region, Capsule):
        return {"capsule": {"a": region.a, "b": region.b, "radius": region.radius}}
    if isinstance(region, Circle):
        return {"circle": {"center": region.center, "normal": region.normal, "radius": region.radius}}
    if isinstance(region, HalfSpace):
        return {"half_space": {"point": region.point, "normal": region.normal}}
    raise FormatError(f"a scene file cannot hold the region {region!r}")


def _table(name: str, values: Mapping[str, Any]) -> str:
    lines = [f"[{name}]"]
    lines += [f"{_key(key)} = {_toml(value)}" for key, value in values.items() if value is not None]
    return "\n".join(lines) + "\n"


def _key(key: str) -> str:
    bare = key and all(letter.isascii() and (letter.isalnum() or letter in "_-") for letter in key)
    return key if bare else json.dumps(key, ensure_ascii=False)


def _toml(value: Any) -> str:
    """A value in TOML, numbers to their last digit."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(str(key))} = {_toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(item) for item in value)}]"
    raise FormatError(f"a scene file cannot hold {value!r}")
