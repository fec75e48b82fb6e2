"""Residuals of three rows: what plain goals ask, each kind a small function of a site's frame and a target.

Where the site's motion turns at the rate u about an axis and the site moves with the velocity v, every kind changes by

    gain v + off (v·n) n + spin u + u × lever

so a kind is its value, the square of its miss, and these (None: not there, and the compiled code has no trace of it).

kind      value                                derivative
POINT     r − p                                v
LINE      (r − p) across n                     v − (v·n) n
PLANE     ((r − p)·n) n                        (v·n) n
ROTATION  2 vec(q), q of the turn to target    s u + u × vec(q)        |value| = 2 sin θ/2
AIM       a − d, d towards p                   (v − (v·d) d) / |p − r| + u × a
AXIS + k  vₖ − gₖ, vₖ an axis of the site      u × vₖ

For one pose or four in lanes. A *strip* is three rows of the Jacobian; of its columns only those are kept that the
motion depends on (its *chain*), nearest to the root first.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import cross, dot, scaled
from manikin.kernels.memory.lanes import select
from manikin.kernels.residuals.errors import (
    AIM,
    AXES,
    LINE,
    PLANE,
    POINT,
    TARGET_AXES,
    aim_error,
    axis_error,
    point_error,
    site_axis,
    site_point,
    triple,
)

#: The kinds are those of `residuals.errors`; AXES are one ROTATION where they are minded alike, else one AXIS + k each.
ROTATION, AXIS = AXES, 5
#: What a coordinate of a motion does: it turns about its axis, slides along it; else which axis of a block of three.
ROTATES, SLIDES = -1, -2

# Below this scalar part (θ within 2e-4 of a half turn) the quaternion's vector is not got from the sine of θ.
_HALF_TURN = 1e-4


@kernel
def _square(e):
    return dot(e, e)


@kernel
def _point(frames, i, p, t, w):
    r = site_point(frames, i, p, t)
    e = point_error(POINT, p, t, r)
    return e, _square(e), r, w, None, None, None, None


@kernel
def _line(frames, i, p, t, w):
    r = site_point(frames, i, p, t)
    e = point_error(LINE, p, t, r)
    return e, _square(e), r, w, -w, triple(p, t, TARGET_AXES), None, None


@kernel
def _plane(frames, i, p, t, w):
    r = site_point(frames, i, p, t)
    e = point_error(PLANE, p, t, r)
    return e, _square(e), r, None, w, triple(p, t, TARGET_AXES), None, None


@kernel
def _rotation(frames, i, p, t, w):
    trace = 0.0 * frames[0, 0]
    a0 = trace
    a1 = trace
    a2 = trace
    for k in range(3):
        v = site_axis(frames, i, p, t, k)
        g = triple(p, t, TARGET_AXES + 3 * k)
        trace += dot(v, g)
        c = cross(g, v)
        a0 += c[0]
        a1 += c[1]
        a2 += c[2]
    squared = 0.25 * (1.0 + trace)
    s = math.sqrt(select(squared < _HALF_TURN * _HALF_TURN, _HALF_TURN * _HALF_TURN, squared))
    e = scaled((a0, a1, a2), 0.5 / s)
    square = select(squared < 0.01, 4.0 - 4.0 * squared, dot(e, e))
    return e, square, None, None, None, None, w * s, scaled(e, 0.5 * w)


@kernel
def _turning(e, s, w):
    """Of a ROTATION with the known value e what it changes by: s² = 1 − |e|²/4."""
    e0 = e[3 * s]
    e1 = e[3 * s + 1]
    e2 = e[3 * s + 2]
    left = w * w - 0.25 * (e0 * e0 + e1 * e1 + e2 * e2)
    least = _HALF_TURN * _HALF_TURN * w * w
    spin = math.sqrt(select(left < least, least, left))
    return None, spin, None, None, None, None, spin, (0.5 * e0, 0.5 * e1, 0.5 * e2)


@kernel
def _aim(frames, i, p, t, w):
    r = site_point(frames, i, p, t)
    a = site_axis(frames, i, p, t, 0)
    d, inverse, none, e = aim_error(p, t, r, a)
    square = select(none, 2.0, dot(e, e))
    return e, square, r, w * inverse, -w * inverse, d, None, scaled(a, select(none, 0.0, w))


@kernel
def _axis(frames, i, p, t, k, w):
    v, e = axis_error(frames, i, p, t, k)
    return e, _square(e), None, None, None, None, None, scaled(v, w)


@kernel
def _columns(chains, c, frames, spins, r, gain, off, n, spin, lever, strip, where):
    """What each variable of a chain does to a residual; in lanes only in those that ``where`` marks."""
    last = -1
    for j in range(chains.first[c], chains.first[c + 1]):
        i = chains.motion[j]
        component = chains.component[j]
        share = chains.share[j]
        if component < 0:
            u = (frames[i, 2], frames[i, 5], frames[i, 8])
        else:
            u = (spins[i, 3 * component], spins[i, 3 * component + 1], spins[i, 3 * component + 2])
        slides = component == SLIDES
        zero = 0.0 * u[0]
        y0 = zero
        y1 = zero
        y2 = zero
        if r is not None:
            v = u if slides else cross(u, (r[0] - frames[i, 9], r[1] - frames[i, 10], r[2] - frames[i, 11]))
            if gain is not None:
                f = share * gain
                y0 = f * v[0]
                y1 = f * v[1]
                y2 = f * v[2]
            if off is not None:
                f = share * off * dot(v, n)
                y0 += f * n[0]
                y1 += f * n[1]
                y2 += f * n[2]
        if lever is not None:
            f = 0.0 if slides else share
            m = cross(u, lever)
            if spin is not None:
                m = (m[0] + spin * u[0], m[1] + spin * u[1], m[2] + spin * u[2])
            y0 += f * m[0]
            y1 += f * m[1]
            y2 += f * m[2]
        k = chains.column[j]
        if where is not None:
            old = k == last
            strip[k, 0] = select(where, strip[k, 0] + y0 if old else y0, strip[k, 0])
            strip[k, 1] = select(where, strip[k, 1] + y1 if old else y1, strip[k, 1])
            strip[k, 2] = select(where, strip[k, 2] + y2 if old else y2, strip[k, 2])
        elif k != last:
            strip[k, 0] = y0
            strip[k, 1] = y1
            strip[k, 2] = y2
        else:
            strip[k, 0] += y0
            strip[k, 1] += y1
            strip[k, 2] += y2
        last = k


@kernel
def _push(r, gain, off, n, spin, lever, y, wrench):
    """Add the wrench, about the world's origin, that the force y on a residual is on its motion."""
    if r is not None:
        f = (0.0, 0.0, 0.0)
        if gain is not None:
            f = scaled(y, gain)
        if off is not None:
            c = off * dot(n, y)
            f = (f[0] + c * n[0], f[1] + c * n[1], f[2] + c * n[2])
        m = cross(r, f)
        for c in range(3):
            wrench[c] += f[c]
            wrench[3 + c] += m[c]
    if lever is not None:
        m = cross(lever, y)
        if spin is not None:
            m = (m[0] + spin * y[0], m[1] + spin * y[1], m[2] + spin * y[2])
        for c in range(3):
            wrench[3 + c] += m[c]


@kernel
def _use(strips, chains, place, s, found, e, jacobian, where, y, wrenches):
    """Value, derivative or wrench of strip s, those that are asked for (not None); the square of its miss."""
    value, square, r, gain, off, n, spin, lever = found
    if e is not None:
        w = strips.root[s]
        e[3 * s] = w * value[0]
        e[3 * s + 1] = w * value[1]
        e[3 * s + 2] = w * value[2]
    if jacobian is not None:
        c = int(strips.chain[s])
        strip = jacobian[s]
        _columns(chains, c, place.frames, place.spins, r, gain, off, n, spin, lever, strip, where)
    if wrenches is not None:
        force = (y[3 * s], y[3 * s + 1], y[3 * s + 2])
        _push(r, gain, off, n, spin, lever, force, wrenches[int(strips.motion[s])])
    return square


@kernel
def _residual(strips, chains, place, s, e, known, jacobian, where, y, wrenches):
    """Strip s by its kind; ``known`` are the values, where the derivative is asked for."""
    f = place.frames
    p = strips.number
    t = int(strips.part[s])
    i = int(strips.motion[s])
    w = strips.root[s] + 0.0 * f[0, 0]
    kind = int(strips.kind[s])
    if kind == POINT:
        return _use(strips, chains, place, s, _point(f, i, p, t, w), e, jacobian, where, y, wrenches)
    if kind == ROTATION:
        if known is not None:
            return _use(strips, chains, place, s, _turning(known, s, w), e, jacobian, where, y, wrenches)
        if known is None:
            return _use(strips, chains, place, s, _rotation(f, i, p, t, w), e, jacobian, where, y, wrenches)
    if kind == LINE:
        return _use(strips, chains, place, s, _line(f, i, p, t, w), e, jacobian, where, y, wrenches)
    if kind == PLANE:
        return _use(strips, chains, place, s, _plane(f, i, p, t, w), e, jacobian, where, y, wrenches)
    if kind == AIM:
        return _use(strips, chains, place, s, _aim(f, i, p, t, w), e, jacobian, where, y, wrenches)
    return _use(strips, chains, place, s, _axis(f, i, p, t, kind - AXIS, w), e, jacobian, where, y, wrenches)


@kernel
def values(strips, count, chains, place, e, share, hard_stop):
    """All residuals into e: (Σ e² of the soft ones, squares of the misses of hard ones, 1 where each may stop).

    share: how many times the square of the miss at which a soft one stops is enough; hard ones end at ``hard_stop``
    (None: there are none).
    """
    zero = 0.0 * place.frames[0, 0]
    soft = zero
    hard = zero
    met = zero + 1.0
    for s in range(count):
        square = _residual(strips, chains, place, s, e, None, None, None, None, None)
        stop = share * strips.stop[s]
        weighed = strips.root[s] * strips.root[s] * square
        if hard_stop is not None:  # noqa: SIM102  (left out of the compiled code)
            if strips.hard[s] != 0.0:
                hard += square
                stop = hard_stop * hard_stop
                weighed = 0.0
        soft += weighed
        met = select(square <= stop, met, zero)
    return soft, hard, met


@kernel
def derivatives(strips, count, chains, place, e, jacobian, where):
    """All strips of the Jacobian, where the values are e; of lanes only those that ``where`` marks (None: all)."""
    for s in range(count):
        _residual(strips, chains, place, s, None, e, jacobian, where, None, None)


@kernel
def push_residuals(strips, count, chains, place, y, wrenches):
    """Add the wrenches on all motions that the forces y on the residuals are."""
    for s in range(count):
        _residual(strips, chains, place, s, None, None, None, None, y, wrenches)
