"""Ranges and linear rows over the variables, and the nearest point to a start that keeps them.

That point is found by the quadratic program of `math.quadratic` with H = I, min ½‖x − x₀‖²: it ends at the projection
of x₀, or proves that there is no such point: no direction is left and no multiplier gives way.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.quadratic import SOLVED, Quadratic, bring_in as to_nearest, identity
from manikin.kernels.memory.layout import view_space, view_sweep, view_work
from manikin.kernels.memory.state import DONE, INFEASIBLE, REFUSED, REPAIR, TIDY
from manikin.kernels.pose.place import is_finite

#: Vectors of a search, one number a variable.
X, LOWER, UPPER, SCALE = range(4)
#: Of a linear row: its ends, whether they are one, the first of its variables and behind the last.
ROW_LOWER, ROW_UPPER, ROW_SIDE, ROW_BEGIN, ROW_END = range(5)
FREE, EQUAL = 0.0, 2.0

_FEASIBLE = 1e-11
# Violations smaller than this are rounding (unit normals: metres or radians).
ROUNDING = 1e-13
# Of the square of a normal, what is left of it when it says nothing new: less than in a step, for nothing but the
# constraints themselves is at stake here.
_DEPENDENT = 1e-15
# An equality that the others imply is off by no more than rounding, of 1 or of the largest coordinate.
_IMPLIED = 1e-12
# What is left of an equality's unit normal when it says nothing new.
_SAME = 1e-10
# A constraint that nothing can move counts as kept where it is, if it is off by no more than is promised of any (unit
# normals: as a pose that was written down to nine digits is).
HELD = 1e-9


@kernel
def _violation(value, lower, upper):
    """How far outside, and which side: +1 above the upper end, −1 below the lower."""
    if value > upper:
        return value - upper, 1.0
    if value < lower:
        return lower - value, -1.0
    return 0.0, 0.0


@kernel
def row_value(work, r, x):
    """a·x of row r."""
    a = work.rows[r]
    value = 0.0
    for j in range(int(work.row[ROW_BEGIN, r]), int(work.row[ROW_END, r])):
        value += a[j] * x[j]
    return value


@kernel
def worst_violation(work):
    """(violation, which, side) of the constraint that X breaks most; which = coordinate, or n + row."""
    v = work.vector
    n = v.shape[1]
    worst = 0.0
    which = -1
    side = 0.0
    for j in range(n):
        amount, at = _violation(v[X, j], v[LOWER, j], v[UPPER, j])
        if amount > worst:
            worst = amount
            which = j
            side = at
    for r in range(work.rows.shape[0]):
        value = row_value(work, r, v[X])
        amount, at = _violation(value, work.row[ROW_LOWER, r], work.row[ROW_UPPER, r])
        if amount > worst:
            worst = amount
            which = n + r
            side = at
    return worst, which, side


@kernel
def nearest_feasible(work, turned, triangle):
    """Move X to the nearest point that satisfies every constraint; False when there is none.

    ``turned`` and ``triangle`` (n × n) are workspace.
    """
    v = work.vector
    p = work.dual
    qp = Quadratic(turned, triangle, p[0], p[1], p[2], p[3], p[4], p[5], p[6], work.place)
    identity(turned)
    rows = work.rows.shape[0]
    status, _ = to_nearest(
        qp,
        work.rows,
        work.row[ROW_LOWER],
        work.row[ROW_UPPER],
        rows,
        v[LOWER],
        v[UPPER],
        v[X],
        ROUNDING,
        _DEPENDENT,
    )
    size = 1.0
    for j in range(v.shape[1]):
        size = max(size, abs(v[X, j]))
    return status == SOLVED and worst_violation(work)[0] <= _IMPLIED * size


@kernel
def _made_orthogonal(work, r):
    """Turn equality r into one with a normal orthogonal to those of the equalities before it.

    Together they say the same, and none is nearly a multiple of another. One that adds nothing is taken out; False when
    it contradicts the others.
    """
    a = work.rows[r]
    n = a.shape[0]
    value = work.row[ROW_LOWER, r]
    for _ in range(2):
        for p in range(r):
            if work.row[ROW_SIDE, p] != EQUAL:
                continue
            b = work.rows[p]
            along = 0.0
            for j in range(n):
                along += a[j] * b[j]
            for j in range(n):
                a[j] -= along * b[j]
            value -= along * work.row[ROW_LOWER, p]
    square = 0.0
    for j in range(n):
        square += a[j] * a[j]
    left = math.sqrt(square)
    if left < _SAME:
        work.row[ROW_SIDE, r] = FREE
        work.row[ROW_LOWER, r] = -math.inf
        work.row[ROW_UPPER, r] = math.inf
        return abs(value) <= HELD
    for j in range(n):
        a[j] /= left
    work.row[ROW_LOWER, r] = value / left
    work.row[ROW_UPPER, r] = value / left
    return True


@kernel
def gather_rows(space, q, work):
    """Linear rows over the variables, unit normals, ends less what the other coordinates contribute.

    Returns False when a row has no variable and is off by more than `HELD`.
    """
    n = space.variable.shape[0]
    for r in range(space.row.shape[0]):
        a = work.rows[r]
        for i in range(int(work.row[ROW_BEGIN, r]), int(work.row[ROW_END, r])):
            a[i] = 0.0
        begin = space.span[r, 2]
        end = space.span[r, 3]
        work.row[ROW_BEGIN, r] = begin
        work.row[ROW_END, r] = end
        fixed = 0.0
        whole = 0.0
        for j in range(space.span[r, 0], space.span[r, 1]):
            fixed += space.row[r, j] * q[j]
            whole += space.row[r, j] * space.row[r, j]
        square = 0.0
        for i in range(begin, end):
            a[i] = space.row[r, space.variable[i]]
            fixed -= a[i] * q[space.variable[i]]
            square += a[i] * a[i]
        low = space.row_lower[r] - fixed
        high = space.row_upper[r] - fixed
        if square <= 1e-20 * whole:
            slack = HELD * math.sqrt(whole)
            if low > slack or high < -slack:
                return False
            work.row[ROW_LOWER, r] = -math.inf
            work.row[ROW_UPPER, r] = math.inf
            work.row[ROW_SIDE, r] = FREE
            continue
        scale = 1.0 / math.sqrt(square)
        for i in range(begin, end):
            a[i] *= scale
        work.row[ROW_LOWER, r] = low * scale
        work.row[ROW_UPPER, r] = high * scale
        work.row[ROW_SIDE, r] = EQUAL if low == high else FREE
        if low == high:
            work.row[ROW_BEGIN, r] = 0.0
            work.row[ROW_END, r] = n
            if not _made_orthogonal(work, r):
                return False
    return True


@kernel
def is_tidy(space, q):
    """Whether the rows that no variable is in, or no goal is concerned with, hold at q within the ranges."""
    for r in range(space.aside.shape[0]):
        value = 0.0
        for j in range(q.shape[0]):
            value += space.aside[r, j] * min(max(q[j], space.lower[j]), space.upper[j])
        if value < space.aside_lower[r] - _FEASIBLE or value > space.aside_upper[r] + _FEASIBLE:
            return False
    return True


@kernel
def start(space, sweep, work, q):
    """Bring q into the ranges and set the search up there; False when a linear row is still broken."""
    v = work.vector
    for j in range(q.shape[0]):
        sweep.q[j] = min(max(q[j], space.lower[j]), space.upper[j])
    for i in range(space.variable.shape[0]):
        j = space.variable[i]
        v[LOWER, i] = space.lower[j]
        v[UPPER, i] = space.upper[j]
        v[SCALE, i] = space.metric[j]
        v[X, i] = sweep.q[j]
    if space.row.shape[0] == 0:
        return True
    return gather_rows(space, sweep.q, work) and worst_violation(work)[0] <= _FEASIBLE


@kernel(entry="i8[:], f8[:], f8[:], f8[:] -> i8")
def bring_in(S, R, W, q):
    """Move q to the nearest point in the ranges and linear rows: DONE where it kept the rows, REPAIR where it did not,
    INFEASIBLE where there is no such point, TIDY where rows are broken that no variable is in; REFUSED.
    """
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    work = view_work(S, W)
    v = work.vector
    if not is_finite(q):
        return REFUSED
    keeps = start(space, sweep, work, q)
    if not is_tidy(space, q):
        return TIDY
    possible = keeps or (
        gather_rows(space, sweep.q, work) and nearest_feasible(work, work.curve[0], work.curve[1])
    )
    if not possible:
        return INFEASIBLE
    for j in range(q.shape[0]):
        q[j] = sweep.q[j]
    for i in range(space.variable.shape[0]):
        q[space.variable[i]] = min(max(v[X, i], v[LOWER, i]), v[UPPER, i])
    return DONE if keeps else REPAIR
