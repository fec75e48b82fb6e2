"""By how much (σ₁/r₁)² + (σ₂/r₂)² is above 1, σ the swing of a ball joint as the cone's centre sees it.

Own: two coordinates, the centre (2), the radii (2).
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import by_vector, flipped, times
from manikin.kernels.verify.checker import NOTHING, Checker


@kernel(exact=True)
def _miss(c):
    R = c.R
    o = c.o
    x = c.q[int(R[o])]
    y = c.q[int(R[o + 1])]
    if R[o + 2] != 0.0 or R[o + 3] != 0.0:
        swing = by_vector(x, y, 0.0)
        d = times(flipped(by_vector(R[o + 2], R[o + 3], 0.0)), (swing[2], swing[5], swing[8]))
        across = math.hypot(d[0], d[1])
        lean = math.atan2(across, d[2])
        if across > 0.0:
            x = -d[1] * lean / across
            y = d[0] * lean / across
        else:
            x = lean
            y = 0.0
    value = (x / R[o + 4]) * (x / R[o + 4]) + (y / R[o + 5]) * (y / R[o + 5])
    return max(0.0, value - 1.0)


CHECK = Checker(_miss, lambda part: [part.numbers], begins=NOTHING)
