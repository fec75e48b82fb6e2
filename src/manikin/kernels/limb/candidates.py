"""The candidates of the six fixed joints in lanes: shoulder and wrist, both roots, side by side.

Transposed, R_shoulder E R_wrist = R with E = e(a, θ4) reads R_wristᵀ Eᵀ R_shoulderᵀ = Rᵀ, and R_wristᵀ is a spherical
joint with the axes in reverse order and the angles negated. So the wrist is the shoulder of the limb turned round:

    R_own E R_other = R,   R_own v = w,   v = m + E d, w = p      for the shoulder,
                                          v = Eᵀ(m + E d), w = Rᵀp for the wrist,

and one pass serves four candidates: the two roots of `limb_fixed` for the shoulder's angle and the two for the
wrist's. Three passes, for the first, second and third axis, make all 24 solutions of a sign of the elbow.

Only for hinges at right angles. A lane near a pole, or with a root that needs mending, says so, and its two
candidates are left to `limb_fixed`.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.limb import BEFORE, FARTHEST, HIGHER, LOWER, SHOULDER, SHOULDER_BETA, SLACK, WRIST
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.vector import (
    applied,
    applied_back,
    combined,
    cross,
    dot,
    product,
    transposed,
    turn,
    turned,
)
from manikin.kernels.memory.lanes import lanes, round_down, select

# Entries of a box, for the limb …
OWN, OTHER, ROOT, BETA = 0, 9, 18, 19
# … its limits and where it was, own angles then the other's …
LOW, HIGH, LAST = 20, 26, 32
# … the target: v, w, E, R …
GOAL_V, GOAL_W, GOAL_E, GOAL_R = 38, 41, 44, 53
# … and what comes out: own angles, both families of the other's, their costs, whether to do it otherwise.
ANGLES, COSTS, ODD = 62, 71, 73
BOX = 74
# A sine below this is near a pole.
_NEAR = 0.05


@kernel
def fill_limb(spec, box):
    """Put the limb and its limits into a box."""
    for lane in range(4):
        which = lane // 2
        sign = 1.0 - 2.0 * which
        for k in range(3):
            # The shoulder's axes in order, then the wrist's; turned round, both are reversed.
            own = 4 * which + (2 - k if which else k)
            other = 4 - 4 * which + (2 - k if which else k)
            at = (WRIST if which else SHOULDER) + 3 * (own - 4 * which)
            behind = (SHOULDER if which else WRIST) + 3 * (other - 4 + 4 * which)
            for j in range(3):
                box[OWN + 3 * k + j, lane] = spec[at + j]
                box[OTHER + 3 * k + j, lane] = spec[behind + j]
            _fill_limits(spec, own, sign, k, lane, box)
            _fill_limits(spec, other, sign, 3 + k, lane, box)
        box[ROOT, lane] = 1.0 - 2.0 * (lane % 2)
        box[BETA, lane] = sign * spec[SHOULDER_BETA + 1 - which]


@kernel
def _fill_limits(spec, j, sign, k, lane, box):
    box[LOW + k, lane] = spec[LOWER + j] if sign > 0.0 else -spec[HIGHER + j]
    box[HIGH + k, lane] = spec[HIGHER + j] if sign > 0.0 else -spec[LOWER + j]


@kernel
def fill_last(spec, box):
    """Put where the limb was into a box."""
    for j in range(3):
        for lane in range(2):
            box[LAST + j, lane] = spec[BEFORE + j]
            box[LAST + 3 + j, lane] = spec[BEFORE + 4 + j]
            box[LAST + j, 2 + lane] = -spec[BEFORE + 6 - j]
            box[LAST + 3 + j, 2 + lane] = -spec[BEFORE + 2 - j]


@kernel
def fill_goal(common, r, hinge, box):
    """Put what is wanted at an angle of the hinge into a box; ``hinge`` is E, ``common`` from `limb_fixed.shared`."""
    back = transposed(hinge)
    turned_back = transposed(r)
    for lane in range(2):
        for j in range(3):
            box[GOAL_V + j, lane] = common[0][j]
            box[GOAL_W + j, lane] = common[1][j]
            box[GOAL_V + j, 2 + lane] = common[3][j]
            box[GOAL_W + j, 2 + lane] = common[2][j]
        for j in range(9):
            box[GOAL_E + j, lane] = hinge[j]
            box[GOAL_E + j, 2 + lane] = back[j]
            box[GOAL_R + j, lane] = r[j]
            box[GOAL_R + j, 2 + lane] = turned_back[j]


@kernel
def _vector(x, at):
    return x[at], x[at + 1], x[at + 2]


@kernel
def _matrix(x, at):
    return x[at], x[at + 1], x[at + 2], x[at + 3], x[at + 4], x[at + 5], x[at + 6], x[at + 7], x[at + 8]


@kernel
def _root(axis, x, y, c, sign, scale):
    """`limb_fixed._root` for lanes: θ, 1 where there is none, and 1 where any would do."""
    k = dot(axis, x) * dot(axis, y)
    a = dot(x, y) - k
    b = dot(y, cross(axis, x))
    rho = math.sqrt(a * a + b * b)
    rest = c - k
    none = select(math.fabs(rest) > rho + 1e-12 * scale, 1.0, 0.0)
    square = (rho - rest) * (rho + rest)
    opposite = math.sqrt(select(square > 0.0, square, 0.0))
    return atan2(b, a) + sign * atan2(opposite, rest), none, select(rho < 1e-9 * scale, 1.0, 0.0)


@kernel
def _aligning(axis, v, w):
    """`vector.aligning` for lanes, and 1 where any angle would do."""
    c = dot(v, w) - dot(axis, v) * dot(axis, w)
    s = dot(axis, cross(v, w))
    return atan2(s, c), select(math.fabs(c) + math.fabs(s) < 1e-16, 1.0, 0.0)


@kernel
def _own_angles(x, case, scale):
    """The three angles with number ``case`` where it was: they, where there are none, where to do it otherwise."""
    a1 = _vector(x, OWN)
    a2 = _vector(x, OWN + 3)
    a3 = _vector(x, OWN + 6)
    v = _vector(x, GOAL_V)
    w = _vector(x, GOAL_W)
    value = x[LAST + case]
    sign = x[ROOT]
    if case == 0:
        seen = turned(a1, -value, w)
        t3, none, odd = _root(a3, v, a2, dot(a2, seen), sign, scale)
        t2, more = _aligning(a2, turned(a3, t3, v), seen)
        return value, t2, t3, none, odd + more
    if case == 1:
        t3, none, odd = _root(a3, v, turned(a2, -value, a1), dot(a1, w), sign, scale)
        t1, more = _aligning(a1, turned(a2, value, turned(a3, t3, v)), w)
        return t1, value, t3, none, odd + more
    y = turned(a3, value, v)
    t1, none, odd = _root(a1, a2, w, dot(a2, y), sign, scale)
    t2, more = _aligning(a2, y, turned(a1, -t1, w))
    return t1, t2, value, none, odd + more


@kernel
def _fitted(x, j, value):
    """`limb.fits` for entry j of a box: 1 where there is no such angle, the angle, and its step squared."""
    low = x[LOW + j]
    high = x[HIGH + j]
    last = x[LAST + j]
    whole = 2.0 * math.pi
    part = 1.0 / whole
    y = value + whole * round_down((last - value) * part + 0.5)
    y = select(y > high + SLACK, y + whole * round_down((high + SLACK - y) * part), y)
    y = select(y < low - SLACK, y - whole * round_down((y - low + SLACK) * part), y)
    none = select(y < low - SLACK, 1.0, select(y > high + SLACK, 1.0, 0.0))
    y = select(y < low, low, select(y > high, high, y))
    return none, y, (y - last) * (y - last)


@kernel
def _three(x, first, place, t1, t2, t3):
    """Fit three angles from entry ``first`` on, write them from ``place`` on: 1 or more where they do not, the cost."""
    none1, y1, cost1 = _fitted(x, first, t1)
    none2, y2, cost2 = _fitted(x, first + 1, t2)
    none3, y3, cost3 = _fitted(x, first + 2, t3)
    x[place] = y1
    x[place + 1] = y2
    x[place + 2] = y3
    return none1 + none2 + none3, cost1 + cost2 + cost3


@kernel
def candidates(spec, box, case):
    """Eight solutions with angle number ``case`` of shoulder and wrist where it was, into the box."""
    x = lanes(box)
    scale = spec[FARTHEST]
    t1, t2, t3, none, odd = _own_angles(x, case, scale)
    own = product(
        turn(_vector(x, OWN), t1), product(turn(_vector(x, OWN + 3), t2), turn(_vector(x, OWN + 6), t3))
    )
    miss = combined(applied(own, _vector(x, GOAL_V)), 1.0, _vector(x, GOAL_W), -1.0)
    pole = select(dot(miss, miss) > 1e-24 * scale * scale, 1.0, 0.0)
    other = product(transposed(product(own, _matrix(x, GOAL_E))), _matrix(x, GOAL_R))
    b1 = _vector(x, OTHER)
    b2 = _vector(x, OTHER + 3)
    b3 = _vector(x, OTHER + 6)
    u = applied(other, b3)
    y = applied_back(other, b1)
    g = dot(cross(b2, b1), u)
    f = dot(b2, u)
    h = math.sqrt(g * g + f * f)
    pole += select(h < _NEAR, 1.0, 0.0)
    beta = x[BETA]
    s1 = atan2(f, g)
    s2 = atan2(h, dot(b1, u)) - beta
    s3 = atan2(dot(b2, y), -dot(cross(b2, b3), y))
    none_own, cost = _three(x, 0, ANGLES, t1, t2, t3)
    none_one, one = _three(x, 3, ANGLES + 3, s1, s2, s3)
    none_two, two = _three(x, 3, ANGLES + 6, s1 + math.pi, -s2 - 2.0 * beta, s3 + math.pi)
    none += none_own
    x[COSTS] = select(none + none_one > 0.0, math.inf, cost + one)
    x[COSTS + 1] = select(none + none_two > 0.0, math.inf, cost + two)
    x[ODD] = odd + select(none > 0.0, 0.0, pole)


@kernel
def read(box, lane, family, t4, out):
    """Write a candidate's seven angles to row 0 of ``out``."""
    out[0, 3] = t4
    behind = ANGLES + 3 + 3 * family
    for j in range(3):
        if lane < 2:
            out[0, j] = box[ANGLES + j, lane]
            out[0, 4 + j] = box[behind + j, lane]
        else:
            out[0, 6 - j] = -box[ANGLES + j, lane]
            out[0, 2 - j] = -box[behind + j, lane]
