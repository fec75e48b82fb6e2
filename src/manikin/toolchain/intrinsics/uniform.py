"""Numbers that are the same in all lanes may be asked whether they equal another.

Kernels branch on weights (``weight == 0.0``: the part is switched off). Four problems of one batch have the weights'
pattern in common, so of four lanes the first answers for all. Comparisons by size stay masks, lane by lane.
"""

from __future__ import annotations

import operator

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import lower_builtin

from manikin.toolchain.intrinsics.lanes import LanesType, float64x4


@infer_global(operator.eq)
class _Equal(ConcreteTemplate):
    cases = [  # noqa: RUF012
        signature(types.boolean, float64x4, float64x4),
        signature(types.boolean, float64x4, types.float64),
    ]


def _first(builder, value):
    return builder.extract_element(value, ir.Constant(ir.IntType(32), 0))


@lower_builtin(operator.eq, LanesType, LanesType)
def _equal_lanes(_context, builder, _sig, args):
    return builder.fcmp_ordered("==", _first(builder, args[0]), _first(builder, args[1]))


@lower_builtin(operator.eq, LanesType, types.Float)
def _equal_number(_context, builder, _sig, args):
    return builder.fcmp_ordered("==", _first(builder, args[0]), args[1])
