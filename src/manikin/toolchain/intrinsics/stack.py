"""What Numba is told of `memory.stack`."""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from manikin.toolchain.intrinsics.views import ViewType, _make


def _numbers(sizes):
    """Signature and code of a view on so many numbers of the caller's frame; the sizes are constants."""
    if not all(isinstance(size, types.IntegerLiteral) for size in sizes):
        raise TypingError("the size of a place on the stack is a constant")
    view = ViewType(types.float64, len(sizes))
    total = 1
    for size in sizes:
        total *= size.literal_value

    def codegen(context, builder, _sig, args):
        data = cgutils.alloca_once(builder, ir.DoubleType(), size=total)
        return _make(context, builder, view, data, args)

    return view(*sizes), codegen


@intrinsic(prefer_literal=True)
def stack1(_context, n0):
    """``n0`` numbers, not set to anything."""
    return _numbers((n0,))


@intrinsic(prefer_literal=True)
def stack2(_context, n0, n1):
    """``n0 × n1`` numbers, not set to anything."""
    return _numbers((n0, n1))
