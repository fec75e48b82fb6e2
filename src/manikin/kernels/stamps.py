"""Which files a kernel is made of, and their digests: what tells whether compiled code still fits its source."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

ROOM = Path(__file__).parent
# How a kernel is compiled matters to all of them.
_ALWAYS = {ROOM / "by_numba.py"}
_outside: set[Path] = set()


def key(function: Any) -> str:
    """How an entry is called in the library: ``search.damped.lm``."""
    return f"{function.__module__.removeprefix(__package__ + '.')}.{function.__name__}"


def digest(files: Iterable[Path], room: Path = ROOM) -> str:
    """Of these files, by their names in the room and their contents."""
    whole = hashlib.sha256()
    for path in sorted(files):
        whole.update(f"{path.relative_to(room).as_posix()}\n".encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()


def everything() -> list[Path]:
    """All that the library is made from: the kernels' files, and how it is built; not those for graphics cards."""
    found = [*ROOM.rglob("*.py"), *ROOM.rglob("*.c")]
    return [path for path in found if path.relative_to(ROOM).parts[0] != "gpu"]


@cache
def imported(path: Path) -> frozenset[Path]:
    """The kernels' files that this one imports by name; of a package that it imports by name, all of them."""
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(__package__):
            parts = (node.module or "").split(".")[len(__package__.split(".")) :]
            room = ROOM.joinpath(*parts)
            for place in (room, *(room / n.name for n in node.names)):
                if place.with_suffix(".py").is_file():
                    found.add(place.with_suffix(".py"))
                elif place != room and room.is_dir():
                    found.update(room.glob("*.py"))
    return frozenset(found)


@cache
def needed(path: Path) -> frozenset[Path]:
    """A file of kernels, what compiles it, and all that it imports, directly or not."""
    found, more = {path, *_ALWAYS}, [path]
    while more:
        new = imported(more.pop()) - found
        found |= new
        more += new
    return frozenset(found)


def add_outside(path: Path) -> None:
    """A file whose kernels the registries have, from outside of the package: entries compiled from now on know it."""
    _outside.add(path)
    stamp.cache_clear()


@cache
def stamp(path: Path) -> str:
    """Digest of a file of kernels, of what compiles it and of all that it imports."""
    whole = hashlib.sha256()
    for file in sorted(needed(path) | _outside):
        whole.update(file.name.encode())
        whole.update(file.read_bytes())
    return whole.hexdigest()
