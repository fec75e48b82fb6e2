"""Scheme 1 for four targets at once, in the lanes of a register (see `lanes`).

The equations are those of `limb` and `spherical` for hinges at right angles, written with selections in place of
branches. Where a case needs more than that (a pole of shoulder or wrist nearby, the limb folded to a point, stretched
so that the elbow's side is lost, or upright) the lane says so, and `limb_solve` solves that target by itself.

``box`` is an array (BOX, 4), its first entry on a 32-byte boundary: in go the targets and φ, out come the angles.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.limb import (
    BEFORE,
    DOWN,
    EDGE,
    FACTOR,
    FARTHEST,
    FOREARM,
    HIGHER,
    HINGE,
    LOWER,
    NEAREST,
    OFFSET,
    SHOULDER,
    SHOULDER_BETA,
    SLACK,
    STAR,
    UPPER_ARM,
    WRIST,
    left_over,
    seen_from,
    shoulder_turn,
)
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.vector import applied, applied_back, combined, cross, dot, scaled, vector
from manikin.kernels.memory.lanes import lanes, round_down, select

# Entries of a box: the rows of the target without its last, φ, whether the lane is a case of its own …
PHI, ODD = 12, 13
# … and for each branch of the hinge whether it is within its limits and θ4, then for the shoulder's and the wrist's two
# families whether they are within theirs, and three angles each.
BRANCH, JOINT, FAMILY = 18, 8, 4
FOUND = 14
BOX = FOUND + 2 * BRANCH
# Sines below this are left to the case's own code.
_NEAR = 0.05


@kernel
def _fits(spec, j, value):
    """`limb.fits` for lanes: 1 where there is such an angle, else 0, and the coordinate."""
    low = spec[LOWER + j]
    high = spec[HIGHER + j]
    whole = 2.0 * math.pi
    part = 1.0 / whole
    x = value + whole * round_down((spec[BEFORE + j] - value) * part + 0.5)
    x = select(x > high + SLACK, x + whole * round_down((high + SLACK - x) * part), x)
    x = select(x < low - SLACK, x - whole * round_down((x - low + SLACK) * part), x)
    ok = select(x < low - SLACK, 0.0, select(x > high + SLACK, 0.0, 1.0))
    x = select(x < low, low, select(x > high, high, x))
    return ok, (x - spec[OFFSET + j]) * spec[FACTOR + j]


@kernel
def _store(spec, place, first, x1, x2, x3, out):
    """One family of a spherical joint: three angles from number ``first`` on, to entries from ``place`` on."""
    ok1, y1 = _fits(spec, first, x1)
    ok2, y2 = _fits(spec, first + 1, x2)
    ok3, y3 = _fits(spec, first + 2, x3)
    out[place] = ok1 * ok2 * ok3
    out[place + 1] = y1
    out[place + 2] = y2
    out[place + 3] = y3


@kernel
def _both_families(spec, which, rotation, place, out):
    """Both families of a spherical joint's rotation; returns 1 where a pole is near, else 0."""
    at = WRIST if which else SHOULDER
    beta = spec[SHOULDER_BETA + which]
    first = 4 * which
    a1 = vector(spec, at)
    a2 = vector(spec, at + 3)
    a3 = vector(spec, at + 6)
    u = applied(rotation, a3)
    y = applied_back(rotation, a1)
    g = dot(cross(a2, a1), u)
    f = dot(a2, u)
    h = math.sqrt(g * g + f * f)
    t1 = atan2(f, g)
    t2 = atan2(h, dot(a1, u)) - beta
    t3 = atan2(dot(a2, y), -dot(cross(a2, a3), y))
    _store(spec, place, first, t1, t2, t3, out)
    _store(spec, place + FAMILY, first, t1 + math.pi, -t2 - 2.0 * beta, t3 + math.pi, out)
    return select(h < _NEAR, 1.0, 0.0)


@kernel
def _one_branch(spec, n_hat, u_hat, v_hat, phi, r, t4, place, out):
    """All angles of one branch of the hinge; returns 1 where a lane is a case of its own, else 0."""
    a = vector(spec, HINGE)
    m = vector(spec, UPPER_ARM)
    d = vector(spec, FOREARM)
    s, c = sincos(t4)
    along = scaled(a, dot(a, d))
    v = combined(
        combined(combined(d, 1.0, along, -1.0), c, cross(a, d), s), 1.0, combined(m, 1.0, along, 1.0), 1.0
    )
    length = math.sqrt(dot(v, v))
    n = scaled(v, 1.0 / length)
    b = cross(a, n)
    size = math.sqrt(dot(b, b))
    side = dot(b, m)
    b = scaled(b, math.copysign(1.0 / size, side))
    shoulder = shoulder_turn(n_hat, u_hat, v_hat, n, b, phi)
    wrist = left_over(spec, shoulder, t4, r)
    odd = _both_families(spec, 0, shoulder, place, out)
    odd += _both_families(spec, 1, wrist, place + JOINT, out)
    odd += select(math.fabs(side) < 2e-9 * spec[FARTHEST] * size, 1.0, 0.0)
    return odd + select(size < 1e-9, 1.0, 0.0) + select(length < 1e-9 * spec[FARTHEST], 1.0, 0.0)


@kernel
def solve_four(spec, box):
    """Angles of four targets, in ``box``."""
    x = lanes(box)
    r = (x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10])
    p, r = seen_from(spec, r, (x[3], x[7], x[11]))
    phi = x[PHI]
    distance = math.sqrt(dot(p, p))
    near = spec[NEAREST]
    far = spec[FARTHEST]
    reached = select(distance > far * (1.0 + EDGE), 0.0, select(distance < near - far * EDGE, 0.0, 1.0))
    beyond = (distance - near) * (distance + near)
    before = (far - distance) * (far + distance)
    beyond = select(beyond > 0.0, beyond, 0.0)
    before = select(before > 0.0, before, 0.0)
    delta = 2.0 * atan2(math.sqrt(beyond), math.sqrt(before))
    n = scaled(p, 1.0 / distance)
    down = vector(spec, DOWN)
    u = combined(down, 1.0, n, -dot(down, n))
    size = math.sqrt(dot(u, u))
    odd = select(distance < 1e-9 * far, 1.0, 0.0) + select(size < 1e-4, 1.0, 0.0)
    u = scaled(u, 1.0 / size)
    u = combined(u, 1.0, n, -dot(u, n))
    w = cross(n, u)
    for branch in range(2):
        place = FOUND + branch * BRANCH
        straight = spec[STAR] + math.pi
        t4 = straight + delta if branch == 0 else straight - delta
        ok, coordinate = _fits(spec, 3, t4)
        x[place] = ok * reached
        x[place + 1] = coordinate
        odd += reached * _one_branch(spec, n, u, w, phi, r, t4, place + 2, x)
    x[ODD] = odd
