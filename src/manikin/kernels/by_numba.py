"""Kernels compiled by Numba where they are first called: one decorator, one cache that knows when any kernel changed.

Numba's cache looks only at the file of the function it stores, so an edit to a callee in another file would go
unnoticed. Here the stamp of every cached entry is a digest of its file and of all kernels that this one imports,
directly or not, so the files may stay small and an edit recompiles only what it may change.

Of Numba's passes those are run that a kernel needs (`_Passes`): it has no closures, array expressions, contexts or
exceptions, and looking for them took a fifth of the time to type and lower it.

What only kernels call stays as it was lowered: an entry links all that it calls, from every level below, and LLVM
optimises that once. (Numba would optimise each function once more at every level above it.) An entry has one
signature: arrays in C order, of which those it only reads may be read-only.
"""

from __future__ import annotations

import gc
import sys
from functools import partial
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
from numba.core import event, typed_passes as typed, types, untyped_passes as untyped
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.types.functions import BaseFunction

from manikin.kernels.stamps import key, stamp

#: Not "nnan"/"ninf": limits may be infinite, and a NaN must stay visible to the checks that catch it.
FASTMATH = {"reassoc", "contract", "arcp", "nsz"}

#: Every entry by its key; and which dispatchers are kernels, by id. They live as long as the process.
ENTRIES: dict[str, Any] = {}
_kernels: set[int] = set()
_entries: set[int] = set()


class _Passes(CompilerBase):
    """How a kernel is compiled: constants are folded into branches, which are left out where they are never taken,
    before and after functions are inlined; then it is typed and lowered.
    """

    def define_pipelines(self) -> list[PassManager]:
        """One list of passes."""
        passes = PassManager("kernel")
        for step in (
            untyped.TranslateByteCode,
            untyped.FixupArgs,
            untyped.IRProcessing,
            untyped.RewriteSemanticConstants,
            untyped.DeadBranchPrune,
            untyped.GenericRewrites,
            untyped.InlineInlinables,
            untyped.DeadBranchPrune,
            untyped.ReconstructSSA,
            typed.NopythonTypeInference,
            typed.PreLowerStripPhis,
            typed.NoPythonSupportedFeatureValidation,
            typed.IRLegalization,
            typed.AnnotateTypes,
            typed.NativeLowering,
            typed.NoPythonBackend,
        ):
            passes.add_pass(step, step.__name__)
        passes.finalize()
        return [passes]


def kernel(function=None, *, exact: bool = False, entry: str = "", inline: bool = False):
    """Compile ``function`` on first use; an entry is cached on disk under the digest of all that it is made of.

    ``exact=True`` keeps IEEE order of operations (for code whose rounding is the point, such as the reduction
    of an angle). ``entry``, its signature, makes it callable from Python; the others are only called by kernels, and
    leaving out the wrapper halves the time to compile them. Kernels allocate nothing, so reference counting is off.
    """
    if function is None:
        return lambda f: kernel(f, exact=exact, entry=entry, inline=inline)
    dispatcher: Any = numba.njit(
        function,
        error_model="numpy",
        nogil=True,
        _nrt=False,
        fastmath=False if exact else FASTMATH,
        no_cpython_wrapper=not entry,
        no_cfunc_wrapper=True,
        inline="always" if inline else "never",
        pipeline_class=_Passes,
    )
    dispatcher.get_call_template = partial(_called, dispatcher.get_call_template)
    _kernels.add(id(dispatcher))
    if entry:
        dispatcher.enable_caching()
        # The index of the cache is ignored, and written anew, when its stamp differs from this one.
        dispatcher._cache._cache_file._source_stamp = stamp(Path(function.__code__.co_filename))
        dispatcher._compile_for_args = partial(_compile_once, dispatcher)
        _entries.add(id(dispatcher))
        ENTRIES[key(function)] = dispatcher
    return dispatcher


def _called(resolve: Any, args: Any, kws: Any) -> Any:
    """How a kernel is called by another: with numbers. Numba would compile a copy for each that it knows beforehand."""
    return resolve(tuple(map(types.unliteral, args)), {name: types.unliteral(ty) for name, ty in kws.items()})


def one_signature(name: str, found: tuple) -> tuple:
    """The types that an entry is compiled for: arrays that may be written to, in C order."""
    for place, ty in enumerate(found, 1):
        if isinstance(ty, types.Array) and ty.layout != "C":
            raise TypeError(f"{name}: argument {place} is not an array in C order")
    return tuple(
        types.Array(ty.dtype, ty.ndim, "C") if isinstance(ty, types.Array) else types.unliteral(ty)
        for ty in found
    )


def _serves(known: Any, given: Any) -> bool:
    """Whether an argument of one type may be handed to code for the other."""
    return known == given or (known == types.float64 and isinstance(given, types.Integer))


def _compile_once(dispatcher: Any, *args: Any) -> Any:
    """The entry's code for these arguments: what there is already, for read-only arrays too, else compiled now."""
    found = tuple(map(dispatcher.typeof_pyval, args))
    wanted = one_signature(dispatcher.__name__, found)
    # A whole number where a float was compiled for: the entry converts it.
    wanted = next((known for known in [*dispatcher.overloads] if all(map(_serves, known, wanted))), wanted)
    try:
        code = dispatcher.compile(wanted)
    except RuntimeError:
        # Where LLVM compiled the entry but Numba was not handed its object file, only keeping it on disk failed.
        if wanted not in dispatcher.overloads:
            raise
        code = dispatcher.compile(wanted)
    if found != wanted:
        dispatcher._insert([ty._code for ty in found], code, False)
    return code


class _Listener(event.Listener):
    """Says once, on stderr, why the very first solve takes seconds; knows which functions are being compiled.

    While a kernel is compiled there is no garbage collection, and how an operator is typed is remembered: together a
    quarter of the time.
    """

    def __init__(self) -> None:
        self.said = False
        self.compiling: list[Any] = []
        self.kernels = 0  # how many of these are kernels
        self.collecting = False
        self.typed: dict[Any, Any] = {}

    def on_start(self, _event) -> None:
        """Speak when a compilation (not a load from the cache) begins."""
        dispatcher = _event.data["dispatcher"]
        self.compiling.append(dispatcher)
        if id(dispatcher) not in _kernels:
            return
        if self.kernels == 0:
            self.collecting = gc.isenabled()
            gc.disable()
        self.kernels += 1
        if not self.said and dispatcher.py_func.__module__.startswith(__package__):
            self.said = True
            print(
                "manikin: compiling a part of the solver, once for this machine: some seconds "
                "(`manikin warmup` does all of it ahead)",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, _event) -> None:
        """Back to the function that called this one."""
        if id(self.compiling.pop()) not in _kernels:
            return
        self.kernels -= 1
        if self.kernels == 0:
            self.typed.clear()
            if self.collecting:
                gc.enable()


def silence() -> None:
    """No announcement: whoever compiles says so itself."""
    _listener.said = True


_listener = _Listener()
event.register("numba:compile", _listener)


def _typed_once(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of a call, resolved once for a function and types while kernels are compiled."""
    if kws or _listener.kernels == 0:
        return _type(function, context, args, kws)
    found = _listener.typed.get((function, args))
    if found is None:
        found = _listener.typed[function, args] = _type(function, context, args, kws)
    return found


def _is_own(library: Any) -> bool:
    """Whether this is the library of the entry that is being compiled."""
    current: Any = _listener.compiling[-1] if _listener.compiling else None
    return id(current) in _entries and library.name == current.py_func.__qualname__


def _below(library: Any, met: dict[Any, None]) -> list[Any]:
    """All libraries that this one calls, directly or not, each after all of its callers.

    The order matters: LLVM leaves out a function that nothing linked so far calls.
    """
    found: list[Any] = []
    for other in reversed(library._linking_libraries):
        if other not in met:
            met[other] = None
            found = (
                [other, *_below(other, met), *found]
                if getattr(other, "_as_lowered", False)
                else [other, *found]
            )
    return found


def _finish(library: Any) -> None:
    """Numba's `finalize`: nothing for what only kernels call; all that it calls is linked into any other function."""
    if _listener.kernels and not _is_own(library):
        library._as_lowered = library._finalized = True
        return
    library._linking_libraries = _below(library, {})
    _finalize(library)


def _keep_to_itself(library: Any) -> None:
    """Make everything that an entry calls private to it, then optimise as Numba does.

    Otherwise a process keeps the first copy that it meets of each function, compiled alone or loaded with some other
    entry, and the last digits of a result depend on what was compiled or called before. The names are made private
    too: the loader looks for them among all modules, and what is private may have lost an argument.
    """
    if _is_own(library):
        for function in library._final_module.functions:
            if not function.is_declaration and function.linkage == llvmlite.binding.Linkage.linkonce_odr:
                function.linkage = "internal"
                function.name = f"{function.name}.{library.name}"
    _optimise(library)


def _set_environment(codegen: Any, name: str, environment: Any) -> None:
    """Nothing for a function that has no code of its own."""
    if codegen._engine.get_global_value_address(name):
        _set(codegen, name, environment)


_finalize, CPUCodeLibrary.finalize = CPUCodeLibrary.finalize, _finish
_optimise, CPUCodeLibrary._optimize_final_module = CPUCodeLibrary._optimize_final_module, _keep_to_itself
_set, JITCPUCodegen.set_env = JITCPUCodegen.set_env, _set_environment
_type, BaseFunction.get_call_type = BaseFunction.get_call_type, _typed_once
