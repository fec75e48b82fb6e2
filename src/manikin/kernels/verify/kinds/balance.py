"""By how much the centre of mass is too near to the edge of the hull of its support, or outside, seen from above.

Behind the points there is nothing.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import at3
from manikin.kernels.verify.checker import POINTS, Checker
from manikin.kernels.verify.frames import point_of

_NONE = 1e-9


@kernel(exact=True)
def _on_line(W, hull, n, least):
    """The same for points in a line: how far the origin is from the stretch between those farthest apart."""
    a = 0
    b = 0
    longest = 0.0
    for i in range(n):
        for j in range(n):
            length = math.hypot(W[hull + 2 * i] - W[hull + 2 * j], W[hull + 2 * i + 1] - W[hull + 2 * j + 1])
            if length > longest:
                longest = length
                a = i
                b = j
    x = W[hull + 2 * a]
    y = W[hull + 2 * a + 1]
    if longest < _NONE:
        return max(0.0, least + math.hypot(x, y))
    u = (W[hull + 2 * b] - x) / longest
    v = (W[hull + 2 * b + 1] - y) / longest
    along = -(x * u + y * v)
    across = abs(x * v - y * u)
    return max(0.0, least - min(-across, along, longest - along))


@kernel(exact=True)
def _miss(c):
    """The hull is wrapped: from its lowest point on, the next corner has all others to its left. Inside, the nearest
    edge counts; outside, the nearest point: beyond a sharp corner the lines of its edges are near and the corner is
    not. Points in a line support what is on that line.
    """
    R = c.R
    W = c.W
    o = c.o
    hull = c.hull
    center = c.center
    n = int(R[o])
    first = 0
    for k in range(n):
        x = point_of(W, c.w, int(R[o + 1 + 4 * k]), at3(R, o + 2 + 4 * k))
        W[hull + 2 * k] = x[0] - center[0]
        W[hull + 2 * k + 1] = x[1] - center[1]
        y = W[hull + 2 * k + 1]
        best = W[hull + 2 * first + 1]
        if y < best or (y == best and W[hull + 2 * k] < W[hull + 2 * first]):
            first = k
    inside = math.inf
    nearest = math.inf
    area = 0.0
    a = first
    for _ in range(n):
        b = a
        for k in range(n):
            e0 = W[hull + 2 * k] - W[hull + 2 * a]
            e1 = W[hull + 2 * k + 1] - W[hull + 2 * a + 1]
            d0 = W[hull + 2 * b] - W[hull + 2 * a]
            d1 = W[hull + 2 * b + 1] - W[hull + 2 * a + 1]
            side = d0 * e1 - d1 * e0
            if side < 0.0 or (side == 0.0 and math.hypot(e0, e1) > math.hypot(d0, d1)):
                b = k
        d0 = W[hull + 2 * b] - W[hull + 2 * a]
        d1 = W[hull + 2 * b + 1] - W[hull + 2 * a + 1]
        length = math.hypot(d0, d1)
        if length == 0.0:
            break
        inside = min(inside, (W[hull + 2 * a] * d1 - W[hull + 2 * a + 1] * d0) / length)
        t = -(W[hull + 2 * a] * d0 + W[hull + 2 * a + 1] * d1) / (length * length)
        t = min(max(t, 0.0), 1.0)
        nearest = min(nearest, math.hypot(W[hull + 2 * a] + t * d0, W[hull + 2 * a + 1] + t * d1))
        for k in range(n):
            e0 = W[hull + 2 * k] - W[hull + 2 * a]
            e1 = W[hull + 2 * k + 1] - W[hull + 2 * a + 1]
            area = max(area, (d0 * e1 - d1 * e0) / length)
        a = b
        if a == first:
            break
    if area < _NONE:
        return _on_line(W, hull, n, R[c.low])
    return max(0.0, R[c.low] - (inside if inside >= 0.0 else -nearest))


CHECK = Checker(_miss, lambda _part: [], begins=POINTS, weighs=True)
