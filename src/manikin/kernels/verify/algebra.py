"""Vectors and rotations as tuples of numbers, for the judge alone; 3×3 matrices by rows."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel

# Squares between these have lost nothing.
_LEAST, _MOST = 1e-280, 1e280


@kernel(exact=True)
def at3(x, o):
    """Three numbers of an array."""
    return (x[o], x[o + 1], x[o + 2])


@kernel(exact=True)
def at9(x, o):
    """Nine numbers of an array."""
    return (x[o], x[o + 1], x[o + 2], x[o + 3], x[o + 4], x[o + 5], x[o + 6], x[o + 7], x[o + 8])


@kernel(exact=True)
def inner(a, b):
    """a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(exact=True)
def minus(a, b):
    """a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel(exact=True)
def size(a):
    """‖a‖, without overflow of its squares."""
    square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
    if _LEAST < square < _MOST:
        return math.sqrt(square)
    return math.hypot(math.hypot(a[0], a[1]), a[2])


@kernel(exact=True)
def outer(a, b):
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel(exact=True)
def times(m, v):
    """m v."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@kernel(exact=True)
def flipped(m):
    """mᵀ."""
    return (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])


@kernel(exact=True)
def chained(m, n):
    """m n."""
    a = times(m, (n[0], n[3], n[6]))
    b = times(m, (n[1], n[4], n[7]))
    c = times(m, (n[2], n[5], n[8]))
    return (a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])


@kernel(exact=True)
def by_quaternion(w, x, y, z):
    """The rotation of a unit quaternion."""
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@kernel(exact=True)
def by_vector(x, y, z):
    """The rotation of a rotation vector."""
    angle = size((x, y, z))
    f = 0.5 - angle * angle / 48.0
    if angle > 1e-4:
        f = math.sin(0.5 * angle) / angle
    return by_quaternion(math.cos(0.5 * angle), f * x, f * y, f * z)


@kernel(exact=True)
def angle(sine, cosine):
    """atan2; of small angles by its series, whose first term left out is 1e-22 of the first."""
    if abs(sine) < 0.01 * cosine:
        t = sine / cosine
        z = t * t
        return t - t * z * (1.0 / 3.0 - z * (0.2 - z * (1.0 / 7.0 - z * (1.0 / 9.0 - z * (1.0 / 11.0)))))
    return math.atan2(sine, cosine)


@kernel(exact=True)
def angle_between(u, v):
    """The angle between two directions."""
    return angle(size(outer(u, v)), inner(u, v))


@kernel(exact=True)
def vector_of(m):
    """The rotation vector of a rotation: its axis from the antisymmetric part, near a half turn from the symmetric."""
    v = (0.5 * (m[7] - m[5]), 0.5 * (m[2] - m[6]), 0.5 * (m[3] - m[1]))
    sine = size(v)
    cosine = 0.5 * (m[0] + m[4] + m[8] - 1.0)
    angle = math.atan2(sine, cosine)
    if cosine > -0.9:
        f = angle / sine if sine > 1e-12 else 1.0
        return (f * v[0], f * v[1], f * v[2])
    # (m + mᵀ)/2 = cos I + (1 − cos) u uᵀ: the column with the largest diagonal.
    a = max(m[0] - cosine, 0.0)
    b = max(m[4] - cosine, 0.0)
    c = max(m[8] - cosine, 0.0)
    if a >= b and a >= c:
        u = (a, 0.5 * (m[1] + m[3]), 0.5 * (m[2] + m[6]))
    elif b >= c:
        u = (0.5 * (m[1] + m[3]), b, 0.5 * (m[5] + m[7]))
    else:
        u = (0.5 * (m[2] + m[6]), 0.5 * (m[5] + m[7]), c)
    f = angle / size(u)
    if inner(u, v) < 0.0:
        f = -f
    return (f * u[0], f * u[1], f * u[2])


@kernel(exact=True)
def turned_by(m):
    """The angle of a rotation."""
    v = (0.5 * (m[7] - m[5]), 0.5 * (m[2] - m[6]), 0.5 * (m[3] - m[1]))
    return angle(size(v), 0.5 * (m[0] + m[4] + m[8] - 1.0))
