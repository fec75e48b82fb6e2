"""The steps of undo and redo on disk, so that they are there after a restart.

Each document is a scene's file of its own, written once; ``index.json`` has their order and labels. A document is read
when its step is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from manikin.errors import FormatError
from manikin.figure import Figure
from manikin.files import read_text, whole_file
from manikin.formats.tables import MOST_BYTES
from manikin.studio.model.document import Document
from manikin.studio.model.scene_read import document_of
from manikin.studio.model.scene_text import scene_text

#: Steps in either direction that are written, the nearest ones.
MOST = 100
_FILE = re.compile(r"(\d{1,9})\.toml")


@dataclass(frozen=True, eq=False)
class Stored:
    """A document that is on disk."""

    path: Path
    given: Figure | None = None

    def load(self) -> Document:
        """The document."""
        # The studio wrote it itself, as it does what `Autosave` reads.
        return document_of(read_text(self.path, "TOML", MOST_BYTES), self.path, self.given, files="any")


#: A label, and the document before the step, or after it for redo.
Labelled = tuple[str, Document | Stored]


class Steps:
    """The folder of one history."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names: dict[int, tuple[Document | Stored, str]] = {}
        self._written: object = None

    def write(self, past: Sequence[Labelled], future: Sequence[Labelled]) -> None:
        """Write the steps that are not there yet, then the index; remove the files of steps that are forgotten."""
        past, future = tuple(past)[-MOST:], tuple(future)[-MOST:]
        if (past, future) == self._written:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise FormatError(f"{self.folder}: cannot be made: {problem.strerror}") from problem
        names: dict[int, tuple[Document | Stored, str]] = {}
        index = {
            "past": self._listed(past[::-1], names)[::-1],
            "future": self._listed(future[::-1], names)[::-1],
        }
        with whole_file(self.folder / "index.json") as beside:
            beside.write_text(json.dumps(index), encoding="utf-8")
        left = {name for _, name in names.values()}
        for _, name in self._names.values():
            if name not in left:
                (self.folder / name).unlink(missing_ok=True)
        self._names, self._written = names, (past, future)

    def _listed(
        self, steps: Sequence[Labelled], names: dict[int, tuple[Document | Stored, str]]
    ) -> list[dict[str, str]]:
        """The nearest step first; up to one that a scene's file cannot hold."""
        found = []
        for label, document in steps:
            known = self._names.get(id(document)) or names.get(id(document))
            if known is None:
                if isinstance(document, Stored):
                    name = document.path.name
                else:
                    try:
                        text = scene_text(document, self.folder)
                    except FormatError:
                        break
                    name = f"{self._next()}.toml"
                    with whole_file(self.folder / name) as beside:
                        beside.write_text(text, encoding="utf-8")
                known = document, name
            names[id(document)] = known
            found.append({"label": label, "file": known[1]})
        return found

    def _next(self) -> int:
        """A number that no file has."""
        matches = (_FILE.fullmatch(path.name) for path in self.folder.iterdir())
        return max((int(match[1]) for match in matches if match), default=0) + 1

    def read(self, given: Figure | None = None) -> tuple[list[Labelled], list[Labelled]]:
        """Past and future; a FormatError if the index cannot be read."""
        path = self.folder / "index.json"
        if not path.exists():
            return [], []
        try:
            index = json.loads(read_text(path, "list of steps", MOST_BYTES))
            past, future = (
                [(str(each["label"]), self._stored(each["file"], given)) for each in index[key]]
                for key in ("past", "future")
            )
        except FormatError:
            raise
        except (ValueError, RecursionError, TypeError, KeyError, AttributeError) as problem:
            raise FormatError(f"{path}: cannot be read: {problem!r}") from None
        return list(past), list(future)

    def _stored(self, name: object, given: Figure | None) -> Stored:
        if not isinstance(name, str) or not _FILE.fullmatch(name):
            raise ValueError(f"{name!r} is no step's file")
        return Stored(self.folder / name, given)
