"""Six hinges, of which the second to the fourth are parallel: Universal Robots and kin.

h := h₂ = ±h₃ = ±h₄, φ = q₂ ± q₃ ± q₄, so R = R₁ R(h, φ) R₅ R₆. Let d n be the common perpendicular of axes 5 and 6,
from Z₅ to Z, and k, χ, σ, ψ those of the three turns about h, h₅ and h₆ (`six_axis`). Nothing that turns about h
changes a part along h, so

    L₁(q₁) := (R₁h)·p − h·(Z₅ − A) = d k cos ψ,       L₂(q₁) := (R₁h)·(R h₆) − (h·h₅)(h₅·h₆) = σ k sin ψ.

Where axes 5 and 6 meet, d = 0, L₁ has two roots q₁, each with two ψ. Otherwise (L₁/d)² + (L₂/σ)² = k² has up to four
(`circle_roots`), each with the sign of cos ψ; but for a tiny d those are in pairs nearer than rounding tells apart, and
L₁ = d k cos ψ is solved in rounds. R(h, φ) R₅ R₆ = R₁ᵀR are three turns, and what is left is the triangle of the links
from axis 2 to 3 and from 3 to 4 in the plane across h.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.circle_roots import SNAP, angle_roots, form_at, square_roots
from manikin.kernels.math.vector import applied, applied_back, combined, cross, dot, vector
from manikin.kernels.memory.stack import stack1, stack2
from manikin.kernels.six_axis.six_axis import (
    AXES,
    BEFORE,
    BEHIND,
    BEND,
    EDGE,
    FORE,
    FREE,
    GENERAL,
    LEAN,
    OFFSET,
    OTHER,
    PERPENDICULAR,
    PLANE,
    REACH,
    ROUNDS,
    SIGNS,
    SIZE,
    SWING,
    TURN_MIDDLE,
    TURNS,
    UPPER,
    WAY,
    put_turn,
    spun,
    spun_back,
    swings,
    three_turns,
    to_angles,
)


@kernel
def _triangle(spec, first, turn, p, near, sines, cosines, count):
    """Add the two elbows of three parallel axes; ``first`` is (cos, sin) of q₁, ``turn`` of φ, q₅ and q₆, p is R₁ᵀp."""
    c5 = turn[2]
    s5 = turn[3]
    d = spec[OFFSET]
    e1 = vector(spec, PLANE)
    e2 = vector(spec, PLANE + 3)
    w = combined(vector(spec, PERPENDICULAR), d * c5, vector(spec, OTHER), -d * s5)
    x = spec[BEHIND] + dot(e1, w)
    y = spec[BEHIND + 1] + dot(e2, w)
    c = turn[0]
    s = turn[1]
    dx = dot(e1, p) - spec[BEFORE] - (c * x - s * y)
    dy = dot(e2, p) - spec[BEFORE + 1] - (s * x + c * y)
    upper = spec[UPPER]
    fore = spec[FORE]
    square = dx * dx + dy * dy
    far = (upper + fore) ** 2 - square
    close = square - (upper - fore) ** 2
    slack = spec[EDGE] * spec[SIZE] * (upper + fore)
    if not (far > -slack and close > -slack):
        return count
    over = 0.5 / (upper * fore)
    cosine = min(1.0, max(-1.0, (square - upper * upper - fore * fore) * over))
    sine = math.sqrt(max(0.0, far) * max(0.0, close)) * over
    if sine < SNAP:
        sine = 0.0
    folded = square < 1e-26 * spec[SIZE] * spec[SIZE]
    for _ in range(2):
        # links(γ) = upper + fore e^{iγ}; q₂ turns it to (dx, dy).
        a = upper + fore * cosine
        b = fore * sine
        s2 = dy * a - dx * b
        c2 = dx * a + dy * b
        if folded:
            s2, c2 = sincos(near[1])
        k = 6 * count
        put_turn(sines, cosines, k, first[0], first[1])
        put_turn(sines, cosines, k + 1, c2, s2)
        put_turn(sines, cosines, k + 2, cosine, sine)
        put_turn(sines, cosines, k + 3, c, s)
        put_turn(sines, cosines, k + 4, c5, s5)
        put_turn(sines, cosines, k + 5, turn[4], turn[5])
        count += 1
        sine = -sine
    return count


@kernel
def _finish(spec, sines, cosines, count, out):
    """From the angles 1, 2, γ, φ, 5 and 6 of each row to the axes' values; returns how many rows."""
    to_angles(sines, cosines, 6 * count)
    for i in range(count):
        q2 = sines[6 * i + 1]
        q3 = sines[6 * i + 2] - spec[BEND]
        out[i, 0] = sines[6 * i]
        out[i, 1] = q2
        out[i, 2] = spec[SIGNS] * q3
        out[i, 3] = spec[SIGNS + 1] * (sines[6 * i + 3] - q2 - q3)
        out[i, 4] = sines[6 * i + 4]
        out[i, 5] = sines[6 * i + 5]
    return count


@kernel
def parallel_rows(spec, r, p, near, out):
    """All rows of a chain with three parallel axes; returns how many."""
    h1 = vector(spec, AXES)
    h = vector(spec, TURNS)
    square = dot(h1, h)
    flat = combined(h, 1.0, h1, -square)
    side = cross(h1, h)
    first = (square * dot(h1, p) - spec[REACH], dot(flat, p), dot(side, p))
    d = spec[OFFSET]
    sines = stack1(48)
    cosines = stack1(48)
    if spec[WAY] != GENERAL:
        count = _near_roots(spec, r, p, first, near, sines, cosines)
        return _finish(spec, sines, cosines, count, out)
    far = applied(r, vector(spec, TURNS + 6))
    second = (square * dot(h1, far) - spec[TURN_MIDDLE], dot(flat, far), dot(side, far))
    k = spec[LEAN]
    forms = (first, second, (0.0, 0.0, 0.0), (-d * d * spec[SWING] * k * k, 0.0, 0.0))
    roots = stack2(4, 2)
    total = square_roots(forms, (spec[SWING], d * d, 0.0), near[0], roots)
    count = 0
    for i in range(total):
        c1 = roots[i, 0]
        s1 = roots[i, 1]
        q = spun_back(h1, c1, s1, r)
        u = applied_back(q, h)
        ok, sine, cosine = swings(spec, u)
        if ok:
            cosine = math.copysign(cosine, form_at(first, c1, s1) * d)
            turn = three_turns(spec, q, u, cosine, sine, near[5])
            at = spun(h1, c1, -s1, p)
            count = _triangle(spec, (c1, s1), turn, at, near, sines, cosines, count)
    return _finish(spec, sines, cosines, count, out)


@kernel
def _near_roots(spec, r, p, first, near, sines, cosines):
    """All rows of a chain with three parallel axes whose last two meet, or nearly: L₁ = d k cos ψ in rounds."""
    h1 = vector(spec, AXES)
    h = vector(spec, TURNS)
    swing = spec[OFFSET] * spec[LEAN]
    rounds = int(spec[ROUNDS])
    slack = spec[EDGE] * spec[SIZE]
    roots = stack2(2, 2)
    count = 0
    for i in range(2):
        sine = 0.0
        cosine = 0.0
        for family in range(2):
            ok = True
            if family == 0 or rounds > 1:
                cosine = 0.0
                for _ in range(rounds):
                    form = (first[0] - swing * cosine, first[1], first[2])
                    ok = i < angle_roots(form, slack, FREE * spec[SIZE], near[0], roots)
                    if ok:
                        q = spun_back(h1, roots[i, 0], roots[i, 1], r)
                        u = applied_back(q, h)
                        ok, sine, cosine = swings(spec, u)
                    if not ok:
                        break
                    cosine = -cosine if family == 1 else cosine
            else:
                cosine = -cosine
            if not ok:
                if rounds > 1:
                    continue
                break
            c1 = roots[i, 0]
            s1 = roots[i, 1]
            turn = three_turns(spec, q, u, cosine, sine, near[5])
            at = spun(h1, c1, -s1, p)
            count = _triangle(spec, (c1, s1), turn, at, near, sines, cosines, count)
    return count
