"""The local model of a function that Python computes (`engines.frame_model`): g = c + f·r + Σᵢⱼ AᵢⱼRᵢⱼ.

Parameters: the site's frame (12), and of each row c (1), f (3), A by rows (9).
"""

from __future__ import annotations

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import combined, cross, dot, matrix, vector
from manikin.kernels.residuals.errors import world_point
from manikin.kernels.residuals.frames import (
    OWN,
    SITE_PLACE,
    all_near,
    into,
    out_of,
    relative_turn,
    set_force,
    site_numbers,
)
from manikin.kernels.residuals.kind import Kind

_ROW = 13


@kernel
def _measure(M, sweep, t):
    """The axes Rₖ turn with dω: Σ Aₖ·(dω × Rₖ) = dω·Σ Rₖ × Aₖ."""
    p = M.parameters
    frames = sweep.frames
    a = M.motion[t]
    b = M.base[t]
    o = M.offset[t]
    first = M.first[t]
    x = world_point(frames, a, vector(p, o + SITE_PLACE))
    r = into(frames, b, x)
    s = relative_turn(frames, a, b, p, o)
    for i in range(M.count[t]):
        k = o + OWN + _ROW * i
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
    all_near(M, t)


def _parameters(part, at):
    """c + f·r + ⟨A, R⟩ of the frame in the base's, as a function of that frame in the base's motion's."""
    rows = part.numbers.reshape(-1, _ROW)
    force = rows[:, 1:4] @ at.turn.T
    by_axes = at.turn @ rows[:, 4:].reshape(-1, 3, 3)
    moved = np.column_stack([rows[:, 0] - force @ at.base[:3, 3], force, by_axes.reshape(-1, 9)])
    return site_numbers(at, moved.ravel())


KIND = Kind(_measure, _parameters)
