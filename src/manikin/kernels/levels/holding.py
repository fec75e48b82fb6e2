"""What holds a step: coordinates on their ends, and rows on theirs, made orthonormal.

A set is guessed from what touches its end, changed by what pulls (its multiplier has the wrong sign) and by what a
step would break. With N the normals of the held rows over the free coordinates, N = T Q, Q orthonormal: multipliers are
least squares by Q, and so is the way back to the rows. A row that those before imply has no place in Q.

ON says on which end a row is held: −1, 1, `EQUAL` where both are one, 0 where it is not.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.layout import (
    AT_END,
    COUNT,
    FIXED,
    FREE,
    LOWER,
    RANK,
    SCALE,
    SIZE,
    SLOPE,
    UPPER,
    X_NEW,
    B,
    D,
    E,
    X,
)

EQUAL = 2.0
# A row with less room than this is on its end; a range no wider than this is one value.
_ON = 1e-9
# Of the square of a normal, what is left of it when those before imply it.
_DEPENDENT, _SHORTEST = 1e-12, 1e-20
# By how much a step may break a row or range before that is held.
_BROKEN = 1e-12
# Changes of what holds a way back, and those that may let go.
_BACK_PASSES, _DROPS = 8, 4
# Of the slope, a multiplier that pulls.
_NOISE = 1e-9


@kernel
def touch(w):
    """Hold what is on its end at X."""
    v = w.vector
    for i in range(v.shape[1]):
        v[FREE, i] = 1.0 if v[LOWER, i] < v[X, i] < v[UPPER, i] else 0.0
        v[FIXED, i] = 0.0
    for c in range(int(w.state[COUNT])):
        on = 0.0
        if w.high[c] - w.low[c] <= _ON:
            on = EQUAL
        elif w.low[c] > -_ON:
            on = -1.0
        elif w.high[c] < _ON:
            on = 1.0
        w.on[c] = on


@kernel
def hold_equalities(w):
    """Hold the rows whose ends are one, and no coordinate."""
    v = w.vector
    for i in range(v.shape[1]):
        v[FREE, i] = 1.0
    for c in range(int(w.state[COUNT])):
        w.on[c] = EQUAL if w.high[c] - w.low[c] <= _ON else 0.0


@kernel
def way_to_end(w, c):
    """How far row c, which is held, has to go."""
    if w.on[c] < 0.0:
        return w.low[c]
    if w.on[c] == EQUAL:
        return min(max(0.0, w.low[c]), w.high[c])
    return w.high[c]


@kernel
def _next_of_basis(w, c, rank, size):
    """Make row c orthonormal to the ``rank`` rows of the basis; whether it is one more."""
    row = w.basis[rank]
    own = w.triangular[rank]
    normal = w.A[c]
    before = 0.0
    for a in range(size):
        row[a] = normal[int(w.free_at[a])]
        before += row[a] * row[a]
    for j in range(rank):
        own[j] = 0.0
    for _ in range(2):
        for j in range(rank):
            other = w.basis[j]
            s = 0.0
            for a in range(size):
                s += row[a] * other[a]
            own[j] += s
            for a in range(size):
                row[a] -= s * other[a]
    square = 0.0
    for a in range(size):
        square += row[a] * row[a]
    if not (square > _DEPENDENT * before and square > _SHORTEST):
        return False
    own[rank] = math.sqrt(square)
    for a in range(size):
        row[a] /= own[rank]
    return True


@kernel
def orthonormalise(w):
    """FREE_AT: the free coordinates; basis and triangle of the held rows over them, equalities first; ROW_OF each."""
    v = w.vector
    size = 0
    for i in range(v.shape[1]):
        if v[FREE, i] != 0.0:
            w.free_at[size] = i
            size += 1
    rank = 0
    for equal in range(2):
        for c in range(int(w.state[COUNT])):
            if w.on[c] == 0.0 or (w.on[c] == EQUAL) != (equal == 0) or rank == size:
                continue
            if _next_of_basis(w, c, rank, size):
                w.row_of[rank] = c
                rank += 1
    w.state[SIZE] = size
    w.state[RANK] = rank


@kernel
def _find_pushes(w):
    """PUSH u of every row from BY_BASIS, which is lost: Nᵀ u = Qᵀ (by basis)."""
    for c in range(int(w.state[COUNT])):
        w.push[c] = 0.0
    for k in range(int(w.state[RANK]) - 1, -1, -1):
        u = w.by_basis[k] / w.triangular[k, k]
        for j in range(k):
            w.by_basis[j] -= u * w.triangular[k, j]
        w.push[int(w.row_of[k])] = u


@kernel
def find_multipliers(w):
    """PUSH of the rows by least squares, and the slope that they leave, B − Nᵀ u; returns its largest free entry."""
    v = w.vector
    n = v.shape[1]
    size = int(w.state[SIZE])
    rank = int(w.state[RANK])
    for k in range(rank):
        s = 0.0
        for a in range(size):
            s += w.basis[k, a] * v[B, int(w.free_at[a])]
        w.by_basis[k] = s
    for i in range(n):
        v[SLOPE, i] = v[B, i]
    _find_pushes(w)
    for k in range(rank):
        c = int(w.row_of[k])
        u = w.push[c]
        row = w.A[c]
        for i in range(n):
            v[SLOPE, i] -= u * row[i]
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(v[SLOPE, i]) * v[FREE, i])
    return largest


@kernel
def note_forces(w):
    """What holds the point: the force of each measure, multipliers of linear rows, and of coordinates at an end."""
    v = w.vector
    for r in range(w.force.shape[0]):
        w.force[r] = 0.0
    for k in range(w.linear.shape[0]):
        w.linear[k] = 0.0
    for c in range(int(w.state[COUNT])):
        owner = int(w.owner[c])
        if owner >= 0:
            w.force[owner] = -w.push[c]
        else:
            w.linear[-1 - owner] = w.push[c]
    for i in range(v.shape[1]):
        v[AT_END, i] = v[SLOPE, i] / v[SCALE, i] if v[FREE, i] == 0.0 else 0.0


@kernel
def let_go(w, least):
    """Let go of what pulls by more than ``least``; whether something did."""
    v = w.vector
    found = False
    for c in range(int(w.state[COUNT])):
        if w.on[c] != 0.0 and w.on[c] != EQUAL and w.push[c] * w.on[c] > least:
            w.on[c] = 0.0
            found = True
    for i in range(v.shape[1]):
        if v[FREE, i] != 0.0 or v[LOWER, i] >= v[UPPER, i]:
            continue
        s = v[SLOPE, i]
        if (v[X, i] <= v[LOWER, i] and s < -least) or (v[X, i] >= v[UPPER, i] and s > least):
            v[FREE, i] = 1.0
            found = True
    return found


@kernel
def _hold_ranges(w, x, d):
    """Hold the coordinates that the step d from x takes out of their ranges; whether there are any."""
    v = w.vector
    found = False
    for i in range(v.shape[1]):
        if v[FREE, i] == 0.0:
            continue
        y = x[i] + d[i] * v[SCALE, i]
        if v[LOWER, i] <= y <= v[UPPER, i]:
            continue
        end = v[LOWER, i] if y < v[LOWER, i] else v[UPPER, i]
        v[FIXED, i] = (end - x[i]) / v[SCALE, i]
        v[FREE, i] = 0.0
        found = True
    return found


@kernel
def _broken_by(w, c, d):
    """By how much the step d breaks row c: below 0 at its lower end."""
    row = w.A[c]
    s = 0.0
    for i in range(row.shape[0]):
        s += row[i] * d[i]
    low = w.low[c] - s
    high = s - w.high[c]
    return high if high > _BROKEN else -low if low > _BROKEN else 0.0


@kernel
def _hold_rows(w, d):
    """Hold the rows that the step d breaks, of the edges of one support the one that it breaks most: another may not be
    broken then. Whether there are any."""
    found = False
    worst = 0.0
    which = -1
    count = int(w.state[COUNT])
    for c in range(count):
        by = _broken_by(w, c, d) if w.on[c] == 0.0 else 0.0
        if by != 0.0:
            found = True
            if w.support[c] < 0.0:
                w.on[c] = -1.0 if by < 0.0 else 1.0
            elif abs(by) > abs(worst):
                worst = by
                which = c
        last = c + 1 == count or w.support[c + 1] != w.support[c]
        if last and which >= 0:
            w.on[which] = -1.0 if worst < 0.0 else 1.0
            worst = 0.0
            which = -1
    return found


@kernel
def hold_broken(w):
    """Hold what the step D breaks; whether something did."""
    v = w.vector
    ranges = _hold_ranges(w, v[X], v[D])
    rows = _hold_rows(w, v[D])
    return ranges or rows


@kernel
def shortest(w, to):
    """``to``: what is fixed of a step, and the least of the free coordinates that brings each row to its end."""
    v = w.vector
    n = v.shape[1]
    for i in range(n):
        to[i] = v[FIXED, i]
    for k in range(int(w.state[RANK])):
        c = int(w.row_of[k])
        t = way_to_end(w, c)
        row = w.A[c]
        for i in range(n):
            t -= row[i] * v[FIXED, i]
        for j in range(k):
            t -= w.triangular[k, j] * w.by_basis[j]
        w.by_basis[k] = t / w.triangular[k, k]
    for k in range(int(w.state[RANK])):
        t = w.by_basis[k]
        if t != 0.0:
            q = w.basis[k]
            for a in range(int(w.state[SIZE])):
                to[int(w.free_at[a])] += t * q[a]


@kernel
def drop_by_model(w, damping):
    """Let go of what pulls at the model's lowest point D; whether there is anything."""
    v = w.vector
    n = v.shape[1]
    size = int(w.state[SIZE])
    m = v[E]
    largest = 0.0
    for i in range(n):
        s = v[B, i] + damping * v[D, i]
        row = w.hessian[i]
        for j in range(n):
            s += row[j] * v[D, j]
        m[i] = s
        largest = max(largest, abs(v[B, i]))
    for k in range(int(w.state[RANK])):
        q = w.basis[k]
        s = 0.0
        for a in range(size):
            s += q[a] * m[int(w.free_at[a])]
        w.by_basis[k] = s
    _find_pushes(w)
    for k in range(int(w.state[RANK])):
        c = int(w.row_of[k])
        u = w.push[c]
        row = w.A[c]
        for i in range(n):
            m[i] -= u * row[i]
    noise = _NOISE * largest
    found = False
    for c in range(int(w.state[COUNT])):
        if w.on[c] != 0.0 and w.on[c] != EQUAL and w.push[c] * w.on[c] > noise:
            w.on[c] = 0.0
            found = True
    for i in range(n):
        if v[FREE, i] != 0.0 or v[LOWER, i] >= v[UPPER, i]:
            continue
        at_lower = v[X, i] + v[FIXED, i] * v[SCALE, i] < 0.5 * (v[LOWER, i] + v[UPPER, i])
        if (at_lower and m[i] < -noise) or (not at_lower and m[i] > noise):
            v[FREE, i] = 1.0
            v[FIXED, i] = 0.0
            found = True
    return found


@kernel
def _drop_pulling(w):
    """Let go of the rows that the shortest step would rather leave; whether there are any."""
    _find_pushes(w)
    found = False
    for c in range(int(w.state[COUNT])):
        if w.on[c] != 0.0 and w.on[c] != EQUAL and w.push[c] * w.on[c] > 0.0:
            w.on[c] = 0.0
            found = True
    return found


@kernel
def step_back(w, changes):
    """The shortest step E from X_NEW, within the ranges, to the ends of the rows that are held.

    If what is held ``changes``: to what is broken, without the rows that such a step would rather leave.
    """
    v = w.vector
    if changes:
        for i in range(v.shape[1]):
            v[E, i] = 0.0
        for c in range(int(w.state[COUNT])):
            if w.on[c] != EQUAL:
                w.on[c] = 0.0
        _hold_rows(w, v[E])
    for i in range(v.shape[1]):
        v[FIXED, i] = 0.0
    for k in range(_BACK_PASSES):
        orthonormalise(w)
        shortest(w, v[E])
        if changes and k < _DROPS and _drop_pulling(w):
            continue
        ranges = _hold_ranges(w, v[X_NEW], v[E])
        rows = changes and _hold_rows(w, v[E])
        if not (ranges or rows):
            return
