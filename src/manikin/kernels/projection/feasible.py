"""The nearest point to a start that satisfies every linear constraint.

The quadratic program of `math.quadratic` with H = I, min ½‖x − x₀‖²: it ends at the projection of x₀, or proves that
there is no such point: no direction is left and no multiplier gives way.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.quadratic import SOLVED, Quadratic, bring_in, identity
from manikin.kernels.projection.active_set import (
    EQUAL,
    FREE,
    LOWER,
    ROW_BEGIN,
    ROW_END,
    ROW_LOWER,
    ROW_SIDE,
    ROW_UPPER,
    UPPER,
    X,
)

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
    status, _ = bring_in(
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
