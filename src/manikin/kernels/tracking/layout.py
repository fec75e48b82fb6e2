"""How the following of markers lies in memory, beside the tree of `tree.layout`, whose sites are what is followed.

``T``  int64    counts, then
                ``dof`` (V) the coordinate of each variable;
                ``first`` (K+1) where each axis value's drives begin, ``variable`` (E) what drives it;
                ``up`` (M+1) the nearest motion above with a variable of its own;
                ``lone`` (M+1) the variable that alone drives the motion's one axis, and with share 1; −1 elsewhere;
                ``turn`` (M+1) the first variable of a free rotation vector, −1 elsewhere;
                ``near far`` (L) the sites of each held pair, ``whole`` (L) whether their axes are held too;
                ``shared`` (H) the variables that drive several axis values, in the order of the first motion of each,
                ``begin`` (H); ``many`` (V) which of these each variable is, −1 for none;
                ``last`` (V) the last variable that has a second derivative with each
``N``  float64  ``share`` (E) of each drive; ``lower upper`` (V); linear rows ``A`` (C, V) with ``low high`` (C);
                ``prior`` (V) weight of the pull on each variable
``X``  float64  workspace: everything in `Scratch`

Sites 0 … P − 1 are points, P … P + O − 1 sensors of orientation, the rest ends of held pairs.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.math.quadratic import Quadratic
from manikin.kernels.memory.views import view1, view2, view3

# Counts at the head of T: variables, points, sensors, linear rows, drives, held pairs, rows of those, shared variables.
VARIABLES, POINTS, SENSORS, ROWS, ENTRIES, PAIRS, PAIR_ROWS, SHARED = range(8)
HEADER = 8
#: Sums over what a motion carries: weight, weighted place (3), second moments xx yy zz xy xz yz (6), force (3), moment
#: (3), place × force (9), weight of turning.
COMPOSITE = 26

Tracking = namedtuple(
    "Tracking",
    "dof first variable up lone turn near far whole shared begin many last share lower upper A low high prior points "
    "sensors",
)
Scratch = namedtuple(
    "Scratch",
    "composite column place torque gradient hessian factor step trial rows bottom top below above held miss residual "
    "best slope scale kept changed above_columns qp",
)


def allocate(counts: Mapping[int, int], values: int, motions: int) -> tuple[np.ndarray, np.ndarray, int]:
    """T and N for the given counts, K axis values and M motions, and the length of X; all but the counts is zero."""
    v, _, _, c, e, p, _, h = (counts.get(count, 0) for count in range(HEADER))
    ints = np.zeros(HEADER + v + values + 1 + e + 3 * (motions + 1) + 3 * p + 2 * h + 2 * v, np.int64)
    for count, value in counts.items():
        ints[count] = value
    return ints, np.zeros(e + 3 * v + c * v + 2 * c), scratch_size(ints, values, motions)


def sections(ints: np.ndarray, reals: np.ndarray, values: int, motions: int) -> Tracking:
    """NumPy views for whoever fills the arrays."""
    v, points, sensors, c, e, p, _, h = ints[:HEADER].tolist()
    m = motions + 1
    whole = np.split(ints[HEADER:], np.cumsum([v, values + 1, e, m, m, m, p, p, p, h, h, v]))
    share, lower, upper, A, low, high, prior = np.split(reals, np.cumsum([e, v, v, c * v, c, c]))
    return Tracking._make([*whole, share, lower, upper, A.reshape(c, v), low, high, prior, points, sensors])


def scratch_size(ints: np.ndarray, values: int, motions: int) -> int:
    """How many numbers X has."""
    v, points, sensors, c, _, pairs, held, shared = ints[:HEADER].tolist()
    rows = c + held
    sites = points + sensors + 2 * pairs
    own = COMPOSITE * (motions + 1) + 6 * values + 3 * sites + 3 * sensors + 4 * v + 2 * v * v + rows * v
    own += 2 * rows + 6 * v + points + sensors + held + v + values
    own += 6 * shared * (motions + 1)
    return own + 2 * v * v + 7 * (v + 1) + v + rows + 3


@kernel
def view_tracking(S, T, N, values, motions):
    """What is followed."""
    v = T[VARIABLES]
    c = T[ROWS]
    e = T[ENTRIES]
    p = T[PAIRS]
    m = motions + 1
    first = HEADER + v
    variable = first + values + 1
    up = variable + e
    near = up + 3 * m
    return Tracking(
        view1(T, HEADER, v),
        view1(T, first, values + 1),
        view1(T, variable, e),
        view1(T, up, m),
        view1(T, up + m, m),
        view1(T, up + 2 * m, m),
        view1(T, near, p),
        view1(T, near + p, p),
        view1(T, near + 2 * p, p),
        view1(T, near + 3 * p, T[SHARED]),
        view1(T, near + 3 * p + T[SHARED], T[SHARED]),
        view1(T, near + 3 * p + 2 * T[SHARED], v),
        view1(T, near + 3 * p + 2 * T[SHARED] + v, v),
        view1(N, 0, e),
        view1(N, e, v),
        view1(N, e + v, v),
        view2(N, e + 2 * v, c, v),
        view1(N, e + 2 * v + c * v, c),
        view1(N, e + 2 * v + c * v + c, c),
        view1(N, e + 2 * v + c * v + 2 * c, v),
        T[POINTS],
        T[SENSORS],
    )


@kernel
def view_scratch(T, X, values, motions):
    """Workspace of one call."""
    v = T[VARIABLES]
    held = T[PAIR_ROWS]
    rows = T[ROWS] + held
    points = T[POINTS]
    sensors = T[SENSORS]
    sites = points + sensors + 2 * T[PAIRS]
    at0 = COMPOSITE * (motions + 1)
    at1 = at0 + 6 * values
    at2 = at1 + 3 * sites
    at3 = at2 + 3 * sensors
    at4 = at3 + v
    at5 = at4 + v * v
    at6 = at5 + v * v
    at7 = at6 + v
    at8 = at7 + v
    at9 = at8 + rows * v
    at10 = at9 + rows
    at11 = at10 + rows
    at12 = at11 + v
    at13 = at12 + v
    at14 = at13 + v
    at15 = at14 + points + sensors
    at16 = at15 + held
    at17 = at16 + v
    at18 = at17 + values
    at19 = at18 + v
    at20 = at19 + v
    at21 = at20 + v
    qp = at21 + 6 * T[SHARED] * (motions + 1)
    n = v + 1
    ends = qp + 2 * v * v
    return Scratch(
        view2(X, 0, motions + 1, COMPOSITE),
        view2(X, at0, values, 6),
        view2(X, at1, sites, 3),
        view2(X, at2, sensors, 3),
        view1(X, at3, v),
        view2(X, at4, v, v),
        view2(X, at5, v, v),
        view1(X, at6, v),
        view1(X, at7, v),
        view2(X, at8, rows, v),
        view1(X, at9, rows),
        view1(X, at10, rows),
        view1(X, at11, v),
        view1(X, at12, v),
        view1(X, at13, v),
        view1(X, at14, points + sensors),
        view1(X, at15, held),
        view1(X, at16, v),
        view1(X, at17, values),
        view1(X, at18, v),
        view1(X, at19, v),
        view1(X, at20, v),
        view3(X, at21, motions + 1, T[SHARED], 6),
        Quadratic(
            view2(X, qp, v, v),
            view2(X, qp + v * v, v, v),
            view1(X, ends, n),
            view1(X, ends + n, n),
            view1(X, ends + 2 * n, n),
            view1(X, ends + 3 * n, n),
            view1(X, ends + 4 * n, n),
            view1(X, ends + 5 * n, n),
            view1(X, ends + 6 * n, n),
            view1(X, ends + 7 * n, v + rows),
        ),
    )
