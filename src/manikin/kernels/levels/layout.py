"""Memory of the descent by levels: one array of counts and offsets, one of numbers.

``v`` variables, ``k`` axis values, ``rows`` measures, ``m`` constraints at most in one quadratic program: every
measure and every linear row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.kernels.memory.sections import Layout

VARIABLES, VALUES, MEASURES, CONSTRAINTS, DOFS = range(5)
VECTORS = 14
STATE = 16

_LAYOUT = Layout("DS DW", "variables values measures constraints dofs")

#: The numbers of a descent; row k of ``triangular`` has the first k of row k's entries by the basis.
#: support: of each constraint the part whose edges share one point, or −1.
#: heavy: of each measure, what its weight is times in lower levels, which it is missed in; asked: its weight now.
Descent, view_descent = _LAYOUT.tuple_of(
    "Descent",
    DW=f"vector ({VECTORS}, variables)  hessian second factor basis triangular product cross "
    "(variables, variables) "
    "by_value (measures, values)  by_coordinate (measures, dofs)  by_variable (measures, variables) "
    "A (constraints, variables)  low high owner support on on_then push (constraints)  "
    "row_of by_basis free_at (variables) "
    "held_lower held_upper stop residual force forced heavy asked (measures)  linear (constraints - measures) "
    f"variable_of (dofs)  state ({STATE})  slopes (6, values)",
)

# Vectors, one number a variable.
X, X_NEW, D, E, B, LOWER, UPPER, SLOPE, SPARE, AT_END, SCALE, FREE, FIXED, WAS_FREE = range(VECTORS)

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
    STATIONARITY,
    SIZE,
    RANK,
    GROWTH,
    SMALL,
) = range(13)


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
    header, numbers = _LAYOUT.allocate(counts)
    return header, numbers


def descent_sections(header: np.ndarray, numbers: np.ndarray) -> Any:
    """The sections as NumPy views: `Descent`."""
    return _LAYOUT.sections(Descent, header, numbers)
