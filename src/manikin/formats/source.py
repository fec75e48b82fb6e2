"""Text told apart from paths; a reader's options."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from manikin.errors import FormatError

#: Characters of the longest path that is looked for.
_LONGEST = 4096


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
    call: Callable[..., Any],
    options: Mapping[str, Any],
    path: str | os.PathLike[str],
    *,
    own: tuple[str, ...] = (),
) -> None:
    """A FormatError where a reader or writer has no option of such a name; those that hand all on ask again there.

    own: options that are not the user's.
    """
    if not options:
        return
    import inspect

    from manikin.figure.checks import near

    known = inspect.signature(call).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in known):
        return
    names = [each.name for each in known if each.kind is each.KEYWORD_ONLY and each.name not in own]
    for name in options:
        if name not in names:
            takes = near(name, names) if names else "there are none"
            raise FormatError(f"{path}: unknown option {name!r} for this kind of file; {takes}")
