"""Residual rows and their Jacobian by the variables, for one pose or for four in lanes.

The rows of `rows`, with two differences. An AXES term that minds all axes alike has three rows instead of nine,

    e = 2 w c vec(q),   q the unit quaternion of the turn from the target to the site, its scalar part s ≥ 0,

whose square is the same w c² (2 sin θ/2)²; for a turn of the site at the rate ω, de = w c (s ω + ½ ω × 2 vec(q)).
And the columns are the variables (times the root of their metric, so that a stiff joint moves less), each axis value
handing its column on to those that drive it (`Ties`).

Rows come in *strips* of three (a PLANE fills up with two rows of zeros), and of each strip only the columns that its
motion depends on are kept, those nearest to the root first: a foot's rows know nothing of the arms. Two strips have
their first columns in common, or, on different limbs of a figure that is fixed to the ground, none.
"""

from __future__ import annotations

import math
from collections import namedtuple

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lanes import select
from manikin.kernels.rows.terms import (
    _NO_DIRECTION,
    AIM,
    AXES,
    AXIS_WEIGHTS,
    PLANE,
    STOP,
    TARGET,
    TARGET_AXES,
    WEIGHT,
    point_error,
    site_axis,
    site_point,
)
from manikin.kernels.search.columns import aim_columns, point_columns, turn_columns

# Below this scalar part (θ within 2e-4 of a half turn) the quaternion's vector is not got from the sine of θ.
_HALF_TURN = 1e-4

#: Strips of all terms that are switched on, and how many of their rows are not filled up with zeros.
Rows = namedtuple("Rows", "strips count")


@kernel
def minds_all_alike(parameters, t):
    """Whether an AXES term has equal weights: three rows do."""
    a = parameters[t, AXIS_WEIGHTS]
    return a == parameters[t, AXIS_WEIGHTS + 1] and a == parameters[t, AXIS_WEIGHTS + 2]


@kernel
def _strips(terms, t):
    """Strips of a term, at present."""
    parameters = terms.parameters
    if parameters[t, WEIGHT] == 0.0:
        return 0
    if terms.kind[t] != AXES or minds_all_alike(parameters, t):
        return 1
    count = 0
    for k in range(3):
        if parameters[t, AXIS_WEIGHTS + k] > 0.0:
            count += 1
    return count


@kernel
def lay_rows(terms, ties, blocks):
    """Lay out the strips of all terms that are switched on: their blocks, and where their groups begin."""
    strips = 0
    count = 0
    first = 0
    group = -1
    for p in range(ties.order.shape[0]):
        t = ties.order[p]
        own = _strips(terms, t)
        if own > 0 and blocks.group[p] != group:
            group = blocks.group[p]
            first = strips
        for s in range(strips, strips + own):
            blocks.strip[s] = blocks.of_term[p]
            blocks.first[s] = first
        strips += own
        count += 1 if own > 0 and terms.kind[t] == PLANE else 3 * own
    return Rows(strips, count)


@kernel
def dense_rows(rows, blocks, jacobian, dense):
    """Spread the strips out to a table of all rows, three a strip, by all variables."""
    for s in range(rows.strips):
        b = blocks.strip[s]
        for c in range(3):
            for i in range(dense.shape[1]):
                k = blocks.place[b, i]
                dense[3 * s + c, i] = jacobian[s, k, c] if k >= 0 else 0.0


@kernel
def _quaternion_rows(terms, t, ties, b, frames, spins, w, row, e, strip):
    """Three rows of an AXES term that minds all axes alike; returns the square of the miss."""
    parameters = terms.parameters
    i = terms.motion[t]
    zero = 0.0 * frames[0, 0]
    trace = zero
    a0 = zero
    a1 = zero
    a2 = zero
    for k in range(3):
        v0, v1, v2 = site_axis(frames, i, parameters, t, k)
        g0 = parameters[t, TARGET_AXES + 3 * k]
        g1 = parameters[t, TARGET_AXES + 3 * k + 1]
        g2 = parameters[t, TARGET_AXES + 3 * k + 2]
        trace += v0 * g0 + v1 * g1 + v2 * g2
        a0 += v2 * g1 - v1 * g2
        a1 += v0 * g2 - v2 * g0
        a2 += v1 * g0 - v0 * g1
    squared = 0.25 * (1.0 + trace)
    near = squared < _HALF_TURN * _HALF_TURN
    s = math.sqrt(select(near, _HALF_TURN * _HALF_TURN, squared))
    f = 0.5 / s
    a0 *= f
    a1 *= f
    a2 *= f
    e[row] = w * a0
    e[row + 1] = w * a1
    e[row + 2] = w * a2
    h = 0.5 * w
    turn_columns(ties, b, frames, spins, w * s, h * a0, h * a1, h * a2, strip)
    scale = 2.0 * parameters[t, AXIS_WEIGHTS]
    return scale * select(squared < 0.01, 4.0 - 4.0 * squared, a0 * a0 + a1 * a1 + a2 * a2)


@kernel
def _aim_rows(terms, t, ties, b, frames, spins, w, row, e, strip):
    """v − d, d the direction to the target: de = ω × v + (ṙ − (ṙ·d) d)/δ; returns the square of the miss."""
    parameters = terms.parameters
    i = terms.motion[t]
    r0, r1, r2 = site_point(frames, i, parameters, t)
    v0, v1, v2 = site_axis(frames, i, parameters, t, 0)
    d0 = parameters[t, TARGET] - r0
    d1 = parameters[t, TARGET + 1] - r1
    d2 = parameters[t, TARGET + 2] - r2
    square = d0 * d0 + d1 * d1 + d2 * d2
    none = square < _NO_DIRECTION
    inverse = select(none, 0.0, 1.0 / math.sqrt(select(none, 1.0, square)))
    d0 *= inverse
    d1 *= inverse
    d2 *= inverse
    e[row] = w * (v0 - d0)
    e[row + 1] = w * (v1 - d1)
    e[row + 2] = w * (v2 - d2)
    h = select(none, 0.0, w + 0.0 * square)
    aim_columns(
        ties,
        b,
        frames,
        spins,
        w * inverse,
        (r0, r1, r2),
        (d0, d1, d2),
        (h * v0, h * v1, h * v2),
        strip,
    )
    e0 = v0 - d0
    e1 = v1 - d1
    e2 = v2 - d2
    return select(none, 2.0, e0 * e0 + e1 * e1 + e2 * e2)


@kernel
def _axis_rows(terms, t, ties, b, frames, spins, s, e, jacobian):
    """vₖ − gₖ of the axes that an AXES term minds, each with its own weight; returns the square and the next strip."""
    parameters = terms.parameters
    i = terms.motion[t]
    square = 0.0 * frames[0, 0]
    for k in range(3):
        a = parameters[t, AXIS_WEIGHTS + k]
        if a == 0.0:
            continue
        w = math.sqrt(parameters[t, WEIGHT] * a)
        v0, v1, v2 = site_axis(frames, i, parameters, t, k)
        e0 = v0 - parameters[t, TARGET_AXES + 3 * k]
        e1 = v1 - parameters[t, TARGET_AXES + 3 * k + 1]
        e2 = v2 - parameters[t, TARGET_AXES + 3 * k + 2]
        e[3 * s] = w * e0
        e[3 * s + 1] = w * e1
        e[3 * s + 2] = w * e2
        turn_columns(ties, b, frames, spins, 0.0 * v0, w * v0, w * v1, w * v2, jacobian[s])
        square += a * (e0 * e0 + e1 * e1 + e2 * e2)
        s += 1
    return square, s


@kernel
def _point_rows(terms, t, ties, b, frames, spins, w, row, e, strip):
    """Three rows of a POINT or LINE term, or the one of a PLANE; returns the square of the miss."""
    parameters = terms.parameters
    kind = terms.kind[t]
    r0, r1, r2 = site_point(frames, terms.motion[t], parameters, t)
    e0, e1, e2 = point_error(kind, parameters, t, r0, r1, r2)
    zero = 0.0 * e0
    n0 = zero + parameters[t, TARGET_AXES]
    n1 = zero + parameters[t, TARGET_AXES + 1]
    n2 = zero + parameters[t, TARGET_AXES + 2]
    if kind == PLANE:
        e[row] = w * (e0 * n0 + e1 * n1 + e2 * n2)
        e[row + 1] = zero
        e[row + 2] = zero
    else:
        e[row] = w * e0
        e[row + 1] = w * e1
        e[row + 2] = w * e2
    point_columns(kind, ties, b, frames, spins, w, r0, r1, r2, n0, n1, n2, strip)
    return e0 * e0 + e1 * e1 + e2 * e2


@kernel
def fill_rows(terms, ties, frames, spins, e, jacobian, share):
    """The rows e and their Jacobian at these frames; returns P and 1 where every term may stop, else 0.

    share: how many times the square of the miss at which a term stops may be (STOP of `terms`) is enough.
    """
    parameters = terms.parameters
    zero = 0.0 * frames[0, 0]
    potential = zero
    met = zero + 1.0
    s = 0
    for p in range(ties.order.shape[0]):
        t = ties.order[p]
        b = ties.block[p]
        weight = parameters[t, WEIGHT]
        if weight == 0.0:
            continue
        kind = terms.kind[t]
        if kind <= PLANE:
            w = math.sqrt(weight) + zero
            square = _point_rows(terms, t, ties, b, frames, spins, w, 3 * s, e, jacobian[s])
            s += 1
        elif kind == AIM:
            w = math.sqrt(weight) + zero
            square = _aim_rows(terms, t, ties, b, frames, spins, w, 3 * s, e, jacobian[s])
            s += 1
        elif minds_all_alike(parameters, t):
            # The weight of each axis is ½ a; the three together make w a (2 sin θ/2)².
            w = math.sqrt(2.0 * weight * parameters[t, AXIS_WEIGHTS]) + zero
            square = _quaternion_rows(terms, t, ties, b, frames, spins, w, 3 * s, e, jacobian[s])
            s += 1
        else:
            square, s = _axis_rows(terms, t, ties, b, frames, spins, s, e, jacobian)
        potential += weight * square
        met = select(square <= share * parameters[t, STOP], met, zero)
    return potential, met
