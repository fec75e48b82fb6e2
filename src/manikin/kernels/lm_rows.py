"""Residual rows and their Jacobian by the variables, for one pose or for four in lanes.

The rows of `rows`, with two differences. An AXES term that minds all axes alike has three rows instead of nine,

    e = 2 w c vec(q),   q the unit quaternion of the turn from the target to the site, its scalar part s ≥ 0,

whose square is the same w c² (2 sin θ/2)²; for a turn of the site at the rate ω, de = w c (s ω + ½ ω × 2 vec(q)).
And the columns are the variables (times the root of their metric, so that a stiff joint moves less), each axis value
handing its column on to those that drive it (`Ties`).
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.lanes import select
from manikin.kernels.terms import (
    _NO_DIRECTION,
    AIM,
    AXES,
    AXIS_WEIGHTS,
    LINE,
    PLANE,
    STOP,
    TARGET,
    TARGET_AXES,
    WEIGHT,
    point_error,
    site_axis,
    site_point,
)
from manikin.kernels.tree import ROTATE, SLIDE

# Below this scalar part (θ within 2e-4 of a half turn) the quaternion's vector is not got from the sine of θ.
_HALF_TURN = 1e-4


@kernel
def minds_all_alike(parameters, t):
    """Whether an AXES term has equal weights: three rows do."""
    a = parameters[t, AXIS_WEIGHTS]
    return a == parameters[t, AXIS_WEIGHTS + 1] and a == parameters[t, AXIS_WEIGHTS + 2]


@kernel
def count_rows(terms):
    """Rows of all terms that are switched on."""
    count = 0
    parameters = terms.parameters
    for t in range(terms.kind.shape[0]):
        if parameters[t, WEIGHT] == 0.0:
            continue
        kind = terms.kind[t]
        if kind == PLANE:
            count += 1
        elif kind != AXES or minds_all_alike(parameters, t):
            count += 3
        else:
            for k in range(3):
                if parameters[t, AXIS_WEIGHTS + k] > 0.0:
                    count += 3
    return count


@kernel
def _hand_on(ties, k, jacobian, row, y0, y1, y2):
    """Add a column of three rows, by the axis value k, to the variables that drive it."""
    for s in range(ties.first[k], ties.first[k + 1]):
        v = ties.which[s]
        c = ties.scaled[s]
        jacobian[row, v] += c * y0
        jacobian[row + 1, v] += c * y1
        jacobian[row + 2, v] += c * y2


@kernel
def _point_columns(kind, tree, ties, frames, spins, i, w, r0, r1, r2, n0, n1, n2, row, jacobian):
    """∂r by every value on the way to the root, less what a LINE does not mind, or a PLANE's one number."""
    while i > 0:
        k = tree.axis[i]
        d0 = r0 - frames[i, 9]
        d1 = r1 - frames[i, 10]
        d2 = r2 - frames[i, 11]
        for c in range(1 if tree.kind[i] <= SLIDE else 3):
            if tree.kind[i] <= SLIDE:
                u0 = frames[i, 2]
                u1 = frames[i, 5]
                u2 = frames[i, 8]
            else:
                u0 = spins[i, 3 * c]
                u1 = spins[i, 3 * c + 1]
                u2 = spins[i, 3 * c + 2]
            if tree.kind[i] == SLIDE:
                y0 = w * u0
                y1 = w * u1
                y2 = w * u2
            else:
                y0 = w * (u1 * d2 - u2 * d1)
                y1 = w * (u2 * d0 - u0 * d2)
                y2 = w * (u0 * d1 - u1 * d0)
            if kind == PLANE:
                along = y0 * n0 + y1 * n1 + y2 * n2
                for s in range(ties.first[k + c], ties.first[k + c + 1]):
                    jacobian[row, ties.which[s]] += ties.scaled[s] * along
                continue
            if kind == LINE:
                along = y0 * n0 + y1 * n1 + y2 * n2
                y0 -= along * n0
                y1 -= along * n1
                y2 -= along * n2
            _hand_on(ties, k + c, jacobian, row, y0, y1, y2)
        i = tree.parent[i]


@kernel
def _turn_columns(tree, ties, frames, spins, i, a, b0, b1, b2, row, jacobian):
    """a ω + ω × b by every turning value on the way to the root."""
    while i > 0:
        k = tree.axis[i]
        if tree.kind[i] == ROTATE:
            u0 = frames[i, 2]
            u1 = frames[i, 5]
            u2 = frames[i, 8]
            _hand_on(
                ties,
                k,
                jacobian,
                row,
                a * u0 + (u1 * b2 - u2 * b1),
                a * u1 + (u2 * b0 - u0 * b2),
                a * u2 + (u0 * b1 - u1 * b0),
            )
        elif tree.kind[i] != SLIDE:
            for c in range(3):
                u0 = spins[i, 3 * c]
                u1 = spins[i, 3 * c + 1]
                u2 = spins[i, 3 * c + 2]
                _hand_on(
                    ties,
                    k + c,
                    jacobian,
                    row,
                    a * u0 + (u1 * b2 - u2 * b1),
                    a * u1 + (u2 * b0 - u0 * b2),
                    a * u2 + (u0 * b1 - u1 * b0),
                )
        i = tree.parent[i]


@kernel
def _quaternion_rows(tree, terms, t, ties, frames, spins, w, row, e, jacobian):
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
    _turn_columns(tree, ties, frames, spins, i, w * s, h * a0, h * a1, h * a2, row, jacobian)
    scale = 2.0 * parameters[t, AXIS_WEIGHTS]
    return scale * select(near, 4.0 - 4.0 * squared, a0 * a0 + a1 * a1 + a2 * a2)


@kernel
def _aim_rows(tree, terms, t, ties, frames, spins, w, row, e, jacobian):
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
    b = select(none, 0.0, w + 0.0 * square)
    _point_columns(LINE, tree, ties, frames, spins, i, w * inverse, r0, r1, r2, d0, d1, d2, row, jacobian)
    _turn_columns(tree, ties, frames, spins, i, 0.0 * square, b * v0, b * v1, b * v2, row, jacobian)
    e0 = v0 - d0
    e1 = v1 - d1
    e2 = v2 - d2
    return select(none, 2.0, e0 * e0 + e1 * e1 + e2 * e2)


@kernel
def _axis_rows(tree, terms, t, ties, frames, spins, row, e, jacobian):
    """vₖ − gₖ of the axes that an AXES term minds, each with its own weight; returns the square and the next row."""
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
        e[row] = w * e0
        e[row + 1] = w * e1
        e[row + 2] = w * e2
        _turn_columns(tree, ties, frames, spins, i, 0.0 * v0, w * v0, w * v1, w * v2, row, jacobian)
        square += a * (e0 * e0 + e1 * e1 + e2 * e2)
        row += 3
    return square, row


@kernel
def fill_rows(tree, terms, ties, frames, spins, count, e, jacobian):
    """The rows e and their Jacobian at these frames; returns P and 1 where every term may stop, else 0."""
    parameters = terms.parameters
    zero = 0.0 * frames[0, 0]
    for r in range(count):
        for v in range(jacobian.shape[1]):
            jacobian[r, v] = zero
    potential = zero
    met = zero + 1.0
    row = 0
    for t in range(terms.kind.shape[0]):
        weight = parameters[t, WEIGHT]
        if weight == 0.0:
            continue
        kind = terms.kind[t]
        i = terms.motion[t]
        w = math.sqrt(weight)
        if kind <= PLANE:
            r0, r1, r2 = site_point(frames, i, parameters, t)
            e0, e1, e2 = point_error(kind, parameters, t, r0, r1, r2)
            n0 = zero + parameters[t, TARGET_AXES]
            n1 = zero + parameters[t, TARGET_AXES + 1]
            n2 = zero + parameters[t, TARGET_AXES + 2]
            square = e0 * e0 + e1 * e1 + e2 * e2
            if kind == PLANE:
                e[row] = w * (e0 * n0 + e1 * n1 + e2 * n2)
            else:
                e[row] = w * e0
                e[row + 1] = w * e1
                e[row + 2] = w * e2
            _point_columns(
                kind, tree, ties, frames, spins, i, w + zero, r0, r1, r2, n0, n1, n2, row, jacobian
            )
            row += 1 if kind == PLANE else 3
        elif kind == AIM:
            square = _aim_rows(tree, terms, t, ties, frames, spins, w + zero, row, e, jacobian)
            row += 3
        elif minds_all_alike(parameters, t):
            # The weight of each axis is ½ a; the three together make w a (2 sin θ/2)².
            w = math.sqrt(2.0 * weight * parameters[t, AXIS_WEIGHTS])
            square = _quaternion_rows(tree, terms, t, ties, frames, spins, w + zero, row, e, jacobian)
            row += 3
        else:
            square, row = _axis_rows(tree, terms, t, ties, frames, spins, row, e, jacobian)
        potential += weight * square
        met = select(square <= parameters[t, STOP], met, zero)
    return potential, met
