"""Second order: is a stationary point really least, over what is free and what is only just held?

A straight leg, a frame turned by 180°, an aim exactly backwards: the slope is zero, and the way out is a direction
of negative curvature. It is looked for by a Cholesky factorisation of the second derivatives, inside the active
rows: where a pivot comes out negative, the factor gives the direction. Coordinates that sit on their range with no
multiplier may move inwards: each is tried alone with the free ones, then all together.
"""

from __future__ import annotations

import math

from manikin.kernels.active_set import (
    ACTIVE,
    EQUAL,
    FREE,
    LOWER,
    MASK,
    OTHER,
    RHO,
    SIDE,
    STEP,
    TEMP,
    UPPER,
    G,
    X,
    multipliers,
)
from manikin.kernels.jit import kernel
from manikin.kernels.projection import (
    _MOST_ESCAPES,
    ACTIVE_ROWS,
    DONE,
    ESCAPES,
    GRADIENT_TOLERANCE,
    POTENTIAL,
    PROPOSE,
    STATIONARY,
    STATUS,
    begin_escape,
)

# Curvature less negative than this, of the largest, is taken for zero.
_FLAT = 1e-6
_TOUCH = 1e-12


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
def _negative_pivot(C, n, d):
    """Factorise C in place; at the first pivot that is not positive put the direction into d and return it."""
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
            for j in range(n):
                d[j] = 0.0
            d[a] = 1.0
            for b in range(a - 1, -1, -1):
                t = -C[a, b]
                for c in range(b + 1, a):
                    t -= C[c, b] * d[c]
                d[b] = t / C[b, b]
            return s
        C[a, a] = math.sqrt(s)
    return 1.0


@kernel(inline=True)
def _negative_curvature(work, mask):
    """Direction of negative curvature over the masked coordinates and inside the active rows, into STEP.

    Returns its curvature, or 0 when there is none.
    """
    H = work.curve[0]
    C = work.curve[1]
    d = work.vector[STEP]
    n = H.shape[0]
    largest = 0.0
    for i in range(n):
        if mask[i] != 0.0:
            for j in range(n):
                if mask[j] != 0.0:
                    largest = max(largest, abs(H[i, j]))
    if largest == 0.0:
        return 0.0
    for i in range(n):
        for j in range(n):
            C[i, j] = H[i, j] if mask[i] != 0.0 and mask[j] != 0.0 else 0.0
        if mask[i] == 0.0:
            C[i, i] = largest
    count = _orthonormal_rows(work, mask)
    for q in range(count):
        _project_out(C, work.basis[q], work.vector[TEMP], largest)
    for i in range(n):
        C[i, i] += _FLAT * largest
    if _negative_pivot(C, n, d) > 0.0:
        return 0.0
    for q in range(count):
        z = work.basis[q]
        s = 0.0
        for j in range(n):
            s += z[j] * d[j]
        for j in range(n):
            d[j] -= s * z[j]
    for j in range(n):
        if mask[j] == 0.0:
            d[j] = 0.0
    curvature = 0.0
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += H[i, j] * d[j]
        curvature += s * d[i]
    return curvature


@kernel
def _room(work, sign):
    """How far STEP may go with this sign before the first range, rows aside; 0 where a touched range blocks it."""
    v = work.vector
    room = 1e30
    for j in range(v.shape[1]):
        s = sign * v[STEP, j]
        if s > 1e-12:
            room = min(room, (v[UPPER, j] - v[X, j]) / s)
        elif s < -1e-12:
            room = min(room, (v[LOWER, j] - v[X, j]) / s)
    return max(room, 0.0)


@kernel(inline=True)
def _set_out(work, curvature):
    """Turn STEP the way that has room, downhill if either does, and start; DONE when neither way is open."""
    v = work.vector
    slope = 0.0
    for j in range(v.shape[1]):
        slope += v[G, j] * v[STEP, j]
    forth = _room(work, 1.0)
    back = _room(work, -1.0)
    if max(forth, back) < 1e-9:
        return DONE
    sign = 1.0 if forth >= back else -1.0
    if slope < 0.0 and forth > 1e-3 * back:
        sign = 1.0
    elif slope > 0.0 and back > 1e-3 * forth:
        sign = -1.0
    for j in range(v.shape[1]):
        v[STEP, j] *= sign
        if v[SIDE, j] != EQUAL and v[STEP, j] != 0.0:
            v[SIDE, j] = FREE
    begin_escape(work, curvature)
    return PROPOSE


@kernel(inline=True)
def _mark(work):
    """OTHER = 1 for coordinates inside their range, −1 for those at it with no multiplier, 0 for the rest."""
    st = work.state
    v = work.vector
    small = 10.0 * st[GRADIENT_TOLERANCE] * (1.0 + st[POTENTIAL])
    weak = 0
    for j in range(v.shape[1]):
        touched = v[X, j] <= v[LOWER, j] + _TOUCH or v[X, j] >= v[UPPER, j] - _TOUCH
        v[OTHER, j] = 0.0
        if v[SIDE, j] == FREE and not touched:
            v[OTHER, j] = 1.0
        elif touched and v[SIDE, j] != EQUAL and abs(v[RHO, j]) <= small:
            v[OTHER, j] = -1.0
            weak += 1
    return weak


@kernel
def leave(work):
    """At a first-order stationary point, with its second derivatives in ``curve[0]``: the next task.

    Try the free coordinates, then each weakly held one with them, then all of those together.
    """
    st = work.state
    v = work.vector
    n = v.shape[1]
    st[STATUS] = STATIONARY
    if st[ESCAPES] >= _MOST_ESCAPES:
        return DONE
    multipliers(work, int(st[ACTIVE_ROWS]))
    weak = _mark(work)
    mask = v[MASK]
    tries = 1 if weak == 0 else n + 2
    for trial in range(tries):
        alone = trial - 1
        if 0 < trial <= n and v[OTHER, alone] >= 0.0:
            continue
        for j in range(n):
            chosen = v[OTHER, j] < 0.0 and (j == alone or trial == n + 1)
            mask[j] = 1.0 if v[OTHER, j] > 0.0 or chosen else 0.0
        curvature = _negative_curvature(work, mask)
        if curvature < 0.0 and _set_out(work, curvature) == PROPOSE:
            return PROPOSE
    return DONE
