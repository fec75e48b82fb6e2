"""The potential of the parts of plain goals, its forces and moments, and their misses.

Each is a weighted sum of squares of the errors of `errors`, of the site's position r and axes v₁, v₂, v₃ (equations of
Zhao and Badler 1989, corrected where the printed ones are wrong):

POINT   P = w ‖r − p‖²                                  (8)
LINE    P = w ‖(r − p) − ((r − p)·ν) ν‖²                 (18)
PLANE   P = w ((r − p)·ν)²                              (20)
AXES    P = w c² Σ ½ aₖ ‖vₖ − gₖ‖²                       (11), a third axis added
AIM     P = w c² ‖v − d/‖d‖‖²,  d = p − r                (15)

With all aₖ = 1 the AXES potential is w c² (2 sin θ/2)², θ the angle between the frames: it counts a turn about
every axis alike. Its slope vanishes at θ = 180° as that of AIM does exactly backwards: the method leaves such
points by their curvature.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import cross, difference, dot, scaled
from manikin.kernels.residuals.errors import (
    AXES,
    AXIS_WEIGHTS,
    PLANE,
    STOP,
    TARGET,
    TARGET_AXES,
    TOLERANCE,
    WEIGHT,
    aim_error,
    axis_error,
    only_axis,
    point_error,
    site_axis,
    site_point,
    towards,
    triple,
    without,
)


@kernel
def push_point(wrenches, i, r, f):
    """Put the force f at the point r on motion i."""
    m = cross(r, f)
    for c in range(3):
        wrenches[i, c] += f[c]
        wrenches[i, 3 + c] += m[c]


@kernel
def push_axis(wrenches, i, v, f):
    """Put the moment v × f, of a slope f by the direction v, on motion i."""
    m = cross(v, f)
    for c in range(3):
        wrenches[i, 3 + c] += m[c]


@kernel
def _push_axes(frames, i, parameters, t, wrenches):
    """Square of the error of AXES; its moment goes to ``wrenches``."""
    w = parameters[t, WEIGHT]
    total = 0.0 * w
    for k in range(3):
        a = parameters[t, AXIS_WEIGHTS + k]
        v, e = axis_error(frames, i, parameters, t, k)
        total += a * dot(e, e)
        push_axis(wrenches, i, v, scaled(e, 2.0 * w * a))
    return total


@kernel
def _push_aim(frames, i, parameters, t, wrenches):
    """Square of the error of an AIM; its force and moment go to ``wrenches``."""
    w = parameters[t, WEIGHT]
    r = site_point(frames, i, parameters, t)
    v = site_axis(frames, i, parameters, t, 0)
    d, inverse, none, e = aim_error(parameters, t, r, v)
    if none:
        return 2.0
    push_point(wrenches, i, r, scaled(without(v, d), 2.0 * w * inverse))
    push_axis(wrenches, i, v, scaled(d, -2.0 * w))
    return dot(e, e)


@kernel(inline=True)
def push_parts(parts, frames, wrenches):
    """Potential of all parts and whether each is small enough to stop at; their wrenches are set."""
    for i in range(wrenches.shape[0]):
        for c in range(6):
            wrenches[i, c] = 0.0
    potential = 0.0
    met = True
    parameters = parts.parameters
    for t in range(parts.kind.shape[0]):
        w = parameters[t, WEIGHT]
        if w == 0.0:
            continue
        kind = parts.kind[t]
        i = parts.motion[t]
        if kind <= PLANE:
            r = site_point(frames, i, parameters, t)
            e = point_error(kind, parameters, t, r)
            square = dot(e, e)
            push_point(wrenches, i, r, scaled(e, 2.0 * w))
        elif kind == AXES:
            square = _push_axes(frames, i, parameters, t, wrenches)
        else:
            square = _push_aim(frames, i, parameters, t, wrenches)
        potential += w * square
        met = met and square <= parameters[t, STOP]
    return potential, met


@kernel(exact=True)
def _angle(u, v):
    """Angle between two unit vectors, without the loss of digits of the arc cosine."""
    s = difference(u, v)
    t = (u[0] + v[0], u[1] + v[1], u[2] + v[2])
    return 2.0 * math.atan2(math.sqrt(dot(s, s)), math.sqrt(dot(t, t)))


@kernel(exact=True)
def _axes_miss(frames, i, parameters, t):
    """Angle of the rotation between the frames, or between the axes when only one of them is minded."""
    only = only_axis(parameters, t)
    if only >= 0:
        return _angle(
            site_axis(frames, i, parameters, t, only), triple(parameters, t, TARGET_AXES + 3 * only)
        )
    chord = 0.0
    for k in range(3):
        _, e = axis_error(frames, i, parameters, t, k)
        chord += dot(e, e)
    half = math.sqrt(chord / 8.0)  # Σ‖vₖ − gₖ‖² = 8 sin²(θ/2)
    return 2.0 * math.asin(min(half, 1.0))


@kernel(exact=True)
def part_miss(kind, frames, i, parameters, t):
    """How far part t is from met, in metres or radians."""
    if kind == AXES:
        return _axes_miss(frames, i, parameters, t)
    r = site_point(frames, i, parameters, t)
    if kind <= PLANE:
        e = point_error(kind, parameters, t, r)
        return math.sqrt(dot(e, e))
    d, _, none = towards(triple(parameters, t, TARGET), r)
    return 0.5 * math.pi if none else _angle(site_axis(frames, i, parameters, t, 0), d)


@kernel
def total_weight(parts):
    """Sum of the weights: the potential when every goal is a metre, or about a radian, off."""
    total = 0.0
    for t in range(parts.kind.shape[0]):
        total += parts.parameters[t, WEIGHT]
    return total


@kernel
def miss_parts(parts, frames, errors):
    """Miss of every part into ``errors``; whether all that are switched on count as reached."""
    reached = True
    for t in range(parts.kind.shape[0]):
        errors[t] = part_miss(parts.kind[t], frames, parts.motion[t], parts.parameters, t)
        if parts.parameters[t, WEIGHT] > 0.0:
            reached = reached and errors[t] <= parts.parameters[t, TOLERANCE]
    return reached
