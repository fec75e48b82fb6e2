"""How far a part is from met, as people say it: a distance, an angle, the deepest of many."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import outside
from manikin.kernels.residuals.dispatch import own_miss
from manikin.kernels.residuals.layout import CHORD, LARGEST, OWN_MISS


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
        return own_miss(M, t)
    return math.sqrt(square)
