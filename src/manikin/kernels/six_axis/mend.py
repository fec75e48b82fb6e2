"""Rows of six angles checked by forward kinematics, and mended where digits were lost.

The true lines of the chain count here, so that a chain that is only nearly of its kind is solved exactly as well.
Newton's method with the geometric Jacobian, whose columns are (hⱼ × (p − oⱼ), hⱼ), of a slide (hⱼ, 0); its system is
solved by elimination with full pivoting, which leaves out what a singular place does not determine.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.vector import applied, combined, cross, product, transposed, vector
from manikin.kernels.memory.stack import stack1, stack2
from manikin.kernels.six_axis.six_axis import AXES, SIZE, SLIDES, WAYS

_STEPS = 6


@kernel
def _put(rows, i, v):
    rows[i, 0] = v[0]
    rows[i, 1] = v[1]
    rows[i, 2] = v[2]


@kernel
def _turned(a, h, w, s, c):
    """A · R(h, q): each row x of A becomes c x + (1 − c)(x·h) h − s h × x; w = A h are those x·h."""
    d = 1.0 - c
    f = d * w[0]
    g = d * w[1]
    k = d * w[2]
    x = h[0]
    y = h[1]
    z = h[2]
    return (
        c * a[0] + f * x - s * (y * a[2] - z * a[1]),
        c * a[1] + f * y - s * (z * a[0] - x * a[2]),
        c * a[2] + f * z - s * (x * a[1] - y * a[0]),
        c * a[3] + g * x - s * (y * a[5] - z * a[4]),
        c * a[4] + g * y - s * (z * a[3] - x * a[5]),
        c * a[5] + g * z - s * (x * a[4] - y * a[3]),
        c * a[6] + k * x - s * (y * a[8] - z * a[7]),
        c * a[7] + k * y - s * (z * a[6] - x * a[8]),
        c * a[8] + k * z - s * (x * a[7] - y * a[6]),
    )


@kernel
def slides(spec, j):
    """Whether axis j slides. A chain that is read from its end has none that does."""
    return spec[SLIDES + j] != 0.0


@kernel
def _missing(spec, r, p, q, work):
    """How far axis values are from (R, p), the larger of metres and radians; of an arm longer than 1, parts of its
    size.

    work (14, 3): the axes, the points, then the way and the turn that are missing.
    """
    sines = stack2(6, 2)
    for j in range(6):
        sines[j, 0], sines[j, 1] = sincos(q[j])
    at = (0.0, 0.0, 0.0)
    now = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    for j in range(6):
        at = combined(at, 1.0, applied(now, vector(spec, WAYS + 3 * j)), 1.0)
        h = vector(spec, AXES + 3 * j)
        axis = applied(now, h)
        _put(work, j, axis)
        _put(work, 6 + j, at)
        if slides(spec, j):
            at = combined(at, 1.0, axis, q[j])
            continue
        now = _turned(now, h, axis, sines[j, 0], sines[j, 1])
    way = combined(p, 1.0, combined(at, 1.0, applied(now, vector(spec, WAYS + 18)), 1.0), -1.0)
    left = product(r, transposed(now))
    away = (0.5 * (left[7] - left[5]), 0.5 * (left[2] - left[6]), 0.5 * (left[3] - left[1]))
    _put(work, 12, way)
    _put(work, 13, away)
    # The sine of a turn tells nothing where it is more than a quarter.
    if not left[0] + left[4] + left[8] > 1.0:
        return math.inf
    worst = 0.0
    for i in range(2):
        unit = 1.0 / max(1.0, spec[SIZE]) if i == 0 else 1.0
        for k in range(3):
            x = abs(work[12 + i, k]) * unit
            # A NaN is worse than anything, and stays.
            if not (x <= worst or worst != worst):
                worst = x
    return worst


@kernel
def _step(spec, p, work, step):
    """Newton's step towards what is missing, the last of `_missing`'s work being for (R, p)."""
    system = stack2(6, 7)
    tip = (p[0] - work[12, 0], p[1] - work[12, 1], p[2] - work[12, 2])
    for j in range(6):
        h = (work[j, 0], work[j, 1], work[j, 2])
        w = cross(h, (tip[0] - work[6 + j, 0], tip[1] - work[6 + j, 1], tip[2] - work[6 + j, 2]))
        turns = 1.0
        if slides(spec, j):
            w = h
            turns = 0.0
        system[0, j] = w[0]
        system[1, j] = w[1]
        system[2, j] = w[2]
        system[3, j] = turns * h[0]
        system[4, j] = turns * h[1]
        system[5, j] = turns * h[2]
    for k in range(3):
        system[k, 6] = work[12, k]
        system[3 + k, 6] = work[13, k]
    _eliminate(system, step)


@kernel
def _eliminate(system, x):
    """Solve the 6×6 system with its right side in column 6, full pivoting; unknowns without a pivot are zero."""
    order = stack1(6)
    first = 0.0
    rank = 6
    for j in range(6):
        order[j] = j
        x[j] = 0.0
    for k in range(6):
        row = k
        column = k
        most = 0.0
        for i in range(k, 6):
            for j in range(k, 6):
                if abs(system[i, j]) > most:
                    most = abs(system[i, j])
                    row = i
                    column = j
        if k == 0:
            first = most
        if not most > 1e-9 * first:
            rank = k
            break
        for j in range(7):
            system[k, j], system[row, j] = system[row, j], system[k, j]
        for i in range(6):
            system[i, k], system[i, column] = system[i, column], system[i, k]
        order[k], order[column] = order[column], order[k]
        for i in range(k + 1, 6):
            f = system[i, k] / system[k, k]
            for j in range(k, 7):
                system[i, j] -= f * system[k, j]
    for k in range(rank - 1, -1, -1):
        value = system[k, 6]
        for j in range(k + 1, rank):
            value -= system[k, j] * x[int(order[j])]
        x[int(order[k])] = value / system[k, k]


@kernel
def mend(spec, r, p, q, enough):
    """Bring axis values to (R, p) by Newton's method, if they are near; returns what they then miss by."""
    work = stack2(14, 3)
    miss = _missing(spec, r, p, q, work)
    if miss < enough or not miss < 1e-2:
        return miss
    step = stack1(6)
    best = stack1(6)
    least = math.inf
    for _ in range(_STEPS):
        if not miss < least:
            break
        least = miss
        for j in range(6):
            best[j] = q[j]
        if miss < enough:
            break
        _step(spec, p, work, step)
        for j in range(6):
            q[j] += step[j]
        miss = _missing(spec, r, p, q, work)
    if miss < least:
        return miss
    for j in range(6):
        q[j] = best[j]
    return least
