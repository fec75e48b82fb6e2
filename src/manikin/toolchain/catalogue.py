"""Which entries there are, by reading the kernels' files: nothing is imported, and Numba is not needed."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from manikin.toolchain.digest import KERNELS, compilers, digest, needed
from manikin.toolchain.signature import Signature, signature


class Entry(NamedTuple):
    """The file of an entry, and what it takes and gives."""

    file: Path
    signature: Signature


@cache
def entries() -> dict[str, Entry]:
    """Every entry by its key: all functions decorated with ``@kernel(entry="…")``."""
    found = {}
    for path in sorted(KERNELS.rglob("*.py")):
        name = path.relative_to(KERNELS).with_suffix("").as_posix().replace("/", ".")
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.FunctionDef):
                for text in filter(None, map(_declared, node.decorator_list)):
                    found[f"{name}.{node.name}"] = Entry(path, signature(text))
    return found


def _declared(decorator: ast.expr) -> str:
    """The signature of an entry, empty if this decorator makes none."""
    if (
        isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Name)
        and decorator.func.id == "kernel"
    ):
        for given in decorator.keywords:
            if given.arg == "entry":
                return str(ast.literal_eval(given.value))
    return ""


def digest_of(keys: Iterable[str], outside: Iterable[Path], *more: str) -> str:
    """Of all that the code of these entries is made from; files from outside of the package and ``more`` too."""
    begin = [*outside, *(entries()[key].file for key in keys if key in entries())]
    files = frozenset(compilers()).union(*map(needed, begin))
    return hashlib.sha256("\n".join([*sorted(keys), *more, digest(files)]).encode()).hexdigest()[:24]
