"""Frames of the motions of a tree, frame = parent's frame · placement · motion, by quaternions."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.judge.algebra import at3, at9, by_quaternion, by_vector, chained, times
from manikin.kernels.judge.layout import DRIVES, HEADER, MOTIONS, VALUES

_ROTATE, _SLIDE, _SWING_TWIST, _TWIST_SWING = range(4)


@kernel(exact=True)
def _about_z(angle):
    return by_quaternion(math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle))


@kernel(exact=True)
def _turned(m, c, s):
    """Axes m turned about their own third, by cosine and sine."""
    return (
        c * m[0] + s * m[1],
        c * m[1] - s * m[0],
        m[2],
        c * m[3] + s * m[4],
        c * m[4] - s * m[3],
        m[5],
        c * m[6] + s * m[7],
        c * m[7] - s * m[6],
        m[8],
    )


@kernel(exact=True)
def _motion(kind, W, k):
    """Rotation of a motion of three values, which begin at k."""
    if kind == _SWING_TWIST:
        return chained(by_vector(W[k], W[k + 1], 0.0), _about_z(W[k + 2]))
    if kind == _TWIST_SWING:
        return chained(_about_z(W[k + 2]), by_vector(W[k], W[k + 1], 0.0))
    return by_vector(W[k], W[k + 1], W[k + 2])


@kernel(exact=True)
def put_frames(I, R, W, q, w):  # noqa: E741
    """The frames at the coordinates q, into W from w on; returns the largest coordinate of a position."""
    m = I[MOTIONS]
    t = I[DRIVES]
    k = I[VALUES]
    drives = HEADER + 3 * m
    for i in range(k):
        W[i] = R[12 * m + i]
    for i in range(t):
        W[I[drives + i]] += R[12 * m + k + i] * q[I[drives + t + i]]
    largest = 0.0
    for i in range(m):
        parent = I[HEADER + i]
        kind = I[HEADER + m + i]
        axis = I[HEADER + 2 * m + i]
        turn = at9(R, 12 * i)
        place = at3(R, 12 * i + 9)
        if parent >= 0:
            base = at9(W, w + 12 * parent)
            place = times(base, place)
            place = (
                W[w + 12 * parent + 9] + place[0],
                W[w + 12 * parent + 10] + place[1],
                W[w + 12 * parent + 11] + place[2],
            )
            turn = chained(base, turn)
        if kind == _SLIDE:
            v = W[axis]
            place = (place[0] + v * turn[2], place[1] + v * turn[5], place[2] + v * turn[8])
        elif kind == _ROTATE:
            turn = _turned(turn, math.cos(W[axis]), math.sin(W[axis]))
        else:
            turn = chained(turn, _motion(kind, W, axis))
        for c in range(9):
            W[w + 12 * i + c] = turn[c]
        for c in range(3):
            W[w + 12 * i + 9 + c] = place[c]
            largest = max(largest, abs(place[c]))
    return largest


@kernel(exact=True)
def turn_of(W, w, i):
    """Rotation of motion i; of the world for −1."""
    if i < 0:
        return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    return at9(W, w + 12 * i)


@kernel(exact=True)
def point_of(W, w, i, x):
    """The point x of motion i in the world."""
    if i < 0:
        return x
    y = times(at9(W, w + 12 * i), x)
    return (W[w + 12 * i + 9] + y[0], W[w + 12 * i + 10] + y[1], W[w + 12 * i + 11] + y[2])
