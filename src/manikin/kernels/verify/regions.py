"""Signed distances to convex pieces, and how near a tapered capsule comes to them, for the judge alone.

Pieces are numbers as `goals.region` gives them: their kind, then half-space: point, normal; ball: centre, radius; box:
centre, half edges, axes as rows; round cone: start, direction, length, two radii; circle: centre, normal, radius.

Along a straight line the distance to a convex piece is convex, and so is the largest of several, less a radius that
changes evenly: golden section finds the least. It is not looked for where the Lipschitz constant of the distance, 1,
shows that there is room enough.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import at3, inner, minus, size

HALF_SPACE, BALL, BOX, ROUND_CONE = range(4)
PIECE = 16
_GOLDEN = 0.6180339887498949
_HALVINGS = 64


@kernel(exact=True)
def _box(p, o, e):
    outside = 0.0
    depth = -math.inf
    for k in range(3):
        d = abs(inner(at3(p, o + 7 + 3 * k), e)) - p[o + 4 + k]
        depth = max(depth, d)
        if d > 0.0:
            outside = math.hypot(outside, d)
    return outside if depth > 0.0 else depth


@kernel(exact=True)
def from_cone(a, u, length, r0, r1, x):
    """Signed distance of a point to balls of radius r0 … r1 along a line from a.

    Off the line by h and at s along it, the ball at t is √((s − t)² + h²) − r(t) away; the least is where the direction
    to the ball makes the angle with the line whose cosine is the taper.
    """
    e = minus(x, a)
    s = inner(e, u)
    h = size((e[0] - s * u[0], e[1] - s * u[1], e[2] - s * u[2]))
    if length <= 0.0:
        return size(e) - max(r0, r1)
    k = (r1 - r0) / length
    if k >= 1.0 - 1e-12:
        t = length
    elif k <= -1.0 + 1e-12:
        t = 0.0
    else:
        t = min(max(s + h * math.tan(math.asin(k)), 0.0), length)
    return math.hypot(h, s - t) - (r0 + k * t)


@kernel(exact=True)
def from_piece(p, o, x):
    """Signed distance of a point to one piece."""
    kind = int(p[o])
    e = minus(x, at3(p, o + 1))
    if kind == HALF_SPACE:
        return inner(e, at3(p, o + 4))
    if kind == BALL:
        return size(e) - p[o + 4]
    if kind == BOX:
        return _box(p, o, e)
    if kind == ROUND_CONE:
        return from_cone(at3(p, o + 1), at3(p, o + 4), p[o + 7], p[o + 8], p[o + 9], x)
    height, off = from_ring(p, o, x)
    return math.hypot(height, off)


@kernel(exact=True)
def from_ring(p, o, x):
    """Height over a circle's plane, and distance from its axis less its radius."""
    e = minus(x, at3(p, o + 1))
    n = at3(p, o + 4)
    height = inner(e, n)
    return height, size((e[0] - height * n[0], e[1] - height * n[1], e[2] - height * n[2])) - p[o + 7]


@kernel(exact=True)
def from_pieces(p, o, count, x):
    """The largest of the distances to several pieces."""
    value = -math.inf
    for k in range(count):
        value = max(value, from_piece(p, o + k * PIECE, x))
    return value


@kernel(exact=True)
def _at(p, o, count, a, b, ra, rb, t):
    x = (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]))
    return from_pieces(p, o, count, x) - ra - t * (rb - ra)


@kernel(exact=True)
def nearest(p, o, count, a, b, ra, rb, enough):
    """The least distance of a tapered capsule, ends a and b, to pieces; or a lower bound, not below ``enough``."""
    half = 0.5 * (size(minus(b, a)) + abs(rb - ra))
    bound = _at(p, o, count, a, b, ra, rb, 0.5) - half
    if bound >= enough:
        return bound
    low = 0.0
    high = 1.0
    best = min(_at(p, o, count, a, b, ra, rb, low), _at(p, o, count, a, b, ra, rb, high))
    one = high - _GOLDEN * (high - low)
    two = low + _GOLDEN * (high - low)
    left = _at(p, o, count, a, b, ra, rb, one)
    right = _at(p, o, count, a, b, ra, rb, two)
    for _ in range(_HALVINGS):
        best = min(best, left, right)
        if left < right:
            high = two
            two = one
            right = left
            one = high - _GOLDEN * (high - low)
            left = _at(p, o, count, a, b, ra, rb, one)
        else:
            low = one
            one = two
            left = right
            two = low + _GOLDEN * (high - low)
            right = _at(p, o, count, a, b, ra, rb, two)
    return best
