"""A part of the figure in somebody's hand."""

from __future__ import annotations

import numpy as np

from manikin.errors import ManikinError
from manikin.figure import Pose
from manikin.goals import Goal, OnPlane, Pin
from manikin.goals.target import with_target
from manikin.result import Solution
from manikin.studio.model.document import Document, Entry
from manikin.studio.model.gestures import GRAB, Gesture, gesture, on_toes
from manikin.studio.model.groups import spoken
from manikin.studio.model.parts import Part, limb_at, part_at, parts
from manikin.studio.model.posing import Found, Grab, Poser, entries_on, moved_target, target_of

# Metres that the hips may miss upwards before the heels rise.
SHORT = 5e-4
# Of a way across so much upwards does not count.
SLANT = 0.5


class PinnedError(ManikinError):
    """What was grabbed is pinned.

    entry: the number of the pin's entry.
    """

    def __init__(self, what: str, entry: int) -> None:
        super().__init__(f"the {what} {'are' if what.endswith('s') else 'is'} pinned; unpin it to move it")
        self.what, self.entry = what, entry


class Dragging:
    """One drag, from grab to release.

    Where a goal places the grabbed segment already, the drag moves that goal. Otherwise it is the gesture of the part
    that was grabbed, by its handle or by the body, and forgotten when it is let go.

    part: the handle that was grabbed. goal: the number of the goal that is meant where several place the segment.
    turned: whether the handle's direction counts too.
    """

    def __init__(
        self,
        document: Document,
        segment: str,
        point: np.ndarray,
        *,
        part: Part | None = None,
        goal: int | None = None,
        turned: bool = False,
    ) -> None:
        figure = document.figure
        self.segment = segment
        self.document = document
        self.part = part_at(figure, segment) if part is None else part
        # The hips are carried as they are, wherever they are grabbed.
        self._by_handle = part is not None or (self.part is not None and self.part.kind == "hips")
        self.limb = limb_at(figure, segment) if self.part is None else ()
        self.turned = turned
        self.label = f"drag {self.part.name if self.part else spoken(figure, segment)}"
        placing = entries_on(document, segment)
        meant = [entry for entry in placing if entry.key == goal]
        self.entry: Entry | None = next(iter(meant or placing), None)
        if self.entry is None:
            self._refuse_pinned()
        self._begun = self._reached = np.array(point)
        self._held_at = document.pose
        frame = document.pose.matrices()[segment]
        offset = frame[:3, :3].T @ (point - frame[:3, 3])
        self._grab = Grab(segment, offset)
        self._take(document)

    def _refuse_pinned(self) -> None:
        """A pinned part does not move: say so."""
        document = self.document
        site = self.part.site if self.part else None
        for entry in document.goals:
            goal = entry.goal
            if not (entry.active and isinstance(goal, Pin)):
                continue
            on = document.figure.sites[goal.site].segment
            if goal.site == site or (on == self.segment and {"x", "y", "z"} <= set(goal.coordinates())):
                raise PinnedError(self.what, entry.key)

    def _take(self, document: Document) -> None:
        """Prepare the run of solves."""
        self._start = np.eye(4)
        self._toes: Poser | None = None
        self._before = document
        if self.entry is not None:
            start = target_of(self.entry.goal)
            assert start is not None
            self._start = start
            self._poser = Poser(document, held_at=self._held_at, follow=self.entry.key)
            return
        pose = document.pose
        if self.part is not None:
            self._start = pose.matrix(self.part.site).copy()
        if not self._by_handle:
            self._start[:3, 3] = pose.matrices()[self.segment][:3] @ [*self._grab.offset, 1.0]
        grab = None if self._by_handle else self._grab
        asked = gesture(
            document,
            self.part,
            self._start[:3, 3],
            by_handle=self._by_handle,
            turned=self.turned,
            limb=self.limb,
        )
        self._poser = Poser(document, held_at=self._held_at, gesture=asked, grab=grab)

    def renew(self, document: Document) -> None:
        """Prepare anew where something else than the pose changed meanwhile: another browser, another command."""
        old = self.document
        if document is old:
            return
        unlike = (
            document.figure is not old.figure
            or document.things is not old.things
            or document.locked != old.locked
            or document.goals is not old.goals
        )
        if unlike and (self.entry is None or document.figure is not old.figure):
            self._held_at = document.pose
            start = self._start
            self._take(document)
            self._start = start
        self.document = document

    def move(self, document: Document, point: np.ndarray) -> tuple[Document, Found]:
        """The document with what is held at a point, as far as it goes, and how the goals are met."""
        frame = self._start.copy()
        frame[:3, 3] += point - self._begun
        return self.move_to(document, frame)

    def move_to(self, document: Document, frame: np.ndarray) -> tuple[Document, Found]:
        """The same with the handle at a frame."""
        self._reached = frame[:3, 3].copy()
        found = self._poser.follow(document.q, frame)
        if self.entry is not None:
            target = moved_target(self.entry.goal, frame)
            moved = document.entry(self.entry.key).changed(goal=with_target(self.entry.goal, target))
            return document.with_entry(moved).changed(q=found.q), found
        if self.part is not None and self.part.kind == "hips":
            found = self._risen(document, frame, found)
        return document.changed(q=found.q), found

    def _risen(self, document: Document, frame: np.ndarray, found: Found) -> Found:
        """Up onto the toes, where flat feet are too short for the hips to get there."""
        assert self.part is not None
        way = frame[:3, 3] - self._start[:3, 3]
        # What is asked for sideways lowers the hips by itself.
        rise = float(way[2] - SLANT * np.hypot(*way[:2]))
        reached = Pose(document.figure, found.q)
        height = float(reached.position(self.part.site)[2])
        if rise <= 0.0 or frame[2, 3] - height < SHORT:
            self._toes = None
            return found
        frame = frame.copy()
        frame[2, 3] = min(float(frame[2, 3]), height + rise)
        if self._toes is None:
            asked = on_toes(self._before, reached)
            if asked is None:
                return found
            self._toes = Poser(self._before, held_at=self._held_at, gesture=asked)
        return self._toes.follow(document.q, frame)

    @property
    def place(self) -> np.ndarray:
        """Where the hand has led what is held."""
        return self._reached

    @property
    def what(self) -> str:
        """What is held, in words."""
        return self.label.removeprefix("drag ")

    @property
    def poser(self) -> Poser:
        """What solves its events now."""
        return self._poser if self._toes is None else self._toes

    def led(self, solution: Solution) -> list[Goal]:
        """The goals that follow the hand, as a solution has them. Hips that go up or down may go back or forward a
        little: only their height is meant."""
        goals = self.poser.led(solution)
        way = self._reached - self._start[:3, 3]
        if self.part is None or self.part.kind != "hips" or np.hypot(*way[:2]) > abs(way[2]):
            return goals
        return [goal for goal in goals if isinstance(goal, OnPlane)]

    def reasons(self) -> Solution | None:
        """Why it does not go farther: the last event with its reasons."""
        return self.poser.reasons(self.document.q)


def handle_of(document: Document, name: str) -> Part:
    """A part by its name."""
    known = parts(document.figure)
    if name not in known:
        raise ManikinError(f"{document.figure.name!r} has no part {name!r} to take hold of")
    return known[name]


__all__ = ["GRAB", "Dragging", "Gesture", "PinnedError", "handle_of"]
