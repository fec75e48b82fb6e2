"""Which files compiled code is made from, and their digests: these say whether it still fits its source."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

TOOLCHAIN = Path(__file__).parent
PACKAGE = TOOLCHAIN.parent
KERNELS = PACKAGE / "kernels"
_PREFIX = f"{__package__.split('.')[0]}.kernels."


def key(function: Any) -> str:
    """The name of an entry in the library: ``search.damped.lm``."""
    return f"{function.__module__.removeprefix(_PREFIX)}.{function.__name__}"


def file_of(function: Any) -> Path:
    """The file of a kernel."""
    return Path(getattr(function, "py_func", function).__code__.co_filename)


def digest(files: Iterable[Path], root: Path = PACKAGE) -> str:
    """Of these files, by their names under the root and their contents."""
    whole = hashlib.sha256()
    for path in sorted(files):
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        whole.update(f"{name}\n".encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()


def compilers() -> list[Path]:
    """The files of the tool chain that decide what code a kernel has."""
    named = ("private.py", "signature.py", "levels.py", "backend.py", "intrinsics/*.py")
    return [path for name in named for path in TOOLCHAIN.glob(name)]


def everything() -> list[Path]:
    """All that the library is made from, but for the kernels for graphics cards."""
    found = [path for path in KERNELS.rglob("*.py") if path.relative_to(KERNELS).parts[0] != "gpu"]
    return [
        *found,
        *compilers(),
        *(path for name in ("c_source.py", "link.py", "*.c") for path in TOOLCHAIN.glob(name)),
    ]


@cache
def imported(path: Path) -> frozenset[Path]:
    """The kernels' files that this one imports by name; of a package that it imports by name, or from which it imports
    what is none of its files (a registry), all of them.
    """
    found: set[Path] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(_PREFIX):
            place = PACKAGE.joinpath(*(node.module or "").split(".")[1:])
            found.add(place.with_suffix(".py"))
            for name in node.names:
                own = place / name.name
                module = own.with_suffix(".py")
                found.update([module] if module.is_file() else (own if own.is_dir() else place).glob("*.py"))
    return frozenset(file for file in found if file.is_file())


@cache
def needed(path: Path) -> frozenset[Path]:
    """A file of kernels and all kernels that it imports, directly or not."""
    found, more = {path}, [path]
    while more:
        new = imported(more.pop()) - found
        found |= new
        more += new
    return frozenset(found)
