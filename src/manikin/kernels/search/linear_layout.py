"""Memory of the least-squares step among linear rows: one flat array, its sections found from the counts.

n variables, k linear rows, m rows of goals at most. ``rows`` are the linear rows by the scaled variables, ``low`` and
``high`` how far each may go from X, ``hold`` on which end it is held (0: on none), ``push`` its multiplier. ``matrix``,
``factor``, ``right`` and ``solved`` belong to the dual system, the others to `quadratic`;
``jacobian`` is that of all rows of the goals by all variables.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.math.quadratic import Quadratic
from manikin.kernels.memory import layout
from manikin.kernels.memory.views import view1, view2
from manikin.kernels.search.layout import N_STRIPS

Linear = namedtuple(
    "Linear",
    "rows low high hold push listed d_low d_high bent masked right solved matrix factor triangle program place "
    "jacobian",
)


def allocate_linear(structure: np.ndarray, ints: np.ndarray) -> np.ndarray:
    """Zeros enough for the problem of S and N."""
    n, k, m = int(structure[layout.VARIABLES]), int(structure[layout.ROWS]), 3 * int(ints[N_STRIPS])
    both = m + k
    return np.zeros(
        k * n + 5 * k + 4 * n + 2 * both + 2 * both**2 + (n + 1) ** 2 + 7 * (n + 1) + n + k + m * n
    )


@kernel
def view_linear(S, N, P):
    """The sections as views."""
    n = S[layout.VARIABLES]
    k = S[layout.ROWS]
    m = 3 * N[N_STRIPS]
    both = m + k
    a = k * n
    b = a + 5 * k
    c = b + 4 * n
    d = c + 2 * both
    e = d + 2 * both * both
    f = e + (n + 1) * (n + 1)
    return Linear(
        view2(P, 0, k, n),
        view1(P, a, k),
        view1(P, a + k, k),
        view1(P, a + 2 * k, k),
        view1(P, a + 3 * k, k),
        view1(P, a + 4 * k, k),
        view1(P, b, n),
        view1(P, b + n, n),
        view1(P, b + 2 * n, n),
        view1(P, b + 3 * n, n),
        view1(P, c, both),
        view1(P, c + both, both),
        view2(P, d, both, both),
        view2(P, d + both * both, both, both),
        view2(P, e, n + 1, n + 1),
        view2(P, f, 7, n + 1),
        view1(P, f + 7 * (n + 1), n + k),
        view2(P, f + 7 * (n + 1) + n + k, m, n),
    )


@kernel
def view_quadratic(linear, turned):
    """The workspace of `quadratic.minimise`."""
    p = linear.program
    return Quadratic(turned, linear.triangle, p[0], p[1], p[2], p[3], p[4], p[5], p[6], linear.place)
