"""Which entries there are, by reading the kernels' files: nothing is imported, and Numba is not needed."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from manikin.kernels.stamps import ROOM, digest, needed

# The steps of the build that decide what an object file holds.
_COMPILERS = ("signatures", "frontend", "interface", "backend", "names")


@cache
def entries() -> dict[str, Path]:
    """The file of every entry, by its key: all functions decorated with ``@kernel(entry="…")``."""
    found = {}
    for path in sorted(ROOM.rglob("*.py")):
        name = path.relative_to(ROOM).with_suffix("").as_posix().replace("/", ".")
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.FunctionDef) and any(map(_marks_entry, node.decorator_list)):
                found[f"{name}.{node.name}"] = path
    return found


def _marks_entry(decorator: ast.expr) -> bool:
    return (
        isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Name)
        and decorator.func.id == "kernel"
        and any(
            k.arg == "entry" and isinstance(k.value, ast.Constant) and k.value.value
            for k in decorator.keywords
        )
    )


def digest_of(keys: Iterable[str], *more: str) -> str:
    """Of all that the code of these entries is made from; ``more`` goes into it too."""
    files = {ROOM / "warmup.py", *(Path(__file__).with_name(f"{name}.py") for name in _COMPILERS)}
    for key in keys:
        files |= needed(entries()[key])
    return hashlib.sha256("\n".join([*sorted(keys), *more, digest(files)]).encode()).hexdigest()[:24]
