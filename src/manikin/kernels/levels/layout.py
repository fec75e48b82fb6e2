"""Memory of the descent by levels: one array of counts and offsets, one of numbers.

``v`` variables, ``k`` axis values, ``rows`` measures, ``m`` constraints at most in one quadratic program: every
measure and every linear row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.math.quadratic import Quadratic
from manikin.kernels.memory.sections import Layout

VARIABLES, VALUES, MEASURES, CONSTRAINTS, DOFS = range(5)
VECTORS = 12
STATE = 16

_LAYOUT = Layout("DS DW", "variables values measures constraints dofs")

#: The numbers of a descent; ``turned``, ``triangle``, ``program`` and ``place`` are those of `math.quadratic`.
Descent, view_descent = _LAYOUT.tuple_of(
    "Descent",
    DW=f"vector ({VECTORS}, variables)  hessian second turned (variables, variables) "
    "triangle (variables + 1, variables + 1)  program (7, variables + 1)  place (variables + constraints) "
    "by_value (measures, values)  by_coordinate (measures, dofs)  by_variable (measures, variables) "
    "A (constraints, variables)  low high owner (constraints) "
    "held_lower held_upper stop residual force forced (measures)  linear (constraints - measures) "
    f"variable_of (dofs)  state ({STATE})  slopes (6, values)",
)

# Vectors, one number a variable.
X, X_NEW, D, E, B, LOWER, UPPER, D_LOWER, D_UPPER, SLOPE, SPARE, AT_END = range(VECTORS)

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


@kernel
def view_program(w):
    """The workspace of the quadratic program."""
    p = w.program
    return Quadratic(w.turned, w.triangle, p[0], p[1], p[2], p[3], p[4], p[5], p[6], w.place)
