"""How far a linear constraint of the figure is left, by the length of its normal.

No kind of residuals: searches keep these as linear rows. Own: the number of coordinates, each with its factor (2).
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.verify.checker import NOTHING, Checker
from manikin.kernels.verify.seen import beyond


@kernel(exact=True)
def _miss(c):
    R = c.R
    o = c.o
    value = 0.0
    square = 0.0
    for k in range(int(R[o])):
        f = R[o + 2 + 2 * k]
        value += f * c.q[int(R[o + 1 + 2 * k])]
        square += f * f
    return beyond(value, R[c.low], R[c.high]) / max(math.sqrt(square), 1.0)


CHECK = Checker(_miss, lambda part: [part.numbers], begins=NOTHING)
