"""The angle of a site's axis to a direction, or to a point.

Own: the axis (3), the point or direction (3), whether it is a direction.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import angle_between, at3, minus, size, times
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.layout import OWN
from manikin.kernels.verify.seen import axes_seen, place_seen

# Metres: nearer than this to its point, a site has no direction to aim in.
_NO_DIRECTION = 1e-7


@kernel(exact=True)
def _miss(c):
    """Points that are known to 1e-15 of the largest of their coordinates tell their direction to that over their
    distance, and so much less it is.
    """
    R = c.R
    own = c.o + OWN
    at = at3(R, own + 3)
    r = place_seen(c, c.w)
    axis = times(axes_seen(c, c.w), at3(R, own))
    if R[own + 6] != 0.0:
        return angle_between(axis, at)
    d = minus(at, r)
    away = size(d)
    if away < _NO_DIRECTION:
        return 0.5 * math.pi
    largest = 0.0
    for k in range(3):
        largest = max(largest, abs(at[k]), abs(r[k]))
    return max(angle_between(axis, d) - 1e-15 * largest / away, 0.0)


CHECK = Checker(
    _miss,
    lambda part: [part.site_axes[0], part.point, part.numbers[:1]],
    targets={"point": (3, 0), "turn": (3, 0)},
)
