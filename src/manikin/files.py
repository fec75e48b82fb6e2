"""Files read within bounds, or a FormatError that says why not; and written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from manikin.errors import FormatError

#: No file of any format is larger.
MOST_BYTES = 2 << 30


def read_bytes(
    path: str | os.PathLike[str], what: str, most: int = MOST_BYTES, *, empty: bool = False
) -> bytes:
    """All of a regular file; `what` names the format in the message, ``most`` is how many bytes one of it may have.

    empty: whether it may be empty. A folder, a pipe and a device are refused before they are opened.
    """
    file = Path(path)
    try:
        _check_kind(file, os.stat(file), what, most)
        # A pipe that took the file's place meanwhile does not block.
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as stream:
            status = os.fstat(handle)
            _check_kind(file, status, what, most)
            # Memory is taken for as much as is read: what it has, or a little of what does not tell.
            most = min(most, max(status.st_size, 1 << 20))
            data = stream.read(most + 1)
    except FileNotFoundError:
        raise FormatError(f"{shown_path(file, quoted=False)}: there is no such file") from None
    except OSError as error:
        raise FormatError(f"{shown_path(file, quoted=False)}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # a path with a NUL in it
        raise FormatError(f"{path!r}: cannot be read: {error}") from None
    if len(data) > most:
        raise FormatError(f"{file}: it has grown while it was read, or does not tell how large it is")
    if not empty and not data.strip():
        raise FormatError(f"{file}: the file is empty")
    return data


def read_text(path: str | os.PathLike[str], what: str, most: int = MOST_BYTES, *, empty: bool = False) -> str:
    """All of a file as text in UTF-8, with or without a byte order mark; a FormatError if it is in another code."""
    data = read_bytes(path, what, most, empty=empty)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as problem:
        raise FormatError(f"{path}: is not text in UTF-8 (byte {problem.start})") from None


def _check_kind(file: Path, status: os.stat_result, what: str, most: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise FormatError(f"{file}: this is a folder, not a {what} file")
    if not stat.S_ISREG(status.st_mode):
        raise FormatError(f"{file}: this is a pipe or a device, not a {what} file")
    if status.st_size > most:
        raise _too_large(file, what, most)


def _too_large(file: Path, what: str, most: int) -> FormatError:
    return FormatError(f"{file}: too large to be a {what} file: over {most >> 20} MB")


def shown_path(path: object, *, quoted: bool = True) -> str:
    """A path as an error quotes it, shortened to a line."""
    text = repr(str(path)) if quoted else str(path)
    return text if len(text) <= 200 else f"{text[:197]}…"


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is such a file; a name that is too long for one, or has a NUL in it, is none."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file beside `path` to write to; it takes the place of `path` when all went well, and goes when not."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}.", suffix=target.suffix, dir=target.parent)
        os.close(handle)
    except OSError as problem:
        raise FormatError(f"{path}: cannot be written: {problem.strerror}") from problem
    beside = Path(name)
    try:
        yield beside
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, target)
    except OSError as problem:
        raise FormatError(f"{path}: cannot be written: {problem.strerror or problem}") from problem
    finally:
        beside.unlink(missing_ok=True)


def _umask() -> int:
    """The process's mask of file permissions, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
