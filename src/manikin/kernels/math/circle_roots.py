"""Angles at which a linear or a quadratic expression of their cosine and sine is zero.

A *form* (f0, f1, f2) stands for f0 + f1 cos θ + f2 sin θ. One form is zero at two angles or none. A sum

    F(θ) = α A² + β B² + γ C² + D

of forms is a trigonometric polynomial of the second degree, with up to four roots. With t = tan((θ − θ0)/2),

    f = ((f0 + f1) + 2 f2 t + (f0 − f1) t²) / (1 + t²)      (f1, f2 turned by θ0),

F (1 + t²)² is a quartic in t, whose leading coefficient is F(θ0 + π): θ0 is chosen so that this is the largest of six
values around the circle, which keeps all roots moderate. Between its critical points a polynomial is monotone, so each
root is bracketed and found by Newton's method with bisection; a critical point at which the quartic is zero
but for rounding is a double root.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.memory.stack import stack1

# Part of the sum of the terms' sizes that counts as zero.
_ZERO = 1e-13
_TOUCHING = 1e-11
# Two roots this near, radians, are one: rounding does not tell them apart, and nothing is lost by taking the middle.
SNAP = 6e-8
_HALF_ROOT_3 = 0.8660254037844386


@kernel
def form_at(f, c, s):
    """f0 + f1 cos θ + f2 sin θ."""
    return f[0] + f[1] * c + f[2] * s


@kernel
def angle_roots(f, slack, none, near, out):
    """The roots of one form as rows (cos, sin) of ``out``; returns how many.

    A form that misses zero by less than ``slack`` touches it. Where it varies by less than ``none``, every angle is a
    root and ``near`` is the one that is taken.
    """
    rho = math.sqrt(f[1] * f[1] + f[2] * f[2])
    if not abs(f[0]) <= rho + slack:
        return 0
    if rho <= none:
        s, c = sincos(near)
        out[0, 0] = c
        out[0, 1] = s
        return 1
    over = 1.0 / rho
    x = min(1.0, max(-1.0, -f[0] * over))
    y = math.sqrt(max(0.0, (rho - f[0]) * (rho + f[0]))) * over
    if y < SNAP:
        y = 0.0
    c = f[1] * over
    s = f[2] * over
    out[0, 0] = c * x - s * y
    out[0, 1] = s * x + c * y
    out[1, 0] = c * x + s * y
    out[1, 1] = s * x - c * y
    return 2


@kernel
def _sum_at(forms, weights, c, s):
    """F."""
    a = form_at(forms[0], c, s)
    b = form_at(forms[1], c, s)
    g = form_at(forms[2], c, s)
    return weights[0] * a * a + weights[1] * b * b + weights[2] * g * g + form_at(forms[3], c, s)


@kernel
def _size(f):
    return abs(f[0]) + abs(f[1]) + abs(f[2])


@kernel
def _parabola(f, c, s):
    """f (1 + t²) as a polynomial in t, about the angle with this cosine and sine."""
    f1 = f[1] * c + f[2] * s
    f2 = f[2] * c - f[1] * s
    return (f[0] + f1, 2.0 * f2, f[0] - f1)


@kernel
def _plus_square(p, w, a):
    """p + w a² for a quartic p and a parabola a."""
    return (
        p[0] + w * a[0] * a[0],
        p[1] + w * 2.0 * a[0] * a[1],
        p[2] + w * (a[1] * a[1] + 2.0 * a[0] * a[2]),
        p[3] + w * 2.0 * a[1] * a[2],
        p[4] + w * a[2] * a[2],
    )


@kernel
def _polynomial(p, t):
    return (((p[4] * t + p[3]) * t + p[2]) * t + p[1]) * t + p[0]


@kernel
def _slope(p, t):
    return ((4.0 * p[4] * t + 3.0 * p[3]) * t + 2.0 * p[2]) * t + p[1]


@kernel
def _between(p, low, high, below):
    """The root of p between low and high, where p is monotone; ``below``: whether p is negative at low."""
    t = 0.5 * (low + high)
    for _ in range(100):
        value = _polynomial(p, t)
        if (value < 0.0) == below:
            low = t
        else:
            high = t
        slope = _slope(p, t)
        new = t - value / slope if slope != 0.0 else low
        if not (low < new < high):
            new = 0.5 * (low + high)
        if abs(new - t) <= 4e-16 * (abs(t) + 1e-3):
            return new
        t = new
    return t


@kernel
def _crossings(p, ends, count, out):
    """Where p changes its sign in the intervals between ``count`` ends, ascending in ``out``; returns how many."""
    found = 0
    low = ends[0]
    below = _polynomial(p, low) < 0.0
    for k in range(1, count):
        high = ends[k]
        above = _polynomial(p, high) < 0.0
        if below != above and low < high:
            out[found] = _between(p, low, high, below)
            found += 1
        low = high
        below = above
    return found


@kernel
def quartic_roots(p, out):
    """The real roots of a quartic with p4 ≠ 0, double ones once, in ``out`` (4); returns how many."""
    ends = stack1(5)
    critical = stack1(3)
    over = 1.0 / p[4]
    p = (p[0] * over, p[1] * over, p[2] * over, p[3] * over, 1.0)
    edge = 1.0 + max(max(abs(p[0]), abs(p[1])), max(abs(p[2]), abs(p[3])))
    d = (p[1], 2.0 * p[2], 3.0 * p[3], 4.0, 0.0)
    # The derivative's critical points: 12 t² + 6 p3 t + 2 p2 = 0.
    ends[0] = -edge
    count = 1
    square = 9.0 * p[3] * p[3] - 24.0 * p[2]
    if square > 0.0:
        root = math.sqrt(square)
        ends[1] = (-3.0 * p[3] - root) / 12.0
        ends[2] = (-3.0 * p[3] + root) / 12.0
        count = 3
    ends[count] = edge
    turns = _crossings(d, ends, count + 1, critical)
    ends[0] = -edge
    for k in range(turns):
        ends[k + 1] = critical[k]
    ends[turns + 1] = edge
    found = _crossings(p, ends, turns + 2, out)
    for k in range(turns):
        t = abs(critical[k])
        value = _polynomial(p, critical[k])
        size = _polynomial((abs(p[0]), abs(p[1]), abs(p[2]), abs(p[3]), 1.0), t)
        if abs(value) > _TOUCHING * size or found == 4:
            continue
        # The quartic is positive beyond its roots and minimal at the first and last critical point: one that is
        # touched from outside crosses nothing.
        outside = (value >= 0.0) == (k != 1)
        if outside:
            out[found] = critical[k]
            found += 1
    return found


@kernel
def square_roots(forms, weights, near, out):
    """The roots of F as rows (cos, sin) of ``out`` (4, 2); returns how many.

    forms: A, B, C, D; weights: α, β, γ. Where every angle is a root, ``near`` is the one.
    """
    c0 = 1.0
    s0 = 0.0
    most = abs(_sum_at(forms, weights, c0, s0))
    for k in range(1, 6):
        c = -1.0 if k == 3 else (0.5 if k == 1 or k == 5 else -0.5)
        s = 0.0 if k == 3 else (_HALF_ROOT_3 if k < 3 else -_HALF_ROOT_3)
        value = abs(_sum_at(forms, weights, c, s))
        if value > most:
            most = value
            c0 = c
            s0 = s
    size = _size(forms[3]) + abs(weights[0]) * _size(forms[0]) ** 2
    size += abs(weights[1]) * _size(forms[1]) ** 2 + abs(weights[2]) * _size(forms[2]) ** 2
    if not most > _ZERO * size:
        s, c = sincos(near)
        out[0, 0] = c
        out[0, 1] = s
        return 1
    c0 = -c0
    s0 = -s0
    a = _parabola(forms[3], c0, s0)
    p = (a[0], a[1], a[0] + a[2], a[1], a[2])
    p = _plus_square(p, weights[0], _parabola(forms[0], c0, s0))
    p = _plus_square(p, weights[1], _parabola(forms[1], c0, s0))
    p = _plus_square(p, weights[2], _parabola(forms[2], c0, s0))
    roots = stack1(4)
    count = quartic_roots(p, roots)
    for k in range(count):
        t = roots[k]
        over = 1.0 / (1.0 + t * t)
        c = (1.0 - t) * (1.0 + t) * over
        s = 2.0 * t * over
        out[k, 0] = c0 * c - s0 * s
        out[k, 1] = s0 * c + c0 * s
    return count
