"""How far the shapes of a segment stay clear of regions, and of other segments.

Shapes are tapered capsules: two points in the frame of their motion and a radius at each. A bounding ball around them
all settles most pairs: a row with more room than the horizon is not looked at further (``near`` = 0, its value a
lower bound).

Parameters, in the frame of the shapes' motion a, regions in that of the base motion b:

CLEAR  number of primitives, the primitives, a capsule a row: ends (6) and radii (2)
       g = least over the capsule of the largest of the distances to the primitives, less the radius
APART  numbers of capsules of a and b, the capsules of
       a (8 each), those of b as ROUND_CONEs                    g = least distance between the capsules of a and of b
EGG    centre (3), half axes by rows (9); point and outward normal of a half-space (6)
       g = height of an ellipsoid's lowest point, as the normal sees it: n·(c − p) − ‖A n‖, A the half axes

The derivative of a least value is that at the place where it is least: the slope of the distance there is the force.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import applied, applied_back, dot, matrix, vector
from manikin.kernels.residuals.errors import world_point
from manikin.kernels.residuals.layout import HORIZON
from manikin.kernels.residuals.pose import frame_turn, into, out_of, set_force
from manikin.kernels.residuals.regions import HALF_SPACE, PRIMITIVE, clearance, deepest, distance

CLEAR, APART, EGG = 8, 9, 10

CAPSULE = 8
EGG_PLANE = 12  # where the half-space begins among an egg's parameters


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
    primitives = int(p[o])
    regions = o + 1
    middle = into(frames, b, vector(M.ball_at[M.ball[t]], 0))
    room = deepest(p, regions, primitives, middle)[0] - M.balls[M.ball[t], 3]
    if room > M.lower[first] + M.option[HORIZON]:
        _leave_out(M, first, count, room)
        return
    shape = regions + PRIMITIVE * primitives
    for r in range(first, first + count):
        start = _to_base(frames, a, b, vector(p, shape))
        end = _to_base(frames, a, b, vector(p, shape + 3))
        enough = M.lower[r] + M.option[HORIZON]
        value, x, n = clearance(p, regions, primitives, start, end, p[shape + 6], p[shape + 7], enough)
        M.value[r] = value
        M.near[r] = 1.0 if value <= enough else 0.0
        set_force(M.wrench, r, _back(frames, b, x), out_of(frames, b, n))
        shape += CAPSULE


@kernel
def _nearest_pair(p, frames, a, b, shape, capsules, cones, count, enough):
    """Least distance, if below ``enough``, of the capsules of a to the cones of b: value, point, slope in b's frame."""
    best = enough
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
            value, x, n = clearance(p, cone, 1, start, end, p[shape + 6], p[shape + 7], best)
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
    enough = M.lower[r] + M.option[HORIZON]
    capsules = int(p[o])
    shape = o + 2
    cones = shape + CAPSULE * capsules
    value, x, n = _nearest_pair(p, frames, a, b, shape, capsules, cones, int(p[o + 1]), enough)
    M.value[r] = value
    M.near[r] = 1.0 if value < enough else 0.0
    set_force(M.wrench, r, _back(frames, b, x), out_of(frames, b, n))


@kernel
def _egg(M, frames, t):
    p = M.parameters
    a = M.motion[t]
    b = M.base[t]
    o = M.offset[t]
    r = M.first[t]
    n = out_of(frames, b, vector(p, o + EGG_PLANE + 3))
    local = applied_back(frame_turn(frames, a), n)
    s = applied(matrix(p, o + 3), local)
    size = math.sqrt(dot(s, s))
    f = -1.0 / size if size > 0.0 else 0.0
    down = applied_back(matrix(p, o + 3), (f * s[0], f * s[1], f * s[2]))
    x = world_point(frames, a, (p[o] + down[0], p[o + 1] + down[1], p[o + 2] + down[2]))
    y = into(frames, b, x)
    e = (y[0] - p[o + EGG_PLANE], y[1] - p[o + EGG_PLANE + 1], y[2] - p[o + EGG_PLANE + 2])
    M.value[r] = dot(vector(p, o + EGG_PLANE + 3), e)
    M.near[r] = 1.0 if M.value[r] <= M.lower[r] + M.option[HORIZON] else 0.0
    set_force(M.wrench, r, x, n)


@kernel
def find_balls(M, frames):
    """Where the bounding balls are in the world."""
    for k in range(M.balls.shape[0]):
        x = world_point(frames, M.ball_motion[k], vector(M.balls[k], 0))
        M.ball_at[k, 0] = x[0]
        M.ball_at[k, 1] = x[1]
        M.ball_at[k, 2] = x[2]


@kernel(inline=True)
def leave_out_far(M, t):
    """Whether part t is switched off, or its bounding balls, or ball and plane, are far apart: then its rows
    are set.
    """
    p = M.parameters
    first = M.first[t]
    x = M.ball_at[M.ball[t]]
    y = M.ball_at[M.ball_base[t]]
    around = M.balls[M.ball_base[t], 3]
    size = M.balls[M.ball[t], 3]
    enough = M.lower[first] + M.option[HORIZON]
    room = -math.inf
    if around < math.inf:
        d0 = x[0] - y[0]
        d1 = x[1] - y[1]
        d2 = x[2] - y[2]
        room = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2) - size - around
    else:
        egg = M.kind[t] == EGG
        k = M.offset[t] + (EGG_PLANE if egg else 2)
        if M.base[t] == 0 and (egg or p[k - 1] == HALF_SPACE):
            d0 = x[0] - p[k]
            d1 = x[1] - p[k + 1]
            d2 = x[2] - p[k + 2]
            room = d0 * p[k + 3] + d1 * p[k + 4] + d2 * p[k + 5] - size
    off = M.weight[first] == 0.0
    far = room > enough or off
    if far:
        value = max(room, M.lower[first]) if off else room
        for r in range(first, first + M.count[t]):
            M.value[r] = value
            M.near[r] = 0.0
    return far


@kernel
def measure_shapes(M, frames, t):
    """Values and wrenches of part t, of one of the kinds above."""
    if M.kind[t] == CLEAR:
        _clear(M, frames, t)
    elif M.kind[t] == APART:
        _apart(M, frames, t)
    else:
        _egg(M, frames, t)
