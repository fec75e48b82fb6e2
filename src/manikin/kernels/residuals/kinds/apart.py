"""How far two segments stay apart: g = the least distance between the capsules of the one and those of the other.

Its derivative is that at the place where it is least: the slope of the distance there is the force.

Parameters: numbers of capsules of both, the capsules of the one (8 each), those of the other as ROUND_CONEs.
"""

from __future__ import annotations

import math

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import dot, vector
from manikin.kernels.residuals.balls import leave_out_far
from manikin.kernels.residuals.capsules import CAPSULE, to_base, to_world
from manikin.kernels.residuals.frames import out_of, set_force
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import HORIZON, LARGEST
from manikin.kernels.residuals.placed import capsule_cones, enclosing_ball, moved_capsules
from manikin.kernels.residuals.regions import PRIMITIVE, clearance, distance


@kernel
def _nearest_pair(p, frames, a, b, shape, capsules, cones, count, enough):
    """Least distance, if below ``enough``, of the capsules of a to the cones of b: value, point, slope in b's frame."""
    best = enough
    best_x = (0.0, 0.0, 0.0)
    best_n = (0.0, 0.0, 1.0)
    for _ in range(capsules):
        start = to_base(frames, a, b, vector(p, shape))
        end = to_base(frames, a, b, vector(p, shape + 3))
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
def _measure(M, sweep, t):
    p = M.parameters
    frames = sweep.frames
    a = M.motion[t]
    b = M.base[t]
    o = M.offset[t]
    if leave_out_far(M, t, 0, False):
        return
    r = M.first[t]
    enough = M.lower[r] + M.option[HORIZON]
    capsules = int(p[o])
    shape = o + 2
    cones = shape + CAPSULE * capsules
    value, x, n = _nearest_pair(p, frames, a, b, shape, capsules, cones, int(p[o + 1]), enough)
    M.value[r] = value
    M.near[r] = 1.0 if value < enough else 0.0
    set_force(M.wrench, r, to_world(frames, b, x), out_of(frames, b, n))


def _parameters(part, at):
    capsules, others = moved_capsules(part.capsules, at.site), moved_capsules(part.other_capsules, at.other)
    return [len(capsules), len(others), capsules.ravel(), capsule_cones(others).ravel()]


def _balls(part, at) -> tuple[np.ndarray, np.ndarray]:
    own = enclosing_ball(moved_capsules(part.capsules, at.site))
    return own, enclosing_ball(moved_capsules(part.other_capsules, at.other))


KIND = Kind(_measure, _parameters, miss=LARGEST, balls=_balls)
