"""The limb of seven angles in closed form: spherical joint, hinge, spherical joint (tolani-badler-1996, scheme 1).

All in the frame that carries the limb, with every angle at zero: shoulder centre S, elbow E = S + m on the hinge (the
point nearest to S), wrist centre W = E + d, the hinge's direction a, and the axes of the two spherical joints. Then

    R_shoulder e(a, θ4) R_wrist = R,     R_shoulder v = p,     v = m + e(a, θ4) d,

with p the wrist seen from the shoulder and R the hand's turn from where it is at zero. |v|² = K − ρ cos δ gives
θ4 = θ* + π ± δ (3), δ by half-angles so that no digits are lost, folded or stretched. What is
left free is a turn about p:

    R_shoulder(φ) = û_φ bᵀ + (n̂ × û_φ)(n × b)ᵀ + n̂ nᵀ,   n̂ = p/|p|,  n = v/|v|,  b = ±(a × v)/|a × v|,

where û_φ is û, the direction down across n̂, turned by φ about n̂ (4)–(7). b points to the elbow's side, and unlike the
elbow itself keeps its direction when the limb is stretched.

``spec`` holds all numbers of a limb; the entries are named below. ``out`` rows are values of the seven axes.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.vector import (
    across,
    applied,
    combined,
    cross,
    dot,
    matrix,
    product,
    scaled,
    transposed,
    turn,
    turned,
    vector,
)
from manikin.kernels.memory.views import view2

# Entries of spec: geometry …
CENTRE, UPPER_ARM, FOREARM, SHOULDER, HINGE, WRIST = 0, 3, 6, 9, 18, 21
SHOULDER_KIND, WRIST_KIND, SHOULDER_BETA, WRIST_BETA = 30, 31, 32, 33
STAR, NEAREST, FARTHEST, SIDE = 34, 35, 36, 37
DOWN, AHEAD = 38, 41
# … the hand's turn at zero (transposed), the wrist in the hand's frame, and the frame that carries the limb …
TOOL, TOOL_WRIST, BASE, BASE_ORIGIN = 44, 53, 56, 65
# … limits, where the angles were, coordinate = (value − offset) · factor, which angle is none of the figure's but stays
# at zero (−1: all seven are the figure's), the swivel angle of the last step (`track`), how the coordinates last
# changed and how a carrier answers them (`carried_track`), rows c·values in [low, high], then cones: the places of two
# swings, their centres and their radii.
LOWER, HIGHER, BEFORE, OFFSET, FACTOR, ROWS, VIRTUAL, CONES = 68, 75, 82, 89, 96, 103, 104, 105
SWIVEL, CHANGE, INVERSE, ROW = 106, 107, 114, 163
ROW_LENGTH = 9
CONE_LENGTH = 6

# An angle this far beyond its limit is at it.
SLACK = 2e-11
# The distance to the wrist may be this part beyond the reach by rounding.
EDGE = 1e-12
MOST = 8


@kernel
def wanted(spec, targets, i):
    """(p, R) of target i: the wrist from the shoulder, and the hand's turn, in the limb's frame."""
    r = (
        targets[i, 0, 0],
        targets[i, 0, 1],
        targets[i, 0, 2],
        targets[i, 1, 0],
        targets[i, 1, 1],
        targets[i, 1, 2],
        targets[i, 2, 0],
        targets[i, 2, 1],
        targets[i, 2, 2],
    )
    return seen_from(spec, r, (targets[i, 0, 3], targets[i, 1, 3], targets[i, 2, 3]))


@kernel
def seen_from(spec, r, at):
    """(p, R) of a target with the turn r and the position ``at`` in the world, numbers or lanes."""
    w = applied(r, vector(spec, TOOL_WRIST))
    w = (
        w[0] + at[0] - spec[BASE_ORIGIN],
        w[1] + at[1] - spec[BASE_ORIGIN + 1],
        w[2] + at[2] - spec[BASE_ORIGIN + 2],
    )
    base = matrix(spec, BASE)
    p = combined(applied(base, w), 1.0, vector(spec, CENTRE), -1.0)
    return p, product(product(base, r), matrix(spec, TOOL))


@kernel
def opening(spec, distance):
    """Whether the hinge can bring the wrist to this distance, and δ."""
    near = spec[NEAREST]
    far = spec[FARTHEST]
    if distance > far * (1.0 + EDGE) or distance < near - far * EDGE:
        return False, 0.0
    beyond = max(0.0, (distance - near) * (distance + near))
    before = max(0.0, (far - distance) * (far + distance))
    return True, 2.0 * atan2(math.sqrt(beyond), math.sqrt(before))


@kernel
def fits(spec, j, value):
    """Whether value + 2πk lies within the limits of angle j for some k, and the one nearest to where it was."""
    low = spec[LOWER + j]
    high = spec[HIGHER + j]
    whole = 2.0 * math.pi
    k = math.floor((spec[BEFORE + j] - value) / whole + 0.5)
    x = value + whole * k
    if x > high + SLACK:
        x -= whole * math.ceil((x - high - SLACK) / whole)
    elif x < low - SLACK:
        x += whole * math.ceil((low - SLACK - x) / whole)
    if x < low - SLACK or x > high + SLACK:
        return False, x
    return True, min(high, max(low, x))


@kernel
def hinge_angle(spec, delta, branch):
    """θ4 of one of its two branches: whether it is within its limits, and where."""
    return fits(spec, 3, spec[STAR] + math.pi + (delta if branch == 0 else -delta))


@kernel
def bent(spec, t4):
    """(v, n, b): the wrist from the shoulder with the upper arm at zero, its direction, and the elbow's side."""
    a = vector(spec, HINGE)
    m = vector(spec, UPPER_ARM)
    v = combined(m, 1.0, turned(a, t4, vector(spec, FOREARM)), 1.0)
    length = math.sqrt(dot(v, v))
    n = scaled(v, 1.0 / length) if length > 1e-13 else scaled(m, 1.0 / math.sqrt(dot(m, m)))
    b = cross(a, n)
    size = math.sqrt(dot(b, b))
    b = scaled(b, 1.0 / size) if size > 1e-13 else across(n)
    side = dot(b, m)
    if abs(side) < 1e-9 * spec[FARTHEST]:
        side = spec[SIDE]
    return v, n, b if side >= 0.0 else scaled(b, -1.0)


@kernel
def around(spec, p):
    """(n̂, û, v̂) of the swivel: û is down, or ahead where the limb points straight down or up."""
    length = math.sqrt(dot(p, p))
    n = scaled(p, 1.0 / length) if length > 1e-13 else vector(spec, AHEAD)
    down = vector(spec, DOWN)
    u = combined(down, 1.0, n, -dot(down, n))
    size = math.sqrt(dot(u, u))
    if size < 1e-9:
        down = vector(spec, AHEAD)
        u = combined(down, 1.0, n, -dot(down, n))
        size = math.sqrt(dot(u, u))
    u = scaled(u, 1.0 / size)
    u = combined(u, 1.0, n, -dot(u, n))
    return n, u, cross(n, u)


@kernel
def shoulder_turn(n_hat, u_hat, v_hat, n, b, phi):
    """R_shoulder(φ)."""
    s, c = sincos(phi)
    u = combined(u_hat, c, v_hat, s)
    w = combined(v_hat, c, u_hat, -s)
    e = cross(n, b)
    return (
        u[0] * b[0] + w[0] * e[0] + n_hat[0] * n[0],
        u[0] * b[1] + w[0] * e[1] + n_hat[0] * n[1],
        u[0] * b[2] + w[0] * e[2] + n_hat[0] * n[2],
        u[1] * b[0] + w[1] * e[0] + n_hat[1] * n[0],
        u[1] * b[1] + w[1] * e[1] + n_hat[1] * n[1],
        u[1] * b[2] + w[1] * e[2] + n_hat[1] * n[2],
        u[2] * b[0] + w[2] * e[0] + n_hat[2] * n[0],
        u[2] * b[1] + w[2] * e[1] + n_hat[2] * n[1],
        u[2] * b[2] + w[2] * e[2] + n_hat[2] * n[2],
    )


@kernel
def left_over(spec, shoulder, t4, r):
    """R_wrist that a turn of the shoulder leaves."""
    return product(transposed(product(shoulder, turn(vector(spec, HINGE), t4))), r)


@kernel
def swivel_at(spec, p, shoulder, t4):
    """φ of a rotation of the shoulder."""
    _n_hat, u_hat, v_hat = around(spec, p)
    _v, _n, b = bent(spec, t4)
    x = applied(shoulder, b)
    return atan2(dot(x, v_hat), dot(x, u_hat))


@kernel
def to_coordinates(spec, out, i):
    """Row i from axis values to coordinates."""
    for j in range(7):
        out[i, j] = (out[i, j] - spec[OFFSET + j]) * spec[FACTOR + j]


@kernel
def to_values(spec, rows, i, out):
    """Row i from coordinates to axis values, in row 0 of ``out``."""
    for j in range(7):
        out[0, j] = rows[i, j] / spec[FACTOR + j] + spec[OFFSET + j]


@kernel(entry="f8[:,:], f8 -> b1")
def is_placement(target, tolerance):
    """Whether a 4×4 is finite, its rotation orthonormal and right-handed, its last row 0 0 0 1, within a tolerance."""
    r = view2(target, 0, 4, 4)
    x = (r[0, 0], r[1, 0], r[2, 0])
    y = (r[0, 1], r[1, 1], r[2, 1])
    z = (r[0, 2], r[1, 2], r[2, 2])
    e = combined(cross(x, y), 1.0, z, -1.0)
    worst = dot(e, e) + (dot(x, x) - 1.0) ** 2 + (dot(y, y) - 1.0) ** 2 + dot(x, y) ** 2
    finite = abs(r[0, 3]) + abs(r[1, 3]) + abs(r[2, 3]) < math.inf
    last = abs(r[3, 0]) + abs(r[3, 1]) + abs(r[3, 2]) + abs(r[3, 3] - 1.0)
    return finite and worst < tolerance * tolerance and last <= tolerance
