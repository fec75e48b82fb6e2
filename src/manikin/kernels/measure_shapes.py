"""How far the shapes of a segment stay clear of regions, and of other segments.

Shapes are tapered capsules: two points in the frame of their motion and a radius at each. A bounding ball around them
all settles most pairs: a row with more room than the horizon is not looked at further (``near`` = 0, its value a
lower bound).

Parameters, in the frame of the shapes' motion a, regions in that of the base motion b:

CLEAR  bounding ball (4), number of primitives, the primitives, a capsule a row: ends (6) and radii (2)
       g = least over the capsule of the largest of the distances to the primitives, less the radius
APART  bounding balls of a and of b in its own frame (4 each), numbers of capsules of a and b, the capsules of
       a (8 each), those of b as ROUND_CONEs                    g = least distance between the capsules of a and of b

The derivative of a least value is that at the place where it is least: the slope of the distance there is the force.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.measure_layout import HORIZON
from manikin.kernels.measure_pose import into, out_of, set_force, world_point
from manikin.kernels.regions import PRIMITIVE, clearance, deepest, distance
from manikin.kernels.vector import dot, vector

CLEAR, APART = 7, 8

CAPSULE = 8


@kernel
def _to_base(frames, a, b, x):
    """The point x of motion a in the frame of motion b."""
    return into(frames, b, world_point(frames, a, x))


@kernel
def _back(frames, b, x):
    """The point x of motion b in the world."""
    if b == 0:
        return x
    return world_point(frames, b, x)


@kernel
def _leave_out(M, first, count, value):
    for r in range(first, first + count):
        M.value[r] = value
        M.near[r] = 0.0


@kernel
def _clear(M, frames, t):
    p = M.parameters
    a = M.motion[t]
    b = M.base[t]
    o = M.offset[t]
    first = M.first[t]
    count = M.count[t]
    primitives = int(p[o + 4])
    regions = o + 5
    room = deepest(p, regions, primitives, _to_base(frames, a, b, vector(p, o)))[0] - p[o + 3]
    if room > M.lower[first] + M.option[HORIZON]:
        _leave_out(M, first, count, room)
        return
    shape = regions + PRIMITIVE * primitives
    for r in range(first, first + count):
        start = _to_base(frames, a, b, vector(p, shape))
        end = _to_base(frames, a, b, vector(p, shape + 3))
        value, x, n = clearance(p, regions, primitives, start, end, p[shape + 6], p[shape + 7])
        M.value[r] = value
        M.near[r] = 1.0 if value <= M.lower[r] + M.option[HORIZON] else 0.0
        set_force(M.wrench, r, _back(frames, b, x), out_of(frames, b, n))
        shape += CAPSULE


@kernel
def _nearest_pair(p, frames, a, b, shape, capsules, cones, count):
    """Least distance of the capsules of a to the cones of b: value, point and slope in b's frame."""
    best = math.inf
    best_x = (0.0, 0.0, 0.0)
    best_n = (0.0, 0.0, 1.0)
    for _ in range(capsules):
        start = _to_base(frames, a, b, vector(p, shape))
        end = _to_base(frames, a, b, vector(p, shape + 3))
        half = (0.5 * (end[0] - start[0]), 0.5 * (end[1] - start[1]), 0.5 * (end[2] - start[2]))
        middle = (start[0] + half[0], start[1] + half[1], start[2] + half[2])
        size = math.sqrt(dot(half, half)) + max(p[shape + 6], p[shape + 7])
        for c in range(count):
            cone = cones + c * PRIMITIVE
            if distance(p, cone, middle)[0] - size >= best:
                continue
            value, x, n = clearance(p, cone, 1, start, end, p[shape + 6], p[shape + 7])
            if value < best:
                best = value
                best_x = x
                best_n = n
        shape += CAPSULE
    return best, best_x, best_n


@kernel
def _apart(M, frames, t):
    p = M.parameters
    a = M.motion[t]
    b = M.base[t]
    o = M.offset[t]
    r = M.first[t]
    u = world_point(frames, a, vector(p, o))
    v = world_point(frames, b, vector(p, o + 4))
    d = (u[0] - v[0], u[1] - v[1], u[2] - v[2])
    enough = p[o + 3] + p[o + 7] + M.lower[r] + M.option[HORIZON]
    square = dot(d, d)
    if square > enough * enough:
        _leave_out(M, r, 1, math.sqrt(square) - p[o + 3] - p[o + 7])
        return
    capsules = int(p[o + 8])
    shape = o + 10
    cones = shape + CAPSULE * capsules
    value, x, n = _nearest_pair(p, frames, a, b, shape, capsules, cones, int(p[o + 9]))
    M.value[r] = value
    M.near[r] = 1.0 if value <= M.lower[r] + M.option[HORIZON] else 0.0
    set_force(M.wrench, r, _back(frames, b, x), out_of(frames, b, n))


@kernel
def measure_shapes(M, frames, t):
    """Values and wrenches of atom t, CLEAR or APART; nothing is looked at while it is switched off."""
    first = M.first[t]
    if M.weight[first] == 0.0:
        _leave_out(M, first, M.count[t], M.lower[first])
    elif M.kind[t] == CLEAR:
        _clear(M, frames, t)
    else:
        _apart(M, frames, t)
