"""The document: everything that is saved, immutable, so that undo is keeping the old one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from manikin.errors import ManikinError
from manikin.figure import Figure, Pose
from manikin.figure.human.natural_posture import is_human
from manikin.goals import Balance, Box, Goal, Outside, Pin
from manikin.studio.model.source import Source
from manikin.studio.model.stance import at_ease

_numbers = count(1)
FEET = ("left_foot", "right_foot")


def new_key() -> int:
    """A number that no other entry of this process has."""
    return next(_numbers)


@dataclass(frozen=True, eq=False)
class Entry:
    """A goal in the list, with its rank and its switch."""

    goal: Goal
    level: int = 1
    active: bool = True
    key: int = field(default_factory=new_key)

    def changed(self, **changes: Any) -> Entry:
        """The same entry with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, eq=False)
class Thing:
    """Something that stands in the room: a box, as an obstacle or as what the figure rests on.

    role: ``"obstacle"``, which the figure stays out of; ``"support"``, which it may touch; ``"off"``, only seen.
    """

    name: str
    center: tuple[float, float, float]
    size: tuple[float, float, float]
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    role: str = "obstacle"
    key: int = field(default_factory=new_key)

    def changed(self, **changes: Any) -> Thing:
        """The same thing with some fields changed."""
        return replace(self, **changes)

    def region(self) -> Box:
        """The space that it takes up."""
        return Box(center=self.center, size=self.size, rotation=self.rotation)


@dataclass(frozen=True, eq=False)
class Key:
    """A key frame: a pose at a time in seconds."""

    time: float
    q: np.ndarray
    key: int = field(default_factory=new_key)


@dataclass(frozen=True, eq=False)
class Document:
    """A figure, its pose, and all that is asked of it.

    locked: degrees of freedom that do not move.
    constraints: linear relations besides the figure's own, as read from a scene.
    """

    source: Source
    figure: Figure
    q: np.ndarray
    goals: tuple[Entry, ...] = ()
    things: tuple[Thing, ...] = ()
    locked: frozenset[str] = frozenset()
    keys: tuple[Key, ...] = ()
    constraints: tuple[Any, ...] = ()
    tolerance: tuple[float, float] = (1e-4, 1e-3)

    @cached_property
    def pose(self) -> Pose:
        """The pose that is shown; all who show a part of it share its frames."""
        return Pose(self.figure, self.q)

    def let_go(self) -> None:
        """Let go of what can be computed again."""
        self.__dict__.pop("pose", None)

    def changed(self, **changes: Any) -> Document:
        """The same document with some fields changed; values are copied and made read-only."""
        if "q" in changes:
            q = np.array(changes["q"], dtype=np.float64)
            q.flags.writeable = False
            changes["q"] = q
        return replace(self, **changes)

    def entry(self, key: int) -> Entry:
        """The goal's entry of this number."""
        return _of_key(self.goals, key, "goal")

    def thing(self, key: int) -> Thing:
        """The thing of this number."""
        return _of_key(self.things, key, "thing")

    def with_entry(self, entry: Entry) -> Document:
        """The document with an entry added, or in the place of the one of the same number."""
        return self.changed(goals=_put(self.goals, entry))

    def with_thing(self, thing: Thing) -> Document:
        """The document with a thing added, or in the place of the one of the same number."""
        return self.changed(things=_put(self.things, thing))

    def without(self, key: int) -> Document:
        """The document without a goal, a thing or a key frame."""
        return self.changed(
            goals=tuple(entry for entry in self.goals if entry.key != key),
            things=tuple(thing for thing in self.things if thing.key != key),
            keys=tuple(frame for frame in self.keys if frame.key != key),
        )

    def with_figure(self, source: Source, figure: Figure | None = None) -> Document:
        """The document of another figure of the same degrees of freedom, its values brought into their ranges."""
        built = source.build() if figure is None else figure
        values = {
            name: value for name, value in zip(self.figure.dofs, self.q, strict=True) if name in built.dofs
        }
        q = np.clip(built.pose(values).q, built.lower, built.upper)
        keys = (
            tuple(
                replace(
                    frame,
                    q=_frozen(
                        np.clip(
                            built.pose(dict(zip(self.figure.dofs, frame.q, strict=True))).q,
                            built.lower,
                            built.upper,
                        )
                    ),
                )
                for frame in self.keys
            )
            if built.dofs == self.figure.dofs
            else ()
        )
        goals = tuple(entry for entry in self.goals if fits(entry.goal, built))
        locked = frozenset(name for name in self.locked if name in built.dofs)
        return self.changed(source=source, figure=built, q=q, goals=goals, locked=locked, keys=keys)

    def pins(self, sites: Iterable[str] = FEET) -> list[Entry]:
        """The entries that pin these sites."""
        wanted = set(sites)
        return [entry for entry in self.goals if isinstance(entry.goal, Pin) and entry.goal.site in wanted]

    def balances(self) -> list[Entry]:
        """The entries that keep the balance."""
        return [entry for entry in self.goals if isinstance(entry.goal, Balance)]

    def active_goals(self) -> list[tuple[int, Entry]]:
        """Level and entry of the goals that are switched on, in order."""
        return [(entry.level, entry) for entry in self.goals if entry.active]


def _of_key(entries: Sequence[Any], key: int, what: str) -> Any:
    for entry in entries:
        if entry.key == key:
            return entry
    raise ManikinError(f"there is no such {what} any more; it was deleted meanwhile")


def _put(entries: tuple[Any, ...], entry: Any) -> tuple[Any, ...]:
    if any(other.key == entry.key for other in entries):
        return tuple(entry if other.key == entry.key else other for other in entries)
    return (*entries, entry)


def _frozen(q: np.ndarray) -> np.ndarray:
    q.flags.writeable = False
    return q


def fits(goal: Goal, figure: Figure) -> bool:
    """Whether a goal's site is one of this figure's."""
    if not goal.site or isinstance(goal, Outside):
        return True
    return goal.site in figure.sites


def has_feet(figure: Figure) -> bool:
    """Whether it is a figure that stands on two feet, as people do, and may move about."""
    return figure.base == "free" and all(name in figure.sites for name in FEET)


def fresh(source: Source, figure: Figure | None = None) -> Document:
    """A new document: people stand at ease, their feet pinned, in balance; others are at rest."""
    built = source.build() if figure is None else figure
    pose = built.pose()
    goals: tuple[Entry, ...] = ()
    if has_feet(built):
        goals = (Entry(Pin("left_foot")), Entry(Pin("right_foot")), Entry(Balance(hard=True)))
        if is_human(built):
            pose = at_ease(built)
        else:
            from manikin.retargeting import person

            pose = person.at_ease(built)
    q = np.array(pose.q)
    return Document(source, built, _frozen(q), goals)
