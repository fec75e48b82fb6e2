"""Frames turned by an angle about z and by a rotation vector, of which joints of three coordinates are made."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.memory.lanes import select


@kernel
def exp_coefficients(w0, w1, w2):
    """(sin θ/θ, (1 − cos θ)/θ², (θ − sin θ)/θ³) for θ = ‖w‖, by their series where θ is small.

    With these, exp[w] = I + A[w] + B[w]² and its left Jacobian is I + B[w] + C[w]².
    """
    t2 = w0 * w0 + w1 * w1 + w2 * w2
    small = t2 < 1e-2
    t2_safe = select(small, 1.0, t2)
    t = math.sqrt(t2_safe)
    s, c = sincos(t)
    a = s / t
    b = (1.0 - c) / t2_safe
    d = (1.0 - a) / t2_safe
    a_series = 1.0 - t2 / 6.0 * (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0)))
    b_series = 0.5 * (1.0 - t2 / 12.0 * (1.0 - t2 / 30.0 * (1.0 - t2 / 56.0 * (1.0 - t2 / 90.0))))
    d_series = (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0 * (1.0 - t2 / 110.0)))) / 6.0
    return select(small, a_series, a), select(small, b_series, b), select(small, d_series, d)


@kernel
def _turn(frames, i, e0, e1, e2, e3, e4, e5, e6, e7, e8):
    """Multiply the rotation of frame i from the right by the matrix e (rows)."""
    for r in range(0, 9, 3):
        x = frames[i, r]
        y = frames[i, r + 1]
        z = frames[i, r + 2]
        frames[i, r] = x * e0 + y * e3 + z * e6
        frames[i, r + 1] = x * e1 + y * e4 + z * e7
        frames[i, r + 2] = x * e2 + y * e5 + z * e8


@kernel
def _spin(frames, spins, i, k, v0, v1, v2):
    """World axis of coordinate k of block i: the vector v of frame i."""
    spins[i, 3 * k] = frames[i, 0] * v0 + frames[i, 1] * v1 + frames[i, 2] * v2
    spins[i, 3 * k + 1] = frames[i, 3] * v0 + frames[i, 4] * v1 + frames[i, 5] * v2
    spins[i, 3 * k + 2] = frames[i, 6] * v0 + frames[i, 7] * v1 + frames[i, 8] * v2


@kernel
def turn_about_z(frames, i, angle):
    """Turn frame i about its z axis."""
    s, c = sincos(angle)
    for r in range(0, 9, 3):
        x = frames[i, r]
        y = frames[i, r + 1]
        frames[i, r] = c * x + s * y
        frames[i, r + 1] = c * y - s * x


@kernel
def turn_by_vector(frames, spins, i, w0, w1, w2, all_three):
    """Turn frame i by exp[w] and note the world axes of w's components (the left Jacobian's columns)."""
    a, b, d = exp_coefficients(w0, w1, w2)
    aw0 = a * w0
    aw1 = a * w1
    aw2 = a * w2
    bw0 = b * w0
    bw1 = b * w1
    bw2 = b * w2
    dw0 = d * w0
    dw1 = d * w1
    s00 = w0 * w0
    s11 = w1 * w1
    s22 = w2 * w2
    _spin(frames, spins, i, 0, 1.0 - d * (s11 + s22), bw2 + dw0 * w1, dw0 * w2 - bw1)
    _spin(frames, spins, i, 1, dw0 * w1 - bw2, 1.0 - d * (s00 + s22), bw0 + dw1 * w2)
    if all_three:
        _spin(frames, spins, i, 2, bw1 + dw0 * w2, dw1 * w2 - bw0, 1.0 - d * (s00 + s11))
    _turn(
        frames,
        i,
        1.0 - b * (s11 + s22),
        bw0 * w1 - aw2,
        bw0 * w2 + aw1,
        bw0 * w1 + aw2,
        1.0 - b * (s00 + s22),
        bw1 * w2 - aw0,
        bw0 * w2 - aw1,
        bw1 * w2 + aw0,
        1.0 - b * (s00 + s11),
    )
