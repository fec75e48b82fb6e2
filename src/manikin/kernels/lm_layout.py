"""How the least-squares method's own data lie in memory: two flat arrays beside those of `layout`, and a table.

``N``  int64    counts, and for each axis value the variables that drive it
``T``  int64    where S, R, W, N and V are, so that a call from Python passes one array instead of five
``V``  float64  the coefficients of those drives, ranges, scales, and the workspace; at an aligned address, so that the
                same sections may hold one number an item or four lanes
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.lane_tools import aligned_zeros, lane_view1, lane_view2
from manikin.kernels.lanes import WIDTH
from manikin.kernels.views import view1, view2

# Counts at the head of N.
N_VALUES, N_VARIABLES, N_TIES, N_ROWS, N_MOTIONS = range(5)
_HEAD = 8

#: first, which: the drives of axis value k are first[k] … first[k+1], each by the variable which[s];
#: coefficient by the variable itself, scaled by the variable times the root of its metric; fixed: the value's rest.
Ties = namedtuple("Ties", "first which coefficient scaled fixed")
#: What the step works within, one number a variable: ranges (infinite where a whole turn fits, so that it wraps), the
#: true ones, the root of the metric, and 1 where it wraps.
#: low, width: where seeds are drawn from (an infinite ``low``: about the start); alpha, shift: their sequence.
Bounds = namedtuple("Bounds", "lower upper true_lower true_upper scale wraps low width alpha shift")
Frames = namedtuple("Frames", "values trig frames spins")
LmWork = namedtuple(
    "LmWork",
    "x x_new step slope free wish e e_new right solved jacobian jacobian_new matrix factor",
)
_BOUNDS = len(Bounds._fields)


def _plain(values: int, variables: int, ties: int) -> int:
    """Numbers of V before the workspace, rounded up to whole lanes."""
    size = 2 * ties + values + _BOUNDS * variables
    return -(-size // WIDTH) * WIDTH


def _items(values: int, variables: int, rows: int, motions: int) -> int:
    """Items of one workspace."""
    n, m = variables, rows
    most = max(n, m)
    return 3 * values + 21 * (motions + 1) + 6 * n + 3 * m + most + 2 * m * n + 2 * most * most


def allocate(first: np.ndarray, which: np.ndarray, variables: int, rows: int, motions: int):
    """N and V for these drives: N filled, V zero."""
    values, ties = len(first) - 1, len(which)
    ints = np.zeros(_HEAD + values + 1 + ties, np.int64)
    ints[:5] = values, variables, ties, rows, motions
    ints[_HEAD : _HEAD + values + 1] = first
    ints[_HEAD + values + 1 :] = which
    size = _plain(values, variables, ties) + _items(values, variables, rows, motions)
    return ints, aligned_zeros(size)


def lane_workspace(ints: np.ndarray) -> np.ndarray:
    """A workspace for four lanes of the problem that N describes."""
    values, variables, _, rows, motions = ints[:5].tolist()
    return aligned_zeros(WIDTH * (_items(values, variables, rows, motions) + LANE_STATE))


#: Items of the table: an address and a size for each array, then the budget of steps.
T_S, T_R, T_W, T_N, T_V, T_BUDGET = 0, 2, 4, 6, 8, 10


def table(*arrays_and_budget) -> np.ndarray:
    """T for S, R, W, N, V and a budget of steps; whoever keeps it keeps the arrays."""
    *arrays, budget = arrays_and_budget
    return np.array([number for a in arrays for number in (a.ctypes.data, a.size)] + [budget], np.int64)


#: Items of a lane workspace after its sections: scalars of each lane.
LANE_STATE = 16


def coefficients(ints: np.ndarray, reals: np.ndarray) -> np.ndarray:
    """The coefficients of the drives in V."""
    return reals[: ints[N_TIES]]


def bounds(ints: np.ndarray, reals: np.ndarray) -> Bounds:
    """The sections of one number a variable in V."""
    values, variables, ties = ints[:3].tolist()
    first = 2 * ties + values
    return Bounds(*reals[first : first + _BOUNDS * variables].reshape(_BOUNDS, variables))


@kernel
def view_ties(N, V):
    """The drives."""
    k = N[N_VALUES]
    t = N[N_TIES]
    return Ties(
        view1(N, _HEAD, k + 1),
        view1(N, _HEAD + k + 1, t),
        view1(V, 0, t),
        view1(V, t, t),
        view1(V, 2 * t, k),
    )


@kernel
def view_bounds(N, V):
    """What the step works within."""
    n = N[N_VARIABLES]
    at = 2 * N[N_TIES] + N[N_VALUES]
    return Bounds(
        view1(V, at, n),
        view1(V, at + n, n),
        view1(V, at + 2 * n, n),
        view1(V, at + 3 * n, n),
        view1(V, at + 4 * n, n),
        view1(V, at + 5 * n, n),
        view1(V, at + 6 * n, n),
        view1(V, at + 7 * n, n),
        view1(V, at + 8 * n, n),
        view1(V, at + 9 * n, n),
    )


@kernel
def plain_size(N):
    """Numbers of V before the workspace."""
    size = 2 * N[N_TIES] + N[N_VALUES] + _BOUNDS * N[N_VARIABLES]
    return (size + WIDTH - 1) // WIDTH * WIDTH


@kernel
def work_offsets(N):
    """Items before the vectors of one number a variable, of one a row, the matrices, and the end."""
    n = N[N_VARIABLES]
    m = N[N_ROWS]
    most = max(n, m)
    vectors = 3 * N[N_VALUES] + 21 * (N[N_MOTIONS] + 1)
    rows = vectors + 6 * n
    tables = rows + 3 * m + most
    return vectors, rows, tables, tables + 2 * m * n + 2 * most * most


@kernel
def view_work(N, V):
    """The workspace of one problem."""
    n = N[N_VARIABLES]
    m = N[N_ROWS]
    most = max(n, m)
    at = plain_size(N)
    vectors, rows, tables, _ = work_offsets(N)
    v = at + vectors
    r = at + rows
    t = at + tables
    return LmWork(
        view1(V, v, n),
        view1(V, v + n, n),
        view1(V, v + 2 * n, n),
        view1(V, v + 3 * n, n),
        view1(V, v + 4 * n, n),
        view1(V, v + 5 * n, n),
        view1(V, r, m),
        view1(V, r + m, m),
        view1(V, r + 2 * m, m),
        view1(V, r + 3 * m, most),
        view2(V, t, m, n),
        view2(V, t + m * n, m, n),
        view2(V, t + 2 * m * n, most, most),
        view2(V, t + 2 * m * n + most * most, most, most),
    )


@kernel
def view_lane_work(N, L):
    """The same in lanes, in a workspace of `lane_workspace`."""
    n = N[N_VARIABLES]
    m = N[N_ROWS]
    most = max(n, m)
    vectors, rows, tables, _ = work_offsets(N)
    v = WIDTH * vectors
    r = WIDTH * rows
    t = WIDTH * tables
    w = WIDTH
    return LmWork(
        lane_view1(L, v, n),
        lane_view1(L, v + w * n, n),
        lane_view1(L, v + w * 2 * n, n),
        lane_view1(L, v + w * 3 * n, n),
        lane_view1(L, v + w * 4 * n, n),
        lane_view1(L, v + w * 5 * n, n),
        lane_view1(L, r, m),
        lane_view1(L, r + w * m, m),
        lane_view1(L, r + w * 2 * m, m),
        lane_view1(L, r + w * 3 * m, most),
        lane_view2(L, t, m, n),
        lane_view2(L, t + w * m * n, m, n),
        lane_view2(L, t + w * 2 * m * n, most, most),
        lane_view2(L, t + w * (2 * m * n + most * most), most, most),
    )


@kernel
def view_lane_frames(N, L):
    """Values, sines and cosines, frames and spins in lanes."""
    k = N[N_VALUES]
    m = N[N_MOTIONS] + 1
    w = WIDTH
    return Frames(
        lane_view1(L, 0, k),
        lane_view2(L, w * k, 2, k),
        lane_view2(L, w * 3 * k, m, 12),
        lane_view2(L, w * (3 * k + 12 * m), m, 9),
    )


@kernel
def view_lane_x(N, L):
    """X and X_NEW of the lanes, (variables, lanes) each, number by number."""
    n = N[N_VARIABLES]
    at = WIDTH * work_offsets(N)[0]
    return view2(L, at, n, WIDTH), view2(L, at + WIDTH * n, n, WIDTH)


@kernel
def view_lane_state(N, L):
    """The scalars of the lanes as lanes, and number by number."""
    at = WIDTH * work_offsets(N)[3]
    return lane_view1(L, at, LANE_STATE), view2(L, at, LANE_STATE, WIDTH)
