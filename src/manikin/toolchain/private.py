"""All that leans on the inside of Numba: how kernels are lowered to LLVM's code, for no particular CPU.

``python -m manikin.toolchain.private`` tests it on a kernel of its own; where that fails, this Numba cannot be used.

Numba types and lowers each function once. Nothing is optimised, assembled or cached on the way, and no function is
linked into its callers: the modules of all functions are joined once, at the end. So once this file has been imported,
Numba compiles no runnable code any more in this process: it is for the processes that lower, and for nothing else.

Of Numba's passes those are run that a kernel needs (`_Passes`): it has no closures, array expressions, contexts or
exceptions, and looking for them took a fifth of the time to type and lower it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from functools import partial
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import cgutils, codegen, typed_passes as typed, types, untyped_passes as untyped
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.types.functions import BaseFunction
from numpy import dtype

from manikin.toolchain.digest import key
from manikin.toolchain.levels import BuildError
from manikin.toolchain.signature import Signature, signature, symbol

#: Not "nnan"/"ninf": limits may be infinite, and a NaN must stay visible to the checks that catch it.
FASTMATH = {"reassoc", "contract", "arcp", "nsz"}
#: Every entry by its key, with what it declares; and what was lowered.
_entries: dict[str, tuple[Any, Signature]] = {}
_lowered: list[llvm.ModuleRef] = []
_typed: dict[Any, Any] = {}

_I32, _I64, _REAL = ir.IntType(32), ir.IntType(64), ir.DoubleType()


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


def kernel(function: Any, exact: bool, entry: str, inline: bool) -> Any:
    """The function as a kernel, to be lowered with the entries that call it. See `kernels.jit.kernel`."""
    dispatcher: Any = numba.njit(
        function,
        error_model="numpy",
        nogil=True,
        _nrt=False,
        fastmath=False if exact else FASTMATH,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        inline="always" if inline else "never",
        pipeline_class=_Passes,
    )
    dispatcher.get_call_template = partial(_called, dispatcher.get_call_template)
    if entry:
        _entries[key(function)] = dispatcher, signature(entry)
    return dispatcher


def _called(resolve: Any, args: Any, kws: Any) -> Any:
    """How a kernel is called by another: with numbers. Numba would compile a copy for each that it knows beforehand."""
    return resolve(tuple(map(types.unliteral, args)), {name: types.unliteral(ty) for name, ty in kws.items()})


def lower(names: Iterable[str]) -> bytes:
    """The bitcode of these entries, which have been imported, and all that they call, each function once."""
    _lowered.clear()
    wrappers = []
    for name in names:
        entry, of = _entries[name]
        takes = tuple(map(_type, of.takes))
        entry.compile(takes)
        result = entry.overloads[takes]
        gives = result.signature.return_type
        gives = gives.types if isinstance(gives, types.BaseTuple) else [gives]
        wanted = tuple(numba.from_dtype(dtype(item)) for item in of.gives)
        if tuple(ty for ty in map(types.unliteral, gives) if ty != types.none) != wanted:
            raise TypeError(
                f"{name} returns {result.signature.return_type}, not {', '.join(of.gives) or 'nothing'}"
            )
        wrappers.append(llvm.parse_assembly(cgutils.normalize_ir_text(str(_interface(result, name)))))
    return _join([*wrappers, *_lowered]).as_bitcode()


def _type(argument: Any) -> Any:
    """Numba's type of an argument: arrays may be written to, and lie in C order."""
    item = numba.from_dtype(dtype(argument.item))
    return types.Array(item, argument.axes, "C") if argument.axes else item


def _join(parts: list[llvm.ModuleRef]) -> llvm.ModuleRef:
    """All modules in one, two by two: joining a small one to a large one takes as long as the large one is."""
    while len(parts) > 1:
        for left, right in zip(parts[::2], parts[1::2], strict=False):
            left.link_in(right)
        parts = parts[::2]
    return parts[0]


def _interface(result: Any, name: str) -> ir.Module:
    """The C interface of an entry, which needs neither Numba nor Python: ``int mk_NAME(const int64_t *, int64_t *)``.

        words     of an array its address, then its shape; of a number its 8 bytes
        results   the parts of what is returned, 8 bytes each

    It returns 0, or 1 where the kernel raised an exception, which none means to do.
    """
    context, description = result.target_context, result.fndesc
    module = context.create_module(f"interface {name}")
    callee = ir.Function(
        module,
        context.call_conv.get_function_type(description.restype, description.argtypes),
        description.llvm_func_name,
    )
    word = _I64.as_pointer()
    function = ir.Function(module, ir.FunctionType(_I32, [word, word]), symbol(name))
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    words, results = function.args
    reader = _Reader(context, builder, words)
    args = [
        reader.array(ty) if isinstance(ty, types.Array) else reader.number(ty) for ty in description.argtypes
    ]
    status, out = context.call_conv.call_function(
        builder, callee, description.restype, description.argtypes, args
    )
    several = isinstance(description.restype, types.BaseTuple)
    kinds = description.restype.types if several else [description.restype]
    parts = cgutils.unpack_tuple(builder, out) if several else [out]
    for index, (ty, part) in enumerate(zip(kinds, parts, strict=True)):
        place = builder.gep(results, [ir.Constant(_I64, index)])
        if ty == types.float64:
            builder.store(part, builder.bitcast(place, _REAL.as_pointer()))
        elif ty == types.boolean:
            builder.store(builder.zext(part, _I64), place)
        elif ty != types.none:
            builder.store(part, place)
    builder.ret(builder.zext(status.is_error, _I32))
    return module


class _Reader:
    """Takes arguments off the row of words, one after the other."""

    def __init__(self, context: Any, builder: ir.IRBuilder, words: ir.Value) -> None:
        self.context, self.builder, self.words, self.at = context, builder, words, 0

    def word(self, kind: ir.Type = _I64) -> ir.Value:
        """The next word, as what it is."""
        place = self.builder.gep(self.words, [ir.Constant(_I64, self.at)])
        self.at += 1
        return self.builder.load(self.builder.bitcast(place, kind.as_pointer()))

    def number(self, ty: Any) -> ir.Value:
        """A number."""
        if ty == types.float64:
            return self.word(_REAL)
        if ty == types.boolean:
            return self.builder.icmp_signed("!=", self.word(), ir.Constant(_I64, 0))
        return self.word()

    def array(self, ty: Any) -> ir.Value:
        """An array in C order: strides follow from the shape; nobody owns its memory here."""
        builder, item = self.builder, self.context.get_data_type(ty.dtype)
        size = ir.Constant(_I64, self.context.get_abi_sizeof(item))
        array = self.context.make_array(ty)(self.context, builder)
        array.data = builder.inttoptr(self.word(), item.as_pointer())
        shape = [self.word() for _ in range(ty.ndim)]
        strides, step, count = [], size, ir.Constant(_I64, 1)
        for length in reversed(shape):
            strides.append(step)
            step, count = builder.mul(step, length), builder.mul(count, length)
        array.shape = cgutils.pack_array(builder, shape)
        array.strides = cgutils.pack_array(builder, strides[::-1])
        array.itemsize, array.nitems = size, count
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()


def _keep(library: Any) -> None:
    """Numba's `finalize` ends where LLVM would begin."""
    _lowered.append(library._final_module)
    library._finalized = True


def _no_pointer(library: Any, _name: str) -> int:
    """Numba's `get_pointer_to_function`: there is no code yet."""
    library._ensure_finalized()
    return 0


def _typed_once(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of a call, resolved once for a function and types: with no collection of garbage a quarter less."""
    if kws:
        return _resolve(function, context, args, kws)
    found = _typed.get((function, args))
    if found is None:
        found = _typed[function, args] = _resolve(function, context, args, kws)
    return found


gc.disable()
codegen.CPUCodeLibrary.finalize = _keep
codegen.CPUCodeLibrary._optimize_functions = lambda _library, _module: None
codegen.JITCodeLibrary.get_pointer_to_function = _no_pointer
codegen.JITCPUCodegen.set_env = lambda _codegen, _name, _environment: None
_resolve, BaseFunction.get_call_type = BaseFunction.get_call_type, _typed_once


def self_test() -> None:
    """Lower a kernel that calls another. A `BuildError` unless the result is what the build relies on."""

    def half(x, _unused):
        return 0.5 * x

    inner = kernel(half, False, "", False)

    def total(a, n):
        s = 0.0
        for i in range(n):
            s += inner(a[i], 0) + inner(a[i], 1)
        return s, n > 1

    total.__module__ = "self_test"
    kernel(total, False, "f8[:], i8 -> f8, b1", False)
    try:
        module = llvm.parse_bitcode(lower(["self_test.total"]))
        found = [function for function in module.functions if not function.is_declaration]
        assert sum("half" in function.name for function in found) == 1, (
            "a copy for every number known beforehand"
        )
        assert sum("total" in function.name for function in found) == 2, (
            "other functions than the entry and its interface"
        )
        assert "alloca" in str(module), "it was optimised"
        assert "fmul reassoc nsz arcp contract" in str(module), "sums may not be reassociated"
        assert not any("NRT_" in str(function) for function in found if "NRT" not in function.name), (
            "reference counts"
        )
    except Exception as error:
        raise BuildError(f"kernels cannot be lowered by Numba {numba.__version__}: {error!r}") from error


if __name__ == "__main__":
    self_test()
    print(f"Numba {numba.__version__} lowers kernels as they need it")
