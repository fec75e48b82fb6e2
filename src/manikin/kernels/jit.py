"""How every kernel is compiled: one decorator, one cache that knows when any kernel changed.

Numba's cache looks only at the file of the function it stores, so an edit to a callee in another file would go
unnoticed. Here the stamp of every cached kernel is a digest of its file and of all kernels that this one imports,
directly or not, so the files may stay small and an edit recompiles only what it may change.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
from numba.core import event
from numba.core.codegen import CPUCodeLibrary

# Not "nnan"/"ninf": limits may be infinite, and a NaN must stay visible to the checks that catch it.
FASTMATH = {"reassoc", "contract", "arcp", "nsz"}


_ROOM = Path(__file__).parent


@cache
def _imported(path: Path) -> frozenset[Path]:
    """The kernels' files that this one imports by name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(__package__):
            parts = (node.module or "").split(".")[len(__package__.split(".")) :]
            for place in (_ROOM.joinpath(*parts), *(_ROOM.joinpath(*parts, n.name) for n in node.names)):
                if place.with_suffix(".py").is_file():
                    found.add(place.with_suffix(".py"))
    return frozenset(found)


@cache
def stamp(path: Path) -> str:
    """Digest of a file of kernels, of this one and of all that it imports."""
    needed, more = {Path(__file__), path}, [path]
    while more:
        new = _imported(more.pop()) - needed
        needed |= new
        more += new
    digest = hashlib.sha256()
    for file in sorted(needed):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


# Which dispatchers are entries; they live as long as the process.
_entries: set[int] = set()


def kernel(function=None, *, exact: bool = False, entry: bool = False, inline: bool = False):
    """Compile ``function`` on first use, cached on disk under the digest of all that it is made of.

    ``exact=True`` keeps IEEE order of operations (for code whose rounding is the point, such as the reduction
    of an angle). ``entry=True`` makes it callable from Python; the others are only called by kernels, and leaving
    out the wrapper halves the time to compile them. Kernels allocate nothing, so reference counting is off.
    """
    if function is None:
        return lambda f: kernel(f, exact=exact, entry=entry, inline=inline)
    dispatcher: Any = numba.njit(  # type: ignore[call-overload]
        function,
        error_model="numpy",
        nogil=True,
        _nrt=False,
        fastmath=False if exact else FASTMATH,
        no_cpython_wrapper=not entry,
        no_cfunc_wrapper=True,
        inline="always" if inline else "never",
    )
    dispatcher.enable_caching()
    # The index of the cache is ignored, and written anew, when its stamp differs from this one.
    dispatcher._cache._cache_file._source_stamp = stamp(Path(function.__code__.co_filename))
    if entry:
        _entries.add(id(dispatcher))
    return dispatcher


class _Announcer(event.Listener):
    """Says once, on stderr, why the very first solve takes seconds; knows which function is being compiled."""

    def __init__(self) -> None:
        self.said = False
        self.compiling: list[Any] = []

    def on_start(self, _event) -> None:
        """Speak when a compilation (not a load from the cache) begins."""
        self.compiling.append(_event.data["dispatcher"])
        ours = _event.data["dispatcher"].py_func.__module__.startswith(__package__)
        if ours and not self.said:
            self.said = True
            print(
                "manikin: compiling a part of the solver, once for this machine: some seconds "
                "(`manikin warmup` does all of it ahead)",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, _event) -> None:
        """Back to the function that called this one."""
        self.compiling.pop()


_announcer = _Announcer()
event.register("numba:compile", _announcer)


def _keep_to_itself(library: Any) -> None:
    """Make everything that an entry calls private to it, then optimise as Numba does.

    Otherwise a process keeps the first copy that it meets of each function, compiled alone or loaded with some other
    entry, and the last digits of a result depend on what was compiled or called before. The names are made private
    too: the loader looks for them among all modules, and what is private may have lost an argument.
    """
    current = _announcer.compiling[-1] if _announcer.compiling else None
    if current is not None and id(current) in _entries and library.name == current.py_func.__qualname__:
        for function in library._final_module.functions:
            if not function.is_declaration and function.linkage == llvmlite.binding.Linkage.linkonce_odr:
                function.linkage = "internal"
                function.name = f"{function.name}.{library.name}"
    _optimise(library)


_optimise = CPUCodeLibrary._optimize_final_module
CPUCodeLibrary._optimize_final_module = _keep_to_itself  # type: ignore[method-assign]
