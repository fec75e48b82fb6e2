"""By how much two segments are too near to each other.

Own: the numbers of capsules of both, the capsules of the one, those of the other (8 each).
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import at3, minus, size
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.layout import OWN
from manikin.kernels.verify.regions import from_cone
from manikin.kernels.verify.seen import axes_seen, place_seen, placed


@kernel(exact=True)
def _gap(R, one, r, axes, other, t):
    """The distance of the ball at the share t of a capsule from another capsule."""
    a = placed(R, one, r, axes)
    b = placed(R, one + 3, r, axes)
    x = (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]))
    start = at3(R, other)
    along = minus(at3(R, other + 3), start)
    length = size(along)
    u = (0.0, 0.0, 1.0)
    if length > 0.0:
        u = (along[0] / length, along[1] / length, along[2] / length)
    radius = R[one + 6] + t * (R[one + 7] - R[one + 6])
    return from_cone(start, u, length, R[other + 6], R[other + 7], x) - radius


@kernel(exact=True)
def _miss(c):
    R = c.R
    o = c.o
    low = c.low
    r = place_seen(c, c.w)
    axes = axes_seen(c, c.w)
    mine = int(R[o + OWN])
    theirs = int(R[o + OWN + 1])
    worst = 0.0
    for i in range(mine):
        one = o + OWN + 2 + 8 * i
        half = 0.5 * (size(minus(at3(R, one + 3), at3(R, one))) + abs(R[one + 7] - R[one + 6]))
        for j in range(theirs):
            other = o + OWN + 2 + 8 * (mine + j)
            if _gap(R, one, r, axes, other, 0.5) - half >= R[low]:
                continue
            left = 0.0
            right = 1.0
            best = min(_gap(R, one, r, axes, other, 0.0), _gap(R, one, r, axes, other, 1.0))
            for _ in range(100):  # thirds: the distance is convex
                s = left + (right - left) / 3.0
                t = right - (right - left) / 3.0
                f = _gap(R, one, r, axes, other, s)
                g = _gap(R, one, r, axes, other, t)
                best = min(best, f, g)
                if f < g:
                    right = t
                else:
                    left = s
            worst = max(worst, R[low] - best)
    return worst


CHECK = Checker(
    _miss,
    lambda part: [len(part.capsules), len(part.other_capsules), part.capsules, part.other_capsules],
    segment=True,
)
