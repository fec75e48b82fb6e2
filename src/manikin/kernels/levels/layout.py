"""Memory of the descent by levels: one array of counts and offsets, one of numbers.

``v`` variables, ``k`` axis values, ``rows`` measures, ``m`` constraints at most in one quadratic program: every
measure and every linear row.
"""

from __future__ import annotations

import math
from collections import namedtuple
from itertools import accumulate

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.math.quadratic import Quadratic
from manikin.kernels.memory.views import view1, view2

VARIABLES, VALUES, MEASURES, CONSTRAINTS, DOFS, _FIRST = range(6)
VECTORS = 13
STATE = 16

Descent = namedtuple(
    "Descent",
    "vector hessian second turned triangle program place by_value by_coordinate by_variable A low high owner "
    "held_lower held_upper stop residual force forced linear variable_of state",
)

# Vectors, one number a variable.
X, X_NEW, D, E, B, LOWER, UPPER, D_LOWER, D_UPPER, SLOPE, SLOPE_NEW, SPARE, AT_END = range(VECTORS)

# Scalars in ``state``.
(
    LAMBDA,
    POTENTIAL,
    STATUS,
    ITERATIONS,
    EVALUATIONS,
    COUNT,
    SLOW,
    NEWTON,
    HELD,
    STATIONARITY,
    SEEN,
) = range(11)


def _shapes(counts: dict[int, int]) -> list[tuple[int, ...]]:
    v, k, rows, m, n = (counts[c] for c in (VARIABLES, VALUES, MEASURES, CONSTRAINTS, DOFS))
    return [
        (VECTORS, v),
        (v, v),
        (v, v),
        (v, v),
        (v + 1, v + 1),
        (7, v + 1),
        (v + m,),
        (rows, k),
        (rows, n),
        (rows, v),
        (m, v),
        (m,),
        (m,),
        (m,),
        (rows,),
        (rows,),
        (rows,),
        (rows,),
        (rows,),
        (rows,),
        (m - rows,),
        (n,),
        (STATE,),
    ]


def allocate_descent(
    variables: int, values: int, measures: int, linear: int, dofs: int
) -> tuple[np.ndarray, np.ndarray]:
    """Counts and offsets, and the numbers (zero)."""
    counts = {
        VARIABLES: variables,
        VALUES: values,
        MEASURES: measures,
        CONSTRAINTS: measures + linear,
        DOFS: dofs,
    }
    offsets = list(accumulate((math.prod(shape) for shape in _shapes(counts)), initial=0))
    header = np.array([*counts.values(), *offsets], np.int64)
    return header, np.zeros(offsets[-1])


def descent_sections(header: np.ndarray, numbers: np.ndarray) -> Descent:
    """The sections as NumPy views."""
    shapes = _shapes(dict(enumerate(header[:_FIRST].tolist())))
    offsets = header[_FIRST:].tolist()
    return Descent(*(numbers[offsets[i] : offsets[i + 1]].reshape(s) for i, s in enumerate(shapes)))


@kernel
def view_descent(DS, DW):
    """The sections as views."""
    v = DS[VARIABLES]
    k = DS[VALUES]
    rows = DS[MEASURES]
    m = DS[CONSTRAINTS]
    o = _FIRST
    return Descent(
        view2(DW, DS[o], VECTORS, v),
        view2(DW, DS[o + 1], v, v),
        view2(DW, DS[o + 2], v, v),
        view2(DW, DS[o + 3], v, v),
        view2(DW, DS[o + 4], v + 1, v + 1),
        view2(DW, DS[o + 5], 7, v + 1),
        view1(DW, DS[o + 6], v + m),
        view2(DW, DS[o + 7], rows, k),
        view2(DW, DS[o + 8], rows, DS[DOFS]),
        view2(DW, DS[o + 9], rows, v),
        view2(DW, DS[o + 10], m, v),
        view1(DW, DS[o + 11], m),
        view1(DW, DS[o + 12], m),
        view1(DW, DS[o + 13], m),
        view1(DW, DS[o + 14], rows),
        view1(DW, DS[o + 15], rows),
        view1(DW, DS[o + 16], rows),
        view1(DW, DS[o + 17], rows),
        view1(DW, DS[o + 18], rows),
        view1(DW, DS[o + 19], rows),
        view1(DW, DS[o + 20], m - rows),
        view1(DW, DS[o + 21], DS[DOFS]),
        view1(DW, DS[o + 22], STATE),
    )


@kernel
def view_program(w):
    """The workspace of the quadratic program."""
    p = w.program
    return Quadratic(w.turned, w.triangle, p[0], p[1], p[2], p[3], p[4], p[5], p[6], w.place)
