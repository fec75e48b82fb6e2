"""How far components of a site's rotation vector are outside their ranges.

Own: the frame that it is measured from (9), the site's axes (9), a component a row.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import at9, chained, flipped, vector_of
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.layout import OWN
from manikin.kernels.verify.seen import axes_seen, beyond


@kernel(exact=True)
def _miss(c):
    axes = axes_seen(c, c.w)
    own = flipped(axes_seen(c, c.begun)) if c.follows else at9(c.R, c.o + OWN + 9)
    v = vector_of(chained(flipped(at9(c.R, c.o + OWN)), chained(axes, own)))
    total = 0.0
    for i in range(c.count):
        k = int(c.R[c.o + OWN + 18 + i])
        value = v[0] if k == 0 else v[1] if k == 1 else v[2]
        total = math.hypot(total, beyond(value, c.R[c.low + i], c.R[c.high + i]))
    return total


CHECK = Checker(_miss, lambda part: [part.turn, part.site_axes, part.components])
