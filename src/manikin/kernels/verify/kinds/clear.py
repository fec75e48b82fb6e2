"""The most that a capsule of a segment is too near to a region.

Own: the number of pieces, the pieces, the capsules (8 each).
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.layout import OWN
from manikin.kernels.verify.regions import PIECE, nearest
from manikin.kernels.verify.seen import axes_seen, place_seen, placed


@kernel(exact=True)
def _miss(c):
    R = c.R
    own = c.o + OWN
    r = place_seen(c, c.w)
    axes = axes_seen(c, c.w)
    pieces = int(R[own])
    capsule = own + 1 + PIECE * pieces
    worst = 0.0
    for i in range(c.count):
        start = placed(R, capsule, r, axes)
        end = placed(R, capsule + 3, r, axes)
        least = R[c.low + i]
        worst = max(
            worst, least - nearest(R, own + 1, pieces, start, end, R[capsule + 6], R[capsule + 7], least)
        )
        capsule += 8
    return worst


CHECK = Checker(_miss, lambda part: [len(part.primitives), part.primitives, part.capsules], segment=True)
