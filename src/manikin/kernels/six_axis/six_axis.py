"""Robots of six joints in closed form: what is common to all kinds.

A chain of axes through points O₁ … O₆ with directions h₁ … h₆ at zero carries its end by

    G = e₁(q₁) e₂(q₂) … e₆(q₆),   eᵢ(q) the turn by q about the line (Oᵢ, hᵢ),   R = R₁ R₂ … R₆,   Rᵢ = R(hᵢ, qᵢ),

and a target says what G is: G = carrier⁻¹ · target · tip⁻¹. With a point A of axis 1 and a point Z carried by axis 6,
p = G Z − A. Three neighbouring hinges that meet in a point or are parallel leave up to eight solutions (`three`; the
other joints turn or slide). Of six hinges, parallel axes 2 to 4 (`parallel`) and axes that meet at an end (`wrist`)
have shorter ways of their own. Angles are found one after the other, so that each makes up for the rounding of those
before it. A chain whose last axes would have to be first is read from its other end there, G⁻¹ = e₆(−q₆) … e₁(−q₁).

Axes that meet end with **three turns** about a, b and c that make a rotation Q. With n = b × c / |b × c|, m = n × b,
(a·n, a·m) = k (cos χ, sin χ), σ = c·m and ψ the angle about b plus χ,

    z := a·Qc = (a·b)(b·c) + σ k sin ψ,     (σ k cos ψ)² = (z₊ − z)(z − z₋),     z± = (a·b)(b·c) ± σ k,

so that ψ has two values. No digits are lost where a and c end up parallel, for 1 ∓ z = |u × c|² / (1 ± z) with u =
Qᵀa. Then C turns u to Bᵀa; where those are along c only the sum of the outer angles counts, and the last of them
stays as in ``near``. A turns b to Q Cᵀ b.

``spec`` holds all numbers of a chain; the entries are named below.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.vector import (
    applied,
    applied_back,
    combined,
    cross,
    dot,
    matrix,
    product,
    transposed,
    vector,
)

# Kinds, and how a wrist's arm is solved.
PARALLEL, WRIST, SPHERE, FLAT = 0, 1, 2, 3
PLAIN, MEETING, UPRIGHT, GENERAL = 0, 1, 2, 3
# Entries of spec: what it is …
KIND, WAY, MIRROR, SIZE = 0, 1, 2, 3
# … G's frames, p = BASE·(target's turn · TOOL_POINT + its position) + BASE_POINT …
BASE, BASE_POINT, TOOL, TOOL_POINT = 4, 13, 16, 25
# … the axes and the ways A, O₁ … O₆, Z between points, as they truly are …
AXES, WAYS = 28, 46
# … three turns: axes; (a·b)(b·c), σk, 1 − z₊, 1 + z₋, cos χ, sin χ …
TURNS, TURN_MIDDLE, TURN_SWING, TURN_TOP, TURN_BOTTOM, TURN_COS, TURN_SIN = 67, 76, 77, 78, 79, 80, 81
# … of three parallel axes: h·(Z₅ − A), d, σ², k, n, m; a basis e₁, e₂ across h; O₂ − A and Z₅ − O₄ in it; the lengths
# of the two links and the angle between them; the signs of axes 3 and 4 …
REACH, OFFSET, SWING, LEAN, PERPENDICULAR, OTHER = 82, 83, 84, 85, 86, 89
PLANE, BEFORE, BEHIND, UPPER, FORE, BEND, SIGNS = 92, 98, 100, 102, 103, 104, 105
# … of an arm with a wrist: a, cos α, sin α, n, m, O₃ − O₂, Z − O₃, and the forms of |v|² and h₂·v …
ARM, ARM_COS, ARM_SIN, ARM_N, ARM_M, LINK, HAND, SQUARE, ALONG = 82, 83, 84, 85, 88, 91, 94, 97, 100
# … of three axes anywhere: the point in which they meet or one on the first of them, and which axis is the first …
CENTER, FIRST = 82, 107
# … a target this part of the arm's size beyond an edge is on it, in how many rounds a small offset is accounted for …
EDGE, ROUNDS = 108, 109
# … coordinate = (value − shift) · factor, in the order of the figure's axes, and what BASE_POINT has besides the
# carrier.
SHIFT, FACTOR, START = 110, 116, 122
# … which axes slide along their direction and do not turn.
SLIDES, LENGTH = 125, 131

#: Most solutions.
MOST = 8
# A form that varies by this part of the arm's size says nothing of its angle.
FREE = 1e-13


@kernel
def goal_of(spec, target):
    """(R, p) of a target, a 4×4 in the world, in the order in which the chain is read."""
    r = (
        target[0, 0],
        target[0, 1],
        target[0, 2],
        target[1, 0],
        target[1, 1],
        target[1, 2],
        target[2, 0],
        target[2, 1],
        target[2, 2],
    )
    base = matrix(spec, BASE)
    w = applied(r, vector(spec, TOOL_POINT))
    w = (w[0] + target[0, 3], w[1] + target[1, 3], w[2] + target[2, 3])
    p = combined(applied(base, w), 1.0, vector(spec, BASE_POINT), 1.0)
    turn = product(product(base, r), matrix(spec, TOOL))
    if spec[MIRROR] != 0.0:
        p = applied_back(turn, p)
        return transposed(turn), (-p[0], -p[1], -p[2])
    return turn, p


@kernel
def spun(axis, c, s, v):
    """v turned about a unit vector by the angle with this cosine and sine."""
    along = dot(axis, v) * (1.0 - c)
    w = cross(axis, v)
    return (
        v[0] * c + w[0] * s + axis[0] * along,
        v[1] * c + w[1] * s + axis[1] * along,
        v[2] * c + w[2] * s + axis[2] * along,
    )


@kernel
def spun_back(axis, c, s, a):
    """R(axis)ᵀ A for a rotation A by rows."""
    x = spun(axis, c, -s, (a[0], a[3], a[6]))
    y = spun(axis, c, -s, (a[1], a[4], a[7]))
    z = spun(axis, c, -s, (a[2], a[5], a[8]))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@kernel
def aligning_turn(axis, v, w, near):
    """Cosine and sine of the turn about ``axis`` that brings v's part across it onto w's; of ``near`` where all do."""
    # By what is across the axis alone: v and w may be almost along it.
    a = cross(axis, v)
    b = cross(axis, w)
    c = dot(a, b)
    s = dot(axis, cross(a, b))
    size = c * c + s * s
    if size < 1e-48:
        s, c = sincos(near)
        return c, s
    over = 1.0 / math.sqrt(size)
    return c * over, s * over


@kernel
def swings(spec, u):
    """Whether some turn about the middle axis makes Q, sin ψ, and |cos ψ|, from u = Qᵀa."""
    c = vector(spec, TURNS + 6)
    z = dot(u, c)
    x = cross(u, c)
    square = dot(x, x)
    below = square / (1.0 + z) if z > 0.0 else 1.0 - z
    above = 1.0 + z if z > 0.0 else square / (1.0 - z)
    top = below - spec[TURN_TOP]
    bottom = above - spec[TURN_BOTTOM]
    if not (top > -spec[EDGE] and bottom > -spec[EDGE]):
        return False, 0.0, 0.0
    over = 1.0 / spec[TURN_SWING]
    sine = min(1.0, max(-1.0, (z - spec[TURN_MIDDLE]) * over))
    return True, sine, math.sqrt(max(0.0, top) * max(0.0, bottom)) * over


@kernel
def three_turns(spec, q, u, cosine, sine, near):
    """Cosines and sines of the three turns that make Q with this ψ; the last is ``near`` where only a sum counts."""
    a = vector(spec, TURNS)
    b = vector(spec, TURNS + 3)
    c = vector(spec, TURNS + 6)
    c2 = cosine * spec[TURN_COS] + sine * spec[TURN_SIN]
    s2 = sine * spec[TURN_COS] - cosine * spec[TURN_SIN]
    c3, s3 = aligning_turn(c, u, spun(b, c2, -s2, a), near)
    c1, s1 = aligning_turn(a, b, applied(q, spun(c, c3, -s3, b)), 0.0)
    return c1, s1, c2, s2, c3, s3


@kernel
def put_turn(sines, cosines, k, c, s):
    """Keep an angle's cosine and sine at place k."""
    sines[k] = s
    cosines[k] = c


@kernel
def to_angles(sines, cosines, count):
    """Angles in place of sines, all at once: a loop that vectorises."""
    for k in range(count):
        sines[k] = atan2(sines[k], cosines[k])
