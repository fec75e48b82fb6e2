"""Scheme 2 of tolani-badler-1996: one angle of the shoulder or the wrist is fixed, all solutions for the others.

Both spherical joints obey e(a1, θ1) e(a2, θ2) e(a3, θ3) v = w: the shoulder with v as in `limb` and w = p, the wrist
with v = Rᵀp and w = e(a, θ4)ᵀ v_shoulder. So one function serves the six cases (15)–(31). Fixing an angle leaves an
equation y·e(axis, θ) x = c for one of the others, A cos θ + B sin θ = c − K, with two roots, and the last angle
brings one vector onto another about its axis.

Of a ball joint with its twist fixed, exp[s] brings Rz(t) v to w with a horizontal axis at right angles to their
difference; with a swing fixed, the other is a root (`fixed_swing`).
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.families import complete, families, settle_joint
from manikin.kernels.limb.fixed_swing import ROOTS, swing_roots, twist_between
from manikin.kernels.limb.limb import (
    BEFORE,
    FARTHEST,
    HINGE,
    SHOULDER,
    SHOULDER_BETA,
    SHOULDER_KIND,
    STAR,
    WRIST,
    bent,
    fits,
    hinge_angle,
    left_over,
    opening,
    to_coordinates,
    wanted,
)
from manikin.kernels.limb.spherical import OBLIQUE, SWING_TWIST, rotation_of
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.vector import (
    aligning,
    applied,
    applied_back,
    combined,
    cross,
    dot,
    matrix,
    product,
    scaled,
    transposed,
    turn,
    turned,
    vector,
)
from manikin.kernels.memory.stack import stack1
from manikin.kernels.memory.views import view2, view3

#: Rows that the solutions of one target need, with one to spare.
ROOM = 65


@kernel
def _root(axis, x, y, c, sign, scale, slack, otherwise):
    """A root of y·e(axis, θ) x = c: whether there is one, and θ; ``otherwise`` where any θ will do."""
    k = dot(axis, x) * dot(axis, y)
    a = dot(x, y) - k
    b = dot(y, cross(axis, x))
    rho = math.sqrt(a * a + b * b)
    rest = c - k
    if rho < 1e-12 * scale:
        return abs(rest) < slack * scale, otherwise
    if abs(rest) > rho + slack * scale:
        return False, 0.0
    opposite = math.sqrt(max(0.0, (rho - rest) * (rho + rest)))
    return True, atan2(b, a) + sign * atan2(opposite, rest)


@kernel
def _pair(spec, at, first, fixed, value, v, w, sign, slack):
    """The three angles with number ``fixed`` at ``value`` that bring v to w: whether there are, and they."""
    a1 = vector(spec, at)
    a2 = vector(spec, at + 3)
    a3 = vector(spec, at + 6)
    scale = spec[FARTHEST]
    if fixed == 0:
        seen = turned(a1, -value, w)
        ok, t3 = _root(a3, v, a2, dot(a2, seen), sign, scale, slack, spec[BEFORE + first + 2])
        return ok, value, aligning(a2, turned(a3, t3, v), seen, spec[BEFORE + first + 1]), t3
    if fixed == 1:
        ok, t3 = _root(
            a3, v, turned(a2, -value, a1), dot(a1, w), sign, scale, slack, spec[BEFORE + first + 2]
        )
        x = turned(a2, value, turned(a3, t3, v))
        return ok, aligning(a1, x, w, spec[BEFORE + first]), value, t3
    x = turned(a3, value, v)
    ok, t1 = _root(a1, a2, w, dot(a2, x), sign, scale, slack, spec[BEFORE + first])
    return ok, t1, aligning(a2, x, turned(a1, -t1, w), spec[BEFORE + first + 1]), value


@kernel
def _twisted(spec, at, kind, value, v, w):
    """The rotation of a ball joint with this twist that brings v to w."""
    f = matrix(spec, at)
    up = (0.0, 0.0, 1.0)
    x = applied_back(f, v)
    y = applied_back(f, w)
    if kind == SWING_TWIST:
        x = turned(up, value, x)
    else:
        y = turned(up, -value, y)
    difference = combined(y, 1.0, x, -1.0)
    axis = cross(up, difference)
    size = math.sqrt(dot(axis, axis))
    if size < 1e-12 * spec[FARTHEST]:
        axis = cross(x, y)
        size = math.sqrt(dot(axis, axis))
    swing = turn(up, 0.0)
    if size > 0.0:
        axis = scaled(axis, 1.0 / size)
        swing = turn(axis, aligning(axis, x, y, 0.0))
    twist = turn(up, value)
    local = product(swing, twist) if kind == SWING_TWIST else product(twist, swing)
    return product(f, product(local, transposed(f)))


@kernel
def _mended(rotation, v, w):
    """The rotation turned a little so that it brings v to w to the last digit."""
    x = applied(rotation, v)
    axis = cross(x, w)
    size = math.sqrt(dot(axis, axis))
    if size == 0.0:
        return rotation
    return product(turn(scaled(axis, 1.0 / size), atan2(size, dot(x, w))), rotation)


@kernel
def _finish(spec, known, rotation, t4, r, out, count):
    """Both families of both joints, the rotation of one of them known."""
    if known == 0:
        return families(spec, rotation, t4, left_over(spec, rotation, t4, r), out, count)
    return families(spec, _shoulder_left(spec, rotation, t4, r), t4, rotation, out, count)


@kernel
def _shoulder_left(spec, wrist, t4, r):
    """R_shoulder = R R_wristᵀ e(a, θ4)ᵀ."""
    return product(r, transposed(product(turn(vector(spec, HINGE), t4), wrist)))


@kernel
def _where_fixed(out, start, count, fixed, value):
    """Keep of the rows from ``start`` those with the angle at its value, within a millionth; returns how many."""
    kept = start
    for k in range(start, count):
        away = out[k, fixed] - value
        away -= 2.0 * math.pi * math.floor(away / (2.0 * math.pi) + 0.5)
        if abs(away) < 1e-6:
            for j in range(7):
                out[kept, j] = out[k, j]
            kept += 1
    return kept


@kernel
def shared(spec, p, r, t4):
    """What the six cases share: (v, w) of the shoulder's equation, (v, w) of the wrist's, and the slack of a root.

    Stretched or folded, rounding of the distance hides the hinge's last eight digits: there a root may be missed by
    as much, which `with_hinge` mends.
    """
    v, _n, _b = bent(spec, t4)
    slack = 1e-12 if abs(math.sin(t4 - spec[STAR])) > 1e-6 else 3e-8
    return v, p, applied_back(r, p), turned(vector(spec, HINGE), -t4, v), slack


@kernel
def with_hinge(spec, common, r, t4, fixed, value, bound, out, count):
    """Add the solutions with the hinge at θ4 and angle ``fixed`` (0–2, 4–6) at ``value``; ``common`` from `shared`.

    Those whose Σ(θ − θ⁰)² over the hinge and the joint with the fixed angle is above ``bound`` are left out.
    """
    bound -= (t4 - spec[BEFORE + 3]) ** 2
    if bound < 0.0:
        return count
    known = 0 if fixed < 3 else 4
    which = known // 4
    at = WRIST if which else SHOULDER
    v = common[2] if which else common[0]
    w = common[3] if which else common[1]
    slack = common[4]
    kind = int(spec[SHOULDER_KIND + which])
    ball = kind > OBLIQUE
    if ball and fixed - known == 2:
        return _finish(spec, known, _twisted(spec, at, kind, value, v, w), t4, r, out, count)
    roots = stack1(ROOTS)
    total = swing_roots(spec, at, known, kind, fixed - known, value, v, w, slack, roots) if ball else 2
    for side in range(total):
        if ball:
            x1 = roots[side] if fixed != known else value
            x2 = value if fixed != known else roots[side]
            x3 = twist_between(spec, at, kind, x1, x2, v, w, spec[BEFORE + known + 2])
        else:
            ok, x1, x2, x3 = _pair(spec, at, known, fixed - known, value, v, w, 1.0 - 2.0 * side, slack)
            if not ok:
                continue
        out[count, known] = x1
        out[count, known + 1] = x2
        out[count, known + 2] = x3
        good = settle_joint(spec, out, count, known, kind, spec[SHOULDER_BETA + which])
        part = 0.0
        for j in range(known, known + 3):
            part += (out[count, j] - spec[BEFORE + j]) ** 2
        if part > bound:
            continue
        rotation = rotation_of(spec, at, kind, x1, x2, x3)
        miss = combined(applied(rotation, v), 1.0, w, -1.0)
        if dot(miss, miss) > 1e-24 * dot(w, w):
            start = count
            count = _finish(spec, known, _mended(rotation, v, w), t4, r, out, count)
            count = _where_fixed(out, start, count, fixed, value)
            continue
        if not good:
            continue
        x1 = out[count, known]
        x2 = out[count, known + 1]
        x3 = out[count, known + 2]
        other = _shoulder_left(spec, rotation, t4, r) if which else left_over(spec, rotation, t4, r)
        count = complete(spec, known, x1, x2, x3, t4, other, out, count)
    return count


@kernel
def at_fixed(spec, p, r, fixed, value, out, count):
    """Add all solutions with one angle fixed; both signs of the elbow where the limits allow them."""
    ok, delta = opening(spec, math.sqrt(dot(p, p)))
    if not ok:
        return count
    for branch in range(2):
        ok, t4 = hinge_angle(spec, delta, branch)
        if ok:
            common = shared(spec, p, r, t4)
            count = with_hinge(spec, common, r, t4, fixed, value, math.inf, out, count)
    return count


@kernel(entry="f8[:], f8[:,:], i8, f8, f8[:,:] -> i8")
def solve_fixed(spec, target, fixed, value, out):
    """Solutions of one target (4, 4) with one axis value fixed, as coordinates in ``out`` (65, 7)."""
    p, r = wanted(spec, view3(target, 0, 1, 4, 4), 0)
    rows = view2(out, 0, ROOM, 7)
    ok, x = fits(spec, fixed, value)
    count = at_fixed(spec, p, r, fixed, x, rows, 0) if ok else 0
    for i in range(count):
        to_coordinates(spec, rows, i)
    return count


@kernel(entry="f8[:], f8[:,:,:], i8, f8, f8[:], f8[:,:,:], i8[:]")
def solve_all_fixed(spec, targets, fixed, value, space, out, counts):
    """Solutions of N targets (N, 4, 4) with one axis value fixed, in ``out`` (N, 8, 7), NaN beyond ``counts`` (N,).

    fixed: an angle of three hinges, of which there are at most 8 solutions. space: 119 numbers.
    """
    samples = view3(targets, 0, targets.shape[0], 4, 4)
    scratch = view2(space, 0, 17, 7)
    ok, x = fits(spec, fixed, value)
    for i in range(targets.shape[0]):
        p, r = wanted(spec, samples, i)
        count = at_fixed(spec, p, r, fixed, x, scratch, 0) if ok else 0
        counts[i] = count
        rows = view2(out, i * 56, 8, 7)
        for k in range(8):
            if k < count:
                to_coordinates(spec, scratch, k)
            for j in range(7):
                rows[k, j] = scratch[k, j] if k < count else math.nan
