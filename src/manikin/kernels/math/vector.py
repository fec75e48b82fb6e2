"""Vectors of three and rotations of nine (by rows) as tuples of scalars: the closed forms' small algebra."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.arctan import atan2


@kernel
def dot(a, b):
    """a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def difference(a, b):
    """a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def cross(a, b):
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def scaled(a, f):
    """f·a."""
    return (a[0] * f, a[1] * f, a[2] * f)


@kernel
def combined(a, f, b, g):
    """f·a + g·b."""
    return (a[0] * f + b[0] * g, a[1] * f + b[1] * g, a[2] * f + b[2] * g)


@kernel
def turned(axis, angle, v):
    """v turned about the unit vector ``axis``: v∥ + cos·v⊥ + sin·(axis × v)."""
    s, c = sincos(angle)
    along = dot(axis, v) * (1.0 - c)
    w = cross(axis, v)
    return (
        v[0] * c + w[0] * s + axis[0] * along,
        v[1] * c + w[1] * s + axis[1] * along,
        v[2] * c + w[2] * s + axis[2] * along,
    )


@kernel
def turn(axis, angle):
    """The rotation about the unit vector ``axis``."""
    s, c = sincos(angle)
    x, y, z = axis
    d = 1.0 - c
    return (
        c + d * x * x,
        d * x * y - s * z,
        d * x * z + s * y,
        d * x * y + s * z,
        c + d * y * y,
        d * y * z - s * x,
        d * x * z - s * y,
        d * y * z + s * x,
        c + d * z * z,
    )


@kernel
def product(a, b):
    """A·B."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@kernel
def transposed(a):
    """Aᵀ."""
    return (a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8])


@kernel
def applied(a, v):
    """A·v."""
    return (
        a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
        a[3] * v[0] + a[4] * v[1] + a[5] * v[2],
        a[6] * v[0] + a[7] * v[1] + a[8] * v[2],
    )


@kernel
def applied_back(a, v):
    """Aᵀ·v."""
    return (
        a[0] * v[0] + a[3] * v[1] + a[6] * v[2],
        a[1] * v[0] + a[4] * v[1] + a[7] * v[2],
        a[2] * v[0] + a[5] * v[1] + a[8] * v[2],
    )


@kernel
def vector(spec, at):
    """Three numbers of an array as a vector."""
    return (spec[at], spec[at + 1], spec[at + 2])


@kernel
def matrix(spec, at):
    """Nine numbers of an array as a rotation."""
    return (
        spec[at],
        spec[at + 1],
        spec[at + 2],
        spec[at + 3],
        spec[at + 4],
        spec[at + 5],
        spec[at + 6],
        spec[at + 7],
        spec[at + 8],
    )


@kernel
def aligning(axis, v, w, otherwise):
    """The angle about ``axis`` that brings v's part across the axis onto w's; ``otherwise`` where there is none."""
    c = dot(v, w) - dot(axis, v) * dot(axis, w)
    s = dot(axis, cross(v, w))
    if abs(c) + abs(s) < 1e-22:
        return otherwise
    return atan2(s, c)


@kernel
def across(v):
    """Some unit vector at right angles to the unit vector v."""
    x = abs(v[0])
    y = abs(v[1])
    z = abs(v[2])
    if x <= y and x <= z:
        f = 1.0 / math.sqrt(1.0 - x * x)
        return (0.0, v[2] * f, -v[1] * f)
    if y <= z:
        f = 1.0 / math.sqrt(1.0 - y * y)
        return (-v[2] * f, 0.0, v[0] * f)
    f = 1.0 / math.sqrt(1.0 - z * z)
    return (v[1] * f, -v[0] * f, 0.0)
