"""The frames of four poses at once, in the lanes of a register: as `frames` and `circle`, for rows of poses.

``L``, items of four lanes: coordinates (n), values (K), angles, their sines and their cosines (2 M each), frames
(M, 12), the largest coordinate of a position.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import any_of, lane_view1
from manikin.kernels.memory.lanes import WIDTH, select, widen
from manikin.kernels.verify.algebra import at3, at9, chained, times
from manikin.kernels.verify.circle import FAR, PER, WHOLE, A, B, C, cosine_series, sine_series
from manikin.kernels.verify.curves import follow_curves
from manikin.kernels.verify.frames import frame_of, put_angles
from manikin.kernels.verify.layout import ATOMS, DOFS, DRIVES, FIELDS, HEADER, MASSES, MOTIONS, NEEDED, VALUES


@kernel(exact=True)
def _circle(L, angles, sines, cosines, count):
    """Sines and cosines of angles; whether all are near enough for it."""
    far = widen(0.0)
    for i in range(count):
        x = L[angles + i]
        far = select(math.fabs(x) < FAR, far, 1.0)
        k = (x * PER + WHOLE) - WHOLE
        r = ((x - k * A) - k * B) - k * C
        z = r * r
        s = sine_series(r, z)
        c = cosine_series(z)
        m = k - 4.0 * ((k * 0.25 + WHOLE) - WHOLE)
        odd = math.fabs(math.fabs(m) - 1.0) < 0.5
        L[sines + i] = select(odd, c, s) * select(m < -0.5, -1.0, select(m > 1.5, -1.0, widen(1.0)))
        L[cosines + i] = select(odd, s, c) * select(m > 0.5, -1.0, select(m < -1.5, -1.0, widen(1.0)))
    return not any_of(far > 0.5)


@kernel(exact=True)
def _wide3(a):
    return (widen(a[0]), widen(a[1]), widen(a[2]))


@kernel(exact=True)
def _wide9(a):
    x = _wide3((a[0], a[1], a[2]))
    y = _wide3((a[3], a[4], a[5]))
    z = _wide3((a[6], a[7], a[8]))
    return (x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])


@kernel(exact=True)
def put_four(I, R, F, q, k):  # noqa: E741
    """The frames of the rows k … k + 3 of q, into F; False, where some angle is too far for it."""
    m = I[MOTIONS]
    n = I[DOFS]
    t = I[DRIVES]
    count = I[VALUES]
    L = lane_view1(F, 0, F.shape[0] // WIDTH)
    values = n
    angles = n + count
    sines = angles + 2 * m
    cosines = sines + 2 * m
    w = cosines + 2 * m
    for lane in range(WIDTH):
        for j in range(n):
            F[WIDTH * j + lane] = q[k + lane, j]
    for i in range(count):
        L[values + i] = widen(R[12 * m + i])
    drives = HEADER + 3 * m
    for i in range(t):
        L[values + I[drives + i]] += R[12 * m + count + i] * L[I[drives + t + i]]
    follow_curves(I, R, L, values)
    if not _circle(L, angles, sines, cosines, put_angles(I, L, values, angles)):
        return False
    largest = widen(0.0)
    for i in range(m):
        parent = I[HEADER + i]
        kind = I[HEADER + m + i]
        axis = values + I[HEADER + 2 * m + i]
        own = at9(R, 12 * i)
        way = at3(R, 12 * i + 9)
        if parent < 0:
            turn = _wide9(own)
            place = _wide3(way)
        else:
            base = at9(L, w + 12 * parent)
            off = times(base, way)
            at = at3(L, w + 12 * parent + 9)
            place = (at[0] + off[0], at[1] + off[1], at[2] + off[2])
            turn = chained(base, own)
        turn, place = frame_of(L, m, i, kind, axis, angles, turn, place)
        for e in range(9):
            L[w + 12 * i + e] = turn[e]
        for e in range(3):
            L[w + 12 * i + 9 + e] = place[e]
            largest = select(math.fabs(place[e]) > largest, math.fabs(place[e]), largest)
    L[w + 12 * m] = largest
    return True


@kernel(exact=True)
def take_frames(I, F, W, lane):  # noqa: E741
    """The frames of one of the four that something hangs on, to where `frames.put_frames` puts them; the largest
    coordinate of a position.
    """
    m = I[MOTIONS]
    first = I[DOFS] + I[VALUES] + 6 * m
    needed = HEADER + 3 * m + 2 * I[DRIVES] + I[MASSES] + FIELDS * I[ATOMS]
    for s in range(I[NEEDED]):
        at = 12 * I[needed + s]
        for c in range(12):
            W[I[VALUES] + at + c] = F[WIDTH * (first + at + c) + lane]
    return F[WIDTH * (first + 12 * m) + lane]
