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
def value_of(W, first, dofs, coefficients, figures, offset, k, v):
    """Axis value k: its offset, and what its coordinates drive."""
    v[0] = figures[offset + k]
    for s in range(first[k], first[k + 1]):
        v[0] += coefficients[s] * W[dofs[s]]


@part
def turn_by_vector(F, W, spins, w0, w1, w2, three):
    """Turn the frame F by exp[w], the world axes of w's components to ``spins``; as `math.rotation`."""
    t2 = w0 * w0 + w1 * w1 + w2 * w2
    a = 1.0 - t2 / 6.0 * (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0))
    b = 0.5 * (1.0 - t2 / 12.0 * (1.0 - t2 / 30.0 * (1.0 - t2 / 56.0)))
    d = (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0))) / 6.0
    if t2 > 0.25:
        t = math.sqrt(t2)
        a = math.sin(t) / t
        b = (1.0 - math.cos(t)) / t2
        d = (1.0 - a) / t2
    w = local(3)
    w[0] = w0
    w[1] = w1
    w[2] = w2
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
def place(W, counts, tree, first, dofs, coefficients, figures, row, frames, spins):
    """World frame of every motion, and the axes of blocks of three (`tree.sweep`)."""
    F = local(12)
    v = local(1)
    motions = counts[MOTIONS]
    offset = row + 12 * (motions + 1)
    last = 0
    for k in range(12):
        F[k] = 0.0
    for k in range(3):
        F[4 * k] = 1.0
    for k in range(12):
        W[frames + k] = F[k]
    for i in range(1, motions + 1):
        j = tree[MOTION * i + PARENT]
        kind = tree[MOTION * i + KIND]
        k = tree[MOTION * i + AXIS]
        at = row + 12 * i
        if j != last:
            base = frames + 12 * j
            for c in range(12):
                F[c] = W[base + c]
        for r in range(3):
            x = F[3 * r]
            y = F[3 * r + 1]
            z = F[3 * r + 2]
            F[9 + r] += x * figures[at + 9] + y * figures[at + 10] + z * figures[at + 11]
            for c in range(3):
                F[3 * r + c] = x * figures[at + c] + y * figures[at + 3 + c] + z * figures[at + 6 + c]
        value_of(W, first, dofs, coefficients, figures, offset, k, v)
        v0 = v[0]
        if kind == ROTATE:
            turn_about_z(F, v0)
        elif kind == SLIDE:
            for r in range(3):
                F[9 + r] += v0 * F[3 * r + 2]
        else:
            own = spins + 9 * i
            k1 = k + 1
            k2 = k + 2
            value_of(W, first, dofs, coefficients, figures, offset, k1, v)
            v1 = v[0]
            value_of(W, first, dofs, coefficients, figures, offset, k2, v)
            v2 = v[0]
            if kind == TWIST_SWING:
                for r in range(3):
                    W[own + 6 + r] = F[3 * r + 2]
                turn_about_z(F, v2)
            w2 = v2
            three = kind > TWIST_SWING
            if not three:
                w2 = 0.0
            turn_by_vector(F, W, own, v0, v1, w2, three)
            if kind == SWING_TWIST:
                for r in range(3):
                    W[own + 6 + r] = F[3 * r + 2]
                turn_about_z(F, v2)
        base = frames + 12 * i
        for c in range(12):
            W[base + c] = F[c]
        last = i
