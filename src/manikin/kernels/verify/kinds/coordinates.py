"""How far components of a site's position are outside their ranges. Own: the point (3), a direction a row (3 each)."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import at3, minus
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.layout import OWN
from manikin.kernels.verify.seen import along, place_seen


@kernel(exact=True)
def _miss(c):
    r = place_seen(c, c.w)
    point = place_seen(c, c.begun) if c.follows else at3(c.R, c.o + OWN)
    return along(c, c.o + OWN + 3, minus(r, point))


CHECK = Checker(_miss, lambda part: [part.point, part.directions], targets={"point": (0, 0)})
