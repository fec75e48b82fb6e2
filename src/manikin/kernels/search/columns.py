"""Columns of a strip of three rows: what every variable of a block does to a point, a direction, or an aim.

The entries of a block (`lm_layout.Ties`) say which coordinate of which motion, times its share, goes to which column.
They are ordered by column, so each is set by its first entry and nothing needs to be cleared before.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.rows.terms import PLANE, POINT
from manikin.kernels.search.layout import SLIDES


@kernel
def _axis(part, frames, spins, i):
    """World axis of one coordinate of motion i."""
    if part < 0:
        return frames[i, 2], frames[i, 5], frames[i, 8]
    return spins[i, 3 * part], spins[i, 3 * part + 1], spins[i, 3 * part + 2]


@kernel
def _put(strip, k, last, y0, y1, y2):
    """Set column k of a strip, or add to it where the last entry was of the same column."""
    if k != last:
        strip[k, 0] = y0
        strip[k, 1] = y1
        strip[k, 2] = y2
    else:
        strip[k, 0] += y0
        strip[k, 1] += y1
        strip[k, 2] += y2


@kernel
def point_columns(kind, ties, b, frames, spins, w, r0, r1, r2, n0, n1, n2, strip):
    """w ∂r by every variable of block b, less what a LINE does not mind, or a PLANE's one number."""
    last = -1
    for j in range(ties.begin[b], ties.begin[b + 1]):
        i = ties.motion[j]
        part = ties.part[j]
        f = w * ties.share[j]
        u0, u1, u2 = _axis(part, frames, spins, i)
        if part == SLIDES:
            y0 = f * u0
            y1 = f * u1
            y2 = f * u2
        else:
            d0 = r0 - frames[i, 9]
            d1 = r1 - frames[i, 10]
            d2 = r2 - frames[i, 11]
            y0 = f * (u1 * d2 - u2 * d1)
            y1 = f * (u2 * d0 - u0 * d2)
            y2 = f * (u0 * d1 - u1 * d0)
        if kind != POINT:
            along = y0 * n0 + y1 * n1 + y2 * n2
            if kind == PLANE:
                y0 = along
                y1 = 0.0 * along
                y2 = 0.0 * along
            else:
                y0 -= along * n0
                y1 -= along * n1
                y2 -= along * n2
        k = ties.column[j]
        _put(strip, k, last, y0, y1, y2)
        last = k


@kernel
def turn_columns(ties, b, frames, spins, a, b0, b1, b2, strip):
    """a ω + ω × (b0, b1, b2) by every variable of block b."""
    last = -1
    for j in range(ties.begin[b], ties.begin[b + 1]):
        part = ties.part[j]
        u0, u1, u2 = _axis(part, frames, spins, ties.motion[j])
        f = 0.0 if part == SLIDES else ties.share[j]
        y0 = f * (a * u0 + (u1 * b2 - u2 * b1))
        y1 = f * (a * u1 + (u2 * b0 - u0 * b2))
        y2 = f * (a * u2 + (u0 * b1 - u1 * b0))
        k = ties.column[j]
        _put(strip, k, last, y0, y1, y2)
        last = k


@kernel
def aim_columns(ties, b, frames, spins, w, r, d, v, strip):
    """ω × v + w (ṙ − (ṙ·d) d) by every variable of block b."""
    r0, r1, r2 = r
    d0, d1, d2 = d
    v0, v1, v2 = v
    last = -1
    for j in range(ties.begin[b], ties.begin[b + 1]):
        i = ties.motion[j]
        part = ties.part[j]
        f = ties.share[j]
        u0, u1, u2 = _axis(part, frames, spins, i)
        y0 = u0 * w
        y1 = u1 * w
        y2 = u2 * w
        z0 = 0.0 * y0
        z1 = 0.0 * y0
        z2 = 0.0 * y0
        if part != SLIDES:
            p0 = r0 - frames[i, 9]
            p1 = r1 - frames[i, 10]
            p2 = r2 - frames[i, 11]
            y0 = w * (u1 * p2 - u2 * p1)
            y1 = w * (u2 * p0 - u0 * p2)
            y2 = w * (u0 * p1 - u1 * p0)
            z0 = u1 * v2 - u2 * v1
            z1 = u2 * v0 - u0 * v2
            z2 = u0 * v1 - u1 * v0
        along = y0 * d0 + y1 * d1 + y2 * d2
        k = ties.column[j]
        _put(
            strip, k, last, f * (y0 - along * d0 + z0), f * (y1 - along * d1 + z1), f * (y2 - along * d2 + z2)
        )
        last = k
