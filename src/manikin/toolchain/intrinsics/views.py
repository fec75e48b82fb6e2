"""What Numba is told of `memory.views`: their type, how they are made, indexed and unpacked."""

from __future__ import annotations

import operator

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_getattr,
    infer_global,
    signature,
)
from numba.extending import (
    intrinsic,
    lower_builtin,
    lower_getattr,
    models,
    register_model,
)

_WORD = ir.IntType(64)


class ViewType(types.Type):
    """Numba type of a view with ``ndim`` axes on items of ``dtype``."""

    def __init__(self, dtype, ndim: int) -> None:
        self.dtype = dtype
        self.ndim = ndim
        super().__init__(f"view({dtype}, {ndim}d)")


@register_model(ViewType)
class _ViewModel(models.StructModel):
    def __init__(self, dmm, fe_type) -> None:
        members: list[tuple[str, types.Type]] = [("data", types.CPointer(fe_type.dtype))]
        members += [(f"n{axis}", types.intp) for axis in range(fe_type.ndim)]
        super().__init__(dmm, fe_type, members)


def _make(context, builder, view, data, sizes):
    struct = cgutils.create_struct_proxy(view)(context, builder)
    struct.data = data
    for axis, size in enumerate(sizes):
        setattr(struct, f"n{axis}", size)
    return struct._getvalue()


def _sizes(struct, ndim):
    return [getattr(struct, f"n{axis}") for axis in range(ndim)]


def _data_of(context, builder, source, value):
    """Address of the first item of an array, or of a view."""
    if isinstance(source, ViewType):
        return cgutils.create_struct_proxy(source)(context, builder, value=value).data
    return context.make_array(source)(context, builder, value).data


def _view_of(array, offset, sizes, ndim):
    """Signature and code of ``view(array, offset, *sizes)``; the array may be a view itself."""
    view = ViewType(array.dtype, ndim)

    def codegen(context, builder, sig, args):
        data = builder.gep(_data_of(context, builder, sig.args[0], args[0]), [args[1]], inbounds=True)
        return _make(context, builder, view, data, args[2:])

    return view(array, types.intp, *([types.intp] * len(sizes))), codegen


@intrinsic
def view1(_context, array, offset, n0):
    """``array[offset : offset + n0]`` as a view."""
    return _view_of(array, offset, (n0,), 1)


@intrinsic
def view2(_context, array, offset, n0, n1):
    """The ``n0 × n1`` items of ``array`` from ``offset`` on, row by row, as a view."""
    return _view_of(array, offset, (n0, n1), 2)


@intrinsic
def view3(_context, array, offset, n0, n1, n2):
    """The ``n0 × n1 × n2`` items of ``array`` from ``offset`` on, as a view."""
    return _view_of(array, offset, (n0, n1, n2), 3)


@intrinsic
def whole_view1(_context, array, offset, n0):
    """``n0`` whole numbers that lie where ``array[offset : offset + n0]``, of floats, does."""
    view = ViewType(types.int64, 1)

    def codegen(context, builder, sig, args):
        first = builder.gep(_data_of(context, builder, sig.args[0], args[0]), [args[1]], inbounds=True)
        data = builder.bitcast(first, _WORD.as_pointer())
        return _make(context, builder, view, data, args[2:])

    return view(array, types.intp, types.intp), codegen


def _items_at(dtype):
    """Signature and code of a view of ``size`` items of this type at an address."""
    view = ViewType(dtype, 1)

    def codegen(context, builder, sig, args):
        data = builder.inttoptr(args[0], context.get_value_type(dtype).as_pointer())
        return _make(context, builder, view, data, args[1:])

    return view(types.intp, types.intp), codegen


@intrinsic
def integers_at(_context, address, size):
    """The int64 numbers at an address, which whoever calls keeps alive."""
    return _items_at(types.int64)


@intrinsic
def reals_at(_context, address, size):
    """The float64 numbers at an address, which whoever calls keeps alive."""
    return _items_at(types.float64)


def _indices(index):
    return tuple(index.types) if isinstance(index, types.BaseTuple) else (index,)


def _result(view, index):
    """Type of ``view[index]``: an item, or the view of what is left of the axes."""
    indices = _indices(index)
    if not all(isinstance(i, types.Integer) for i in indices) or len(indices) > view.ndim:
        return None
    left = view.ndim - len(indices)
    return ViewType(view.dtype, left) if left else view.dtype


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args, kws):
        view, index = args
        if isinstance(view, ViewType):
            result = _result(view, index)
            if result is not None:
                return signature(result, view, index)
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args, kws):
        view, index, _ = args
        if isinstance(view, ViewType) and len(_indices(index)) == view.ndim:
            return signature(types.none, view, index, view.dtype)
        return None


def _locate(context, builder, view, index, value, place):
    """Address of an item, or of the first item of a row, and the sizes of what is left."""
    struct = cgutils.create_struct_proxy(view)(context, builder, value=value)
    sizes = _sizes(struct, view.ndim)
    places = cgutils.unpack_tuple(builder, place) if isinstance(index, types.BaseTuple) else [place]
    words = [context.cast(builder, p, ty, types.intp) for p, ty in zip(places, _indices(index), strict=True)]
    offset = words[0]
    for axis in range(1, view.ndim):
        offset = builder.mul(offset, sizes[axis], flags=["nsw"])
        if axis < len(words):
            offset = builder.add(offset, words[axis], flags=["nsw"])
    return builder.gep(struct.data, [offset], inbounds=True), sizes[len(words) :]


@lower_builtin(operator.getitem, ViewType, types.Any)
def _lower_getitem(context, builder, sig, args):
    view, index = sig.args
    address, left = _locate(context, builder, view, index, args[0], args[1])
    if left:
        return _make(context, builder, sig.return_type, address, left)
    return context.unpack_value(builder, view.dtype, address)


@lower_builtin(operator.setitem, ViewType, types.Any, types.Any)
def _lower_setitem(context, builder, sig, args):
    view, index, _ = sig.args
    address, _ = _locate(context, builder, view, index, args[0], args[1])
    context.pack_value(builder, view.dtype, args[2], address)
    return context.get_dummy_value()


@infer_getattr
class _Attributes(AttributeTemplate):
    key = ViewType

    def resolve_shape(self, view):
        """The shape, as of an array."""
        return types.UniTuple(types.intp, view.ndim)


@lower_getattr(ViewType, "shape")
def _lower_shape(context, builder, view, value):
    struct = cgutils.create_struct_proxy(view)(context, builder, value=value)
    return context.make_tuple(builder, types.UniTuple(types.intp, view.ndim), _sizes(struct, view.ndim))
