"""Second order: is a stationary point really least, over what is free and what is only just held?

A straight leg, a frame turned by 180°, an aim exactly backwards: the slope is zero, and the way out is a direction of
negative curvature. Whether there is one is told by a Cholesky factorisation of the second derivatives inside the active
rows. Coordinates that sit on their range with no multiplier may move, inwards, and so take part. Which way to go is
chosen in `solvers.methods.escape`: it is rarely asked, and a matter of judgement.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.state import ACTIVE_ROWS, DONE, PROPOSE, STATIONARY, STATUS, TASK
from manikin.kernels.projection.active_set import (
    ACTIVE,
    EQUAL,
    FREE,
    LOWER,
    MARK,
    RHO,
    SIDE,
    STEP,
    TEMP,
    UPPER,
    X,
    multipliers,
)
from manikin.kernels.projection.projection import begin_escape, negligible

# Curvature less negative than this, of the largest, is taken for zero.
FLAT = 1e-6
# A range is touched within this.
_TOUCH = 1e-12
# Marks of coordinates: inside their range; at it with no multiplier; held.
INSIDE = 1.0
WEAK = -1.0
HELD = 0.0


@kernel
def reduce_hessian(tree, variable, identity, by_value, place, reduced):
    """Second derivatives by the variables from those by the axis values: Dᵀ (·) D.

    ``place`` is scratch of one number a degree of freedom: where in the variables it is, or −1.
    """
    n = variable.shape[0]
    if identity:
        for i in range(n):
            for j in range(n):
                reduced[i, j] = by_value[variable[i], variable[j]]
        return
    for k in range(place.shape[0]):
        place[k] = -1.0
    for i in range(n):
        place[variable[i]] = i
        for j in range(n):
            reduced[i, j] = 0.0
    for s in range(tree.drive_axis.shape[0]):
        i = int(place[tree.drive_dof[s]])
        if i < 0:
            continue
        for t in range(tree.drive_axis.shape[0]):
            j = int(place[tree.drive_dof[t]])
            if j >= 0:
                product = tree.drive_coefficient[s] * tree.drive_coefficient[t]
                reduced[i, j] += product * by_value[tree.drive_axis[s], tree.drive_axis[t]]


@kernel
def _orthonormal_rows(work, mask):
    """Active rows over the masked coordinates, orthonormal, into ``basis``; returns how many are independent."""
    count = 0
    for p in range(int(work.state[ACTIVE_ROWS])):
        a = work.rows[int(work.row[ACTIVE, p])]
        z = work.basis[count]
        for j in range(z.shape[0]):
            z[j] = a[j] if mask[j] != 0.0 else 0.0
        for _ in range(2):
            for q in range(count):
                b = work.basis[q]
                s = 0.0
                for j in range(z.shape[0]):
                    s += z[j] * b[j]
                for j in range(z.shape[0]):
                    z[j] -= s * b[j]
        s = 0.0
        for j in range(z.shape[0]):
            s += z[j] * z[j]
        if s > 1e-9:
            s = 1.0 / math.sqrt(s)
            for j in range(z.shape[0]):
                z[j] *= s
            count += 1
    return count


@kernel
def _project_out(C, z, h, stiff):
    """C ← (I − zzᵀ) C (I − zzᵀ) + stiff · zzᵀ for a unit vector z."""
    n = C.shape[0]
    zhz = 0.0
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += C[i, j] * z[j]
        h[i] = s
        zhz += s * z[i]
    for i in range(n):
        for j in range(n):
            C[i, j] += (zhz + stiff) * z[i] * z[j] - h[i] * z[j] - z[i] * h[j]


@kernel
def _factorises(C):
    """Whether the symmetric matrix C is positive definite; it is overwritten."""
    n = C.shape[0]
    for a in range(n):
        for b in range(a):
            s = C[a, b]
            for c in range(b):
                s -= C[a, c] * C[b, c]
            C[a, b] = s / C[b, b]
        s = C[a, a]
        for c in range(a):
            s -= C[a, c] * C[a, c]
        if s <= 0.0:
            return False
        C[a, a] = math.sqrt(s)
    return True


@kernel
def _mark(work):
    """Mark every coordinate as inside its range, weakly held, or held."""
    st = work.state
    v = work.vector
    multipliers(work, int(st[ACTIVE_ROWS]))
    small = 10.0 * negligible(work)
    for j in range(v.shape[1]):
        touched = v[X, j] <= v[LOWER, j] + _TOUCH or v[X, j] >= v[UPPER, j] - _TOUCH
        v[MARK, j] = HELD
        if v[SIDE, j] == FREE and not touched:
            v[MARK, j] = INSIDE
        elif touched and v[SIDE, j] != EQUAL and abs(v[RHO, j]) <= small:
            v[MARK, j] = WEAK


@kernel
def is_saddle(work):
    """At a first-order stationary point, with its second derivatives in ``curve[0]``: is any of them negative?

    Marks the coordinates. The method is DONE, stationary, unless told to set out.
    """
    work.state[STATUS] = STATIONARY
    work.state[TASK] = DONE
    _mark(work)
    H = work.curve[0]
    C = work.curve[1]
    mask = work.vector[MARK]
    n = H.shape[0]
    largest = 0.0
    for i in range(n):
        for j in range(n):
            moves = mask[i] != HELD and mask[j] != HELD
            C[i, j] = H[i, j] if moves else 0.0
            largest = max(largest, abs(C[i, j]))
    if largest == 0.0:
        return False
    for i in range(n):
        if mask[i] == HELD:
            C[i, i] = largest
    for q in range(_orthonormal_rows(work, mask)):
        _project_out(C, work.basis[q], work.vector[TEMP], largest)
    for i in range(n):
        C[i, i] += FLAT * largest
    return not _factorises(C)


@kernel
def set_out(work, curvature):
    """Leave along STEP, a direction of this (negative) curvature: what it moves is no longer held."""
    v = work.vector
    for j in range(v.shape[1]):
        if v[SIDE, j] != EQUAL and v[STEP, j] != 0.0:
            v[SIDE, j] = FREE
    begin_escape(work, curvature)
    work.state[TASK] = PROPOSE
