"""Frames of the motions of a tree, frame = parent's frame · placement · motion, by quaternions."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lanes import select
from manikin.kernels.memory.views import view1
from manikin.kernels.verify.algebra import at3, at9, by_quaternion, chained, size, times
from manikin.kernels.verify.circle import circle
from manikin.kernels.verify.layout import DRIVES, HEADER, MOTIONS, POINTS, VALUES

ROTATE, SLIDE, SWING_TWIST, TWIST_SWING = range(4)


@kernel(exact=True)
def turned(m, c, s):
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
def _by_vector(x, y, z, half, cosine, sine):
    """The rotation of a rotation vector, from half its length and that one's cosine and sine."""
    f = select(half > 5e-5, 0.5 * sine / half, 0.5 - half * half / 12.0)
    return by_quaternion(cosine, f * x, f * y, f * z)


@kernel(exact=True)
def moved(W, m, i, kind, axis, angles, sines, cosines, turn, place):
    """The frame of a motion where its joint has moved, from that where it has not.

    W: axis values from ``axis`` on; of motion i of m the angle, its sine and cosine, and m behind them a twist's.
    """
    s = W[sines + i]
    c = W[cosines + i]
    if kind == SLIDE:
        v = W[axis]
        place = (place[0] + v * turn[2], place[1] + v * turn[5], place[2] + v * turn[8])
    elif kind == ROTATE:
        turn = turned(turn, c, s)
    else:
        if kind == TWIST_SWING:
            turn = turned(turn, W[cosines + m + i], W[sines + m + i])
        x = W[axis]
        z = 0.0 * x
        if kind > TWIST_SWING:
            z = W[axis + 2]
        turn = chained(turn, _by_vector(x, W[axis + 1], z, W[angles + i], c, s))
        if kind == SWING_TWIST:
            turn = turned(turn, W[cosines + m + i], W[sines + m + i])
    return turn, place


@kernel(exact=True)
def _put_angles(I, W, angles):  # noqa: E741
    """The angles whose sines and cosines the motions take, from ``angles`` on: what a hinge turns by, or half the
    length of a vector, and after those of all motions the twists; how many there are.
    """
    m = I[MOTIONS]
    count = m
    for i in range(m):
        kind = I[HEADER + m + i]
        k = I[HEADER + 2 * m + i]
        W[angles + m + i] = 0.0
        if kind <= SLIDE:
            W[angles + i] = W[k]
        else:
            third = W[k + 2]
            if kind <= TWIST_SWING:
                W[angles + m + i] = third
                third = 0.0
                count = 2 * m
            W[angles + i] = 0.5 * size((W[k], W[k + 1], third))
    return count


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
    angles = k + 24 * m + 2 * I[POINTS]
    sines = angles + 2 * m
    cosines = sines + 2 * m
    count = _put_angles(I, W, angles)
    circle(view1(W, angles, count), view1(W, sines, count), view1(W, cosines, count), count)
    largest = 0.0
    turn = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    place = (0.0, 0.0, 0.0)
    for i in range(m):
        parent = I[HEADER + i]
        kind = I[HEADER + m + i]
        axis = I[HEADER + 2 * m + i]
        if parent < 0:
            turn = at9(R, 12 * i)
            place = at3(R, 12 * i + 9)
        else:
            if parent != i - 1:  # what was written last is at hand, which is quicker
                turn = at9(W, w + 12 * parent)
                place = at3(W, w + 12 * parent + 9)
            way = times(turn, at3(R, 12 * i + 9))
            place = (place[0] + way[0], place[1] + way[1], place[2] + way[2])
            turn = chained(turn, at9(R, 12 * i))
        turn, place = moved(W, m, i, kind, axis, angles, sines, cosines, turn, place)
        for e in range(9):
            W[w + 12 * i + e] = turn[e]
        for e in range(3):
            W[w + 12 * i + 9 + e] = place[e]
            largest = max(largest, abs(place[e]))
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
