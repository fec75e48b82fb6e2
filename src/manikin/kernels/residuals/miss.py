"""How far a part is from met, as people say it: a distance, an angle, the deepest of many."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import outside
from manikin.kernels.math.vector import vector
from manikin.kernels.residuals.layout import CHORD, LARGEST, OWN_MISS
from manikin.kernels.residuals.pose import OWN


@kernel(exact=True)
def part_miss(M, t):
    """How far a part is from met, in its unit: the norm of what its rows are outside; the largest, for clearances and
    balance; the angle, for rotations.
    """
    rule = M.miss[t]
    first = M.first[t]
    square = 0.0
    largest = 0.0
    for r in range(first, first + M.count[t]):
        rho = outside(M.value[r], M.lower[r], M.upper[r])
        square += rho * rho
        largest = max(largest, abs(rho))
    if rule == LARGEST:
        return largest
    if rule == CHORD:
        return 2.0 * math.asin(min(0.5 * math.sqrt(square), 1.0))
    if rule == OWN_MISS:
        return _angle_of_axes(M, t)
    return math.sqrt(square)


@kernel(exact=True)
def _angle_of_axes(M, t):
    """The angle between the frames that two axes each tell."""
    p = M.parameters
    target = M.offset[t] + OWN
    first = M.first[t]
    g = vector(p, target + 3)
    h = vector(p, target + 9)
    u = (g[0] + M.value[first], g[1] + M.value[first + 1], g[2] + M.value[first + 2])
    v = (h[0] + M.value[first + 3], h[1] + M.value[first + 4], h[2] + M.value[first + 5])
    chord = 0.0
    for c in range(3):
        d = (c + 1) % 3
        e = (c + 2) % 3
        third = (u[d] * v[e] - u[e] * v[d]) - (g[d] * h[e] - g[e] * h[d])
        chord += (u[c] - g[c]) ** 2 + (v[c] - h[c]) ** 2 + third * third
    return 2.0 * math.asin(min(math.sqrt(chord / 8.0), 1.0))
