"""The bytes of a file, or a FormatError that says why there are none; text told apart from paths; options."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from manikin.errors import FormatError

#: Characters of the longest path that is looked for.
_LONGEST = 4096


def read_bytes(path: str | os.PathLike[str], what: str, most: int | None = None) -> bytes:
    """All of a file; `what` names the format in the message, ``most`` is how many bytes one of it may have."""
    file = Path(path)
    try:
        if file.is_dir():
            raise FormatError(f"{file}: this is a folder, not a {what} file")
        if most is not None and file.stat().st_size > most:
            raise FormatError(f"{file}: too large to be a {what} file: over {most >> 20} MB")
        data = file.read_bytes()
    except FileNotFoundError:
        raise FormatError(f"{file}: there is no such file") from None
    except OSError as error:
        raise FormatError(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # a path with a NUL in it
        raise FormatError(f"{path!r}: cannot be read: {error}") from None
    if not data.strip():
        raise FormatError(f"{file}: the file is empty")
    return data


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is such a file; a name that is too long for one, or has a NUL in it, is none."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def is_text(path: str) -> bool:
    """Whether a string is XML itself and not the path of a file."""
    return path.lstrip("\ufeff \t\r\n").startswith("<")


def refuse_text(path: object) -> None:
    """A FormatError where a string cannot be a path: it has several lines, or is longer than any."""
    if isinstance(path, str) and ("\n" in path or len(path) > _LONGEST):
        raise FormatError(
            f"expected a file's path, got text of {len(path)} characters that begins with {path[:40]!r}; "
            "of the formats URDF alone is read from text, which begins with '<'"
        )


def line_of(data: bytes | str, position: int) -> int:
    """The number of the line, from 1, that a position is on."""
    return data.count("\n" if isinstance(data, str) else b"\n", 0, position) + 1  # type: ignore[arg-type]


def refuse_options(
    call: Callable[..., Any], options: Mapping[str, Any], path: str | os.PathLike[str], *, own: str = ""
) -> None:
    """A FormatError where a reader or writer has no option of such a name; those that hand all on ask again there.

    own: an option that is not the user's.
    """
    if not options:
        return
    import inspect

    from manikin.figure.checks import near

    known = inspect.signature(call).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in known):
        return
    names = [each.name for each in known if each.kind is each.KEYWORD_ONLY and each.name != own]
    for name in options:
        if name not in names:
            takes = near(name, names) if names else "there are none"
            raise FormatError(f"{path}: unknown option {name!r} for this kind of file; {takes}")
