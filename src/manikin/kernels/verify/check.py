"""The judge: how far a pose is from every promise."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1
from manikin.kernels.verify.algebra import at3
from manikin.kernels.verify.checker import Atom
from manikin.kernels.verify.dispatch import miss_of
from manikin.kernels.verify.frames import point_of, put_frames
from manikin.kernels.verify.layout import (
    ATOMS,
    BASE_MOTION,
    COUNT,
    DOFS,
    DRIVES,
    FIELDS,
    FIRST,
    FOLLOWS,
    HEADER,
    KIND,
    MASSES,
    MOTION,
    MOTIONS,
    OFFSET,
    ROWS,
    VALUES,
)
from manikin.kernels.verify.seen import beyond

#: What is promised of ranges; how much of a tolerance, and of the largest coordinate, may be rounding between two ways
#: to compute one thing: some four units in the last place, so that no other judge finds more than a few.
RANGE, SHARE, ROUNDING = 1e-9, 1e-6, 1e-15


@kernel(exact=True)
def _center(I, R, W, w, mass):  # noqa: E741
    """The centre of mass; ``mass``: where shares and centres begin."""
    m = I[MOTIONS]
    which = HEADER + 3 * m + 2 * I[DRIVES]
    x = 0.0
    y = 0.0
    z = 0.0
    for k in range(I[MASSES]):
        share = R[mass + 4 * k]
        c = point_of(W, w, I[which + k], at3(R, mass + 4 * k + 1))
        x += share * c[0]
        y += share * c[1]
        z += share * c[2]
    return (x, y, z)


@kernel(exact=True)
def judged(I, R, W, q, start, out, placed):  # noqa: E741
    """How many promises are not kept; ``out`` receives the miss of every atom, the most that a range is left by, and
    the largest coordinate of a frame, which is 1 at least.

    start: coordinates, for atoms that mean them. placed: whether the workspace has their frames from the call before.
    """
    if placed == 0:
        put_frames(I, R, W, start, I[VALUES] + 12 * I[MOTIONS])
    return measured(I, R, W, q, out, put_frames(I, R, W, q, I[VALUES]))


@kernel(exact=True)
def measured(I, R, W, q, out, size):  # noqa: E741
    """`judged` where the frames are, the largest coordinate of a position being ``size``."""
    m = I[MOTIONS]
    n = I[DOFS]
    atoms = I[ATOMS]
    ranges = 12 * m + I[VALUES] + I[DRIVES]
    mass = ranges + 2 * n
    low = mass + 4 * I[MASSES]
    high = low + I[ROWS]
    w = I[VALUES]
    begun = w + 12 * m
    hull = begun + 12 * m
    fields = HEADER + 3 * m + 2 * I[DRIVES] + I[MASSES]
    off = 0.0
    for j in range(n):
        if not abs(q[j]) < math.inf:
            off = math.inf
        off = max(off, beyond(q[j], R[ranges + j], R[ranges + n + j]))
    out[atoms] = off
    largest = max(size, 1.0)
    out[atoms + 1] = largest
    count_broken = 1 if off > RANGE else 0
    center = _center(I, R, W, w, mass)
    for t in range(atoms):
        f = fields + FIELDS * t
        atom = Atom(
            R,
            W,
            w,
            begun,
            hull,
            center,
            q,
            I[f + MOTION],
            I[f + BASE_MOTION],
            I[f + OFFSET],
            I[f + FOLLOWS] != 0,
            low + I[f + FIRST],
            high + I[f + FIRST],
            I[f + COUNT],
        )
        miss = miss_of(I[f + KIND], atom)
        out[t] = miss
        if not miss <= R[high + I[ROWS] + t] * (1.0 + SHARE) + ROUNDING * largest:
            count_broken += 1
    return count_broken


@kernel(exact=True)
def whole(x):
    """An array as a view, whose indices are taken as they are."""
    return view1(x, 0, x.shape[0])


@kernel(entry="i8[:], f8[:], f8[:], f8[:], f8[:], f8[:], i8 -> i8", exact=True)
def judge(I, R, W, q, start, out, placed):  # noqa: E741
    """One pose, see `judged`."""
    return judged(whole(I), whole(R), whole(W), whole(q), whole(start), whole(out), placed)
