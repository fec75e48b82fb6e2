"""The nearest point to a start that satisfies every linear constraint.

The dual method of Goldfarb and Idnani for min ½‖x − x₀‖²: begin at x₀ with nothing held, take up the most violated
constraint, move until it holds, letting go of those whose multiplier would turn negative on the way. It ends at
the projection of x₀, or proves that there is no such point: no direction is left and no multiplier gives way.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.projection.active_set import (
    EQUAL,
    FREE,
    LOWER,
    ROW_LOWER,
    ROW_SIDE,
    ROW_UPPER,
    UPPER,
    X,
)

# Violations smaller than this are rounding (unit normals: metres or radians).
ROUNDING = 1e-13
_DEPENDENT = 1e-15
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
        a = work.rows[r]
        value = 0.0
        for j in range(n):
            value += a[j] * v[X, j]
        amount, at = _violation(value, work.row[ROW_LOWER, r], work.row[ROW_UPPER, r])
        if amount > worst:
            worst = amount
            which = n + r
            side = at
    return worst, which, side


@kernel
def _normal(work, which, side, out):
    """Normal that points outwards: the constraint is out·x ≤ end."""
    n = work.vector.shape[1]
    for j in range(n):
        out[j] = 0.0
    if which < n:
        out[which] = side
    else:
        for j in range(n):
            out[j] = side * work.rows[which - n, j]


@kernel
def _is_equality(work, which):
    n = work.vector.shape[1]
    if which < n:
        return work.vector[LOWER, which] == work.vector[UPPER, which]
    return work.row[ROW_LOWER, which - n] == work.row[ROW_UPPER, which - n]


@kernel
def _directions(Q, R, count, normal, r, z):
    """r = R⁻¹ Qᵀ normal and z = (I − QQᵀ) normal, the held normals being QR; returns z·z."""
    n = Q.shape[1]
    for j in range(n):
        z[j] = normal[j]
    for p in range(count):
        r[p] = 0.0
    for _ in range(2):  # twice: once loses digits when the normal nearly depends on the held ones
        for p in range(count):
            s = 0.0
            for j in range(n):
                s += Q[p, j] * z[j]
            r[p] += s
            for j in range(n):
                z[j] -= s * Q[p, j]
    square = 0.0
    for j in range(n):
        square += z[j] * z[j]
    if count < n:
        for p in range(count):
            R[p, count] = r[p]
    for p in range(count - 1, -1, -1):
        s = r[p]
        for q in range(p + 1, count):
            s -= R[p, q] * r[q]
        r[p] = s / R[p, p]
    return square


@kernel
def _rebuild(work, held, sides, count, Q, R, normal):
    """Orthonormalise the held normals again, after one was let go."""
    n = Q.shape[1]
    for p in range(count):
        _normal(work, int(held[p]), sides[p], normal)
        for j in range(n):
            Q[p, j] = normal[j]
        for q in range(p):
            R[q, p] = 0.0
        for _ in range(2):
            for q in range(p):
                s = 0.0
                for j in range(n):
                    s += Q[q, j] * Q[p, j]
                R[q, p] += s
                for j in range(n):
                    Q[p, j] -= s * Q[q, j]
        s = 0.0
        for j in range(n):
            s += Q[p, j] * Q[p, j]
        R[p, p] = math.sqrt(s)
        for j in range(n):
            Q[p, j] /= R[p, p]


@kernel
def _first_to_give_way(work, held, count, u, r):
    """Smallest step at which a held inequality's multiplier reaches zero, and its place."""
    shortest = math.inf
    place = -1
    for p in range(count):
        if r[p] > 1e-14 and not _is_equality(work, int(held[p])) and u[p] / r[p] < shortest:
            shortest = u[p] / r[p]
            place = p
    return shortest, place


@kernel
def nearest_feasible(work, Q, R):
    """Move X to the nearest point that satisfies every constraint; False when there is none.

    Q and R (n × n) are workspace: the held normals, orthonormal by rows, and the triangle that makes them so.
    """
    v = work.vector
    n = v.shape[1]
    vectors = work.dual
    held = vectors[6]
    normal, z, r, u, sides = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    count = 0
    for _ in range(50 * (n + work.rows.shape[0]) + 50):
        amount, which, side = worst_violation(work)
        if amount <= ROUNDING:
            return True
        _normal(work, which, side, normal)
        taken = 0.0
        # Every round but the last lets go of a held normal, and there are at most n.
        for _letting_go in range(n + 1):
            square = _directions(Q, R, count, normal, r, z)
            open_way = square > _DEPENDENT and count < n
            t_dual, place = _first_to_give_way(work, held, count, u, r)
            t_primal = amount / square if open_way else math.inf
            t = min(t_dual, t_primal)
            if not t < math.inf:
                return False
            for p in range(count):
                u[p] -= t * r[p]
            taken += t
            if open_way:
                for j in range(n):
                    v[X, j] -= t * z[j]
                amount -= t * square
            if open_way and t == t_primal:
                length = math.sqrt(square)
                R[count, count] = length
                for j in range(n):
                    Q[count, j] = z[j] / length
                held[count] = which
                sides[count] = side
                u[count] = taken
                count += 1
                break
            for p in range(place, count - 1):
                held[p] = held[p + 1]
                sides[p] = sides[p + 1]
                u[p] = u[p + 1]
            count -= 1
            _rebuild(work, held, sides, count, Q, R, vectors[5])
    return False


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
        fixed = 0.0
        whole = 0.0
        for j in range(q.shape[0]):
            fixed += space.row[r, j] * q[j]
            whole += space.row[r, j] * space.row[r, j]
        square = 0.0
        for i in range(n):
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
        for i in range(n):
            a[i] *= scale
        work.row[ROW_LOWER, r] = low * scale
        work.row[ROW_UPPER, r] = high * scale
        work.row[ROW_SIDE, r] = EQUAL if low == high else FREE
        if low == high and not _made_orthogonal(work, r):
            return False
    return True
