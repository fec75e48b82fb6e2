"""What Numba is told of `memory.lanes`: the type of a ``<4 x double>`` number, its arithmetic, and its masks."""

from __future__ import annotations

import math
import operator

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, overload, register_model

from manikin.toolchain.plain import WIDTH, quadrant, round_down, select

_F64X = ir.VectorType(ir.DoubleType(), WIDTH)
_I64X = ir.VectorType(ir.IntType(64), WIDTH)
_I1X = ir.VectorType(ir.IntType(1), WIDTH)
_I32 = ir.IntType(32)


class LanesType(types.Type):
    """Numba type of four ``float64``."""

    def __init__(self) -> None:
        super().__init__(f"float64x{WIDTH}")


class MaskType(types.Type):
    """Numba type of four truth values."""

    def __init__(self) -> None:
        super().__init__(f"mask{WIDTH}")


float64x4 = LanesType()
mask4 = MaskType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type) -> None:
        super().__init__(dmm, fe_type, _F64X)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type) -> None:
        super().__init__(dmm, fe_type, _I1X)


def _broadcast(builder, scalar):
    vector = builder.insert_element(ir.Constant(_F64X, ir.Undefined), scalar, ir.Constant(_I32, 0))
    zeros = ir.Constant(ir.VectorType(_I32, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(vector, ir.Constant(_F64X, ir.Undefined), zeros)


def _widened(builder, sig, args):
    return [
        _broadcast(builder, value) if ty == types.float64 else value
        for ty, value in zip(sig.args, args, strict=True)
    ]


_PAIRS = ((LanesType, LanesType), (LanesType, types.Float), (types.Float, LanesType))


def _register_binary(op, result, build) -> None:
    cases_ = [
        signature(result, float64x4, float64x4),
        signature(result, float64x4, types.float64),
        signature(result, types.float64, float64x4),
    ]

    @infer_global(op)
    class _Template(ConcreteTemplate):
        cases = cases_

    for left, right in _PAIRS:

        @lower_builtin(op, left, right)
        def _lower(_context, builder, sig, args):
            return build(builder, *_widened(builder, sig, args))


for _op, _method in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
    (operator.iadd, "fadd"),
    (operator.isub, "fsub"),
    (operator.imul, "fmul"),
):
    _register_binary(_op, float64x4, lambda b, x, y, m=_method: getattr(b, m)(x, y))

for _op, _symbol in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
):
    _register_binary(_op, mask4, lambda b, x, y, s=_symbol: b.fcmp_ordered(s, x, y))


@infer_global(operator.neg)
class _Negative(ConcreteTemplate):
    cases = [signature(float64x4, float64x4)]  # noqa: RUF012


@lower_builtin(operator.neg, LanesType)
def _lower_negative(_context, builder, _sig, args):
    return builder.fneg(args[0])


def _register_unary(function, name) -> None:
    @intrinsic
    def call(_context, x):
        def codegen(_ctx, builder, _sig, args):
            callee = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(_F64X, [_F64X]), f"llvm.{name}.v{WIDTH}f64"
            )
            return builder.call(callee, [args[0]])

        return float64x4(float64x4), codegen

    @overload(function)
    def _typed(x):
        if isinstance(x, LanesType):
            return lambda x: call(x)
        return None


_register_unary(math.sqrt, "sqrt")
_register_unary(math.fabs, "fabs")


@intrinsic
def _copysign(_context, x, y):
    def codegen(_ctx, builder, _sig, args):
        callee = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_F64X, [_F64X, _F64X]), f"llvm.copysign.v{WIDTH}f64"
        )
        return builder.call(callee, args)

    return float64x4(float64x4, float64x4), codegen


@overload(math.copysign)
def _overload_copysign(x, y):
    if isinstance(x, LanesType) and isinstance(y, LanesType):
        return lambda x, y: _copysign(x, y)
    return None


@intrinsic
def lanes(_context, array):
    """View an array whose last axis is the lanes as an array of lanes, one axis less."""
    view = types.Array(float64x4, array.ndim - 1, "C")

    def codegen(context, builder, sig, args):
        source = context.make_array(sig.args[0])(context, builder, args[0])
        target = context.make_array(view)(context, builder)
        shape = cgutils.unpack_tuple(builder, source.shape)[:-1]
        strides = cgutils.unpack_tuple(builder, source.strides)[:-1]
        items = context.get_constant(types.intp, 1)
        for length in shape:
            items = builder.mul(items, length)
        target.data = builder.bitcast(source.data, _F64X.as_pointer())
        target.shape = cgutils.pack_array(builder, shape)
        target.strides = cgutils.pack_array(builder, strides)
        target.itemsize = context.get_constant(types.intp, 8 * WIDTH)
        target.nitems = items
        target.meminfo = source.meminfo
        target.parent = source.parent
        if context.enable_nrt:
            context.nrt.incref(builder, sig.args[0], args[0])
        return target._getvalue()

    return view(array), codegen


@intrinsic
def _select_scalar(_context, mask, yes, no):
    def codegen(_ctx, builder, _sig, args):
        return builder.select(args[0], args[1], args[2])

    return types.float64(types.boolean, types.float64, types.float64), codegen


@intrinsic
def _select_lanes(_context, mask, yes, no):
    def codegen(_ctx, builder, _sig, args):
        return builder.select(args[0], args[1], args[2])

    return float64x4(mask4, float64x4, float64x4), codegen


@intrinsic
def widen(_context, x):
    """The same number in every lane."""

    def codegen(_ctx, builder, _sig, args):
        return _broadcast(builder, args[0])

    return float64x4(types.float64), codegen


@overload(select)
def _select(mask, yes, no):
    if not isinstance(mask, MaskType):
        return lambda mask, yes, no: _select_scalar(mask, yes, no)
    wide_yes, wide_no = isinstance(yes, LanesType), isinstance(no, LanesType)
    if wide_yes and wide_no:
        return lambda mask, yes, no: _select_lanes(mask, yes, no)
    if wide_yes:
        return lambda mask, yes, no: _select_lanes(mask, yes, widen(no))
    if wide_no:
        return lambda mask, yes, no: _select_lanes(mask, widen(yes), no)
    return lambda mask, yes, no: _select_lanes(mask, widen(yes), widen(no))


# Adding 1.5·2⁵² leaves a whole number's bits in the low end of the mantissa: no conversion, so loops vectorise.
_MAGIC = 6755399441055744.0


@intrinsic
def _quadrant(_context, k):
    wide = isinstance(k, LanesType)
    real, whole = (_F64X, _I64X) if wide else (ir.DoubleType(), ir.IntType(64))
    result = types.UniTuple(mask4 if wide else types.boolean, 3)

    def constant(ty, value):
        return ir.Constant(ty, [value] * WIDTH if wide else value)

    def codegen(context, builder, _sig, args):
        bits = builder.bitcast(builder.fadd(args[0], constant(real, _MAGIC)), whole)

        def test(value, bit):
            return builder.icmp_signed("!=", builder.and_(value, constant(whole, bit)), constant(whole, 0))

        masks = [test(bits, 1), test(bits, 2), test(builder.add(bits, constant(whole, 1)), 2)]
        if not wide:
            masks = [context.cast(builder, m, types.boolean, types.boolean) for m in masks]
        return context.make_tuple(builder, result, masks)

    return result(k), codegen


@overload(quadrant)
def _overload_quadrant(k):
    return lambda k: _quadrant(k)


@intrinsic
def _floor(_context, x):
    suffix = f"v{WIDTH}f64" if isinstance(x, LanesType) else "f64"

    def codegen(_ctx, builder, _sig, args):
        ty = args[0].type
        callee = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ty, [ty]), f"llvm.floor.{suffix}"
        )
        return builder.call(callee, [args[0]])

    return x(x), codegen


@overload(round_down)
def _overload_round_down(x):
    return lambda x: _floor(x)
