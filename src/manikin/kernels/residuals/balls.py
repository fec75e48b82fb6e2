"""Bounding balls: whether shapes are so far from what they are to be clear of that it settles the matter.

A ball around all shapes of a part, and one around the region or the other segment's shapes, infinite where there is
none. A part with more room than the horizon is not looked at further (``near`` = 0, the values a lower bound).
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import vector
from manikin.kernels.residuals.errors import world_point
from manikin.kernels.residuals.layout import HORIZON


@kernel
def find_balls(M, frames):
    """Where the bounding balls are in the world."""
    for k in range(M.balls.shape[0]):
        x = world_point(frames, M.ball_motion[k], vector(M.balls[k], 0))
        M.ball_at[k, 0] = x[0]
        M.ball_at[k, 1] = x[1]
        M.ball_at[k, 2] = x[2]


@kernel(inline=True)
def leave_out_far(M, t, k, plane):
    """Whether part t is switched off, or its bounding balls are far apart, or the ball and the plane: then its rows are
    set.

    plane: whether the parameters from k on are the point and the normal of a half-space, which holds the region.
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
    elif M.base[t] == 0 and plane:
        d0 = x[0] - p[k]
        d1 = x[1] - p[k + 1]
        d2 = x[2] - p[k + 2]
        room = d0 * p[k + 3] + d1 * p[k + 4] + d2 * p[k + 5] - size
    off = M.weight[first] == 0.0
    far = room > enough or off
    if far:
        leave_out(M, t, max(room, M.lower[first]) if off else room)
    return far


@kernel
def leave_out(M, t, value):
    """The rows of part t have this value, or more, and need not be looked at."""
    for r in range(M.first[t], M.first[t] + M.count[t]):
        M.value[r] = value
        M.near[r] = 0.0
