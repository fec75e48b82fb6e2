"""Which files a file may refer to: one rule for every reader.

A file that another one names lies below the folder of the file that the user named, or below a folder that the user
gave, after links are followed. It is a regular file, and as a whole no larger than its reader says. Anything else is
refused with the place of the reference, or, if it is a mesh, marked as `OUTSIDE` and not opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from manikin.errors import FormatError
from manikin.files import is_file, shown_path

#: In front of the path of a mesh that may not be opened.
OUTSIDE = "outside://"


class References:
    """The folders below which everything lies that a file refers to.

    file: the file that the user named, or None for text, which has no folder.
    within: further folders that the user gave, or those of the file that refers to this one.
    environment: whether folders that the user set up for a format count too, as ROS_PACKAGE_PATH does for URDF; by
        default if `within` is not given.
    """

    def __init__(
        self,
        file: str | os.PathLike[str] | None,
        within: References | Iterable[str | os.PathLike[str]] | None = None,
        *,
        environment: bool | None = None,
    ) -> None:
        self.folder = None if file is None else Path(os.path.abspath(file)).parent
        own = () if self.folder is None else (self.folder,)
        self.folders: tuple[Path, ...]
        self.environment: bool
        if isinstance(within, References):
            self.folders, self.environment = tuple(dict.fromkeys((*own, *within.folders))), within.environment
            return
        if isinstance(within, (str, os.PathLike)):
            within = (within,)
        try:
            given = tuple(Path(os.path.abspath(folder)) for folder in within or ())
        except TypeError:
            raise FormatError(f"{file}: within= must be folders, got {within!r}") from None
        self.folders = (*own, *given)
        self.environment = within is None if environment is None else environment

    def __eq__(self, other: object) -> bool:
        return isinstance(other, References) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Any, ...]:
        return self.folder, self.folders, self.environment

    def allows(self, path: Path, *folders: Path) -> bool:
        """Whether a path, links followed, lies below one of the folders, or of these ones besides."""
        return any(inside(path, folder) for folder in (*self.folders, *folders))

    def find(self, written: str | os.PathLike[str], where: str, folder: Path | None = None) -> Path | None:
        """The path of a file that is referred to, or None if it is not there; a FormatError if it may not be opened.

        where: file and line, or element. folder: what the reference is relative to, by default the file's folder.
        """
        name = shown_path(written)
        try:
            path = Path(folder or self.folder or "", written)
        except (TypeError, ValueError):
            raise FormatError(f"{where}: {name} is not a path") from None
        if not self.allows(path):
            raise FormatError(
                f"{where}: {name} is not in the file's folder{self._and_given()}; a folder that it may lie in is given "
                "by within="
            )
        if is_file(path):
            return path
        if _exists(path):
            raise FormatError(f"{where}: {name} is not a regular file")
        return None

    def path(self, written: str | os.PathLike[str], where: str, folder: Path | None = None) -> Path:
        """The same of a file that must be there."""
        found = self.find(written, where, folder)
        if found is None:
            there = shown_path(Path(folder or self.folder or "", written), quoted=False)
            raise FormatError(f"{where}: {shown_path(written)} is not there: there is no {there}")
        return found

    def mesh(self, written: str, *folders: Path) -> str:
        """The path of a mesh, whether it is there or not; `OUTSIDE` and what was written if it may not be opened.

        folders: further folders that it may lie in.
        """
        written = written.removeprefix(OUTSIDE)
        if "://" in written:
            return written
        try:
            path = Path(self.folder or "", written)
        except (TypeError, ValueError):
            return OUTSIDE + written
        irregular = _exists(path) and not is_file(path)
        return str(path) if self.allows(path, *folders) and not irregular else OUTSIDE + written

    def _and_given(self) -> str:
        more = len(self.folders) - (self.folder is not None)
        return (
            f", nor in the {more} folders given" if more > 1 else ", nor in the folder given" if more else ""
        )


def inside(path: Path, folder: Path) -> bool:
    """Whether a path lies below a folder, links followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # a name that is too long, has a NUL, or is a loop of links
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def accepts_within(reader: Any) -> bool:
    """Whether a reader follows references."""
    import inspect

    return "within" in inspect.signature(reader).parameters
