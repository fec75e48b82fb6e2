"""The free root that fits the goals best while all other joints stay: one rigid motion of the whole figure.

Of all rigid motions x ↦ G x + t the one that minimises the POINT and AXES parts,

    Σ wᵢ ‖G xᵢ + t − pᵢ‖² + Σ wⱼ Σₖ ½ aₖ ‖G vⱼₖ − gⱼₖ‖²,

has t = p̄ − G x̄ (weighted means) and the rotation G that maximises tr(Gᵀ M), M = Σ wᵢ (pᵢ − p̄)(xᵢ − x̄)ᵀ +
Σ wⱼ Σₖ ½ aₖ gⱼₖ vⱼₖᵀ (Wahba's problem). Its quaternion is the eigenvector of the largest eigenvalue of a symmetric
4 × 4 matrix (Davenport). Where the goals leave the rotation open, as one position or two do, that eigenvalue is a
multiple one, and of its quaternions the one nearest to no rotation at all is taken. Other parts count nothing; without
any POINT or AXES part the root stays.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.stack import stack2
from manikin.kernels.rows.errors import (
    AXES,
    AXIS_WEIGHTS,
    POINT,
    TARGET,
    TARGET_AXES,
    WEIGHT,
    site_axis,
    site_point,
)

# A matrix squared so often has shrunk an eigenvalue a hundredth below the largest to 3e-5 of it.
_SQUARINGS = 10
# Part of the quaternion's square below which "no rotation" is not near it: a half turn.
_HALF_TURN = 1e-6


@kernel
def _add_points(parts, frames, table):
    """What the POINT parts make of ``table``: M in its first three rows, p̄ and x̄ in the next; the sum of weights."""
    parameters = parts.parameters
    weight = 0.0
    for a in range(4):
        for c in range(6):
            table[a, c] = 0.0
    for t in range(parts.kind.shape[0]):
        w = parameters[t, WEIGHT]
        if parts.kind[t] != POINT or w == 0.0:
            continue
        weight += w
        x = site_point(frames, parts.motion[t], parameters, t)
        for c in range(3):
            table[3, c] += w * parameters[t, TARGET + c]
            table[3, 3 + c] += w * x[c]
    if weight > 0.0:
        for c in range(6):
            table[3, c] /= weight
    for t in range(parts.kind.shape[0]):
        w = parameters[t, WEIGHT]
        if parts.kind[t] != POINT or w == 0.0:
            continue
        x = site_point(frames, parts.motion[t], parameters, t)
        for a in range(3):
            p = w * (parameters[t, TARGET + a] - table[3, a])
            for b in range(3):
                table[a, b] += p * (x[b] - table[3, 3 + b])
    return weight


@kernel
def _add_axes(parts, frames, table):
    """What the AXES parts add to M; the sum of their weights."""
    parameters = parts.parameters
    weight = 0.0
    for t in range(parts.kind.shape[0]):
        if parts.kind[t] != AXES:
            continue
        for k in range(3):
            w = parameters[t, WEIGHT] * parameters[t, AXIS_WEIGHTS + k]
            if w == 0.0:
                continue
            weight += w
            v = site_axis(frames, parts.motion[t], parameters, t, k)
            for a in range(3):
                g = w * parameters[t, TARGET_AXES + 3 * k + a]
                for b in range(3):
                    table[a, b] += g * v[b]
    return weight


@kernel
def _product(a, b):
    """The product of two symmetric 4 × 4 matrices that commute, each ten numbers by rows of the upper triangle."""
    a00, a01, a02, a03, a11, a12, a13, a22, a23, a33 = a
    b00, b01, b02, b03, b11, b12, b13, b22, b23, b33 = b
    return (
        a00 * b00 + a01 * b01 + a02 * b02 + a03 * b03,
        a00 * b01 + a01 * b11 + a02 * b12 + a03 * b13,
        a00 * b02 + a01 * b12 + a02 * b22 + a03 * b23,
        a00 * b03 + a01 * b13 + a02 * b23 + a03 * b33,
        a01 * b01 + a11 * b11 + a12 * b12 + a13 * b13,
        a01 * b02 + a11 * b12 + a12 * b22 + a13 * b23,
        a01 * b03 + a11 * b13 + a12 * b23 + a13 * b33,
        a02 * b02 + a12 * b12 + a22 * b22 + a23 * b23,
        a02 * b03 + a12 * b13 + a22 * b23 + a23 * b33,
        a03 * b03 + a13 * b13 + a23 * b23 + a33 * b33,
    )


@kernel
def best_rotation(m):
    """The quaternion (scalar first) of the rotation G that maximises tr(Gᵀ M), M the first three columns of m."""
    size = 0.0
    for a in range(3):
        for b in range(3):
            size += m[a, b] * m[a, b]
    if size == 0.0:
        return 1.0, 0.0, 0.0, 0.0
    # All eigenvalues lie within ±√3 ‖M‖; moved up by that, the largest in value is the largest in size.
    up = math.sqrt(3.0 * size)
    power = (
        up + m[0, 0] + m[1, 1] + m[2, 2],
        m[2, 1] - m[1, 2],
        m[0, 2] - m[2, 0],
        m[1, 0] - m[0, 1],
        up + m[0, 0] - m[1, 1] - m[2, 2],
        m[0, 1] + m[1, 0],
        m[0, 2] + m[2, 0],
        up - m[0, 0] + m[1, 1] - m[2, 2],
        m[1, 2] + m[2, 1],
        up - m[0, 0] - m[1, 1] + m[2, 2],
    )
    for _ in range(_SQUARINGS):
        power = _product(power, power)
        f = 1.0 / (power[0] + power[4] + power[7] + power[9])
        power = (
            power[0] * f,
            power[1] * f,
            power[2] * f,
            power[3] * f,
            power[4] * f,
            power[5] * f,
            power[6] * f,
            power[7] * f,
            power[8] * f,
            power[9] * f,
        )
    # Nearly the projector on the largest eigenvalue's quaternions: its columns are the projections of the unit ones.
    q0, q1, q2, q3 = power[0], power[1], power[2], power[3]
    if q0 < _HALF_TURN:
        q0, q1, q2, q3 = power[1], power[4], power[5], power[6]
        if power[7] > power[4] and power[7] > power[9]:
            q0, q1, q2, q3 = power[2], power[5], power[7], power[8]
        elif power[9] > power[4]:
            q0, q1, q2, q3 = power[3], power[6], power[8], power[9]
    f = 1.0 / math.sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    return q0 * f, q1 * f, q2 * f, q3 * f


@kernel
def _turned(q0, q1, q2, q3, v0, v1, v2):
    """The vector v turned by a unit quaternion: v + 2 q × (q × v + q₀ v)."""
    c0 = q2 * v2 - q3 * v1 + q0 * v0
    c1 = q3 * v0 - q1 * v2 + q0 * v1
    c2 = q1 * v1 - q2 * v0 + q0 * v2
    return (
        v0 + 2.0 * (q2 * c2 - q3 * c1),
        v1 + 2.0 * (q3 * c0 - q1 * c2),
        v2 + 2.0 * (q1 * c1 - q2 * c0),
    )


@kernel
def _turn_vector(x, first, q0, q1, q2, q3):
    """The rotation vector x[first …] after a turn by the unit quaternion q, no longer than π."""
    v0 = x[first]
    v1 = x[first + 1]
    v2 = x[first + 2]
    angle = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
    c = math.cos(0.5 * angle)
    s = math.sin(0.5 * angle) / angle if angle > 1e-8 else 0.5
    v0 *= s
    v1 *= s
    v2 *= s
    p0 = q0 * c - q1 * v0 - q2 * v1 - q3 * v2
    p1 = q0 * v0 + q1 * c + q2 * v2 - q3 * v1
    p2 = q0 * v1 + q2 * c + q3 * v0 - q1 * v2
    p3 = q0 * v2 + q3 * c + q1 * v1 - q2 * v0
    if p0 < 0.0:
        p0 = -p0
        p1 = -p1
        p2 = -p2
        p3 = -p3
    sine = math.sqrt(p1 * p1 + p2 * p2 + p3 * p3)
    f = 2.0 * math.atan2(sine, p0) / sine if sine > 1e-8 else 2.0
    x[first] = f * p1
    x[first + 1] = f * p2
    x[first + 2] = f * p3


@kernel
def fit_root(tree, parts, frames, motion, first, x):
    """Move the root so that its figure, all else as in ``frames``, fits the goals best.

    The root is three slides at right angles, motions ``motion`` and the two after it, then a rotation vector; their six
    variables are x[first …].
    """
    table = stack2(4, 6)
    points = _add_points(parts, frames, table)
    axes = _add_axes(parts, frames, table)
    if points + axes == 0.0:
        return
    q0, q1, q2, q3 = best_rotation(table)
    last = motion + 3
    r0 = frames[last, 9]
    r1 = frames[last, 10]
    r2 = frames[last, 11]
    if points == 0.0:  # nothing says where: turn about the root itself
        for c in range(3):
            table[3, c] = frames[last, 9 + c]
            table[3, 3 + c] = frames[last, 9 + c]
    d0, d1, d2 = _turned(q0, q1, q2, q3, r0 - table[3, 3], r1 - table[3, 4], r2 - table[3, 5])
    d0 += table[3, 0] - r0
    d1 += table[3, 1] - r1
    d2 += table[3, 2] - r2
    for k in range(3):
        i = motion + k
        x[first + k] += frames[i, 2] * d0 + frames[i, 5] * d1 + frames[i, 8] * d2
    # The turn in the frame that the rotation vector is written in: the parent's, times the placement.
    parent = tree.parent[last]
    w0 = frames[parent, 0] * q1 + frames[parent, 3] * q2 + frames[parent, 6] * q3
    w1 = frames[parent, 1] * q1 + frames[parent, 4] * q2 + frames[parent, 7] * q3
    w2 = frames[parent, 2] * q1 + frames[parent, 5] * q2 + frames[parent, 8] * q3
    p = tree.placement[last]
    _turn_vector(
        x,
        first + 3,
        q0,
        p[0] * w0 + p[3] * w1 + p[6] * w2,
        p[1] * w0 + p[4] * w1 + p[7] * w2,
        p[2] * w0 + p[5] * w1 + p[8] * w2,
    )
