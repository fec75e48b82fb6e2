"""How far the capsules of a segment stay clear of a region.

g = the least over the capsule of the largest of the distances to the primitives, less the radius. Its derivative is
that at the place where it is least: the slope of the distance there is the force.

Parameters: number of primitives, the primitives in the base's frame, a capsule a row in that of the segment's motion.
"""

from __future__ import annotations

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import vector
from manikin.kernels.residuals.balls import leave_out, leave_out_far
from manikin.kernels.residuals.capsules import CAPSULE, to_base, to_world
from manikin.kernels.residuals.frames import into, out_of, set_force
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import HORIZON, LARGEST
from manikin.kernels.residuals.placed import enclosing_ball, moved_capsules, moved_primitives, region_ball
from manikin.kernels.residuals.regions import HALF_SPACE, PRIMITIVE, clearance, deepest


@kernel
def _measure(M, sweep, t):
    p = M.parameters
    frames = sweep.frames
    a = M.motion[t]
    b = M.base[t]
    o = M.offset[t]
    if leave_out_far(M, t, o + 2, p[o + 1] == HALF_SPACE):
        return
    first = M.first[t]
    primitives = int(p[o])
    regions = o + 1
    middle = into(frames, b, vector(M.ball_at[M.ball[t]], 0))
    room = deepest(p, regions, primitives, middle)[0] - M.balls[M.ball[t], 3]
    if room > M.lower[first] + M.option[HORIZON]:
        leave_out(M, t, room)
        return
    shape = regions + PRIMITIVE * primitives
    for r in range(first, first + M.count[t]):
        start = to_base(frames, a, b, vector(p, shape))
        end = to_base(frames, a, b, vector(p, shape + 3))
        enough = M.lower[r] + M.option[HORIZON]
        value, x, n = clearance(p, regions, primitives, start, end, p[shape + 6], p[shape + 7], enough)
        M.value[r] = value
        M.near[r] = 1.0 if value <= enough else 0.0
        set_force(M.wrench, r, to_world(frames, b, x), out_of(frames, b, n))
        shape += CAPSULE


def _parameters(part, at):
    primitives = moved_primitives(part.primitives, at.base)
    return [len(primitives), primitives.ravel(), moved_capsules(part.capsules, at.site).ravel()]


def _balls(part, at) -> tuple[np.ndarray, np.ndarray]:
    own = enclosing_ball(moved_capsules(part.capsules, at.site))
    return own, region_ball(moved_primitives(part.primitives, at.base))


KIND = Kind(_measure, _parameters, miss=LARGEST, balls=_balls)
