"""Opens a studio: on the human, a figure, a figure's file or a scene."""

from __future__ import annotations

import logging
import os
import webbrowser
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manikin.errors import FormatError, ManikinError
from manikin.figure import Figure, Pose
from manikin.files import read_text
from manikin.formats.tables import MOST_BYTES
from manikin.references import References
from manikin.studio.extra import need

if TYPE_CHECKING:
    from manikin.studio.app import Studio
    from manikin.studio.model.autosave import Autosave
    from manikin.studio.model.history import History

_log = logging.getLogger(__name__)


def open_studio(
    subject: Figure | Pose | str | os.PathLike[str] | None = None,
    *,
    scene: str | os.PathLike[str] | None = None,
    port: int | None = None,
    host: str = "127.0.0.1",
    token: str | None = None,
    browser: bool = True,
    fresh: bool = False,
    folder: str | os.PathLike[str] | None = None,
    within: Iterable[str | os.PathLike[str]] = (),
    shadows: bool = True,
) -> Studio:
    """Open the studio in the browser.

    subject: a Figure, a Pose of it to begin with, the path of a scene (``.toml``) or of a figure's file, or None for
        the human. What was being done with it last is gone on with, unless ``fresh``.
    scene: the path of a scene that was saved of a figure made in Python, with that figure as the subject.
    port: by default 8090, or the next one that is free.
    host: the address to listen on; by default this machine's own, which no other machine reaches. With any other a
        token is required, and made where none is given.
    token: what browsers have to show, 16 characters at least; ``url`` has it.
    browser: whether to open a browser's tab.
    shadows: whether the figure casts one; without, a browser that draws by software is quicker.
    within: further folders that figures of scenes, and what they refer to, may lie in.
    folder: where scenes are saved; by default that of the scene, or the current one.

    The studio runs beside the caller: in a notebook it is shown in the cell, `Studio.close` ends it.
    """
    need()
    from manikin.studio.app import Studio
    from manikin.studio.files import Files
    from manikin.studio.model.autosave import Autosave
    from manikin.studio.model.history import History
    from manikin.studio.server.start import start

    folders = [Path(entry) for entry in within]
    document, opened, where, name = _document(subject, scene, folders)
    autosave = Autosave(opened)
    given = document.source.given
    went_on = not fresh and not isinstance(subject, Pose) and (scene is not None or given is None)
    restored, notice = _restored(autosave, given) if went_on else (None, "")
    if scene is not None or isinstance(subject, (str, os.PathLike)):
        folders.append(where)  # the user named a file there
    place = Path(folder) if folder is not None else where
    if not place.is_dir():
        raise FormatError(f"{place}: there is no such folder to save scenes in")
    while True:
        served = start(host, port, token)
        try:
            history = History(document) if restored is None else restored
            files = Files(place.resolve(), name, folders)
            studio = Studio(served, history, autosave, files, shadows=shadows, notice=notice)
            break
        except BaseException as problem:
            served.stop()
            if restored is None or not isinstance(problem, Exception):
                raise
            notice, restored = _put_aside(autosave, problem), None
    if browser:
        webbrowser.open(studio.url)
    return studio


def _restored(autosave: Autosave, given: Figure | None) -> tuple[History | None, str]:
    """The document and steps of the last time, or None, and a message if they cannot be restored."""
    try:
        document = autosave.read(given)
        return (None if document is None else autosave.read_steps(document, given)), ""
    except Exception as problem:  # whatever a file of before may hold, the studio starts
        return None, _put_aside(autosave, problem)


def _put_aside(autosave: Autosave, problem: Exception) -> str:
    words = autosave.put_aside(problem)
    _log.warning(words)
    return words


def _document(subject: Any, scene: Any, within: list[Path]) -> tuple[Any, str, Path, str]:
    """The document to begin with, the name it is kept under, its folder and its name."""
    from manikin.studio.model.document import fresh
    from manikin.studio.model.opening import opened as opened_file
    from manikin.studio.model.scene_read import document_of
    from manikin.studio.model.source import GIVEN, Source
    from manikin.studio.model.state import uploads_folder

    given: Figure | None = None
    where, name = Path.cwd(), "scene"
    if isinstance(subject, (Figure, Pose)):
        given = subject.figure if isinstance(subject, Pose) else subject
        opened = f"{GIVEN}:{given.name}:{','.join(given.dofs)}"
        name = given.name
        document = fresh(Source(GIVEN, given=given), given)
        if isinstance(subject, Pose):
            document = document.changed(q=subject.q)
        if scene is not None:
            path = Path(scene)
            document = document_of(_text(path), path, given, files=References(path, within, environment=True))
            where, name, opened = path.resolve().parent, path.stem, str(path.resolve())
    elif subject is None or subject == "human":
        opened = "human"
        name = "human"
        document = fresh(Source())
    elif isinstance(subject, (str, os.PathLike)):
        path = Path(subject)
        opened, where, name = str(path.resolve()), path.resolve().parent, path.stem
        if path.suffix.lower() == ".toml":
            document = document_of(
                _text(path), path, files=References(path, (*within, uploads_folder()), environment=True)
            )
        else:
            document = opened_file(Source.of_file(path.resolve(), References(path, within, environment=True)))
    else:
        raise ManikinError(f"the studio opens a Figure, a Pose or a path, not {subject!r}")
    return document, opened, where, name


def _text(path: Path) -> str:
    return read_text(path, "TOML", MOST_BYTES)
