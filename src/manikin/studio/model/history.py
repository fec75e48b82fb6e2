"""Undo and redo: the documents that were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from manikin.errors import ManikinError
from manikin.studio.model.document import Document
from manikin.studio.model.steps import Labelled, Stored

# Documents share what did not change: a step costs some kilobytes.
MOST = 500


@dataclass(frozen=True)
class Step:
    """A document and what was done to it next."""

    label: str
    before: Document | Stored
    gesture: object = None


class History:
    """The steps back, and those forward again.

    Changes of one gesture, as of a slider that is being moved, are one step.
    """

    def __init__(
        self, document: Document, past: Sequence[Labelled] = (), future: Sequence[Labelled] = ()
    ) -> None:
        self.document = document
        self._past = [Step(label, before) for label, before in past]
        self._future: list[Labelled] = list(future)

    @property
    def past(self) -> list[Labelled]:
        """The steps that can be undone, the last one last."""
        return [(step.label, step.before) for step in self._past]

    @property
    def future(self) -> list[Labelled]:
        """The steps that can be done again, the next one last."""
        return list(self._future)

    def do(self, label: str, document: Document, gesture: object = None) -> None:
        """Go on with another document; what was undone is forgotten."""
        if document is self.document:
            return
        same = gesture is not None and self._past and self._past[-1].gesture == gesture and not self._future
        if not same:
            self._past.append(Step(label, self.document, gesture))
            self.document.let_go()
            del self._past[:-MOST]
        self._future.clear()
        self.document = document

    def close_gesture(self) -> None:
        """What follows is a step of its own, whatever its gesture."""
        if self._past:
            last = self._past[-1]
            self._past[-1] = Step(last.label, last.before)

    def undo(self) -> str | None:
        """Go back one step; its label, or None where there is none."""
        if not self._past:
            return None
        before = _loaded(self._past[-1].before, self._past)
        step = self._past.pop()
        self._future.append((step.label, self.document))
        self.document = before
        return step.label

    def redo(self) -> str | None:
        """Go forward again; the step's label, or None where there is none."""
        if not self._future:
            return None
        document = _loaded(self._future[-1][1], self._future)
        label, _ = self._future.pop()
        self._past.append(Step(label, self.document))
        self.document = document
        return label

    @property
    def can_undo(self) -> str | None:
        """The label of the step that `undo` would take back."""
        return self._past[-1].label if self._past else None

    @property
    def can_redo(self) -> str | None:
        """The label of the step that `redo` would do again."""
        return self._future[-1][0] if self._future else None

    def __len__(self) -> int:
        return len(self._past)


def _loaded(document: Document | Stored, steps: list[Any]) -> Document:
    """The document of a step. If it cannot be read, this step and those beyond it are given up; their files stay."""
    if isinstance(document, Document):
        return document
    try:
        return document.load()
    except ManikinError as problem:
        steps.clear()
        raise ManikinError(f"the steps before the restart cannot be restored: {problem}") from problem
