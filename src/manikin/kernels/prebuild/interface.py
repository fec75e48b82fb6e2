"""The C interface of an entry, which needs neither Numba nor Python: ``int mk_NAME(const int64_t *, int64_t *)``.

    words     of an array its address, then its shape (C order is required); of a number its 8 bytes
    results   the parts of what is returned, 8 bytes each

It returns 0, or 1 where the kernel raised an exception, which none means to do.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from manikin.kernels.prebuild.names import symbol

_I32, _I64, _REAL = ir.IntType(32), ir.IntType(64), ir.DoubleType()


def wrapper(result: Any, key: str) -> ir.Module:
    """The function of this interface that calls what Numba compiled."""
    context, description = result.target_context, result.fndesc
    module = context.create_module(f"wrapper {key}")
    callee = ir.Function(
        module,
        context.call_conv.get_function_type(description.restype, description.argtypes),
        description.llvm_func_name,
    )
    word = _I64.as_pointer()
    function = ir.Function(module, ir.FunctionType(_I32, [word, word]), symbol(key))
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
