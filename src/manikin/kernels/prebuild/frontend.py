"""First half of the build: entries as LLVM code, as Numba lowers it, for no particular CPU.

Numba does its part (typing, lowering) once a function; nothing is optimised, assembled or cached on the way, and no
function is linked into its callers: the modules of all functions are joined once, at the end.

For the process that builds, and for nothing else: Numba compiles no runnable code in it any more.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import llvmlite.binding as llvm
from numba.core import codegen
from numba.core.caching import NullCache
from numba.core.cgutils import normalize_ir_text
from numba.core.dispatcher import Dispatcher

from manikin.kernels import by_numba
from manikin.kernels.prebuild.interface import wrapper
from manikin.kernels.prebuild.names import Signature
from manikin.kernels.prebuild.signatures import letters, signatures

_lowered: list[llvm.ModuleRef] = []


class _NoCache(NullCache):
    """It has the attribute that `by_numba` stamps."""

    _cache_file = SimpleNamespace()


def stay_in_front_end() -> None:
    """Let Numba end where LLVM would begin. Before any kernel is imported."""

    def finalize(library: Any) -> None:
        _lowered.append(library._final_module)
        library._finalized = True

    def only_finalized(library: Any, _name: str) -> int:
        library._ensure_finalized()
        return 0

    codegen.CPUCodeLibrary.finalize = finalize
    codegen.CPUCodeLibrary._optimize_functions = lambda _library, _module: None
    codegen.JITCodeLibrary.get_pointer_to_function = only_finalized
    codegen.JITCPUCodegen.set_env = lambda _codegen, _name, _environment: None
    Dispatcher.enable_caching = lambda self: setattr(self, "_cache", _NoCache())
    by_numba.silence()
    gc.disable()


def lower(keys: Iterable[str]) -> tuple[bytes, dict[str, Signature]]:
    """The bitcode of these entries and all that they call, each function once; and what each takes and returns."""
    known, table, wrappers = signatures(), {}, []
    _lowered.clear()
    for key in keys:
        entry, types = by_numba.ENTRIES[key], known[key]
        entry.targetoptions["no_cpython_wrapper"] = True
        entry.compile(types)
        result = entry.overloads[types]
        table[key] = Signature(letters(types), letters(result.signature.return_type))
        wrappers.append(llvm.parse_assembly(normalize_ir_text(str(wrapper(result, key)))))
    return _join([*wrappers, *_lowered]).as_bitcode(), table


def _join(parts: list[llvm.ModuleRef]) -> llvm.ModuleRef:
    """All modules in one, two by two: joining a small one to a large one takes as long as the large one is."""
    while len(parts) > 1:
        for left, right in zip(parts[::2], parts[1::2], strict=False):
            left.link_in(right)
        parts = parts[::2]
    return parts[0]
