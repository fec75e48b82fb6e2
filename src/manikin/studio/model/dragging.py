"""A part of the figure in somebody's hand."""

from __future__ import annotations

import numpy as np

from manikin.goals.target import with_target
from manikin.studio.model.document import Document, Entry
from manikin.studio.model.groups import spoken
from manikin.studio.model.posing import Found, Grab, Poser, entries_on, moved_target, target_of


class Dragging:
    """One drag, from grab to release.

    Where a goal places the grabbed segment already, the drag moves that goal; otherwise it pulls the point that was
    grabbed, which is forgotten when it is let go.

    goal: the number of the goal that is meant where several place the segment.
    """

    def __init__(
        self, document: Document, segment: str, point: np.ndarray, *, goal: int | None = None
    ) -> None:
        self.segment = segment
        self.label = f"drag {spoken(document.figure, segment)}"
        self.document = document
        self._begun = point
        placing = entries_on(document, segment)
        meant = [entry for entry in placing if entry.key == goal]
        self.entry: Entry | None = next(iter(meant or placing), None)
        frame = document.pose.matrices()[segment]
        offset = frame[:3, :3].T @ (point - frame[:3, 3])
        self._grab = Grab(segment, offset)
        self._held_at = document.pose
        self._poser = self._prepared(document)

    def _prepared(self, document: Document) -> Poser:
        if self.entry is not None:
            return Poser(document, held_at=self._held_at, follow=self.entry.key)
        return Poser(document, held_at=self._held_at, grab=self._grab)

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
            self._poser = self._prepared(document)
        self.document = document

    def move(self, document: Document, point: np.ndarray) -> tuple[Document, Found]:
        """The document with what is held at a point, as far as it goes, and how the goals are met."""
        if self.entry is None:
            found = self._poser.step(document.q, point)
            return document.changed(q=found.q), found
        start = target_of(self.entry.goal)
        assert start is not None
        frame = start.copy()
        frame[:3, 3] += point - self._begun
        target = moved_target(self.entry.goal, frame)
        found = self._poser.step(document.q, target)
        moved = document.entry(self.entry.key).changed(goal=with_target(self.entry.goal, target))
        return document.with_entry(moved).changed(q=found.q), found
