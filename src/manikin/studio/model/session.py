"""A session: the document being edited, and every command that changes it, each of which can be undone.

Nothing here knows of browsers. One thread uses a session at a time; the studio's worker does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from manikin.errors import ManikinError
from manikin.figure import Pose
from manikin.goals import Balance, Pin
from manikin.studio.model import keys, making, presets
from manikin.studio.model.document import FEET, Document, Entry, Thing, has_feet
from manikin.studio.model.dragging import Dragging, handle_of
from manikin.studio.model.history import History
from manikin.studio.model.opening import with_clip
from manikin.studio.model.parts import Part, part_at
from manikin.studio.model.posing import Found, Poser, moved_target, target_of
from manikin.studio.model.source import Held, Source
from manikin.studio.model.words import in_words, why_short

#: What changed, for those who show it.
POSE, GOALS, FIGURE, THINGS, KEYS, JOINTS, SELECTION, WORDS = (
    "pose",
    "goals",
    "figure",
    "things",
    "keys",
    "joints",
    "selection",
    "words",
)
ALL = frozenset((POSE, GOALS, FIGURE, THINGS, KEYS, JOINTS, SELECTION, WORDS))
Listener = Callable[[frozenset[str]], None]

FURNITURE: dict[str, tuple[tuple[float, float, float], tuple[float, float, float], str]] = {
    # centre, edges, role
    "box": ((0.6, 0.0, 0.15), (0.3, 0.3, 0.3), "obstacle"),
    "table": ((0.75, 0.0, 0.72), (0.7, 1.3, 0.04), "obstacle"),
    "seat": ((-0.35, 0.0, 0.22), (0.42, 0.46, 0.44), "support"),
    "wall": ((1.1, 0.0, 1.1), (0.08, 2.4, 2.2), "obstacle"),
}


# Joints between bones are places: they turn on their pins.
_AXES = {f"{side} {part}": "position" for side in ("left", "right") for part in ("elbow", "knee")}


class Session:
    """The commands. Each one checks first and changes after: one that raises has changed nothing."""

    def __init__(self, document: Document, history: History | None = None) -> None:
        self.history = History(document) if history is None else history
        self.found: Found | None = None
        self.words = ""
        self.limits: tuple[str, ...] = ()
        self.selected: int | None = None
        #: The part whose rings are shown, by name; nothing where none was chosen.
        self.part = ""
        self.site = "right_hand" if "right_hand" in document.figure.sites else list(document.figure.sites)[-1]
        self.time = 0.0
        self._listeners: list[Listener] = []
        self._drags: dict[object, Dragging] = {}
        #: Hands and feet, by name, that keep their direction when they are dragged.
        self.oriented: frozenset[str] = frozenset()
        self._stuck: Dragging | None = None
        self._let_go: Document | None = None
        self._slide: tuple[object, Poser, str, Pose] | None = None
        self._measure()

    @property
    def document(self) -> Document:
        """What is being edited."""
        return self.history.document

    def listen(self, listener: Listener) -> None:
        """Call back with what changed."""
        self._listeners.append(listener)

    def _tell(self, *what: str) -> None:
        for listener in self._listeners:
            listener(frozenset(what))

    def _measure(self) -> None:
        """How well the goals are met as the figure stands, without moving it."""
        try:
            self.found = Poser(self.document).look(self.document.q)
        except ManikinError as problem:
            self.found, self.words = None, str(problem)

    def _do(self, label: str, document: Document, *what: str, gesture: object = None) -> None:
        """A command whose document is complete already."""
        self._slide = None
        self.history.do(label, document, gesture)
        self._measure()
        self._tell(*what)

    def _do_and_pose(
        self,
        label: str,
        document: Document,
        *what: str,
        gesture: object = None,
        held_at: Pose | None = None,
        start: np.ndarray | None = None,
    ) -> None:
        """A command after which the figure is posed anew, as far as what is hard can be kept."""
        before = self.document.pose if held_at is None else held_at
        poser = Poser(document, held_at=before)
        begin = document.q if start is None else start
        found = poser.step(begin)
        if not found.feasible:
            solution = poser.settle(begin)
            if solution is not None:
                found = poser.read(solution)
        self._slide = None
        self.history.do(label, document.changed(q=found.q), gesture)
        self.found = found
        self._tell(POSE, *what)

    # Dragging: any part of the figure.

    def drag_start(self, who: object, segment: str, point: np.ndarray) -> None:
        """Take hold of a point of a segment. Several may drag at once, each under a name of their own."""
        self._drags.pop(who, None)
        at = np.asarray(point, dtype=np.float64)
        turned = self.turned(part_at(self.document.figure, segment))
        self._drags[who] = Dragging(self.document, segment, at, turned=turned)

    def handle_start(self, who: object, name: str, point: np.ndarray, *, turn: bool = False) -> None:
        """Take hold of a part by its handle; `turn` by its rings, which keep it where it is."""
        self._drags.pop(who, None)
        document = self.document
        part = handle_of(document, name)
        segment = document.figure.sites[part.site].segment
        at = np.asarray(point, dtype=np.float64)
        turned = turn or self.turned(part)
        self._drags[who] = Dragging(document, segment, at, part=part, turned=turned)

    def turned(self, part: Part | None) -> bool:
        """Whether a part keeps its direction when it is dragged, as was asked."""
        return part is not None and part.name in self.oriented

    def orient(self, name: str, on: bool) -> None:
        """Have a hand or a foot keep its direction when it is dragged, or let it turn."""
        handle_of(self.document, name)
        self.oriented = self.oriented | {name} if on else self.oriented - {name}
        self._tell(SELECTION)

    def turn_to(self, who: object, frame: np.ndarray) -> Found | None:
        """Bring the held handle to a frame, 4×4; None where nothing is held."""
        return self._moved(who, lambda drag: drag.move_to(self.document, frame))

    def drag_goal_start(self, who: object, key: int, point: np.ndarray) -> None:
        """Take hold of a goal's mark: the goal goes along where it places its site, otherwise what carries the site."""
        goal = self.document.entry(key).goal
        sites = self.document.figure.sites
        if goal.site not in sites:
            raise ManikinError(
                f"{making.describe(goal)} is no place to drag: click it, and move it by its arrows or in the tab Goals"
            )
        at = np.asarray(point, dtype=np.float64)
        self._drags[who] = Dragging(self.document, sites[goal.site].segment, at, goal=key)

    def drag_to(self, who: object, point: np.ndarray) -> Found | None:
        """Move what is held to a point; None where nothing is held."""
        return self._moved(who, lambda drag: drag.move(self.document, np.asarray(point, dtype=np.float64)))

    def _moved(self, who: object, move: Callable[[Dragging], tuple[Document, Found]]) -> Found | None:
        drag = self._drags.get(who)
        if drag is None:
            return None
        drag.renew(self.document)
        document, found = move(drag)
        self.history.do(drag.label, document, gesture=drag)
        drag.document = document
        self.found = found
        self._stuck = None if found.reached else drag
        self._tell(POSE, *((GOALS,) if drag.entry is not None else ()))
        return found

    def drag_end(self, who: object) -> None:
        """Let go: what the drag displaced goes back to its goals."""
        drag = self._drags.pop(who, None)
        if drag is None:
            return
        document = self.document
        if drag.entry is None and any(
            entry.active and not isinstance(entry.goal, (Pin, Balance)) for entry in document.goals
        ):
            found = Poser(document).step(document.q)
            if found.feasible:
                self.history.do("drag", document.changed(q=found.q), gesture=drag)
                self.found = found
        self.history.close_gesture()
        self._let_go = self.document
        self._tell(POSE, GOALS, JOINTS)

    # Pins.

    def pinned(self, name: str) -> Entry | None:
        """The pin that keeps a part; None where it is free."""
        site = handle_of(self.document, name).site
        for entry in self.document.goals:
            if entry.active and isinstance(entry.goal, Pin) and entry.goal.site == site:
                return entry
        return None

    def pin(self, name: str, on: bool | None = None) -> None:
        """Pin a part where it is, or let it go; by default the other of what it is."""
        entry = self.pinned(name)
        if (on if on is not None else entry is None) == (entry is not None):
            return
        document, site = self.document, handle_of(self.document, name).site
        if entry is not None:
            changed = document.with_entry(entry.changed(active=False))
            self._do(f"unpin {name}", changed, GOALS)
            return
        off = [one for one in document.goals if isinstance(one.goal, Pin) and one.goal.site == site]
        pin = off[0].changed(active=True) if off else Entry(Pin(site, axes=_AXES.get(name, "all")))
        self._do(f"pin {name}", document.with_entry(pin), GOALS)

    def unpin(self, key: int) -> None:
        """Let go of a pinned part by the number of its pin."""
        entry = self.document.entry(key)
        self._do("unpin", self.document.with_entry(entry.changed(active=False)), GOALS)

    # Goals.

    def add_goal(self, kind: str, site: str | None = None) -> Entry:
        """Add a goal on a site, met where the figure is."""
        entry = Entry(making.make(kind, self.document.pose, self.site if site is None else site))
        self.selected = entry.key
        self._do(f"add {kind}", self.document.with_entry(entry), GOALS, SELECTION)
        return entry

    def change_goal(self, key: int, *, gesture: object = None, **changes: Any) -> None:
        """Change an entry's ``active`` or ``level``, or arguments of its goal: ``weight``, ``hard``, its target."""
        entry = self.document.entry(key)
        own = {name: changes.pop(name) for name in ("active", "level") if name in changes}
        if "level" in own and own["level"] < 1:
            raise ManikinError(f"a goal's rank must be 1 or more, got {own['level']}")
        goal = entry.goal.changed(**changes) if changes else entry.goal
        changed = self.document.with_entry(entry.changed(goal=goal, **own))
        self._do_and_pose(f"change {making.describe(goal)}", changed, GOALS, gesture=gesture)

    def move_goal(self, key: int, frame: np.ndarray, gesture: object = None) -> None:
        """Move a goal's target to a frame, 4×4; of a point only the position counts."""
        entry = self.document.entry(key)
        if target_of(entry.goal) is None:
            raise ManikinError(f"{making.describe(entry.goal)} has no target to move")
        from manikin.goals.target import with_target

        goal = with_target(entry.goal, moved_target(entry.goal, np.asarray(frame, dtype=np.float64)))
        document = self.document.with_entry(entry.changed(goal=goal))
        self._do_and_pose(f"move {making.describe(goal)}", document, GOALS, gesture=gesture)

    def delete(self, key: int) -> None:
        """Delete a goal, a thing or a key frame."""
        document = self.document.without(key)
        if (len(document.goals), len(document.things), len(document.keys)) == (
            len(self.document.goals),
            len(self.document.things),
            len(self.document.keys),
        ):
            raise ManikinError("there is no such thing any more; it was deleted meanwhile")
        if self.selected == key:
            self.selected = None
        self._do("delete", document, GOALS, THINGS, KEYS, SELECTION)

    def select(self, key: int | None) -> None:
        """Choose the goal or thing that the gizmo moves."""
        self.selected = key
        self.part = ""
        self._tell(SELECTION)

    def choose(self, name: str) -> None:
        """Choose a part by its handle, or none."""
        if name:
            self.site = handle_of(self.document, name).site
        self.part = name
        self.selected = None
        self._tell(SELECTION)

    def select_site(self, site: str) -> None:
        """Choose the site that new goals are for."""
        self.document.figure.site(site)
        self.site = site
        self._tell(SELECTION)

    def pin_feet(self, on: bool) -> None:
        """Pin the feet where they are, or let them go."""
        self._switch(self.document.pins(), [Pin(foot) for foot in FEET], on, "feet")

    def keep_balance(self, on: bool) -> None:
        """Keep the centre of mass above the feet, or do not."""
        self._switch(self.document.balances(), [Balance(hard=True)], on, "balance")

    def _switch(self, entries: list[Entry], goals: list[Any], on: bool, what: str) -> None:
        if not entries and on and not has_feet(self.document.figure):
            raise ManikinError(
                f"{self.document.figure.name!r} has no left_foot and right_foot; add a goal instead"
            )
        document = self.document
        for entry in entries or [Entry(goal) for goal in goals]:
            document = document.with_entry(entry.changed(active=on))
        self._do_and_pose(f"{what} {'on' if on else 'off'}", document, GOALS)

    # Joints.

    def set_joint(self, name: str, value: float, gesture: object = None) -> None:
        """Set a degree of freedom, rad or m; the others make room for what is pinned and asked for."""
        document = self.document
        figure = document.figure
        index = figure.index(name)
        value = float(np.clip(value, figure.lower[index], figure.upper[index]))
        if self._slide is None or gesture is None or self._slide[:1] != (gesture,) or self._slide[2] != name:
            poser = Poser(document, fixed=[name])
            self._slide = (gesture, poser, name, document.pose)
        poser = self._slide[1]
        q = np.array(document.q)
        q[index] = value
        found = poser.step(q)
        if not found.feasible:
            raise ManikinError(
                f"{name.replace('_', ' ')} cannot go there while everything that is hard is kept; switch a pin off"
            )
        slide = self._slide
        self.history.do(f"set {name.replace('_', ' ')}", document.changed(q=found.q), gesture)
        self._slide = slide
        self.found = found
        self._tell(POSE, JOINTS)

    def lock(self, name: str, on: bool) -> None:
        """Keep a degree of freedom as it is, or let it move again."""
        self.document.figure.index(name)
        locked = self.document.locked | {name} if on else self.document.locked - {name}
        self._do(f"{'lock' if on else 'unlock'} {name}", self.document.changed(locked=locked), JOINTS)

    def set_limits(self, name: str, lower: float, upper: float, gesture: object = None) -> None:
        """Another range of a degree of freedom, rad or m."""
        source = self.document.source
        limits = {**source.limits, name: (float(lower), float(upper))}
        self._refigure(f"limits of {name}", source.changed(limits=limits), gesture)

    # The figure.

    def resize(self, gesture: object = None, **options: Any) -> None:
        """Another person: ``stature``, ``mass``, ``sex``, ``percentile`` and the other options of `human`; None leaves
        one out. Goals hold, feet stay where they are.
        """
        source = self.document.source
        if not source.is_human:
            raise ManikinError(f"{self.document.figure.name!r} comes from a file and cannot be resized")
        merged = {name: value for name, value in {**source.options, **options}.items() if value is not None}
        self._refigure("resize", source.changed(options=merged), gesture)

    def _refigure(self, label: str, source: Source, gesture: object = None) -> None:
        before = self.document.pose
        document = self.document.with_figure(source)
        self._do_and_pose(label, document, FIGURE, GOALS, JOINTS, KEYS, gesture=gesture, held_at=before)

    def hold(self, name: str, at: str, size: Any, mass: float = 0.0) -> None:
        """Put an object into a hand."""
        x, y, z = (float(edge) for edge in size)
        source = self.document.source
        held = Held(name, at, (x, y, z), float(mass), (0.0, 0.0, 0.0))
        self._refigure(f"hold {name}", source.changed(held=(*source.held, held)))

    def drop(self, name: str) -> None:
        """Let go of an object."""
        source = self.document.source
        self._refigure(
            f"drop {name}", source.changed(held=tuple(held for held in source.held if held.name != name))
        )

    def preset(self, name: str) -> None:
        """Take on a preset."""
        self._do(f"preset {name}", presets.preset(self.document, name), POSE, GOALS, THINGS, JOINTS)

    def set_pose(self, q: np.ndarray, label: str = "pose") -> None:
        """Take on a pose as it is, brought into the ranges."""
        figure = self.document.figure
        pose = Pose(figure, q)
        document = self.document.changed(q=np.clip(pose.q, figure.lower, figure.upper))
        self._do(label, document, POSE, JOINTS)

    # Things.

    def add_thing(self, kind: str) -> Thing:
        """Put a piece of furniture into the room."""
        if kind not in FURNITURE:
            raise ManikinError(f"unknown thing {kind!r}; expected one of {', '.join(FURNITURE)}")
        center, size, role = FURNITURE[kind]
        thing = Thing(kind, center, size, role=role)
        self.selected = thing.key
        self._do_and_pose(f"add {kind}", self.document.with_thing(thing), THINGS, SELECTION)
        return thing

    def change_thing(self, key: int, *, gesture: object = None, **changes: Any) -> None:
        """Move, turn or resize a thing, or give it another role."""
        thing = self.document.thing(key).changed(**changes)
        thing.region()
        label = f"change {thing.name}"
        self._do_and_pose(label, self.document.with_thing(thing), THINGS, gesture=gesture)

    # Key frames.

    def add_key(self, time: float | None = None) -> None:
        """Make the pose a key frame; by default a second after the last one."""
        last = self.document.keys[-1].time if self.document.keys else -1.0
        at = last + 1.0 if time is None else float(time)
        self.time = at
        self._do("add key frame", keys.with_key(self.document, at, self.document.q), KEYS)

    def lay_on_strip(self, times: np.ndarray, q: np.ndarray, label: str = "clip") -> None:
        """A motion in the place of the key frames; the figure stands as it begins."""
        self._do(label, with_clip(self.document, times, q), KEYS, POSE, JOINTS)

    def move_key(self, key: int, time: float) -> None:
        """Move a key frame in time."""
        self._do("move key frame", keys.moved_key(self.document, key, float(time)), KEYS)

    def scrub(self, time: float) -> None:
        """Show the motion at a time. The pose changes as by hand; a run through the strip is one step."""
        motion = keys.motion_of(self.document)
        self.time = float(time)
        self.history.do("play", self.document.changed(q=motion.sample(self.time).q), gesture="play")
        self._tell(POSE)

    def play_end(self) -> None:
        """Measure the goals again after playing."""
        self.history.close_gesture()
        self._measure()
        self._tell(POSE, GOALS, JOINTS)

    # The rest.

    def undo(self) -> str | None:
        """Take the last step back."""
        return self._jump(self.history.undo())

    def redo(self) -> str | None:
        """Do it again."""
        return self._jump(self.history.redo())

    def _jump(self, label: str | None) -> str | None:
        if label is not None:
            self._slide = None
            self._drags.clear()
            self._measure()
            self._tell(*ALL)
        return label

    def open(self, document: Document, label: str = "open") -> None:
        """Go on with another document; that too can be undone."""
        self._slide = None
        self._drags.clear()
        self.selected, self.part = None, ""
        if self.site not in document.figure.sites:
            self.site = list(document.figure.sites)[-1]
        self.history.do(label, document)
        self._measure()
        self._tell(*ALL)

    def explain(self) -> str:
        """Find the words for how the goals are met, and the limits that hold the figure; takes a while."""
        document = self.document
        self.limits = ()
        if not (self._drags or document is self._let_go):
            self._stuck = None
        stuck = self._stuck
        poser = Poser(document) if stuck is None else stuck.poser
        solution = poser.settle(document.q) if stuck is None else stuck.reasons()
        if solution is None:
            self.words = "There are no goals: drag any part of the figure, or add one."
        else:
            short = "" if stuck is None else why_short(document, stuck.what, solution, stuck.led(solution))
            told = poser.told(solution)
            self.words = "\n".join(
                filter(None, [short, in_words(document, solution.explain(told)) if told else ""])
            )
            if not solution.reached:
                names = [limit.name for limit in solution.active_constraints() if limit.row is None]
                self.limits = tuple(name for name in names if name in document.figure.dofs)[:6]
        self._tell(WORDS)
        return self.words
