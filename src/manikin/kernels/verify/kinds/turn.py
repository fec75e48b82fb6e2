"""The angle between a site's axes and others. Own: these (9)."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import at9, chained, flipped, turned_by
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.layout import OWN
from manikin.kernels.verify.seen import axes_seen


@kernel(exact=True)
def _miss(c):
    wanted = axes_seen(c, c.begun) if c.follows else at9(c.R, c.o + OWN)
    return turned_by(chained(flipped(wanted), axes_seen(c, c.w)))


CHECK = Checker(_miss, lambda part: [part.turn], targets={"turn": (0, 0)})
