"""The angles of a spherical joint from its rotation: three hinges through a point, or a ball joint.

With the axes a1, a2, a3 of the hinges at zero, R = e(a1, θ1) e(a2, θ2) e(a3, θ3). Two families of angles give the
same R (tolani-badler-1996 (8), (13) and (33) have one or both). For axes at right angles, a3 = e(a2, β) a1, and with
γ = θ2 + β, u = R a3, y = Rᵀ a1, g1 = a2 × a1, g3 = a2 × a3:

    cos γ = a1·u,  ±sin γ = |a1 × u|,  sin γ (cos θ1, sin θ1) = (g1·u, a2·u),  sin γ (cos θ3, sin θ3) = (−g3·y, a2·y).

Where sin γ is small the last loses digits, so there θ3 comes from what remains of R after θ1 and θ2 are undone. Where
sin γ = 0 only θ1 ± θ3 counts, and θ1 stays where it was. For other axes, a1·e(a2, θ2) a3 = a1·u has two roots or none.

For a ball joint, R = F exp([s0, s1, 0]) Rz(t) Fᵀ; its second family is the same swing the long way round,
|s| ↦ 2π − |s|.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.vector import (
    across,
    aligning,
    applied,
    applied_back,
    cross,
    dot,
    matrix,
    product,
    transposed,
    turn,
    turned,
    vector,
)

# Kinds of spherical joint.
SQUARE = 0
OBLIQUE = 1
SWING_TWIST = 2
TWIST_SWING = 3
#: By the names of `tree.joints`.
BALLS = {"swing_twist": SWING_TWIST, "twist_swing": TWIST_SWING}
# Below this sine the two outer angles count as one.
_POLE = 1e-13
# Below this sine the third angle comes from what remains.
_NEAR = 0.05


@kernel
def _remaining(a1, a2, a3, r, t1, t2):
    """θ3 from e(a2, θ2)ᵀ e(a1, θ1)ᵀ R = e(a3, θ3)."""
    w = across(a3)
    x = turned(a2, -t2, turned(a1, -t1, applied(r, w)))
    return atan2(dot(x, cross(a3, w)), dot(x, w))


@kernel
def _square(spec, at, r, beta, before):
    a1 = vector(spec, at)
    a2 = vector(spec, at + 3)
    a3 = vector(spec, at + 6)
    u = applied(r, a3)
    g = dot(cross(a2, a1), u)
    f = dot(a2, u)
    h = math.sqrt(g * g + f * f)
    t2 = atan2(h, dot(a1, u)) - beta
    t1 = before if h < _POLE else atan2(f, g)
    if h < _NEAR:
        return True, t1, t2, _remaining(a1, a2, a3, r, t1, t2)
    y = applied_back(r, a1)
    return True, t1, t2, atan2(dot(a2, y), -dot(cross(a2, a3), y))


@kernel
def _oblique(spec, at, r, sign, before):
    a1 = vector(spec, at)
    a2 = vector(spec, at + 3)
    a3 = vector(spec, at + 6)
    u = applied(r, a3)
    along = dot(a1, a2) * dot(a2, a3)
    c = dot(a1, a3) - along
    s = dot(a1, cross(a2, a3))
    rho = math.sqrt(c * c + s * s)
    x = (dot(a1, u) - along) / rho
    if abs(x) > 1.0 + 1e-12:
        return False, 0.0, 0.0, 0.0
    x = min(1.0, max(-1.0, x))
    t2 = atan2(s, c) + sign * atan2(math.sqrt((1.0 - x) * (1.0 + x)), x)
    v = turned(a2, t2, a3)
    t1 = aligning(a1, v, u, before)
    return True, t1, t2, _remaining(a1, a2, a3, r, t1, t2)


@kernel
def swing_of(r):
    """(s0, s1, t) with exp([s0, s1, 0]) Rz(t) = R, |s| ≤ π."""
    u0 = r[2]
    u1 = r[5]
    h = math.sqrt(u0 * u0 + u1 * u1)
    angle = atan2(h, r[8])
    n0 = 1.0
    n1 = 0.0
    if h > 0.0:
        n0 = -u1 / h
        n1 = u0 / h
    # What remains after the swing is undone: its first column is (cos t, sin t, 0).
    s, c = sincos(angle)
    x = (r[0], r[3], r[6])
    axis = (n0, n1, 0.0)
    along = dot(axis, x) * (1.0 - c)
    w = cross(axis, x)
    t = atan2(x[1] * c - w[1] * s + n1 * along, x[0] * c - w[0] * s + n0 * along)
    return n0 * angle, n1 * angle, t


@kernel
def first_family(spec, at, kind, beta, r, before):
    """Whether there are angles, and the three; ``before`` is θ1 where it does not matter."""
    if kind == SQUARE:
        return _square(spec, at, r, beta, before)
    if kind == OBLIQUE:
        return _oblique(spec, at, r, 1.0, before)
    f = matrix(spec, at)
    local = product(transposed(f), product(r, f))
    if kind == SWING_TWIST:
        s0, s1, t = swing_of(local)
        return True, s0, s1, t
    s0, s1, t = swing_of(transposed(local))
    return True, -s0, -s1, -t


@kernel
def second_family(spec, at, kind, beta, r, before, t1, t2, t3):
    """The other angles of the same rotation; the first family's are t1, t2, t3."""
    if kind == SQUARE:
        return True, t1 + math.pi, -t2 - 2.0 * beta, t3 + math.pi
    if kind == OBLIQUE:
        return _oblique(spec, at, r, -1.0, before)
    angle = math.sqrt(t1 * t1 + t2 * t2)
    if angle < 1e-9:
        return False, 0.0, 0.0, 0.0
    f = 1.0 - 2.0 * math.pi / angle
    return True, t1 * f, t2 * f, t3


@kernel
def rotation_of(spec, at, kind, t1, t2, t3):
    """The rotation of the joint at these angles."""
    if kind <= OBLIQUE:
        a1 = vector(spec, at)
        a2 = vector(spec, at + 3)
        a3 = vector(spec, at + 6)
        return product(turn(a1, t1), product(turn(a2, t2), turn(a3, t3)))
    sign = 1.0 if kind == SWING_TWIST else -1.0
    angle = math.sqrt(t1 * t1 + t2 * t2)
    axis = (1.0, 0.0, 0.0)
    if angle > 0.0:
        axis = (sign * t1 / angle, sign * t2 / angle, 0.0)
    up = (0.0, 0.0, 1.0)
    x = turned(axis, angle, turned(up, sign * t3, (1.0, 0.0, 0.0)))
    y = turned(axis, angle, turned(up, sign * t3, (0.0, 1.0, 0.0)))
    z = turned(axis, angle, up)
    local = (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    if kind == TWIST_SWING:
        local = transposed(local)
    f = matrix(spec, at)
    return product(f, product(local, transposed(f)))
