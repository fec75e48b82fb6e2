"""How far the angle of an elbow about the line from shoulder to wrist is outside its range.

Behind the three points there is nothing.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import at3, inner, minus, outer, size
from manikin.kernels.verify.checker import POINTS, Checker
from manikin.kernels.verify.frames import point_of
from manikin.kernels.verify.seen import beyond

# Of a limb: the share of its size that says stretched, and what its line's lean from upright has to be.
_STRETCHED, _UPRIGHT = 1e-6, 1e-6


@kernel(exact=True)
def _miss(c):
    """With ρ the elbow's distance from that line, L the line's length, x the elbow as the shoulder sees it and ℓ the
    length of both bones, there is none where ρ L ≤ 1e-6 ℓ (L + |x|): the limb is stretched, or the wrist is at the
    shoulder. Points that are known to δ, 1e-15 of the largest of their coordinates, tell it to δ (L + |x|)/(ρ L), and
    to δ/(σ L) where the line is all but upright, σ from it; so much less is it outside.
    """
    R = c.R
    o = c.o + 1
    shoulder = point_of(c.W, c.w, int(R[o]), at3(R, o + 1))
    middle = point_of(c.W, c.w, int(R[o + 4]), at3(R, o + 5))
    end = point_of(c.W, c.w, int(R[o + 8]), at3(R, o + 9))
    elbow = minus(middle, shoulder)
    n = minus(end, shoulder)
    length = size(n)
    if length == 0.0:
        return 0.0
    n = (n[0] / length, n[1] / length, n[2] / length)
    s = inner(elbow, n)
    rho = size((elbow[0] - s * n[0], elbow[1] - s * n[1], elbow[2] - s * n[2]))
    upper = size(elbow)
    both = upper + size(minus(end, middle))
    if not rho * length > _STRETCHED * both * (length + upper):
        return 0.0
    u = (n[2] * n[0], n[2] * n[1], n[2] * n[2] - 1.0)
    if size(u) < _UPRIGHT:
        u = (1.0 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2])
    largest = 0.0
    for k in range(3):
        largest = max(largest, abs(shoulder[k]), abs(middle[k]), abs(end[k]))
    unsure = 1e-15 * largest * ((length + upper) / (rho * length) + 1.0 / (size(u) * length))
    phi = math.atan2(inner(elbow, outer(n, u)), inner(elbow, u))
    off = math.inf
    for k in range(-3, 4):
        off = min(off, beyond(phi + 2.0 * math.pi * k, R[c.low], R[c.high]))
    return max(off - unsure, 0.0)


CHECK = Checker(_miss, lambda _part: [], begins=POINTS)
