"""What code for one number or four lanes needs besides arithmetic: views of lanes, masks together, and any of them.

`lane_view1` and `lane_view2` see a stretch of a plain float array as lanes, four numbers an item; the address of the
first must be a multiple of 32 bytes (`aligned_zeros`).
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from manikin.kernels.memory.lanes import _F64X, WIDTH, MaskType, float64x4, mask4
from manikin.kernels.memory.views import ViewType, _data_of, _make


def aligned_zeros(size: int) -> np.ndarray:
    """Zeros at an address that loads and stores of lanes accept."""
    raw = np.zeros(size + WIDTH)
    first = (-raw.ctypes.data % (8 * WIDTH)) // 8
    return raw[first : first + size]


def aligned_copy(array: np.ndarray) -> np.ndarray:
    """A copy of a flat array at such an address."""
    copy = aligned_zeros(len(array))
    copy[:] = array
    return copy


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


def any_of(mask):
    """Whether the mask holds, in any lane."""
    return bool(mask)


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


def both(mask, other):
    """Where both masks hold."""
    return mask and other


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
