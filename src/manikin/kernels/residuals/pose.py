"""Measures of a site's frame, seen from the world or from another motion.

The site's position r and axes R come in the frame of the *base* motion b, in which all targets are given:
r = Rᵦᵀ (r_world − pᵦ). A function g(r, R) whose derivative there is f·dr + m·dω has, in the world, the wrench
(Rᵦ f at the site, Rᵦ m) on the site's motion and its opposite on the base's.

Parameters of every part: the site's frame in its motion's, rotation by rows and position (12); then from ``OWN`` on

COORDINATES  point p (3), a direction d a row (3 each)          gᵢ = dᵢ·(r − p)
TURN         target axes T by rows (9)                          g = 2 vec q, q the unit quaternion of TᵀR, q₀ ≥ 0
ROTATION     frame F by rows (9), component a row (1 each)      gᵢ = component of the rotation vector of FᵀR
AIM          v c₁ c₂ in the site's frame (9), point or direction (3), whether it is a direction (1)
             gᵢ = cᵢ·d / √(½ (1 + v·d)), d the unit vector to the point, in the site's frame
AXES         site axis in the site's frame and target direction, an axis (6 each)     g = vₖ − gₖ, three rows an axis
POINT        number of primitives, the primitives                g = largest signed distance of r
AFFINE       a row: constant c (1), force f (3), A by rows (9)   g = c + f·r + Σᵢⱼ AᵢⱼRᵢⱼ, the local model of a function
             that Python computes (`engines.frame_model`)
RING         one CIRCLE                                          g = height over its plane, distance from its
axis less R

Σ g² of TURN is (2 sin θ/2)² for an angle θ between the frames, and so it is of AIM for the angle between v and d:
both are smooth with rows of full rank for all θ < 180°. There the direction in which to turn is not defined:
one is chosen, and the slope is zero.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import (
    applied,
    applied_back,
    combined,
    cross,
    difference,
    dot,
    matrix,
    product,
    scaled,
    transposed,
    vector,
)
from manikin.kernels.residuals.errors import towards, without, world_point
from manikin.kernels.residuals.layout import HORIZON
from manikin.kernels.residuals.regions import circle_parts, deepest

COORDINATES, TURN, ROTATION, AIM, AXES, POINT, AFFINE, RING = range(8)

SITE_TURN = 0
SITE_PLACE = 9
OWN = 12
AFFINE_ROW = 13  # numbers of a row of AFFINE

_BACKWARDS = 1e-13


@kernel
def frame_turn(frames, i):
    """Rotation of motion i."""
    return matrix(frames[i], 0)


@kernel
def into(frames, b, x):
    """The world's point x in the frame of motion b."""
    if b == 0:
        return x
    d = (x[0] - frames[b, 9], x[1] - frames[b, 10], x[2] - frames[b, 11])
    return applied_back(frame_turn(frames, b), d)


@kernel
def out_of(frames, b, v):
    """The direction v of motion b in the world."""
    if b == 0:
        return v
    return applied(frame_turn(frames, b), v)


@kernel
def set_force(wrench, row, r, f):
    """Row's wrench: the force f at the world's point r."""
    m = cross(r, f)
    for c in range(3):
        wrench[row, c] = f[c]
        wrench[row, 3 + c] = m[c]


@kernel
def set_moment(wrench, row, m):
    """Row's wrench: the moment m."""
    for c in range(3):
        wrench[row, c] = 0.0
        wrench[row, 3 + c] = m[c]


@kernel
def relative_turn(frames, a, b, p, o):
    """Axes of the site of parameters o on motion a, seen from motion b."""
    turned = product(frame_turn(frames, a), matrix(p, o + SITE_TURN))
    if b == 0:
        return turned
    rb = frame_turn(frames, b)
    return product(transposed(rb), turned)


@kernel
def unit_quaternion(r):
    """(w, v) of a rotation, w ≥ 0: of four multiples of it the one with the largest pivot."""
    trace = r[0] + r[4] + r[8]
    if trace >= max(r[0], r[4], r[8]):
        w = 1.0 + trace
        v = (r[7] - r[5], r[2] - r[6], r[3] - r[1])
    elif r[0] >= r[4] and r[0] >= r[8]:
        w = r[7] - r[5]
        v = (1.0 + 2.0 * r[0] - trace, r[1] + r[3], r[2] + r[6])
    elif r[4] >= r[8]:
        w = r[2] - r[6]
        v = (r[1] + r[3], 1.0 + 2.0 * r[4] - trace, r[5] + r[7])
    else:
        w = r[3] - r[1]
        v = (r[2] + r[6], r[5] + r[7], 1.0 + 2.0 * r[8] - trace)
    f = 1.0 / math.sqrt(w * w + dot(v, v))
    if w < 0.0:
        f = -f
    return w * f, (v[0] * f, v[1] * f, v[2] * f)


@kernel
def _error_turn(frames, a, b, p, o):
    """TᵀR of the target axes T at the part's own parameters."""
    r = relative_turn(frames, a, b, p, o)
    t = matrix(p, o + OWN)
    return product(transposed(t), r), t


@kernel
def _coordinates(M, frames, a, b, o, first, count):
    p = M.parameters
    r = world_point(frames, a, vector(p, o + SITE_PLACE))
    e = difference(into(frames, b, r), vector(p, o + OWN))
    for i in range(count):
        d = vector(p, o + OWN + 3 + 3 * i)
        M.value[first + i] = dot(d, e)
        set_force(M.wrench, first + i, r, out_of(frames, b, d))


@kernel
def _turn(M, frames, a, b, o, first):
    """With η = Tᵀdω: d(2 vec q) = w η + η × v, so row i has the moment T (w eᵢ + v × eᵢ)."""
    error, t = _error_turn(frames, a, b, M.parameters, o)
    w, v = unit_quaternion(error)
    M.value[first] = 2.0 * v[0]
    M.value[first + 1] = 2.0 * v[1]
    M.value[first + 2] = 2.0 * v[2]
    set_moment(M.wrench, first, out_of(frames, b, applied(t, (w, v[2], -v[1]))))
    set_moment(M.wrench, first + 1, out_of(frames, b, applied(t, (-v[2], w, v[0]))))
    set_moment(M.wrench, first + 2, out_of(frames, b, applied(t, (v[1], -v[0], w))))


@kernel
def _rotation(M, frames, a, b, o, first, count):
    """Rotation vector y of FᵀR: dy = J⁻¹ η, J⁻¹ = I − ½[y] + c [y]², c = (1 − ½θ cot ½θ)/θ².

    Row i has the moment F J⁻ᵀ eᵢ, J⁻ᵀ eᵢ = eᵢ + ½ y × eᵢ + c y × (y × eᵢ).
    """
    p = M.parameters
    error, t = _error_turn(frames, a, b, p, o)
    w, v = unit_quaternion(error)
    sine = math.sqrt(dot(v, v))
    angle = 2.0 * math.atan2(sine, w)
    f = angle / sine if sine > 1e-9 else 2.0
    y = (f * v[0], f * v[1], f * v[2])
    square = angle * angle
    if angle < 0.05:
        c = 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
    else:
        c = (1.0 - 0.5 * angle * w / sine) / square
    for i in range(count):
        which = int(p[o + OWN + 9 + i])
        e = (1.0 if which == 0 else 0.0, 1.0 if which == 1 else 0.0, 1.0 if which == 2 else 0.0)
        ye = cross(y, e)
        yye = cross(y, ye)
        m = (
            e[0] + 0.5 * ye[0] + c * yye[0],
            e[1] + 0.5 * ye[1] + c * yye[1],
            e[2] + 0.5 * ye[2] + c * yye[2],
        )
        M.value[first + i] = y[which]
        set_moment(M.wrench, first + i, out_of(frames, b, applied(t, m)))


@kernel
def _no_aim(M, first, value):
    """Rows of this value that nothing changes."""
    for i in range(2):
        M.value[first + i] = value if i == 0 else 0.0
        set_moment(M.wrench, first + i, (0.0, 0.0, 0.0))


@kernel
def _aim(M, frames, a, b, o, first):
    """Slope by the direction d: cᵢ h − ½ gᵢ h² ½ v with h = 1/√(½(1 + v·d)); d turns against the site, and with it."""
    p = M.parameters
    site = product(frame_turn(frames, a), matrix(p, o + SITE_TURN))
    r = world_point(frames, a, vector(p, o + SITE_PLACE))
    fixed = p[o + OWN + 12] != 0.0
    d = out_of(frames, b, vector(p, o + OWN + 9))
    inverse = 0.0
    if not fixed:
        d, inverse, none = towards((frames[b, 9] + d[0], frames[b, 10] + d[1], frames[b, 11] + d[2]), r)
        if none:
            _no_aim(M, first, math.sqrt(2.0))
            return
    v = applied(site, vector(p, o + OWN))
    level = 0.5 * (1.0 + dot(v, d))
    if level < _BACKWARDS:
        _no_aim(M, first, 2.0)
        return
    h = 1.0 / math.sqrt(level)
    for i in range(2):
        c = applied(site, vector(p, o + OWN + 3 + 3 * i))
        g = dot(c, d) * h
        k = -0.25 * g * h * h
        by_d = combined(c, h, v, k)  # slope of g by d
        M.value[first + i] = g
        turning = cross(by_d, d)  # the site's axes turn: g changes as if d turned back
        set_force(M.wrench, first + i, r, scaled(without(by_d, d), -inverse))
        for n in range(3):
            M.wrench[first + i, 3 + n] += turning[n]


@kernel
def _axes(M, frames, a, b, o, first, count):
    p = M.parameters
    site = relative_turn(frames, a, b, p, o)
    for k in range(count // 3):
        v = applied(site, vector(p, o + OWN + 6 * k))
        for i in range(3):
            row = first + 3 * k + i
            M.value[row] = v[i] - p[o + OWN + 6 * k + 3 + i]
            e = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
            set_moment(M.wrench, row, out_of(frames, b, cross(v, e)))


@kernel
def _point(M, frames, a, b, o, first):
    p = M.parameters
    r = world_point(frames, a, vector(p, o + SITE_PLACE))
    value, n = deepest(p, o + OWN + 1, int(p[o + OWN]), into(frames, b, r))
    M.value[first] = value
    set_force(M.wrench, first, r, out_of(frames, b, n))


@kernel
def _affine(M, frames, a, b, o, first, count):
    """The axes Rₖ turn with dω: Σ Aₖ·(dω × Rₖ) = dω·Σ Rₖ × Aₖ."""
    p = M.parameters
    x = world_point(frames, a, vector(p, o + SITE_PLACE))
    r = into(frames, b, x)
    s = relative_turn(frames, a, b, p, o)
    for i in range(count):
        k = o + OWN + AFFINE_ROW * i
        f = vector(p, k + 1)
        by_axes = matrix(p, k + 4)
        value = p[k] + dot(f, r)
        m = (0.0, 0.0, 0.0)
        for j in range(3):
            axis = (s[j], s[3 + j], s[6 + j])
            column = (by_axes[j], by_axes[3 + j], by_axes[6 + j])
            value += dot(axis, column)
            m = combined(m, 1.0, cross(axis, column), 1.0)
        M.value[first + i] = value
        set_force(M.wrench, first + i, x, out_of(frames, b, f))
        moment = out_of(frames, b, m)
        for n in range(3):
            M.wrench[first + i, 3 + n] += moment[n]


@kernel
def _ring(M, frames, a, b, o, first):
    p = M.parameters
    r = world_point(frames, a, vector(p, o + SITE_PLACE))
    x = into(frames, b, r)
    c = o + OWN
    h, rho, n, out = circle_parts(p, c, (x[0] - p[c + 1], x[1] - p[c + 2], x[2] - p[c + 3]))
    M.value[first] = h
    M.value[first + 1] = rho - p[c + 7]
    set_force(M.wrench, first, r, out_of(frames, b, n))
    set_force(M.wrench, first + 1, r, out_of(frames, b, out))


@kernel
def measure_pose(M, frames, t):
    """Values and wrenches of part t, of one of the kinds above."""
    kind = M.kind[t]
    a = M.motion[t]
    b = M.base[t]
    o = M.offset[t]
    first = M.first[t]
    if kind == COORDINATES:
        _coordinates(M, frames, a, b, o, first, M.count[t])
    elif kind == TURN:
        _turn(M, frames, a, b, o, first)
    elif kind == ROTATION:
        _rotation(M, frames, a, b, o, first, M.count[t])
    elif kind == AIM:
        _aim(M, frames, a, b, o, first)
    elif kind == AXES:
        _axes(M, frames, a, b, o, first, M.count[t])
    elif kind == POINT:
        _point(M, frames, a, b, o, first)
    elif kind == AFFINE:
        _affine(M, frames, a, b, o, first, M.count[t])
    else:
        _ring(M, frames, a, b, o, first)
    spare = M.option[HORIZON] if kind in (COORDINATES, POINT) else math.inf
    for r in range(first, first + M.count[t]):
        far = M.value[r] > M.lower[r] + spare and M.value[r] < M.upper[r] - spare
        M.near[r] = 0.0 if far else 1.0
