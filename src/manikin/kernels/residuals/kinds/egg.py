"""The height of an ellipsoid's lowest point over a plane: g = n·(c − p) − ‖A n‖, A the half axes.

Parameters: the centre (3) and the half axes by rows (9) in the frame of the segment's motion; point and outward normal
of the plane (6) in the base's. The force is at the lowest point.
"""

from __future__ import annotations

import math

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import applied, applied_back, dot, matrix, vector
from manikin.kernels.residuals.balls import leave_out_far
from manikin.kernels.residuals.errors import world_point
from manikin.kernels.residuals.frames import frame_turn, into, out_of, set_force
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import HORIZON, LARGEST

_PLANE = 12


@kernel
def _measure(M, sweep, t):
    p = M.parameters
    frames = sweep.frames
    a = M.motion[t]
    b = M.base[t]
    o = M.offset[t]
    if leave_out_far(M, t, o + _PLANE, True):
        return
    r = M.first[t]
    n = out_of(frames, b, vector(p, o + _PLANE + 3))
    local = applied_back(frame_turn(frames, a), n)
    s = applied(matrix(p, o + 3), local)
    size = math.sqrt(dot(s, s))
    f = -1.0 / size if size > 0.0 else 0.0
    down = applied_back(matrix(p, o + 3), (f * s[0], f * s[1], f * s[2]))
    x = world_point(frames, a, (p[o] + down[0], p[o + 1] + down[1], p[o + 2] + down[2]))
    y = into(frames, b, x)
    e = (y[0] - p[o + _PLANE], y[1] - p[o + _PLANE + 1], y[2] - p[o + _PLANE + 2])
    M.value[r] = dot(vector(p, o + _PLANE + 3), e)
    M.near[r] = 1.0 if M.value[r] <= M.lower[r] + M.option[HORIZON] else 0.0
    set_force(M.wrench, r, x, n)


def _parameters(part, at):
    turn, place = at.site[:3, :3], at.site[:3, 3]
    center, half = part.numbers[:3], part.numbers[3:].reshape(3, 3)
    return [turn @ center + place, (half @ turn.T).ravel(), at.point, at.turn @ part.directions[0]]


def _balls(part, at) -> tuple[np.ndarray, np.ndarray]:
    radius = np.linalg.norm(part.numbers[3:].reshape(3, 3), axis=1).max()
    center = at.site[:3, :3] @ part.numbers[:3] + at.site[:3, 3]
    return np.array([*center, radius]), np.array([0.0, 0.0, 0.0, np.inf])


KIND = Kind(_measure, _parameters, miss=LARGEST, balls=_balls)
