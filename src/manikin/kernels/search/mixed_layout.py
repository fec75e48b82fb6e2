"""Memory of the search over rows of every kind: two flat arrays beside those of the tree and of the measures.

``G``  int64    counts; for each axis value the variables that drive it; which parts mean the start
``H``  float64  their coefficients, ranges, scales, the pull, what counts as met, and the workspace

n variables, k linear rows, r rows of the goals, K axis values, t drives, a parts of goals, i idle coordinates:
those that no row moves, which go where the pull leads at once. ``told`` misses are reported. ``most`` is how many rows
may be asked for in one step, and how many may hold it.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1, view2
from manikin.kernels.search.linear_layout import linear_size, view_rows

(
    G_VARIABLES,
    G_LINEAR,
    G_ROWS,
    G_VALUES,
    G_DRIVES,
    G_PARTS,
    G_TOLD,
    G_MOST,
    G_DOFS,
    G_LAST,
    G_IDLE,
) = range(11)
_HEAD = 12

#: Of each axis value its drives first[v] … first[v + 1]: the variable, and how much of it, in scaled variables.
#: follows: 1 for each part whose target is where the start has it. variable_of: of each coordinate its variable, or −1.
#: tell: of each part, which of the misses that are reported is its own, or −1.
Drives = namedtuple("Drives", "first which coefficient follows variable_of tell")
#: Idle coordinates, and the ranges that they go to.
Idle = namedtuple("Idle", "dof low high")
#: One number a variable: ranges of the step (infinite where it wraps), the true ones, the root of the metric, 1 where a
#: whole rotation fits, the most that it may change in a second; the range that the pull leads to, and how strongly
#: (0: not at all); 1 for those of a base that the pull leads back to where it stood (`stand`).
MixedBounds = namedtuple(
    "MixedBounds", "lower upper true_lower true_upper scale wraps speed pull_low pull_high pull_share stays"
)
#: stop: of each row, near enough to leave a start alone; allowed: of each part, what counts as reached; option: below.
Limits = namedtuple("Limits", "stop allowed option")
#: target: of each row, where it goes in the step: −1 − its number among the damped rows, 1 + that among those that
#: hold, or 0. held: on which end it was held last; multiplier: how hard it pushed in the last step. twist: of each axis
#: value, the velocity of the world's origin and the rotation that it makes. last_step, last_plain: the last step, and
#: what it was before it was extrapolated; older_step, older_change: the step before it, and how the plain one changed
#: over it.
MixedWork = namedtuple(
    "MixedWork",
    "x x_new step slope free wish last_step last_plain older_step older_change e target held multiplier twist",
)

#: Options: whether the pull leads to the start (1) instead of to its range; whether the search goes on until it is
#: where it leads to (1), or only on its way (0); what a hard row weighs in the potential; seconds since the start was
#: left, or 0.
PULL_TO_START, PULL_TO_THE_END, HARD_WEIGHT, SECONDS = range(4)
OPTIONS = 4
_BOUNDS = len(MixedBounds._fields)
_VECTORS = 10


def allocate_mixed(
    counts: dict[int, int],
    first: np.ndarray,
    which: np.ndarray,
    follows: np.ndarray,
    variable_of: np.ndarray,
    tell: np.ndarray,
    idle: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """G, filled, and H, zero."""
    head = np.zeros(_HEAD, np.int64)
    for index, count in counts.items():
        head[index] = count
    ints = np.concatenate([head, first, which, follows, variable_of, tell, idle]).astype(np.int64)
    n, k, r, values, t, a = head[:6].tolist()
    most = int(head[G_MOST])
    size = t + _BOUNDS * n + r + a + OPTIONS + 2 * len(idle)
    work = _VECTORS * n + most + 3 * r + 6 * values + linear_size(n, k + most, most)
    return ints, np.zeros(size + work)


def mixed_parameters(ints: np.ndarray, reals: np.ndarray) -> tuple[np.ndarray, MixedBounds, Limits, Idle]:
    """Coefficients of the drives, bounds, limits and idle coordinates, as NumPy views."""
    n, _, r, _, t, a = ints[:6].tolist()
    at = t + _BOUNDS * n
    bounds = MixedBounds(*reals[t:at].reshape(_BOUNDS, n))
    option = at + r + a
    low = option + OPTIONS
    idle = int(ints[G_IDLE])
    return (
        reals[:t],
        bounds,
        Limits(reals[at : at + r], reals[at + r : option], reals[option : option + OPTIONS]),
        Idle(ints[len(ints) - idle :], reals[low : low + idle], reals[low + idle : low + 2 * idle]),
    )


@kernel
def _work_begins(G):
    return G[G_DRIVES] + _BOUNDS * G[G_VARIABLES] + G[G_ROWS] + G[G_PARTS] + OPTIONS + 2 * G[G_IDLE]


@kernel
def view_drives(G, H):
    """How variables drive axis values."""
    k = G[G_VALUES]
    t = G[G_DRIVES]
    a = G[G_PARTS]
    return Drives(
        view1(G, _HEAD, k + 1),
        view1(G, _HEAD + k + 1, t),
        view1(H, 0, t),
        view1(G, _HEAD + k + 1 + t, a),
        view1(G, _HEAD + k + 1 + t + a, G[G_DOFS]),
        view1(G, _HEAD + k + 1 + t + a + G[G_DOFS], a),
    )


@kernel
def view_idle(G, H):
    """The coordinates that no row moves."""
    count = G[G_IDLE]
    at = _work_begins(G) - 2 * count
    return Idle(
        view1(G, _HEAD + G[G_VALUES] + 1 + G[G_DRIVES] + 2 * G[G_PARTS] + G[G_DOFS], count),
        view1(H, at, count),
        view1(H, at + count, count),
    )


@kernel
def view_mixed_bounds(G, H):
    """What a step works within."""
    n = G[G_VARIABLES]
    at = G[G_DRIVES]
    return MixedBounds(
        view1(H, at, n),
        view1(H, at + n, n),
        view1(H, at + 2 * n, n),
        view1(H, at + 3 * n, n),
        view1(H, at + 4 * n, n),
        view1(H, at + 5 * n, n),
        view1(H, at + 6 * n, n),
        view1(H, at + 7 * n, n),
        view1(H, at + 8 * n, n),
        view1(H, at + 9 * n, n),
        view1(H, at + 10 * n, n),
    )


@kernel
def view_limits(G, H):
    """What counts as met."""
    at = G[G_DRIVES] + _BOUNDS * G[G_VARIABLES]
    r = G[G_ROWS]
    a = G[G_PARTS]
    return Limits(view1(H, at, r), view1(H, at + r, a), view1(H, at + r + a, OPTIONS))


@kernel
def view_mixed_work(G, H):
    """The workspace of the search."""
    n = G[G_VARIABLES]
    r = G[G_ROWS]
    at = _work_begins(G)
    e = at + _VECTORS * n
    t = e + G[G_MOST]
    return MixedWork(
        view1(H, at, n),
        view1(H, at + n, n),
        view1(H, at + 2 * n, n),
        view1(H, at + 3 * n, n),
        view1(H, at + 4 * n, n),
        view1(H, at + 5 * n, n),
        view1(H, at + 6 * n, n),
        view1(H, at + 7 * n, n),
        view1(H, at + 8 * n, n),
        view1(H, at + 9 * n, n),
        view1(H, e, G[G_MOST]),
        view1(H, t, r),
        view1(H, t + r, r),
        view1(H, t + 2 * r, r),
        view2(H, t + 3 * r, G[G_VALUES], 6),
    )


@kernel
def view_step(G, H, holding):
    """The workspace of a step; ``holding`` rows of goals may hold it, behind the linear ones."""
    n = G[G_VARIABLES]
    k = G[G_LINEAR]
    at = _work_begins(G) + _VECTORS * n + G[G_MOST] + 3 * G[G_ROWS] + 6 * G[G_VALUES]
    return view_rows(H, at, n, k + G[G_MOST], G[G_MOST], k + holding)
