"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from manikin.errors import FormatError


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
