"""How the least-squares method's own data lie in memory: two flat arrays beside those of `layout`, and a table.

``N``  int64    counts; for each axis value the variables that drive it; for each motion that carries a goal (a *block*)
                the variables that move it, which are the columns of its rows
``T``  int64    where S, R, W, N and V are, so that a call from Python passes one array instead of five
``V``  float64  the coefficients of those drives, ranges, scales, and the workspace; at an aligned address, so that the
                same sections may hold one number an item or four lanes
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import aligned_zeros, lane_view1, lane_view2, lane_view3
from manikin.kernels.memory.lanes import WIDTH
from manikin.kernels.memory.path import T_HEAD
from manikin.kernels.memory.views import view1, view2, view3, whole_view1

# Counts at the head of N.
N_VALUES, N_VARIABLES, N_TIES, N_STRIPS, N_MOTIONS, N_PARTS, N_BLOCKS, N_WIDTH, N_ENTRIES, N_SINGLE = range(
    10
)
_HEAD = 10

#: first, which: the drives of axis value k are first[k] … first[k+1], each by the variable which[s], times coefficient;
#: fixed: the value's rest; single: 1 where each value has just one drive. order: the parts, those with variables in
#: common next to each other; block: of each of them. The columns of block b are sums over the entries begin[b] …
#: begin[b+1], ordered by column: what a motion's component (`ROTATES`, `SLIDES`, or which axis of a block of three)
#: does, times share.
Ties = namedtuple(
    "Ties", "first which order block begin motion component column coefficient share fixed single"
)
ROTATES, SLIDES = -1, -2
#: Of each block the number of its columns, their variables, and the column of each variable (or −1); how many columns,
#: the first ones of both, two blocks have in common. Of each part (in order) its block and, the same for parts that
#: depend on each other through others, its group. Of each strip (three rows) at present: its block, and the first strip
#: of its group.
Blocks = namedtuple("Blocks", "length variable place shared of_part group strip first")
#: What the step works within, one number a variable: ranges (infinite where a whole turn fits, so that it wraps), the
#: true ones, the root of the metric, and 1 where it wraps.
#: low, width: where seeds are drawn from (an infinite ``low``: about the start); alpha, shift: their sequence.
#: speed: the most that it may change in a second; rest, pulled: where the pull leads to, and its share; stays: 1 for
#: those of a base that it leads back to where it stood (`stand`).
Bounds = namedtuple(
    "Bounds", "lower upper true_lower true_upper scale wraps low width alpha shift speed rest pulled stays"
)
#: wide, wide_trig: values and trig, four numbers an item.
Frames = namedtuple("Frames", "values trig frames spins wide wide_trig")
#: jacobian: (strips, columns of the block, 3). tiles, factor: 3 × 3 each, of the rows; matrix, lower: of the
#: variables, in the same memory.
LmWork = namedtuple(
    "LmWork",
    "x x_new step slope free wish pull e e_new right solved jacobian jacobian_new tiles factor matrix lower blocks",
)
_BOUNDS = len(Bounds._fields)
#: Options in V: seconds within which every variable keeps to its speed, or 0.
SECONDS, OPTIONS = 0, 2

#: What `allocate` is told of the blocks: the fields of `Ties` and `Blocks` of the same names; lists, and tables.
Columns = namedtuple(
    "Columns", "order block group begin motion component column length variable place shared strips"
)


def no_columns(variables: int = 0) -> Columns:
    """The columns of no parts at all."""
    none = np.zeros(0, np.int64)
    tables = np.zeros((0, 0), np.int64), np.zeros((0, variables), np.int64), np.zeros((0, 0), np.int64)
    return Columns(none, none, none, np.zeros(1, np.int64), none, none, none, none, *tables, 0)


def _whole(size: int) -> int:
    """Rounded up to whole lanes."""
    return -(-size // WIDTH) * WIDTH


def _plain(values: int, variables: int, ties: int, entries: int) -> int:
    """Numbers of V before the workspace, rounded up to whole lanes."""
    return _whole(ties + entries + values + _BOUNDS * variables + OPTIONS)


def _items(ints: np.ndarray) -> int:
    """Items of one workspace."""
    values, n, _, strips, motions, _, _, width, _ = ints[:9].tolist()
    m = 3 * strips
    tables = 2 * m * width + 2 * max(9 * min(strips, n) ** 2, n * n) + 2 * strips
    return 3 * _whole(values) + 21 * (motions + 1) + 7 * n + 3 * m + max(n, m) + tables


def allocate(
    first: Sequence[int] | np.ndarray,
    which: Sequence[int] | np.ndarray,
    variables: int,
    motions: int,
    columns: Columns,
) -> tuple[np.ndarray, np.ndarray]:
    """N and V for these drives: N filled, V zero."""
    values, ties, entries = len(first) - 1, len(which), len(columns.motion)
    head = np.zeros(_HEAD, np.int64)
    width = columns.variable.shape[1]
    parts, blocks = len(columns.order), len(columns.length)
    head[:9] = values, variables, ties, columns.strips, motions, parts, blocks, width, entries
    head[N_SINGLE] = np.array_equal(first, np.arange(values + 1))
    sections = [head, first, which, *columns[:-1]]
    ints = np.concatenate([np.ravel(section) for section in sections]).astype(np.int64)
    return ints, aligned_zeros(_plain(values, variables, ties, entries) + _items(ints))


def lane_workspace(ints: np.ndarray) -> np.ndarray:
    """A workspace for four lanes of the problem that N describes."""
    return aligned_zeros(WIDTH * (_items(ints) + LANE_STATE))


#: Items of the table after its head (`memory.path`): an address and a size for each array, and for those of six hinges,
#: or the workspace of a search among linear rows.
T_S, T_R, T_W, T_N, T_V, T_SIX, T_LINEAR = (T_HEAD + 2 * k for k in (0, 1, 2, 3, 4, 5, 5))


def table(budget: int, *arrays: np.ndarray) -> np.ndarray:
    """T for S, R, W, N, V (and a closed form's own, or P); whoever keeps it keeps the arrays."""
    addresses = [number for a in arrays for number in (a.ctypes.data, a.size)]
    return np.array([budget, *[0] * (T_HEAD - 1), *addresses], np.int64)


#: Items of a lane workspace after its sections: scalars of each lane.
LANE_STATE = 16


def coefficients(ints: np.ndarray, reals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients of the drives and the shares of the entries in V."""
    ties, entries = int(ints[N_TIES]), int(ints[N_ENTRIES])
    return reals[:ties], reals[ties : ties + entries]


def bounds(ints: np.ndarray, reals: np.ndarray) -> Bounds:
    """The sections of one number a variable in V."""
    values, variables, ties = ints[:3].tolist()
    first = ties + int(ints[N_ENTRIES]) + values
    return Bounds(*reals[first : first + _BOUNDS * variables].reshape(_BOUNDS, variables))


def options(ints: np.ndarray, reals: np.ndarray) -> np.ndarray:
    """The options in V."""
    values, variables, ties = ints[:3].tolist()
    first = ties + int(ints[N_ENTRIES]) + values + _BOUNDS * variables
    return reals[first : first + OPTIONS]


@kernel
def view_ties(N, V):
    """The drives, and how they make the columns of the blocks."""
    k = N[N_VALUES]
    t = N[N_TIES]
    m = N[N_PARTS]
    b = N[N_BLOCKS]
    s = N[N_ENTRIES]
    parts = _HEAD + k + 1 + t
    entries = parts + 3 * m + b + 1
    return Ties(
        view1(N, _HEAD, k + 1),
        view1(N, _HEAD + k + 1, t),
        view1(N, parts, m),
        view1(N, parts + m, m),
        view1(N, parts + 3 * m, b + 1),
        view1(N, entries, s),
        view1(N, entries + s, s),
        view1(N, entries + 2 * s, s),
        view1(V, 0, t),
        view1(V, t, s),
        view1(V, t + s, k),
        N[N_SINGLE],
    )


@kernel
def _view_blocks(N, W, strips):
    """The blocks; the tables of the strips lie at ``strips`` in the workspace W."""
    m = N[N_PARTS]
    b = N[N_BLOCKS]
    n = N[N_VARIABLES]
    parts = _HEAD + N[N_VALUES] + 1 + N[N_TIES]
    at = parts + 3 * m + b + 1 + 3 * N[N_ENTRIES]
    width = N[N_WIDTH]
    return Blocks(
        view1(N, at, b),
        view2(N, at + b, b, width),
        view2(N, at + b + b * width, b, n),
        view2(N, at + b + b * width + b * n, b, b),
        view1(N, parts + m, m),
        view1(N, parts + 2 * m, m),
        whole_view1(W, strips, N[N_STRIPS]),
        whole_view1(W, strips + N[N_STRIPS], N[N_STRIPS]),
    )


@kernel
def view_bounds(N, V):
    """What the step works within."""
    n = N[N_VARIABLES]
    at = N[N_TIES] + N[N_ENTRIES] + N[N_VALUES]
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
        view1(V, at + 10 * n, n),
        view1(V, at + 11 * n, n),
        view1(V, at + 12 * n, n),
        view1(V, at + 13 * n, n),
    )


@kernel
def view_options(N, V):
    """The options."""
    at = N[N_TIES] + N[N_ENTRIES] + N[N_VALUES] + _BOUNDS * N[N_VARIABLES]
    return view1(V, at, OPTIONS)


@kernel
def _whole_lanes(size):
    """Rounded up to whole lanes."""
    return (size + WIDTH - 1) // WIDTH * WIDTH


@kernel
def plain_size(N):
    """Numbers of V before the workspace."""
    return _whole_lanes(N[N_TIES] + N[N_ENTRIES] + N[N_VALUES] + _BOUNDS * N[N_VARIABLES] + OPTIONS)


@kernel
def work_offsets(N):
    """Items before each section of the workspace, and in all; the last is the side of the tables of tiles.

    Sections: vectors of one number a variable, of one a row, the Jacobians, the matrices, the strips.
    """
    n = N[N_VARIABLES]
    m = 3 * N[N_STRIPS]
    side = min(N[N_STRIPS], n)
    vectors = 3 * _whole_lanes(N[N_VALUES]) + 21 * (N[N_MOTIONS] + 1)
    rows = vectors + 7 * n
    jacobians = rows + 3 * m + max(n, m)
    matrices = jacobians + 2 * m * N[N_WIDTH]
    strips = matrices + 2 * max(9 * side * side, n * n)
    return vectors, rows, jacobians, matrices, strips, strips + 2 * N[N_STRIPS], side


@kernel
def view_work(N, V):
    """The workspace of one problem."""
    n = N[N_VARIABLES]
    strips = N[N_STRIPS]
    width = N[N_WIDTH]
    m = 3 * strips
    at = plain_size(N)
    vectors, rows, jacobians, matrices, whole, _, side = work_offsets(N)
    v = at + vectors
    r = at + rows
    j = at + jacobians
    t = at + matrices
    half = max(9 * side * side, n * n)
    return LmWork(
        view1(V, v, n),
        view1(V, v + n, n),
        view1(V, v + 2 * n, n),
        view1(V, v + 3 * n, n),
        view1(V, v + 4 * n, n),
        view1(V, v + 5 * n, n),
        view1(V, v + 6 * n, n),
        view1(V, r, m),
        view1(V, r + m, m),
        view1(V, r + 2 * m, m),
        view1(V, r + 3 * m, max(n, m)),
        view3(V, j, strips, width, 3),
        view3(V, j + m * width, strips, width, 3),
        view3(V, t, side, side, 9),
        view3(V, t + half, side, side, 9),
        view2(V, t, n, n),
        view2(V, t + half, n, n),
        _view_blocks(N, V, at + whole),
    )


@kernel
def exchanged(work):
    """The same workspace with the proposed point for the current one, and the other way round."""
    return LmWork(
        work.x_new,
        work.x,
        work.step,
        work.slope,
        work.free,
        work.wish,
        work.pull,
        work.e_new,
        work.e,
        work.right,
        work.solved,
        work.jacobian_new,
        work.jacobian,
        work.tiles,
        work.factor,
        work.matrix,
        work.lower,
        work.blocks,
    )


@kernel
def view_lane_work(N, L):
    """The same in lanes, in a workspace of `lane_workspace`."""
    n = N[N_VARIABLES]
    strips = N[N_STRIPS]
    width = N[N_WIDTH]
    m = 3 * strips
    vectors, rows, jacobians, matrices, whole, _, side = work_offsets(N)
    w = WIDTH
    v = w * vectors
    r = w * rows
    j = w * jacobians
    t = w * matrices
    half = w * max(9 * side * side, n * n)
    return LmWork(
        lane_view1(L, v, n),
        lane_view1(L, v + w * n, n),
        lane_view1(L, v + w * 2 * n, n),
        lane_view1(L, v + w * 3 * n, n),
        lane_view1(L, v + w * 4 * n, n),
        lane_view1(L, v + w * 5 * n, n),
        lane_view1(L, v + w * 6 * n, n),
        lane_view1(L, r, m),
        lane_view1(L, r + w * m, m),
        lane_view1(L, r + w * 2 * m, m),
        lane_view1(L, r + w * 3 * m, max(n, m)),
        lane_view3(L, j, strips, width, 3),
        lane_view3(L, j + w * m * width, strips, width, 3),
        lane_view3(L, t, side, side, 9),
        lane_view3(L, t + half, side, side, 9),
        lane_view2(L, t, n, n),
        lane_view2(L, t + half, n, n),
        _view_blocks(N, L, w * whole),
    )


@kernel
def view_places(N, V, sweep):
    """Values, sines and cosines of one problem; frames and spins are those of its sweep."""
    at = plain_size(N)
    k = _whole_lanes(N[N_VALUES])
    return Frames(
        view1(V, at, N[N_VALUES]),
        view2(V, at + k, 2, k),
        sweep.frames,
        sweep.spins,
        lane_view1(V, at, k // WIDTH),
        lane_view2(V, at + k, 2, k // WIDTH),
    )


@kernel
def view_lane_places(N, L):
    """The same in lanes, the frames and spins too."""
    k = N[N_VALUES]
    whole = _whole_lanes(k)
    m = N[N_MOTIONS] + 1
    w = WIDTH
    values = lane_view1(L, 0, k)
    trig = lane_view2(L, w * whole, 2, k)
    return Frames(
        values,
        trig,
        lane_view2(L, w * 3 * whole, m, 12),
        lane_view2(L, w * (3 * whole + 12 * m), m, 9),
        values,
        trig,
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
    at = WIDTH * work_offsets(N)[5]
    return lane_view1(L, at, LANE_STATE), view2(L, at, LANE_STATE, WIDTH)
