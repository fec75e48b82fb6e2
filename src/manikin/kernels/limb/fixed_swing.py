"""A ball joint with one of its two swings fixed: the other swings, and the twist, that bring one vector to another.

exp[s] Rz(t) v = w, s = (s0, s1, 0), leaves w·d(s) = v·z for d(s) = exp[s] z, since the twist t turns v about z alone:

    h(s) = (w_x s1 − w_y s0) sin θ/θ + w_z cos θ − v_z = 0,    θ = |s|.

With one swing given this is an equation in the other. It has no closed form, as sin θ/θ is no rational function of an
angle's tangent; its roots within the swing's range are bracketed on a grid, with the extremum between two grid points
where there is one, and bisected. For Rz(t) exp[s] v = w, the joint turned round, v and w change places and s its sign.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.limb import BEFORE, FARTHEST, HIGHER, LOWER
from manikin.kernels.limb.spherical import SWING_TWIST
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.vector import aligning, applied_back, matrix, turned

#: Most roots that are listed.
ROOTS = 8
# Cells of the grid over a range of 4π; swings are no longer than a whole turn.
_CELLS = 96
_HALVINGS = 60
# A root may be this far, radians, beyond its range, and is then on it.
_MARGIN = 1e-10


@kernel
def _height(a, b, c, fixed, u):
    """(a u + b f) sin θ/θ + c cos θ with θ² = f² + u², and its derivative by u."""
    square = fixed * fixed + u * u
    theta = math.sqrt(square)
    s, cosine = sincos(theta)
    if theta > 1e-4:
        k = s / theta
        slope = u * (cosine - k) / square
    else:
        k = 1.0 - square / 6.0
        slope = -u / 3.0
    along = a * u + b * fixed
    return along * k + c * cosine, a * k + along * slope - c * u * k


@kernel
def _between(a, b, c, fixed, level, low, high, slope):
    """Where h (or its slope) changes its sign between two swings at which its signs differ."""
    value, rate = _height(a, b, c, fixed, low)
    below = (rate if slope else value - level) < 0.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        value, rate = _height(a, b, c, fixed, middle)
        if ((rate if slope else value - level) < 0.0) == below:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def _roots(a, b, c, fixed, level, low, high, slack, out):
    """The roots of h between two swings, in ``out`` (8,); returns how many, −1 where every swing is one."""
    count = 0
    flat = True
    last, rate = _height(a, b, c, fixed, low)
    last -= level
    cells = math.ceil(_CELLS * (high - low) / (4.0 * math.pi)) + 1
    step = (high - low) / cells
    if abs(last) <= slack:
        out[0] = low
        count = 1
    for k in range(1, cells + 1):
        u = low + step * k
        value, slope = _height(a, b, c, fixed, u)
        value -= level
        flat = flat and abs(value) <= slack
        begin = u - step
        if (rate < 0.0) != (slope < 0.0):
            middle = _between(a, b, c, fixed, level, begin, u, True)
            top, _ = _height(a, b, c, fixed, middle)
            top -= level
            if abs(top) <= slack:
                if count < ROOTS:
                    out[count] = middle
                    count += 1
            elif (last < 0.0) != (top < 0.0):
                if count < ROOTS:
                    out[count] = _between(a, b, c, fixed, level, begin, middle, False)
                    count += 1
                begin = middle
                last = top
            else:
                begin = middle
                last = top
        if (last < 0.0) != (value < 0.0) and count < ROOTS:
            out[count] = _between(a, b, c, fixed, level, begin, u, False)
            count += 1
        elif abs(value) <= slack and k == cells and count < ROOTS:
            out[count] = u
            count += 1
        last = value
        rate = slope
    return -1 if flat else count


@kernel
def swing_roots(spec, at, first, kind, which, value, v, w, slack, out):
    """The other swings at which swing ``which`` (0, 1) at ``value`` lets a twist bring v to w; returns how many.

    Where any would do, it stays where it was.
    """
    f = matrix(spec, at)
    x = applied_back(f, v)
    y = applied_back(f, w)
    side = 1.0
    if kind != SWING_TWIST:
        x, y = y, x
        side = -1.0
    # Of d(s) = (s1 k, −s0 k, cos θ), with s turned round for the other kind.
    a = -side * y[1] if which == 1 else side * y[0]
    b = side * y[0] if which == 1 else -side * y[1]
    other = first + 1 - which
    long = math.sqrt(max(0.0, 4.0 * math.pi * math.pi - value * value))
    low = max(spec[LOWER + other] - _MARGIN, -long)
    high = min(spec[HIGHER + other] + _MARGIN, long)
    if not low < high:
        return 0
    count = _roots(a, b, y[2], value, x[2], low, high, slack * spec[FARTHEST], out)
    if count < 0:
        out[0] = min(high, max(low, spec[BEFORE + other]))
        return 1
    return count


@kernel
def twist_between(spec, at, kind, s0, s1, v, w, otherwise):
    """The twist that brings v to w with a ball joint's swings at s0 and s1."""
    f = matrix(spec, at)
    up = (0.0, 0.0, 1.0)
    x = applied_back(f, v)
    y = applied_back(f, w)
    theta = math.sqrt(s0 * s0 + s1 * s1)
    axis = (s0 / theta, s1 / theta, 0.0) if theta > 0.0 else (1.0, 0.0, 0.0)
    if kind == SWING_TWIST:
        return aligning(up, x, turned(axis, -theta, y), otherwise)
    return aligning(up, turned(axis, theta, x), y, otherwise)
