"""How far a site is from a circle. Own: the circle."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.layout import OWN
from manikin.kernels.verify.regions import from_ring
from manikin.kernels.verify.seen import place_seen


@kernel(exact=True)
def _miss(c):
    height, off = from_ring(c.R, c.o + OWN, place_seen(c, c.w))
    return math.hypot(height, off)


CHECK = Checker(_miss, lambda part: [part.primitives])
