"""Rows of every kind for one step: what each asks or forbids, and its derivatives by the scaled variables.

A row is a number g of the pose with a range. A soft row outside its range is asked for: √w (ρ + J d), ρ how far g is
outside. A hard row, and a soft one that is inside with little room, holds the step: low ≤ J d ≤ high. A hard row that
is far from its range is asked for until it is near, since it has no damping of its own.

The derivative of g is a wrench (f, m) on a motion and its opposite on another (`residuals.measures`); by an axis value
of the twist (v, ω), v the velocity that it gives the world's origin, it is f·v + m·ω.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import outside
from manikin.kernels.pose.limits import EQUAL
from manikin.kernels.residuals.dispatch import measure_part
from manikin.kernels.residuals.layout import ON_COORDINATES, ON_MASS, ON_MOTIONS
from manikin.kernels.residuals.mass import find_columns
from manikin.kernels.residuals.measures import coordinate_row, measure_shared
from manikin.kernels.tree.sweep import ROTATE, SLIDE

HARD = 0
#: A hard row that is farther outside than this is asked for like a soft one.
FAR = 0.1
#: A row with more room than this does not hold a step.
ROOM = 0.15
# Cones are promised ten times finer than hard goals.
_CONES_STOP = 3e-10
# A row held last stays so where it is no farther from its end.
_ON_END = 1e-3
# Squares of derivatives below this are none: nothing moves the row.
_UNMOVED = 1e-18


@kernel
def measure_asked(tree, M, sweep, last):
    """Values and wrenches of all rows of the levels before ``last`` that are switched on."""
    measure_shared(M, sweep)
    for t in range(M.kind.shape[0]):
        first = M.first[t]
        if M.count[t] > 0 and M.level[first] < last and M.weight[first] != 0.0:
            measure_part(M, sweep, t)


@kernel
def judge(M, limits, last, share, hard_stop):
    """(Σ w ρ² of the soft rows, Σ ρ² of the hard ones, whether each is near enough): soft ones to ``share`` of STOP."""
    soft = 0.0
    hard = 0.0
    met = True
    for r in range(M.value.shape[0]):
        w = M.weight[r]
        if w == 0.0 or M.level[r] >= last:
            continue
        rho = outside(M.value[r], M.lower[r], M.upper[r])
        if rho == 0.0:
            continue
        if M.level[r] <= HARD:
            hard += rho * rho
            met = met and abs(rho) <= (hard_stop if M.level[r] == HARD else min(hard_stop, _CONES_STOP))
        else:
            soft += w * rho * rho
            met = met and abs(rho) <= share * limits.stop[r]
    return soft, hard, met


@kernel
def find_twists(tree, sweep, twist):
    """(v, ω) of every axis value."""
    frames = sweep.frames
    for i in range(1, tree.parent.shape[0]):
        k = tree.axis[i]
        kind = tree.kind[i]
        if kind == SLIDE:
            t = twist[k]
            t[0] = frames[i, 2]
            t[1] = frames[i, 5]
            t[2] = frames[i, 8]
            t[3] = 0.0
            t[4] = 0.0
            t[5] = 0.0
            continue
        p0 = frames[i, 9]
        p1 = frames[i, 10]
        p2 = frames[i, 11]
        for c in range(1 if kind == ROTATE else 3):
            t = twist[k + c]
            if kind == ROTATE:
                u0 = frames[i, 2]
                u1 = frames[i, 5]
                u2 = frames[i, 8]
            else:
                u0 = sweep.spins[i, 3 * c]
                u1 = sweep.spins[i, 3 * c + 1]
                u2 = sweep.spins[i, 3 * c + 2]
            t[0] = p1 * u2 - p2 * u1
            t[1] = p2 * u0 - p0 * u2
            t[2] = p0 * u1 - p1 * u0
            t[3] = u0
            t[4] = u1
            t[5] = u2


@kernel
def _add_motion(tree, drives, twist, i, w, row):
    """Add what the wrench w does through motion i."""
    k = tree.axis[i]
    for v in range(k, k + (1 if tree.kind[i] <= SLIDE else 3)):
        t = twist[v]
        s = w[0] * t[0] + w[1] * t[1] + w[2] * t[2] + w[3] * t[3] + w[4] * t[4] + w[5] * t[5]
        for d in range(drives.first[v], drives.first[v + 1]):
            row[drives.which[d]] += s * drives.coefficient[d]


@kernel
def _add_between(tree, drives, twist, a, b, factor, wrench, row):
    """The wrench, times a factor, on motion a and its opposite on b: both walks end where they meet."""
    w = (
        factor * wrench[0],
        factor * wrench[1],
        factor * wrench[2],
        factor * wrench[3],
        factor * wrench[4],
        factor * wrench[5],
    )
    o = (-w[0], -w[1], -w[2], -w[3], -w[4], -w[5])
    while a != b:
        if a > b:
            _add_motion(tree, drives, twist, a, w, row)
            a = tree.parent[a]
        else:
            _add_motion(tree, drives, twist, b, o, row)
            b = tree.parent[b]


@kernel
def _add_center(M, drives, factor, w, row):
    """What the force w on the centre of mass does, times a factor."""
    f0 = factor * w[0]
    f1 = factor * w[1]
    f2 = factor * w[2]
    for v in range(M.columns.shape[0]):
        s = f0 * M.columns[v, 0] + f1 * M.columns[v, 1] + f2 * M.columns[v, 2]
        for d in range(drives.first[v], drives.first[v + 1]):
            row[drives.which[d]] += s * drives.coefficient[d]


@kernel
def _fill(tree, M, sweep, drives, bounds, twist, t, r, extra, factor, row):
    """Row r of part t, times a factor, by the scaled variables; returns the square of its length."""
    for i in range(row.shape[0]):
        row[i] = 0.0
    attach = M.attach[t]
    if attach == ON_COORDINATES:
        coordinate_row(M, sweep.q, t, r - M.first[t], sweep.by_dof)
        for j in range(sweep.by_dof.shape[0]):
            v = drives.variable_of[j]
            if v >= 0:
                row[v] += factor * sweep.by_dof[j] * bounds.scale[v]
    elif attach == ON_MASS:
        _add_center(M, drives, factor, M.wrench[r], row)
    elif attach == ON_MOTIONS:
        _add_between(tree, drives, twist, M.motion[t], M.base[t], factor, M.wrench[r], row)
    if extra >= 0:
        slots = M.extra[extra + r - M.first[t]]
        for s in range(slots.shape[0]):
            motion = int(slots[s, 0])
            if motion != 0:
                wrench = (slots[s, 1], slots[s, 2], slots[s, 3], slots[s, 4], slots[s, 5], slots[s, 6])
                _add_between(tree, drives, twist, motion, 0, factor, wrench, row)
    square = 0.0
    for i in range(row.shape[0]):
        square += row[i] * row[i]
    return square


@kernel
def sort_rows(M, work, last):
    """Decide of each row whether it is asked for, holds, or neither, into ``target``: (asked for, holding)."""
    asked = 0
    holding = 0
    for r in range(M.value.shape[0]):
        work.target[r] = 0.0
        if M.weight[r] == 0.0 or M.level[r] >= last or M.near[r] == 0.0:
            continue
        low = M.lower[r]
        high = M.upper[r]
        value = M.value[r]
        rho = outside(value, low, high)
        if low == high or rho != 0.0:
            if M.level[r] > HARD or abs(rho) > FAR:
                asked += 1
                work.target[r] = -asked
            else:
                holding += 1
                work.target[r] = holding
        elif value < low + ROOM or value > high - ROOM:
            holding += 1
            work.target[r] = holding
    return asked, holding


@kernel
def row_factor(M, r, hard_weight):
    """What a row that is asked for is multiplied by: the root of its weight, or of the mean one where it is hard."""
    return math.sqrt(hard_weight if M.level[r] <= HARD else M.weight[r])


@kernel
def fill_rows(tree, M, sweep, drives, bounds, work, linear, first, hard_weight):
    """The rows of this step into ``jacobian`` and, behind the ``first`` linear ones, ``rows``; returns Σ J² of the
    former.
    """
    total = 0.0
    if M.mass_motion.shape[0] > 0:
        find_columns(tree, M, sweep)
    find_twists(tree, sweep, work.twist)
    for t in range(M.kind.shape[0]):
        extra = M.more[t]
        for r in range(M.first[t], M.first[t] + M.count[t]):
            where = int(work.target[r])
            if where == 0:
                continue
            value = M.value[r]
            low = M.lower[r]
            high = M.upper[r]
            if where < 0:
                a = -1 - where
                w = row_factor(M, r, hard_weight)
                work.e[a] = w * outside(value, low, high)
                total += _fill(tree, M, sweep, drives, bounds, work.twist, t, r, extra, w, linear.jacobian[a])
                continue
            c = first + where - 1
            square = _fill(tree, M, sweep, drives, bounds, work.twist, t, r, extra, 1.0, linear.rows[c])
            linear.low[c] = low - value
            linear.high[c] = high - value
            linear.push[c] = 0.0
            linear.support[c] = 1.0 + t if M.polygon[t] != 0 else 0.0
            linear.begin[c] = 0.0
            linear.past[c] = bounds.scale.shape[0]
            hold = 0.0
            if low == high:
                hold = EQUAL
            elif value < low or (work.held[r] < 0.0 and value < low + _ON_END):
                hold = -1.0
            elif value > high or (work.held[r] > 0.0 and value > high - _ON_END):
                hold = 1.0
            if square < _UNMOVED:
                linear.low[c] = -math.inf
                linear.high[c] = math.inf
                hold = 0.0
            linear.hold[c] = hold
    return total


@kernel
def note_held(M, work, linear, first):
    """Remember on which end each row was held."""
    for r in range(M.value.shape[0]):
        where = int(work.target[r])
        work.held[r] = linear.hold[first + where - 1] if where > 0 else 0.0
