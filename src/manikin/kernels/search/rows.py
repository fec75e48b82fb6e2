"""Residual rows and their Jacobian by the variables, for one pose or for four in lanes.

The errors of `residuals.errors` times the roots of their weights, three rows each, but for AXES that are minded alike,
whose nine are three,

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
from manikin.kernels.math.vector import cross, dot, scaled
from manikin.kernels.memory.lanes import select
from manikin.kernels.residuals.errors import (
    AIM,
    AXES,
    AXIS_WEIGHTS,
    PLANE,
    STOP,
    TARGET_AXES,
    WEIGHT,
    aim_error,
    axis_error,
    point_error,
    site_axis,
    site_point,
    triple,
)
from manikin.kernels.search.columns import aim_columns, point_columns, turn_columns

# Below this scalar part (θ within 2e-4 of a half turn) the quaternion's vector is not got from the sine of θ.
_HALF_TURN = 1e-4

#: Strips of all parts that are switched on, and how many of their rows are not filled up with zeros.
Rows = namedtuple("Rows", "strips count")


@kernel
def minds_all_alike(parameters, t):
    """Whether AXES have equal weights: three rows do."""
    a = parameters[t, AXIS_WEIGHTS]
    return a == parameters[t, AXIS_WEIGHTS + 1] and a == parameters[t, AXIS_WEIGHTS + 2]


@kernel
def _strips(parts, t):
    """Strips of a part, at present."""
    parameters = parts.parameters
    if parameters[t, WEIGHT] == 0.0:
        return 0
    if parts.kind[t] != AXES or minds_all_alike(parameters, t):
        return 1
    count = 0
    for k in range(3):
        if parameters[t, AXIS_WEIGHTS + k] > 0.0:
            count += 1
    return count


@kernel
def lay_rows(parts, ties, blocks):
    """Lay out the strips of all parts that are switched on: their blocks, and where their groups begin."""
    strips = 0
    count = 0
    first = 0
    group = -1
    for p in range(ties.order.shape[0]):
        t = ties.order[p]
        own = _strips(parts, t)
        if own > 0 and blocks.group[p] != group:
            group = blocks.group[p]
            first = strips
        for s in range(strips, strips + own):
            blocks.strip[s] = blocks.of_part[p]
            blocks.first[s] = first
        strips += own
        count += 1 if own > 0 and parts.kind[t] == PLANE else 3 * own
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
def _put(e, row, x, w):
    """Three rows of the residual: w x."""
    e[row] = w * x[0]
    e[row + 1] = w * x[1]
    e[row + 2] = w * x[2]


@kernel
def _quaternion_rows(parts, t, ties, b, frames, spins, w, row, e, strip):
    """Three rows of AXES that are minded alike; returns the square of the miss."""
    parameters = parts.parameters
    i = parts.motion[t]
    zero = 0.0 * frames[0, 0]
    trace = zero
    a0 = zero
    a1 = zero
    a2 = zero
    for k in range(3):
        v = site_axis(frames, i, parameters, t, k)
        g = triple(parameters, t, TARGET_AXES + 3 * k)
        trace += dot(v, g)
        c = cross(g, v)
        a0 += c[0]
        a1 += c[1]
        a2 += c[2]
    squared = 0.25 * (1.0 + trace)
    near = squared < _HALF_TURN * _HALF_TURN
    s = math.sqrt(select(near, _HALF_TURN * _HALF_TURN, squared))
    a = scaled((a0, a1, a2), 0.5 / s)
    _put(e, row, a, w)
    turn_columns(ties, b, frames, spins, w * s, scaled(a, 0.5 * w), strip)
    scale = 2.0 * parameters[t, AXIS_WEIGHTS]
    return scale * select(squared < 0.01, 4.0 - 4.0 * squared, dot(a, a))


@kernel
def _aim_rows(parts, t, ties, b, frames, spins, w, row, e, strip):
    """v − d, d the direction to the target: de = ω × v + (ṙ − (ṙ·d) d)/δ; returns the square of the miss."""
    parameters = parts.parameters
    i = parts.motion[t]
    r = site_point(frames, i, parameters, t)
    v = site_axis(frames, i, parameters, t, 0)
    d, inverse, none, off = aim_error(parameters, t, r, v)
    _put(e, row, off, w)
    h = select(none, 0.0, w + 0.0 * inverse)
    aim_columns(ties, b, frames, spins, w * inverse, r, d, scaled(v, h), strip)
    return select(none, 2.0, dot(off, off))


@kernel
def _axis_rows(parts, t, ties, b, frames, spins, s, e, jacobian):
    """vₖ − gₖ of the axes that AXES minds, each with its own weight; returns the square and the next strip."""
    parameters = parts.parameters
    square = 0.0 * frames[0, 0]
    for k in range(3):
        a = parameters[t, AXIS_WEIGHTS + k]
        if a == 0.0:
            continue
        w = math.sqrt(parameters[t, WEIGHT] * a)
        v, off = axis_error(frames, parts.motion[t], parameters, t, k)
        _put(e, 3 * s, off, w)
        turn_columns(ties, b, frames, spins, 0.0 * v[0], scaled(v, w), jacobian[s])
        square += a * dot(off, off)
        s += 1
    return square, s


@kernel
def _point_rows(parts, t, ties, b, frames, spins, w, row, e, strip):
    """Three rows of a POINT or LINE, or the one of a PLANE; returns the square of the miss."""
    parameters = parts.parameters
    kind = parts.kind[t]
    r = site_point(frames, parts.motion[t], parameters, t)
    off = point_error(kind, parameters, t, r)
    zero = 0.0 * off[0]
    g = triple(parameters, t, TARGET_AXES)
    n = (zero + g[0], zero + g[1], zero + g[2])
    _put(e, row, (dot(off, n), zero, zero) if kind == PLANE else off, w)
    point_columns(kind, ties, b, frames, spins, w, r, n, strip)
    return dot(off, off)


@kernel
def fill_rows(parts, ties, frames, spins, e, jacobian, share):
    """The rows e and their Jacobian at these frames; returns P and 1 where every part may stop, else 0.

    share: how many times the square of the miss at which a part stops may be (STOP of `errors`) is enough.
    """
    parameters = parts.parameters
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
        kind = parts.kind[t]
        if kind <= PLANE:
            w = math.sqrt(weight) + zero
            square = _point_rows(parts, t, ties, b, frames, spins, w, 3 * s, e, jacobian[s])
            s += 1
        elif kind == AIM:
            w = math.sqrt(weight) + zero
            square = _aim_rows(parts, t, ties, b, frames, spins, w, 3 * s, e, jacobian[s])
            s += 1
        elif minds_all_alike(parameters, t):
            # The weight of each axis is ½ a; the three together make w a (2 sin θ/2)².
            w = math.sqrt(2.0 * weight * parameters[t, AXIS_WEIGHTS]) + zero
            square = _quaternion_rows(parts, t, ties, b, frames, spins, w, 3 * s, e, jacobian[s])
            s += 1
        else:
            square, s = _axis_rows(parts, t, ties, b, frames, spins, s, e, jacobian)
        potential += weight * square
        met = select(square <= share * parameters[t, STOP], met, zero)
    return potential, met
