"""Columns of a strip of three rows: what every variable of a block does to a point, a direction, or an aim.

The entries of a block (`lm_layout.Ties`) say which coordinate of which motion, times its share, goes to which column.
They are ordered by column, so each is set by its first entry and nothing needs to be cleared before.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import cross, dot, scaled
from manikin.kernels.residuals.errors import LINE, PLANE, without
from manikin.kernels.search.layout import SLIDES


@kernel
def _axis(component, frames, spins, i):
    """World axis of one coordinate of motion i."""
    if component < 0:
        return frames[i, 2], frames[i, 5], frames[i, 8]
    return spins[i, 3 * component], spins[i, 3 * component + 1], spins[i, 3 * component + 2]


@kernel
def _put(strip, k, last, y):
    """Set column k of a strip, or add to it where the last entry was of the same column."""
    if k != last:
        strip[k, 0] = y[0]
        strip[k, 1] = y[1]
        strip[k, 2] = y[2]
    else:
        strip[k, 0] += y[0]
        strip[k, 1] += y[1]
        strip[k, 2] += y[2]


@kernel
def _from_axis(frames, i, r):
    """The point r from where motion i has its axis."""
    return r[0] - frames[i, 9], r[1] - frames[i, 10], r[2] - frames[i, 11]


@kernel
def point_columns(kind, ties, b, frames, spins, w, r, n, strip):
    """w ∂r by every variable of block b, less what a LINE does not mind, or a PLANE's one number."""
    last = -1
    for j in range(ties.begin[b], ties.begin[b + 1]):
        i = ties.motion[j]
        component = ties.component[j]
        u = _axis(component, frames, spins, i)
        y = u if component == SLIDES else cross(u, _from_axis(frames, i, r))
        y = scaled(y, w * ties.share[j])
        if kind == LINE:
            y = without(y, n)
        elif kind == PLANE:
            along = dot(y, n)
            y = (along, 0.0 * along, 0.0 * along)
        k = ties.column[j]
        _put(strip, k, last, y)
        last = k


@kernel
def turn_columns(ties, b, frames, spins, a, x, strip):
    """a ω + ω × x by every variable of block b."""
    last = -1
    for j in range(ties.begin[b], ties.begin[b + 1]):
        component = ties.component[j]
        u = _axis(component, frames, spins, ties.motion[j])
        c = cross(u, x)
        f = 0.0 if component == SLIDES else ties.share[j]
        k = ties.column[j]
        _put(strip, k, last, (f * (a * u[0] + c[0]), f * (a * u[1] + c[1]), f * (a * u[2] + c[2])))
        last = k


@kernel
def aim_columns(ties, b, frames, spins, w, r, d, v, strip):
    """ω × v + w (ṙ − (ṙ·d) d) by every variable of block b."""
    last = -1
    for j in range(ties.begin[b], ties.begin[b + 1]):
        i = ties.motion[j]
        component = ties.component[j]
        f = ties.share[j]
        u = _axis(component, frames, spins, i)
        zero = 0.0 * u[0] * w
        y = scaled(u, w)
        z = (zero, zero, zero)
        if component != SLIDES:
            y = scaled(cross(u, _from_axis(frames, i, r)), w)
            z = cross(u, v)
        y = without(y, d)
        k = ties.column[j]
        _put(strip, k, last, (f * (y[0] + z[0]), f * (y[1] + z[1]), f * (y[2] + z[2])))
        last = k
