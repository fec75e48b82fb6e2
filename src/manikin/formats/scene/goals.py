"""Goals, regions and obstacles of scene files.

    [[goal]]
    kind = "inside"                         # the goal's class in snake case, then its arguments
    site = "right_hand"
    region = { ball = { center = [0.4, 0, 1.1], radius = 0.1 } }

    [[goal]]
    kind = "range"                          # a number, or [low, high] with inf for an open end; turns in degrees
    site = "left_foot"
    z = 0
    turn_x = [-5, 5]
    frame = { position = [0, 0, 0.1], rpy = [0, 0, 30] }

    [[goal]]
    kind = "relative"                       # the inner goal is for the same site
    site = "right_hand"
    other = "pelvis"
    goal = { kind = "position", target = [0.1, -0.2, 0.1] }

    [[goal]]
    kind = "any_of"                         # an entry may be a list of goals that are met together
    goals = [{ kind = "position", site = "right_hand", target = [0.5, 0, 1] }, [{ … }, { … }]]

    [[goal]]
    kind = "aim"
    site = "eyes"
    at = [2, 0, 1.5]
    active = false                          # kept in the file, switched off

    [[obstacle]]                            # keep all segments, or those named, out of it
    name = "pillar"                         # for whoever reads it
    region = { any = [{ box = { lower = [0.3, -1, 0.7], upper = [1, 1, 0.75] } }, { half_space = { … } }] }
    margin = 0.01
    segments = ["right_*", "head"]
    hard = true                             # the default here

Regions are ``half_space``, ``box``, ``ball``, ``capsule`` and ``circle``, joined by ``any`` (of a list) and
``all``. Values of degrees of freedom (of a posture, the margin of a limit spring) are degrees where they turn.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.figure.checks import near
from manikin.formats.scene.regions import entries, entry_table, read_region
from manikin.formats.tables import Table, shown

if TYPE_CHECKING:
    from manikin.figure import Figure, Pose
    from manikin.goals import Goal

Reader = Callable[[Table, str], object]

ARGUMENTS: dict[str, Reader] = {
    "site": Table.text,
    "other": Table.text,
    "target": Table.vector,
    "position": Table.vector,
    "orientation": Table.rotation,
    "at": Table.vector,
    "axis": Table.vector,
    "axes": Table.vector,
    "point": Table.vector,
    "direction": Table.vector,
    "normal": Table.vector,
    "position_share": Table.number,
    "degrees_per_metre": Table.number,
    "margin": Table.number,
    "whole": Table.flag,
    "style": Table.text,
    "weight": Table.number,
    "hard": Table.flag,
}
"""How a goal's argument of each name is read from a file."""


def read_goals(
    goals: Sequence[Table], obstacles: Sequence[Table], start: Pose
) -> list[Goal] | list[list[Goal]]:
    """The goals, then the obstacles: in one list, or in one list a level where the file gives different levels."""
    levels: dict[int, list[Goal]] = {}
    for level, goal, active in read_entries(goals, start):
        if active:
            levels.setdefault(level, []).append(goal)
    reader = _Goals(start)
    for table in obstacles:
        level, kept_out = reader.obstacle(table)
        levels.setdefault(level, []).extend(kept_out)
    if len(levels) > 1:
        return [levels[level] for level in sorted(levels)]
    return [goal for listed in levels.values() for goal in listed]


def read_entries(goals: Sequence[Table], start: Pose) -> list[tuple[int, Goal, bool]]:
    """Each goal with its level, and whether it is switched on (``active``, by default true)."""
    reader = _Goals(start)
    return [
        (*reader.goal(table), table.flag("active") if "active" in table.values else True) for table in goals
    ]


def read_obstacle(table: Table, start: Pose) -> tuple[int, list[Goal]]:
    """The goals that keep segments out of an obstacle, and its level."""
    return _Goals(start).obstacle(table)


class _Goals:
    """Reads goals for one figure, at the pose where it starts."""

    def __init__(self, start: Pose) -> None:
        self.start = start
        self.figure: Figure = start.figure

    def goal(self, table: Table) -> tuple[int, Goal]:
        """One goal and its level."""
        made, table = self._make(table)
        self._try(table, made)
        return _level(table), made

    def _try(self, table: Table, goal: Goal) -> None:
        """What a goal says only once it sees the figure is said here, with its place in the file."""
        if goal.settled_by:
            with table.blamed():
                goal.settle(self.start).alternatives()

    def _make(self, table: Table, site: str | None = None) -> tuple[Goal, Table]:
        """The goal of a table, and the table with the goal's kind in its place; ``site`` is that of an inner goal."""
        from manikin.goals import KINDS

        kind = table.text("kind")
        if kind not in KINDS:
            raise table.error(f"unknown kind {kind!r}; {near(kind, KINDS)}")
        values = {"site": site, **table.values} if site is not None else table.values
        table = Table(f"{table.place} ({kind})", values)
        fields = {field.name: field for field in dataclasses.fields(KINDS[kind]) if field.init}
        table.only(["kind", "level", "active", *fields])
        _level(table)
        readers = ARGUMENTS | self._own(kind)
        arguments: dict[str, Any] = {}
        for name, field in fields.items():
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            if required or name in table.values:
                table.need(name)
                if name not in readers:
                    raise table.error(f"{name} cannot be given in a scene file")
                arguments[name] = readers[name](table, name)
        with table.blamed():
            if "site" in arguments and kind not in ("inside", "outside"):
                self.figure.site(table.text("site"))
            return KINDS[kind](**arguments), table

    def _own(self, kind: str) -> dict[str, Reader]:
        """How the arguments that mean something else for this kind are read."""
        places = dict.fromkeys(("x", "y", "z"), _span)
        turns = dict.fromkeys(("turn_x", "turn_y", "turn_z"), _turn_span)
        own: dict[str, dict[str, Reader]] = {
            "orientation": {"target": Table.rotation},
            "pin": {"axes": _names},
            "inside": {"region": read_region},
            "outside": {"region": read_region},
            "range": {**places, **turns, "frame": _frame},
            "relative": {"goal": self._inner},
            "self_clearance": {"segments": _names, "ignore": _pairs, "include": _pairs},
            "balance": {"support": _names},
            "any_of": {"goals": self._choices},
            "swivel": {"limb": self._limb, "angle": _turn_span},
            "posture": {"q": self._by_dof, "weights": _numbers_by_name},
            "limit_spring": {"dofs": _names, "margin": self._margin},
        }
        return own.get(kind, {})

    def _inner(self, table: Table, key: str) -> Goal:
        value = table.need(key)
        if not isinstance(value, dict):
            raise table.error(f'{key} must be a table such as {{ kind = "position", … }}, not {shown(value)}')
        return self._make(Table(f"{table.place}: {key}", value), table.text("site"))[0]

    def _choices(self, table: Table, key: str) -> list[Any]:
        """Goals, or lists of goals."""
        found: list[Any] = []
        for number, entry in enumerate(entries(table, key), start=1):
            place = f"{table.place}: {key} {number}"
            if isinstance(entry, list):
                found.append(
                    tuple(
                        self._make(entry_table(f"{place}, {k}", each))[0]
                        for k, each in enumerate(entry, start=1)
                    )
                )
            else:
                found.append(self._make(entry_table(place, entry))[0])
        return found

    def _limb(self, table: Table, key: str) -> Any:
        """Three sites, or the side of an arm."""
        if isinstance(table.need(key), list):
            names = table.names(key)
            with table.blamed():
                for name in names:
                    self.figure.site(name)
            return names
        from manikin.closed_form.arm import Arm

        with table.blamed():
            return Arm(self.figure, table.text(key))

    def _by_dof(self, table: Table, key: str) -> dict[str, float]:
        values = table.table(key)
        with values.blamed():
            return {name: values.number(name) * self._unit(name) for name in values.values}

    def _margin(self, table: Table, key: str) -> float:
        """Degrees where the degrees of freedom turn, metres where they slide."""
        with table.blamed():
            places = self.figure.select(_names(table, "dofs"))
        units = {self._unit(self.figure.dofs[j]) for j in places}
        if len(units) > 1:
            raise table.error(f"{key} is one number, but some of dofs turn and some slide")
        return table.number(key) * units.pop()

    def _unit(self, name: str) -> float:
        return math.radians(1.0) if self.figure.dof(name).unit == "rad" else 1.0

    def obstacle(self, table: Table) -> tuple[int, list[Goal]]:
        """The goals that keep segments out of an obstacle, and its level."""
        from manikin.goals import Outside

        table.only(("region", "margin", "segments", "weight", "hard", "level", "name"))
        region = read_region(table, "region")
        options = {
            key: ARGUMENTS[key](table, key) for key in ("margin", "weight", "hard") if key in table.values
        }
        names = _names(table, "segments") if "segments" in table.values else ["*"]
        found: list[Goal] = []
        for name in names:
            with table.blamed():
                goal = Outside(name, region, **options)  # type: ignore[arg-type]
            self._try(table, goal)
            found.append(goal)
        return _level(table), found


def _level(table: Table) -> int:
    level = table.whole("level") if "level" in table.values else 1
    if level < 1:
        raise table.error(f"level must be 1 or more, not {level}")
    return level


def _names(table: Table, key: str) -> list[str] | str:
    """A name or a list of names."""
    return table.text(key) if isinstance(table.need(key), str) else table.names(key)


def _pairs(table: Table, key: str) -> list[tuple[str, str]]:
    pairs = entries(table, key)
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise table.error(f"{key} must be a list of pairs of names, not {shown(pair)}")
    return [(pair[0], pair[1]) for pair in pairs]


def _numbers_by_name(table: Table, key: str) -> dict[str, float]:
    values = table.table(key)
    return {name: values.number(name) for name in values.values}


def _span(table: Table, key: str) -> float | tuple[float, float]:
    """A number, or two of which either may be infinite."""
    value = table.need(key)
    if not isinstance(value, list):
        return table.number(key)
    if len(value) != 2:
        raise table.error(f"{key} must be a number or [low, high], not {shown(value)}")
    ends = Table(table.place, {f"{key}[{i}]": end for i, end in enumerate(value)})
    return ends.bound(f"{key}[0]"), ends.bound(f"{key}[1]")


def _turn_span(table: Table, key: str) -> float | tuple[float, float]:
    """The same in degrees."""
    value = _span(table, key)
    return (
        (math.radians(value[0]), math.radians(value[1])) if isinstance(value, tuple) else math.radians(value)
    )


def _frame(table: Table, key: str) -> np.ndarray:
    """A frame: ``position`` and one of ``rpy``, ``wxyz`` and ``matrix``, each of which may be left out."""
    inner = table.table(key)
    inner.only(("position", "rpy", "wxyz", "matrix"))
    frame = np.eye(4)
    if "position" in inner.values:
        frame[:3, 3] = inner.vector("position")
    turn = {name: value for name, value in inner.values.items() if name != "position"}
    if turn:
        frame[:3, :3] = Table(inner.place, turn).one_rotation()
    return frame
