"""Signed distances to convex regions, and how near a tapered capsule comes to one.

A primitive is ``PRIMITIVE`` numbers of a parameter array: its kind, then

HALF_SPACE   point (3), outward normal (3)                 sdf = (x − p)·n
BALL         centre (3), radius                            sdf = ‖x − c‖ − R
BOX          centre (3), half edges (3), axes as rows (9)  the distance outside, minus the depth inside
ROUND_CONE   start (3), unit direction (3), length L, radii r₀ r₁    balls of radius r₀ … r₁ along a line
CIRCLE       centre (3), unit normal (3), radius, a direction across the normal (3)     distance to the curve

All but CIRCLE are convex, so the distance along a straight line is convex too. Where the nearest point is not one
(the centre of a ball, the middle line of a capsule) some direction is chosen: no slope is ever NaN.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import across, combined, dot

HALF_SPACE, BALL, BOX, ROUND_CONE, CIRCLE = range(5)
PRIMITIVE = 16

_TINY = 1e-150
_STEPS = 160


@kernel
def _from_center(e, radius, fallback):
    """Distance of e from a ball about the origin, and its slope."""
    d = math.sqrt(dot(e, e))
    if d < _TINY:
        return -radius, fallback
    f = 1.0 / d
    return d - radius, (e[0] * f, e[1] * f, e[2] * f)


@kernel
def _box(p, o, e):
    """Signed distance to the box at parameters o of e = x − centre, and its slope."""
    y0 = p[o + 7] * e[0] + p[o + 8] * e[1] + p[o + 9] * e[2]
    y1 = p[o + 10] * e[0] + p[o + 11] * e[1] + p[o + 12] * e[2]
    y2 = p[o + 13] * e[0] + p[o + 14] * e[1] + p[o + 15] * e[2]
    d0 = abs(y0) - p[o + 4]
    d1 = abs(y1) - p[o + 5]
    d2 = abs(y2) - p[o + 6]
    u0 = max(d0, 0.0)
    u1 = max(d1, 0.0)
    u2 = max(d2, 0.0)
    value = math.sqrt(u0 * u0 + u1 * u1 + u2 * u2)
    if value > _TINY:
        f = 1.0 / value
        u0 *= f
        u1 *= f
        u2 *= f
    else:
        value = max(d0, d1, d2)
        u0 = 1.0 if d0 >= value else 0.0
        u1 = 1.0 if d1 >= value and u0 == 0.0 else 0.0
        u2 = 1.0 - u0 - u1
    u0 = u0 if y0 >= 0.0 else -u0
    u1 = u1 if y1 >= 0.0 else -u1
    u2 = u2 if y2 >= 0.0 else -u2
    return value, (
        p[o + 7] * u0 + p[o + 10] * u1 + p[o + 13] * u2,
        p[o + 8] * u0 + p[o + 11] * u1 + p[o + 14] * u2,
        p[o + 9] * u0 + p[o + 12] * u1 + p[o + 15] * u2,
    )


@kernel
def cone_station(along, square, length, r0, r1):
    """Where along the axis the ball nearest to a point is: at height ``along``, at squared distance ``square`` of it.

    √((s − along)² + h²) − r₀ − k s, k = (r₁ − r₀)/L, is least at s = along + k h/√(1 − k²).
    """
    if length <= 0.0:
        return 0.0
    k = (r1 - r0) / length
    left = 1.0 - k * k
    if left <= 1e-12:
        return length if k > 0.0 else 0.0
    s = along + k * math.sqrt(max(square, 0.0) / left)
    return min(max(s, 0.0), length)


@kernel
def _cone(p, o, e):
    """Signed distance to the round cone at parameters o of e = x − start, and its slope."""
    u = (p[o + 4], p[o + 5], p[o + 6])
    length = p[o + 7]
    along = dot(e, u)
    w = (e[0] - along * u[0], e[1] - along * u[1], e[2] - along * u[2])
    s = cone_station(along, dot(w, w), length, p[o + 8], p[o + 9])
    share = s / length if length > 0.0 else 0.0
    radius = p[o + 8] + share * (p[o + 9] - p[o + 8])
    f = along - s
    return _from_center((w[0] + f * u[0], w[1] + f * u[1], w[2] + f * u[2]), radius, across(u))


@kernel
def circle_parts(p, o, e):
    """Height over the circle's plane, distance from its axis and the direction of that, of e = x − centre."""
    n = (p[o + 4], p[o + 5], p[o + 6])
    h = dot(e, n)
    w = (e[0] - h * n[0], e[1] - h * n[1], e[2] - h * n[2])
    rho, out = _from_center(w, 0.0, (p[o + 8], p[o + 9], p[o + 10]))
    return h, rho, n, out


@kernel
def distance(p, o, x):
    """Signed distance of the point x to the primitive at parameters o, and its slope by x (a unit vector)."""
    kind = int(p[o])
    e = (x[0] - p[o + 1], x[1] - p[o + 2], x[2] - p[o + 3])
    if kind == HALF_SPACE:
        n = (p[o + 4], p[o + 5], p[o + 6])
        return dot(e, n), n
    if kind == BALL:
        return _from_center(e, p[o + 4], (0.0, 0.0, 1.0))
    if kind == BOX:
        return _box(p, o, e)
    if kind == ROUND_CONE:
        return _cone(p, o, e)
    h, rho, n, out = circle_parts(p, o, e)
    f = rho - p[o + 7]
    d, by = _from_center((f, h, 0.0), 0.0, (1.0, 0.0, 0.0))
    return d, (
        by[0] * out[0] + by[1] * n[0],
        by[0] * out[1] + by[1] * n[1],
        by[0] * out[2] + by[1] * n[2],
    )


@kernel
def deepest(p, o, count, x):
    """The largest of the distances to ``count`` primitives (that to their intersection, or less), and its slope."""
    value, normal = distance(p, o, x)
    for c in range(1, count):
        other, n = distance(p, o + c * PRIMITIVE, x)
        if other > value:
            value = other
            normal = n
    return value, normal


@kernel
def _at(p, o, count, a, d, t):
    x = (a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2])
    value, normal = deepest(p, o, count, x)
    return value, normal, x


@kernel
def clearance(p, o, count, a, b, ra, rb, enough):
    """Least of distance(x) − radius over the tapered capsule from a to b: value, the axis' point x, slope by x.

    A least value above ``enough`` need not be found: a lower bound above it will do.

    x(t) = a + t (b − a), F(t) = distance(x(t)) − rₐ − t (r_b − rₐ) is convex. The zero of its slope is
    enclosed by turns
    where the tangents cross (which finds kinks), by regula falsi on the slope (which finds smooth bottoms) and by
    halving. At a kink the slope by x is the mean of those on both sides that does not change along the axis.
    """
    d = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    taper = rb - ra
    f0, n0, x = _at(p, o, count, a, d, 0.0)
    f0 -= ra
    s0 = dot(n0, d) - taper
    if s0 >= 0.0:
        return f0, x, n0
    f1, n1, x1 = _at(p, o, count, a, d, 1.0)
    f1 -= rb
    s1 = dot(n1, d) - taper
    if s1 <= 0.0:
        return f1, x1, n1
    level = 1e-12 * (math.sqrt(dot(d, d)) + abs(taper))
    t0 = 0.0
    t1 = 1.0
    best = f0
    if f1 < f0:
        best = f1
        x = x1
    for step in range(_STEPS):
        crossing = (f1 - s1 * t1 - f0 + s0 * t0) / (s0 - s1)
        bound = f0 + s0 * (crossing - t0)
        if bound > enough:
            return bound, x, n0
        if best - bound <= 1e-16 or t1 - t0 < 1e-15:
            break
        t = 0.5 * (t0 + t1)
        if step % 3 == 0:
            t = crossing
        elif step % 3 == 1:
            t = (t0 * s1 - t1 * s0) / (s1 - s0)
        if not t0 < t < t1:
            t = 0.5 * (t0 + t1)
        f, n, point = _at(p, o, count, a, d, t)
        f -= ra + t * taper
        slope = dot(n, d) - taper
        if f <= best:
            best = f
            x = point
        if abs(slope) <= level:
            return f, point, n
        if slope < 0.0:
            t0 = t
            f0 = f
            s0 = slope
            n0 = n
        else:
            t1 = t
            f1 = f
            s1 = slope
            n1 = n
    share = s1 / (s1 - s0)
    return best, x, combined(n0, share, n1, 1.0 - share)
