"""Frames of the motions of a tree, frame = parent's frame · placement · motion, by quaternions."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1
from manikin.kernels.verify.algebra import at3, at9, chained, times
from manikin.kernels.verify.circle import circle
from manikin.kernels.verify.curves import follow_curves
from manikin.kernels.verify.layout import DRIVES, HEADER, MOTIONS, POINTS, VALUES
from manikin.kernels.verify.moving import angles_of, moved, twists


@kernel(exact=True)
def put_angles(I, W, values, angles):  # noqa: E741
    """The angles whose sines and cosines the motions take, from ``angles`` on: what a hinge turns by, or half the
    length of a vector, and after those of all motions the twists; how many there are. values: where the axis values
    begin.
    """
    m = I[MOTIONS]
    count = m
    for i in range(m):
        kind = I[HEADER + m + i]
        W[angles + i], W[angles + m + i] = angles_of(kind, W, values + I[HEADER + 2 * m + i])
        if twists(kind):
            count = 2 * m
    return count


@kernel(exact=True)
def frame_of(W, m, i, kind, axis, angles, turn, place):
    """The frame of motion i of m where its joint has moved, from that where it has not; behind the angles are their
    sines and cosines.
    """
    first = angles + i
    second = first + m
    sines = 2 * m
    cosines = 4 * m
    return moved(
        kind,
        W,
        axis,
        W[first],
        W[first + sines],
        W[first + cosines],
        W[second + sines],
        W[second + cosines],
        turn,
        place,
    )


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
    follow_curves(I, R, W, 0)
    angles = k + 24 * m + 2 * I[POINTS]
    sines = angles + 2 * m
    cosines = sines + 2 * m
    count = put_angles(I, W, 0, angles)
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
        turn, place = frame_of(W, m, i, kind, axis, angles, turn, place)
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
