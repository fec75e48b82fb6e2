"""How far components of the centre of mass are outside their ranges. Own: the point (3), a direction a row (3 each)."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.checker import NOTHING, Checker
from manikin.kernels.verify.seen import along


@kernel(exact=True)
def _miss(c):
    x = c.center
    return along(c, c.o + 3, (x[0] - c.R[c.o], x[1] - c.R[c.o + 1], x[2] - c.R[c.o + 2]))


CHECK = Checker(
    _miss,
    lambda part: [part.point, part.directions],
    begins=NOTHING,
    weighs=True,
    targets={"point": (0, 0)},
)
