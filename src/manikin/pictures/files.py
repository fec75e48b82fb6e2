"""What kinds of files pictures are written as."""

from __future__ import annotations

import os
from pathlib import Path

from manikin.errors import FormatError


def suffix_of(path: str | os.PathLike[str], known: tuple[str, ...]) -> str:
    """The file's extension in lower case, which must be one of those known."""
    suffix = Path(path).suffix.lower()
    if suffix not in known:
        raise FormatError(f"{path}: unknown extension {suffix!r}; pictures are written as {', '.join(known)}")
    return suffix
