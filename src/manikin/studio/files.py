"""Scenes on disk: one folder, plain names, whole files."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from manikin.errors import FormatError
from manikin.files import read_text, whole_file
from manikin.formats.tables import MOST_BYTES
from manikin.references import References
from manikin.studio.model.document import Document
from manikin.studio.model.scene_read import document_of
from manikin.studio.model.scene_text import scene_text
from manikin.studio.model.state import state_folder, uploads_folder

# Of an upload, bytes. A figure with its textures takes some ten million.
LARGEST = 64 * 1024 * 1024
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,80}")


class Files:
    """The folder that scenes are saved to and opened from; nothing outside is reached by a name.

    within: further folders that the figures of its scenes may lie in; those that were uploaded may too.
    """

    def __init__(self, folder: Path, name: str, within: Iterable[Path] = ()) -> None:
        self.folder, self.name = folder, name
        self.within = tuple(within)

    def scenes(self) -> list[str]:
        """The names of the scene files there."""
        try:
            return sorted(path.stem for path in self.folder.glob("*.toml") if _is_scene(path))
        except OSError:
            return []

    def path(self, name: str) -> Path:
        """The path of a scene by its name."""
        plain = name.strip().removesuffix(".toml")
        if not _NAME.fullmatch(plain):
            raise FormatError(
                f"{name!r} is no name for a scene: use letters, digits, spaces, dots, dashes and underscores"
            )
        return self.folder / f"{plain}.toml"

    def save(self, name: str, document: Document) -> Path:
        """Write a scene, whole or not at all."""
        path = self.path(name)
        text = scene_text(document, self.folder)
        with whole_file(path) as beside:
            beside.write_text(text, encoding="utf-8")
        self.name = path.stem
        return path

    def open(self, name: str) -> Document:
        """Read a scene."""
        path = self.path(name)
        files = References(path, (*self.within, uploads_folder()), environment=True)
        document = document_of(read_text(path, "TOML", MOST_BYTES), path, files=files)
        self.name = path.stem
        return document


def _is_scene(path: Path) -> bool:
    """Whether a TOML file says which figure it is about."""
    try:
        with path.open(encoding="utf-8") as file:
            return any(line.lstrip().startswith("figure") for line, _ in zip(file, range(60), strict=False))
    except (OSError, UnicodeDecodeError):
        return False


def keep_upload(name: str, content: bytes) -> Path:
    """Write an uploaded figure's file under its own digest: nothing is overwritten, no name leads elsewhere."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", Path(name).name)[-60:].lstrip(".") or "figure"
    folder = uploads_folder() / hashlib.sha256(content).hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FormatError(f"{folder}: cannot be made: {problem.strerror}") from problem
    path = folder / plain
    with whole_file(path) as beside:
        beside.write_bytes(content)
    return path


@contextmanager
def working_folder() -> Iterator[Path]:
    """A folder to make an export in, removed afterwards; so are those of studios that were killed."""
    above = state_folder() / "exports"
    remove_left_over()
    try:
        above.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=above))
    except OSError as problem:
        raise FormatError(f"{above}: cannot be made: {problem.strerror}") from problem
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def remove_left_over() -> None:
    """Remove the working folders of processes that are gone."""
    above = state_folder() / "exports"
    for folder in above.glob("*-*") if above.is_dir() else ():
        process = folder.name.partition("-")[0]
        if process.isdigit() and not _runs(int(process), folder):
            shutil.rmtree(folder, ignore_errors=True)


def _runs(process: int, folder: Path) -> bool:
    """Whether a process is still there. Windows has no such question; it refuses to rename a folder that is in use."""
    if process == os.getpid():
        return True
    try:
        if sys.platform == "win32":
            folder.rename(folder)
        else:
            os.kill(process, 0)
            return True
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return False
