"""All angles within the limits that two rotations of a limb's spherical joints have.

Each joint has two families of angles (see `spherical`); every pair of them that fits is a solution. Rows of ``out`` are
the seven axis values; it must have one row more than there can be solutions, which serves as scratch.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.limb import (
    BEFORE,
    CONE_LENGTH,
    CONES,
    HIGHER,
    LOWER,
    ROW,
    ROW_LENGTH,
    ROWS,
    SHOULDER,
    SHOULDER_BETA,
    SHOULDER_KIND,
    SLACK,
    WRIST,
    WRIST_BETA,
    WRIST_KIND,
    fits,
)
from manikin.kernels.limb.spherical import OBLIQUE, SQUARE, first_family, second_family
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.swing import seen_swing

# Moves towards a cone's centre that take back rounding: off centre, one does not quite.
_ROUNDS = 4


@kernel
def settle_joint(spec, out, k, first, kind, beta):
    """Bring three angles of row k within their limits by whole turns; at a pole also by sharing the outer two."""
    good = True
    for j in range(first, first + 3):
        if kind > OBLIQUE and j < first + 2:
            # A swing is not the same a whole turn further: its second family is.
            x = out[k, j]
            ok = x >= spec[LOWER + j] - SLACK and x <= spec[HIGHER + j] + SLACK
            out[k, j] = min(spec[HIGHER + j], max(spec[LOWER + j], x))
        else:
            ok, out[k, j] = fits(spec, j, out[k, j])
        if not ok:
            good = False
    if good or kind != SQUARE:
        return good
    s, c = sincos(out[k, first + 1] + beta)
    if abs(s) > 1e-12:
        return False
    # Only θ1 + θ3 (γ = 0) or θ1 − θ3 (γ = π) counts: move one to its nearest limit, the other makes up for it.
    sign = 1.0 if c > 0.0 else -1.0
    ok, out[k, first + 1] = fits(spec, first + 1, out[k, first + 1])
    for j in (first + 2, first):
        other = 2 * first + 2 - j
        x = min(spec[HIGHER + j], max(spec[LOWER + j], out[k, j]))
        out[k, other] += sign * (out[k, j] - x)
        out[k, j] = x
        fine, out[k, other] = fits(spec, other, out[k, other])
        if fine:
            return ok
    return False


@kernel
def rows_hold(spec, out, k):
    """Whether row k keeps the linear constraints among the angles, and the cones."""
    for r in range(int(spec[ROWS])):
        at = ROW + r * ROW_LENGTH
        total = 0.0
        for j in range(7):
            total += spec[at + j] * out[k, j]
        if total < spec[at + 7] - SLACK or total > spec[at + 8] + SLACK:
            return False
    return _in_cones(spec, out, k)


@kernel
def leaning(spec, out, k, which):
    """How far row k is out in cone number ``which``: 1 on its edge."""
    at = ROW + int(spec[ROWS]) * ROW_LENGTH + which * CONE_LENGTH
    seen = seen_swing(spec[at + 2], spec[at + 3], out[k, int(spec[at])], out[k, int(spec[at + 1])])
    x = seen[0] / spec[at + 4]
    y = seen[1] / spec[at + 5]
    return math.sqrt(x * x + y * y)


@kernel
def _in_cones(spec, out, k):
    """Whether row k is within the cones; by rounding beyond an edge, it is brought back to it."""
    for which in range(int(spec[CONES])):
        at = ROW + int(spec[ROWS]) * ROW_LENGTH + which * CONE_LENGTH
        lean = leaning(spec, out, k, which)
        if lean > 1.0 + SLACK / min(spec[at + 4], spec[at + 5]):
            return False
        for _ in range(_ROUNDS):
            if lean <= 1.0:
                break
            for j in range(2):
                middle = spec[at + 2 + j]
                place = int(spec[at + j])
                out[k, place] = middle + (out[k, place] - middle) / lean
            lean = leaning(spec, out, k, which)
    return True


@kernel
def is_new(out, k):
    """Whether row k differs from all before it."""
    for i in range(k):
        same = True
        for j in range(7):
            same = same and abs(out[i, j] - out[k, j]) <= 1e-9
        if same:
            return False
    return True


@kernel
def families(spec, shoulder, t4, wrist, out, count):
    """Add to ``out`` all angles of these rotations that are within the limits; ``out`` has a row to spare."""
    kind = int(spec[WRIST_KIND])
    beta = spec[WRIST_BETA]
    before = spec[BEFORE + 4]
    ok1, x5, x6, x7 = first_family(spec, WRIST, kind, beta, wrist, before)
    ok2, y5, y6, y7 = False, 0.0, 0.0, 0.0
    if ok1:
        ok2, y5, y6, y7 = second_family(spec, WRIST, kind, beta, wrist, before, x5, x6, x7)
        ok1, x5, x6, x7 = _settled(spec, out, count, 4, kind, beta, x5, x6, x7)
    if ok2:
        ok2, y5, y6, y7 = _settled(spec, out, count, 4, kind, beta, y5, y6, y7)
    if not (ok1 or ok2):
        return count
    kind = int(spec[SHOULDER_KIND])
    beta = spec[SHOULDER_BETA]
    ok, z1, z2, z3 = first_family(spec, SHOULDER, kind, beta, shoulder, spec[BEFORE])
    for f in range(2):
        if f == 1 and ok:
            ok, z1, z2, z3 = second_family(spec, SHOULDER, kind, beta, shoulder, spec[BEFORE], z1, z2, z3)
        if not ok:
            break
        good, x1, x2, x3 = _settled(spec, out, count, 0, kind, beta, z1, z2, z3)
        if good and ok1:
            count = _add(spec, out, count, x1, x2, x3, t4, x5, x6, x7)
        if good and ok2:
            count = _add(spec, out, count, x1, x2, x3, t4, y5, y6, y7)
    return count


@kernel
def _settled(spec, out, k, first, kind, beta, x1, x2, x3):
    """Whether three angles can be brought within their limits, and the angles there; row k is scratch."""
    out[k, first] = x1
    out[k, first + 1] = x2
    out[k, first + 2] = x3
    good = settle_joint(spec, out, k, first, kind, beta)
    return good, out[k, first], out[k, first + 1], out[k, first + 2]


@kernel
def _add(spec, out, k, x1, x2, x3, t4, x5, x6, x7):
    """Write row k if it keeps the rows and is new; returns how many rows there are."""
    out[k, 0] = x1
    out[k, 1] = x2
    out[k, 2] = x3
    out[k, 3] = t4
    out[k, 4] = x5
    out[k, 5] = x6
    out[k, 6] = x7
    return k + 1 if rows_hold(spec, out, k) and is_new(out, k) else k


@kernel
def complete(spec, known, x1, x2, x3, t4, rotation, out, count):
    """Add both families of one spherical joint's rotation to the other's angles, which are within their limits.

    known: 0 where x1, x2, x3 are the shoulder's, 4 where they are the wrist's.
    """
    which = 1 - known // 4
    other = 4 * which
    at = WRIST if which else SHOULDER
    kind = int(spec[SHOULDER_KIND + which])
    beta = spec[SHOULDER_BETA + which]
    before = spec[BEFORE + other]
    ok, y1, y2, y3 = first_family(spec, at, kind, beta, rotation, before)
    for f in range(2):
        if f == 1 and ok:
            ok, y1, y2, y3 = second_family(spec, at, kind, beta, rotation, before, y1, y2, y3)
        if not ok:
            break
        out[count, known] = x1
        out[count, known + 1] = x2
        out[count, known + 2] = x3
        out[count, 3] = t4
        out[count, other] = y1
        out[count, other + 1] = y2
        out[count, other + 2] = y3
        good = settle_joint(spec, out, count, other, kind, beta)
        if good and rows_hold(spec, out, count) and is_new(out, count):
            count += 1
    return count
