"""Where a kernel gets its code: from the library that was compiled ahead, or else from Numba (`by_numba`).

`prebuild` makes the library: one extension module for each level of CPU, ``_prebuilt_v3`` say, beside this file. It is
used if it was made from these very files, which their digest tells, and if this CPU can run it. Otherwise, and with
``MANIKIN_JIT=1``, Numba compiles what is called, when it is first called.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any

from manikin.errors import MissingExtraError
from manikin.kernels.stamps import ROOM, digest, everything, key

#: The levels of CPU that there may be a library for, best first.
LEVELS = ("v4", "v3", "v2", "arm64")


#: Whether Numba is asked for, whatever library there is.
ASKED_FOR = os.environ.get("MANIKIN_JIT", "") not in ("", "0")


def _find() -> tuple[Any, str]:
    """The library that fits, or None; and why."""
    if ASKED_FOR:
        return None, "MANIKIN_JIT is set"
    suffixes = tuple(EXTENSION_SUFFIXES)
    there = {path.name.split(".")[0] for path in ROOM.glob("_prebuilt_*") if path.name.endswith(suffixes)}
    if not there:
        return None, "no compiled kernels came with this installation"
    why, wanted = "", digest(everything())
    for level in LEVELS:
        if f"_prebuilt_{level}" not in there:
            continue
        try:
            library = import_module(f"{__package__}._prebuilt_{level}")
        except ImportError as error:
            why = why or str(error)
            continue
        if wanted == library.DIGEST:
            return library, f"compiled ahead, {level}"
        why = "the kernels are not those that were compiled ahead"
    return None, why


PREBUILT, WHY = _find()


def only_compiled(*_args: Any) -> Any:
    """What stands for a function that only compiled code can call."""
    raise NotImplementedError("this function is for compiled code only")


def _kernel(function=None, *, exact: bool = False, entry: str = "", inline: bool = False):
    """An entry is the library's function; what only kernels call stays Python, which nothing calls."""
    if function is None:
        return lambda f: _kernel(f, exact=exact, entry=entry, inline=inline)
    if not entry:
        return function
    try:
        return PREBUILT.ENTRIES[key(function)]
    except KeyError:
        raise NotImplementedError(
            f"{key(function)} was not compiled ahead: set MANIKIN_JIT=1, so that Numba compiles it"
        ) from None


kernel: Any = _kernel
if PREBUILT is None:
    try:
        from manikin.kernels import by_numba
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("numba", "llvmlite"):
            raise
        raise MissingExtraError(
            f'{WHY}, so Numba has to compile them, and it is not installed: pip install "manikin[jit]"'
        ) from error
    kernel = by_numba.kernel
