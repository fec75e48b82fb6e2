"""Terms: the potentials that goals are made of, on the frame of a site.

A goal is one term or two. Each is a weighted sum of squares of the site's position r and axes v₁, v₂, v₃
(equations of Zhao and Badler 1989, corrected where the printed ones are wrong):

POINT   P = w ‖r − p‖²                                  (8)
LINE    P = w ‖(r − p) − ((r − p)·ν) ν‖²                 (18)
PLANE   P = w ((r − p)·ν)²                              (20)
AXES    P = w c² Σ ½ aₖ ‖vₖ − gₖ‖²                       (11), a third axis added
AIM     P = w c² ‖v − d/‖d‖‖²,  d = p − r                (15)

With all aₖ = 1 the AXES potential is w c² (2 sin θ/2)², θ the angle between the frames: it counts a turn about
every axis alike. Its slope vanishes at θ = 180° as that of AIM does exactly backwards: the method leaves such
points by their curvature.

Columns of ``parameters``, in the frame of the motion that carries the site:

0:3 site · 3:12 its axes v₁ v₂ v₃ (AIM: the pointing axis first) · 12:15 p · 15:24 g₁ g₂ g₃ (or ν) ·
24 w (times c² for angles; 0 switches the term off) · 25:28 ½ a · 28 square of the miss that is small enough
to stop at · 29 miss that counts as reached.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel

POINT = 0
LINE = 1
PLANE = 2
AXES = 3
AIM = 4

SITE = 0
SITE_AXES = 3
TARGET = 12
TARGET_AXES = 15
WEIGHT = 24
AXIS_WEIGHTS = 25
STOP = 28
TOLERANCE = 29

# Nearer than 0.1 µm (squared) there is no direction to aim at: a constant miss of 90°, and no slope.
_NO_DIRECTION = 1e-14


@kernel
def site_point(frames, i, parameters, t):
    """World position of the site of term t, carried by motion i."""
    s0 = parameters[t, SITE]
    s1 = parameters[t, SITE + 1]
    s2 = parameters[t, SITE + 2]
    return (
        frames[i, 9] + frames[i, 0] * s0 + frames[i, 1] * s1 + frames[i, 2] * s2,
        frames[i, 10] + frames[i, 3] * s0 + frames[i, 4] * s1 + frames[i, 5] * s2,
        frames[i, 11] + frames[i, 6] * s0 + frames[i, 7] * s1 + frames[i, 8] * s2,
    )


@kernel
def site_axis(frames, i, parameters, t, k):
    """World direction of axis k of the site of term t, carried by motion i."""
    s0 = parameters[t, SITE_AXES + 3 * k]
    s1 = parameters[t, SITE_AXES + 3 * k + 1]
    s2 = parameters[t, SITE_AXES + 3 * k + 2]
    return (
        frames[i, 0] * s0 + frames[i, 1] * s1 + frames[i, 2] * s2,
        frames[i, 3] * s0 + frames[i, 4] * s1 + frames[i, 5] * s2,
        frames[i, 6] * s0 + frames[i, 7] * s1 + frames[i, 8] * s2,
    )


@kernel
def point_error(kind, parameters, t, r0, r1, r2):
    """The part of r − p that a POINT, LINE or PLANE term minds."""
    e0 = r0 - parameters[t, TARGET]
    e1 = r1 - parameters[t, TARGET + 1]
    e2 = r2 - parameters[t, TARGET + 2]
    if kind != POINT:
        n0 = parameters[t, TARGET_AXES]
        n1 = parameters[t, TARGET_AXES + 1]
        n2 = parameters[t, TARGET_AXES + 2]
        along = e0 * n0 + e1 * n1 + e2 * n2
        if kind == LINE:
            e0 -= along * n0
            e1 -= along * n1
            e2 -= along * n2
        else:
            e0 = along * n0
            e1 = along * n1
            e2 = along * n2
    return e0, e1, e2


@kernel
def push_point(wrenches, i, r0, r1, r2, f0, f1, f2):
    """Put the force f at the point r on motion i."""
    wrenches[i, 0] += f0
    wrenches[i, 1] += f1
    wrenches[i, 2] += f2
    wrenches[i, 3] += r1 * f2 - r2 * f1
    wrenches[i, 4] += r2 * f0 - r0 * f2
    wrenches[i, 5] += r0 * f1 - r1 * f0


@kernel
def push_axis(wrenches, i, v0, v1, v2, f0, f1, f2):
    """Put the moment v × f, of a slope f by the direction v, on motion i."""
    wrenches[i, 3] += v1 * f2 - v2 * f1
    wrenches[i, 4] += v2 * f0 - v0 * f2
    wrenches[i, 5] += v0 * f1 - v1 * f0


@kernel
def _axes_term(frames, i, parameters, t, wrenches):
    """Square of the miss of an AXES term; its moment goes to ``wrenches``."""
    w = parameters[t, WEIGHT]
    square = 0.0 * w
    for k in range(3):
        a = parameters[t, AXIS_WEIGHTS + k]
        v0, v1, v2 = site_axis(frames, i, parameters, t, k)
        e0 = v0 - parameters[t, TARGET_AXES + 3 * k]
        e1 = v1 - parameters[t, TARGET_AXES + 3 * k + 1]
        e2 = v2 - parameters[t, TARGET_AXES + 3 * k + 2]
        square += a * (e0 * e0 + e1 * e1 + e2 * e2)
        f = 2.0 * w * a
        push_axis(wrenches, i, v0, v1, v2, f * e0, f * e1, f * e2)
    return square


@kernel
def _aim_term(frames, i, parameters, t, wrenches):
    """Square of the miss of an AIM term; its force and moment go to ``wrenches``."""
    w = parameters[t, WEIGHT]
    r0, r1, r2 = site_point(frames, i, parameters, t)
    v0, v1, v2 = site_axis(frames, i, parameters, t, 0)
    d0 = parameters[t, TARGET] - r0
    d1 = parameters[t, TARGET + 1] - r1
    d2 = parameters[t, TARGET + 2] - r2
    square = d0 * d0 + d1 * d1 + d2 * d2
    if square < _NO_DIRECTION:
        return 2.0
    inverse = 1.0 / math.sqrt(square)
    d0 *= inverse
    d1 *= inverse
    d2 *= inverse
    along = d0 * v0 + d1 * v1 + d2 * v2
    f = 2.0 * w * inverse
    push_point(wrenches, i, r0, r1, r2, f * (v0 - along * d0), f * (v1 - along * d1), f * (v2 - along * d2))
    f = -2.0 * w
    push_axis(wrenches, i, v0, v1, v2, f * d0, f * d1, f * d2)
    e0 = v0 - d0
    e1 = v1 - d1
    e2 = v2 - d2
    return e0 * e0 + e1 * e1 + e2 * e2


@kernel(inline=True)
def push_terms(terms, frames, wrenches):
    """Potential of all terms and whether each is small enough to stop at; their wrenches are set."""
    for i in range(wrenches.shape[0]):
        for c in range(6):
            wrenches[i, c] = 0.0
    potential = 0.0
    met = True
    parameters = terms.parameters
    for t in range(terms.kind.shape[0]):
        w = parameters[t, WEIGHT]
        if w == 0.0:
            continue
        kind = terms.kind[t]
        i = terms.motion[t]
        if kind <= PLANE:
            r0, r1, r2 = site_point(frames, i, parameters, t)
            e0, e1, e2 = point_error(kind, parameters, t, r0, r1, r2)
            square = e0 * e0 + e1 * e1 + e2 * e2
            f = 2.0 * w
            push_point(wrenches, i, r0, r1, r2, f * e0, f * e1, f * e2)
        elif kind == AXES:
            square = _axes_term(frames, i, parameters, t, wrenches)
        else:
            square = _aim_term(frames, i, parameters, t, wrenches)
        potential += w * square
        met = met and square <= parameters[t, STOP]
    return potential, met


@kernel(exact=True)
def _angle(u0, u1, u2, v0, v1, v2):
    """Angle between two unit vectors, without the loss of digits of the arc cosine."""
    s0 = u0 - v0
    s1 = u1 - v1
    s2 = u2 - v2
    t0 = u0 + v0
    t1 = u1 + v1
    t2 = u2 + v2
    return 2.0 * math.atan2(math.sqrt(s0 * s0 + s1 * s1 + s2 * s2), math.sqrt(t0 * t0 + t1 * t1 + t2 * t2))


@kernel(exact=True)
def _axes_miss(frames, i, parameters, t):
    """Angle of the rotation between the frames, or between the axes when only one of them is minded."""
    minded = 0
    only = 0
    for k in range(3):
        if parameters[t, AXIS_WEIGHTS + k] > 0.0:
            minded += 1
            only = k
    if minded == 1:
        v0, v1, v2 = site_axis(frames, i, parameters, t, only)
        at = TARGET_AXES + 3 * only
        return _angle(v0, v1, v2, parameters[t, at], parameters[t, at + 1], parameters[t, at + 2])
    chord = 0.0
    for k in range(3):
        v0, v1, v2 = site_axis(frames, i, parameters, t, k)
        g0 = parameters[t, TARGET_AXES + 3 * k]
        g1 = parameters[t, TARGET_AXES + 3 * k + 1]
        g2 = parameters[t, TARGET_AXES + 3 * k + 2]
        chord += (v0 - g0) ** 2 + (v1 - g1) ** 2 + (v2 - g2) ** 2
    half = math.sqrt(chord / 8.0)  # Σ‖vₖ − gₖ‖² = 8 sin²(θ/2)
    return 2.0 * math.asin(min(half, 1.0))


@kernel(exact=True)
def term_miss(kind, frames, i, parameters, t):
    """How far term t is from met, in metres or radians."""
    if kind == AXES:
        return _axes_miss(frames, i, parameters, t)
    r0, r1, r2 = site_point(frames, i, parameters, t)
    if kind <= PLANE:
        e0, e1, e2 = point_error(kind, parameters, t, r0, r1, r2)
        return math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    d0 = parameters[t, TARGET] - r0
    d1 = parameters[t, TARGET + 1] - r1
    d2 = parameters[t, TARGET + 2] - r2
    square = d0 * d0 + d1 * d1 + d2 * d2
    if square < _NO_DIRECTION:
        return 0.5 * math.pi
    inverse = 1.0 / math.sqrt(square)
    v0, v1, v2 = site_axis(frames, i, parameters, t, 0)
    return _angle(v0, v1, v2, d0 * inverse, d1 * inverse, d2 * inverse)


@kernel
def total_weight(terms):
    """Sum of the weights: the potential when every goal is a metre, or about a radian, off."""
    total = 0.0
    for t in range(terms.kind.shape[0]):
        total += terms.parameters[t, WEIGHT]
    return total


@kernel
def miss_terms(terms, frames, errors):
    """Miss of every term into ``errors``; whether all that are switched on count as reached."""
    reached = True
    for t in range(terms.kind.shape[0]):
        errors[t] = term_miss(terms.kind[t], frames, terms.motion[t], terms.parameters, t)
        if terms.parameters[t, WEIGHT] > 0.0:
            reached = reached and errors[t] <= terms.parameters[t, TOLERANCE]
    return reached
