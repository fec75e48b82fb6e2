"""Memory of the least-squares step among linear rows: one flat array, its sections found from the counts.

n variables, k linear rows, m rows of goals at most. ``rows`` are the linear rows by the scaled variables, ``low`` and
``high`` how far each may go from X, ``hold`` on which end it is held (0: on none), ``push`` its multiplier, ``begin``
and ``past`` the variables from its first to behind its last, ``support`` 1 + the part whose edges share one point, or
0; ``pull`` is where the step would go by itself. ``matrix``,
``factor``, ``right``, ``solved`` and ``whole`` (of each of its rows the square over all variables) belong to the dual
system, the others to `quadratic`; ``jacobian`` is that of all rows of the goals by all variables.
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
    "rows low high hold push listed begin past support d_low d_high bent masked pull right solved whole matrix factor "
    "triangle program place jacobian",
)


def linear_size(n: int, k: int, m: int) -> int:
    """Numbers that a step among n variables, k linear rows and m rows of goals works with."""
    both = m + k
    return k * n + 8 * k + 5 * n + 3 * both + 2 * both**2 + (n + 1) ** 2 + 7 * (n + 1) + n + k + m * n


def allocate_linear(structure: np.ndarray, ints: np.ndarray) -> np.ndarray:
    """Zeros enough for the problem of S and N."""
    return np.zeros(
        linear_size(int(structure[layout.VARIABLES]), int(structure[layout.ROWS]), 3 * int(ints[N_STRIPS]))
    )


@kernel
def view_linear(S, N, P):
    """The sections as views."""
    k = S[layout.ROWS]
    return view_rows(P, 0, S[layout.VARIABLES], k, 3 * N[N_STRIPS], k)


@kernel
def view_rows(P, at, n, k, m, used):
    """The sections as views, from ``at`` on, for n variables, k linear rows and m rows of goals; ``used`` of the k are
    seen.
    """
    both = m + k
    a = at + k * n
    b = a + 8 * k
    c = b + 5 * n
    d = c + 3 * both
    e = d + 2 * both * both
    f = e + (n + 1) * (n + 1)
    return Linear(
        view2(P, at, used, n),
        view1(P, a, used),
        view1(P, a + k, used),
        view1(P, a + 2 * k, used),
        view1(P, a + 3 * k, used),
        view1(P, a + 4 * k, used),
        view1(P, a + 5 * k, used),
        view1(P, a + 6 * k, used),
        view1(P, a + 7 * k, used),
        view1(P, b, n),
        view1(P, b + n, n),
        view1(P, b + 2 * n, n),
        view1(P, b + 3 * n, n),
        view1(P, b + 4 * n, n),
        view1(P, c, both),
        view1(P, c + both, both),
        view1(P, c + 2 * both, both),
        view2(P, d, both, both),
        view2(P, d + both * both, both, both),
        view2(P, e, n + 1, n + 1),
        view2(P, f, 7, n + 1),
        view1(P, f + 7 * (n + 1), n + used),
        view2(P, f + 7 * (n + 1) + n + k, m, n),
    )


@kernel
def view_quadratic(linear, turned):
    """The workspace of `quadratic.minimise`."""
    p = linear.program
    return Quadratic(turned, linear.triangle, p[0], p[1], p[2], p[3], p[4], p[5], p[6], linear.place)
