"""Which files are opened while a piece of code runs, as Python's audit events tell."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_recorded: list[Path] | None = None


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _recorded is not None and isinstance(arguments[0], (str, bytes, os.PathLike)):
        _recorded.append(Path(os.fsdecode(arguments[0])).absolute())


sys.addaudithook(_hook)  # hooks cannot be removed, so there is one


@contextmanager
def opened() -> Iterator[list[Path]]:
    """The paths of all files opened in this block, by Python and by Python's libraries."""
    global _recorded
    _recorded = []
    try:
        yield _recorded
    finally:
        _recorded = None


def foreign(paths: list[Path], *folders: Path) -> list[Path]:
    """Those that lie, links followed, neither below these folders nor where Python and its packages are."""
    roots = [
        Path(folder).resolve()
        for folder in (*folders, sys.prefix, sys.base_prefix, Path(__file__).parents[1])
    ]
    return [path for path in paths if not any(path.resolve().is_relative_to(root) for root in roots)]
