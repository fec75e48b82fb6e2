"""Frames of a tree of motions, as `tree.sweep` has them, in a thread's own memory."""

from __future__ import annotations

import math

from manikin.kernels.gpu.body_layout import (
    AXIS,
    KIND,
    MOTION,
    MOTIONS,
    PARENT,
    ROTATE,
    SLIDE,
    SWING_TWIST,
    TWIST_SWING,
)
from manikin.kernels.gpu.unroll import known, local, part


@part
def identity(F):
    """The world's own frame."""
    for k in range(12):
        F[k] = 0.0
    for k in range(3):
        F[4 * k] = 1.0


@part
def value_of(data, thread, W, k, v, r):
    """Axis value k, as v[r]: its offset, and what its coordinates drive."""
    v[r] = data.figures[thread.offsets + k]
    for s in range(data.first[k], data.first[k + 1]):
        v[r] += data.coefficients[s] * W[data.dofs[s]]


@part
def turn_by_vector(F, W, spins, w, three):
    """Turn the frame F by exp[w], the world axes of w's components to ``spins``; as `math.rotation`."""
    t2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    a = 1.0 - t2 / 6.0 * (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0))
    b = 0.5 * (1.0 - t2 / 12.0 * (1.0 - t2 / 30.0 * (1.0 - t2 / 56.0)))
    d = (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0))) / 6.0
    if t2 > 0.25:
        t = math.sqrt(t2)
        a = math.sin(t) / t
        b = (1.0 - math.cos(t)) / t2
        d = (1.0 - a) / t2
    E = local(9)
    S = local(9)
    for r in range(3):
        for c in range(3):
            E[3 * r + c] = b * w[r] * w[c]
            S[3 * c + r] = d * w[r] * w[c]
        E[4 * r] += 1.0 - b * t2
        S[4 * r] += 1.0 - d * t2
    for r in range(3):
        i = known((r + 1) % 3)
        k = known((r + 2) % 3)
        E[3 * i + k] -= a * w[r]
        E[3 * k + i] += a * w[r]
        S[3 * k + i] -= b * w[r]
        S[3 * i + k] += b * w[r]
    for c in range(3):
        if c < 2 or three:
            for r in range(3):
                W[spins + 3 * c + r] = (
                    F[3 * r] * S[3 * c] + F[3 * r + 1] * S[3 * c + 1] + F[3 * r + 2] * S[3 * c + 2]
                )
    for r in range(3):
        x = F[3 * r]
        y = F[3 * r + 1]
        z = F[3 * r + 2]
        for c in range(3):
            F[3 * r + c] = x * E[c] + y * E[3 + c] + z * E[6 + c]


@part
def turn_about_z(F, angle):
    """Turn the frame F about its z axis."""
    s = math.sin(angle)
    c = math.cos(angle)
    for r in range(3):
        x = F[3 * r]
        y = F[3 * r + 1]
        F[3 * r] = c * x + s * y
        F[3 * r + 1] = c * y - s * x


@part
def remember_spin(F, W, spins):
    """The z axis of the frame F is the third of three axes."""
    for r in range(3):
        W[spins + 6 + r] = F[3 * r + 2]


@part
def advance(data, thread, W, i, F, spins):
    """From the frame of the motion that carries motion i to its own; three axes of a block go to ``spins``."""
    v = local(3)
    kind = data.tree[MOTION * i + KIND]
    k = data.tree[MOTION * i + AXIS]
    at = thread.row + 12 * i
    for r in range(3):
        x = F[3 * r]
        y = F[3 * r + 1]
        z = F[3 * r + 2]
        F[9 + r] += x * data.figures[at + 9] + y * data.figures[at + 10] + z * data.figures[at + 11]
        for c in range(3):
            F[3 * r + c] = (
                x * data.figures[at + c] + y * data.figures[at + 3 + c] + z * data.figures[at + 6 + c]
            )
    value_of(data, thread, W, k, v, 0)
    if kind == ROTATE:
        turn_about_z(F, v[0])
    elif kind == SLIDE:
        for r in range(3):
            F[9 + r] += v[0] * F[3 * r + 2]
    else:
        k1 = k + 1
        k2 = k + 2
        value_of(data, thread, W, k1, v, 1)
        value_of(data, thread, W, k2, v, 2)
        twist = v[2]
        if kind == TWIST_SWING:
            remember_spin(F, W, spins)
            turn_about_z(F, twist)
        three = kind != SWING_TWIST and kind != TWIST_SWING
        if not three:
            v[2] = 0.0
        turn_by_vector(F, W, spins, v, three)
        if kind == SWING_TWIST:
            remember_spin(F, W, spins)
            turn_about_z(F, twist)


@part
def place(data, thread, W):
    """World frame of every motion, and the axes of blocks of three (`tree.sweep`)."""
    F = local(12)
    identity(F)
    for k in range(12):
        W[thread.frames + k] = F[k]
    last = 0
    for i in range(1, data.counts[MOTIONS] + 1):
        j = data.tree[MOTION * i + PARENT]
        if j != last:
            base = thread.frames + 12 * j
            for c in range(12):
                F[c] = W[base + c]
        spins = thread.spins + 9 * i
        advance(data, thread, W, i, F, spins)
        base = thread.frames + 12 * i
        for c in range(12):
            W[base + c] = F[c]
        last = i
