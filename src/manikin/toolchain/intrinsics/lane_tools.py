"""What Numba is told of `memory.lane_tools`: views of lanes, masks together, and any of them."""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from manikin.toolchain.intrinsics.lanes import _F64X, MaskType, float64x4, mask4
from manikin.toolchain.intrinsics.views import ViewType, _data_of, _make
from manikin.toolchain.plain import WIDTH, any_of, both


def _lane_view(array, sizes):
    """Signature and code of a view of lanes from a plain array's item ``offset`` on."""
    view = ViewType(float64x4, len(sizes))

    def codegen(context, builder, sig, args):
        first = builder.gep(_data_of(context, builder, sig.args[0], args[0]), [args[1]], inbounds=True)
        data = builder.bitcast(first, _F64X.as_pointer())
        return _make(context, builder, view, data, args[2:])

    return view(array, types.intp, *([types.intp] * len(sizes))), codegen


@intrinsic
def lane_view1(_context, array, offset, n0):
    """``n0`` items of four lanes from ``array[offset]`` on."""
    return _lane_view(array, (n0,))


@intrinsic
def lane_view2(_context, array, offset, n0, n1):
    """``n0 × n1`` items of four lanes from ``array[offset]`` on, row by row."""
    return _lane_view(array, (n0, n1))


@intrinsic
def lane_view3(_context, array, offset, n0, n1, n2):
    """``n0 × n1 × n2`` items of four lanes from ``array[offset]`` on."""
    return _lane_view(array, (n0, n1, n2))


@intrinsic
def _any_lane(_context, mask):
    def codegen(_ctx, builder, _sig, args):
        bits = builder.bitcast(args[0], ir.IntType(WIDTH))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(WIDTH), 0))

    return types.boolean(mask4), codegen


@overload(any_of)
def _any_of(mask):
    if isinstance(mask, MaskType):
        return lambda mask: _any_lane(mask)
    return lambda mask: mask


@intrinsic
def _both_lanes(_context, mask, other):
    def codegen(_ctx, builder, _sig, args):
        return builder.and_(args[0], args[1])

    return mask4(mask4, mask4), codegen


@overload(both)
def _both(mask, other):
    if isinstance(mask, MaskType):
        return lambda mask, other: _both_lanes(mask, other)
    return lambda mask, other: mask & other
