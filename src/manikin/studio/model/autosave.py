"""What is kept while one works, so that closing, a crash or a power cut loses nothing."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from manikin.errors import FormatError
from manikin.figure import Figure
from manikin.files import read_text, whole_file
from manikin.formats.tables import MOST_BYTES
from manikin.studio.model.document import Document
from manikin.studio.model.history import History
from manikin.studio.model.scene_read import document_of
from manikin.studio.model.scene_text import scene_text
from manikin.studio.model.state import state_folder
from manikin.studio.model.steps import Steps


class Autosave:
    """One file for what was opened: the human, a figure's file or a scene."""

    def __init__(self, opened: str, folder: Path | None = None) -> None:
        self.folder = (state_folder() if folder is None else folder) / "studio"
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(opened).stem)[:40] or "scene"
        digest = hashlib.sha256(opened.encode()).hexdigest()[:10]
        self.path = self.folder / f"{stem}-{digest}.toml"
        self.steps = Steps(self.path.with_suffix(".history"))
        self._saved: Document | None = None

    def write(self, document: Document) -> bool:
        """Write the document, whole; False where it is written already."""
        if document is self._saved:
            return False
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise FormatError(f"{self.folder}: cannot be made: {problem.strerror}") from problem
        text = scene_text(document, self.folder)
        with whole_file(self.path) as beside:
            beside.write_text(text, encoding="utf-8")
        self._saved = document
        return True

    def read(self, given: Figure | None = None) -> Document | None:
        """What was kept, or None where nothing was."""
        if not self.path.exists():
            return None
        # The studio wrote it itself: the figure's file is one that the user opened, wherever it lies.
        document = document_of(read_text(self.path, "TOML", MOST_BYTES), self.path, given, files="any")
        self._saved = document
        return document

    def read_steps(self, document: Document, given: Figure | None = None) -> History:
        """The steps of undo and redo that were kept around a document."""
        return History(document, *self.steps.read(given))

    def put_aside(self, problem: Exception) -> str:
        """Rename what was kept, so that it is neither read again nor written over; returns the message."""
        words = f"What was being done last could not be restored: {problem}"
        number = 1
        while (aside := self.path.with_name(f"{self.path.stem}.aside-{number}.toml")).exists():
            number += 1
        self._saved = None
        try:
            for old in (self.path, self.steps.folder):
                if old.exists():
                    old.rename(aside.with_suffix(old.suffix))
        except OSError as failure:
            return f"{words}. It could not be put aside either: {failure}"
        return f"{words}. It was put aside as {aside}"

    def forget(self) -> None:
        """Take the file away."""
        self.path.unlink(missing_ok=True)
        self._saved = None
