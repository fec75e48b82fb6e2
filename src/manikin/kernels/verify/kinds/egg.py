"""By how much an ellipsoid's lowest point is too low over a plane: n·(c − p) less its half axes' length on n.

Own: centre (3), half axes (9), a point (3) and the normal (3) of the plane.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import at3, inner, minus, times
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.layout import OWN
from manikin.kernels.verify.seen import axes_seen, place_seen, placed


@kernel(exact=True)
def _miss(c):
    R = c.R
    o = c.o
    r = place_seen(c, c.w)
    axes = axes_seen(c, c.w)
    center = placed(R, o + OWN, r, axes)
    n = at3(R, o + OWN + 15)
    down = 0.0
    for k in range(3):
        down = math.hypot(down, inner(times(axes, at3(R, o + OWN + 3 + 3 * k)), n))
    return max(0.0, R[c.low] - (inner(n, minus(center, at3(R, o + OWN + 12))) - down))


CHECK = Checker(_miss, lambda part: [part.numbers, part.point, part.directions[0]], segment=True)
