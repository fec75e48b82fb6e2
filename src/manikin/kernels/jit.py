"""Where a kernel gets its code: from the library that was compiled ahead, else compiled when it is first called.

`manikin.toolchain` makes the library: one extension module for each level of CPU, ``_prebuilt_v3`` say, beside this
file. It is used if it was made from these very files, as their digest tells, and if this CPU can run it. Otherwise, and
with ``MANIKIN_JIT=1``, entries are compiled one by one when they are called (`toolchain.demand`).
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any

from manikin.toolchain.digest import KERNELS, digest, everything, key

#: The levels of CPU that there may be a library for, best first.
LEVELS = ("v4", "v3", "v2", "arm64")
#: Whether entries are to be compiled when they are called, whatever library there is.
ASKED_FOR = os.environ.get("MANIKIN_JIT", "") not in ("", "0")
#: Whether this process lowers kernels to LLVM's code, and runs none of them.
LOWERING = os.environ.get("MANIKIN_JIT") == "lower"


def _find() -> tuple[Any, str]:
    """The library that fits, or None; and why."""
    if ASKED_FOR:
        return None, "MANIKIN_JIT is set"
    suffixes = tuple(EXTENSION_SUFFIXES)
    there = {path.name.split(".")[0] for path in KERNELS.glob("_prebuilt_*") if path.name.endswith(suffixes)}
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
if PREBUILT is None and not LOWERING:
    from manikin.toolchain.demand import check_numba

    check_numba(WHY)


def kernel(function: Any = None, *, exact: bool = False, entry: str = "", inline: bool = False) -> Any:
    """A function that is compiled. Kernels allocate nothing, so reference counting is off.

    ``entry``, its signature, makes it callable from Python; the others are only called by kernels. As long as nothing
    is lowered they stay Python, for tests of the inside. ``exact=True`` keeps IEEE order of operations (for code whose
    rounding is the point, such as the reduction of an angle). ``inline=True`` puts its lines into its callers.
    """
    if function is None:
        return lambda f: kernel(f, exact=exact, entry=entry, inline=inline)
    if LOWERING:
        from manikin.toolchain import private

        return private.kernel(function, exact, entry, inline)
    if not entry:
        return function
    if PREBUILT is not None and key(function) in PREBUILT.ENTRIES:
        return PREBUILT.ENTRIES[key(function)]
    from manikin.toolchain.demand import Entry

    return Entry(function, entry)
