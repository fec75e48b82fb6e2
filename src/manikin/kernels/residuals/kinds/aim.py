"""A site's axis pointing at a point or in a direction: gᵢ = cᵢ·d / √(½ (1 + v·d)).

v is the axis, c₁ and c₂ are across it, d is the unit vector to the point. Σ g² is (2 sin ½θ)² for the angle θ of v and
d: smooth, with rows of full rank for all θ < 180°. There the direction in which to turn is not defined: one is chosen,
and the slope is zero.

Parameters: the site's frame (12), v c₁ c₂ in it (9), point or direction (3), whether it is a direction (1).
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import applied, combined, cross, dot, matrix, product, scaled, vector
from manikin.kernels.residuals.errors import towards, without, world_point
from manikin.kernels.residuals.frames import (
    OWN,
    SITE_PLACE,
    SITE_TURN,
    all_near,
    frame_turn,
    out_of,
    set_force,
    set_moment,
    site_numbers,
)
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import CHORD

_BACKWARDS = 1e-13
_AT = OWN + 9


@kernel
def _no_aim(M, first, value):
    """Rows of this value that nothing changes."""
    for i in range(2):
        M.value[first + i] = value if i == 0 else 0.0
        set_moment(M.wrench, first + i, (0.0, 0.0, 0.0))


@kernel
def _measure(M, sweep, t):
    """Slope by the direction d: cᵢ h − ½ gᵢ h² ½ v with h = 1/√(½(1 + v·d)); d turns against the site, and with it."""
    p = M.parameters
    frames = sweep.frames
    a = M.motion[t]
    b = M.base[t]
    o = M.offset[t]
    first = M.first[t]
    all_near(M, t)
    site = product(frame_turn(frames, a), matrix(p, o + SITE_TURN))
    r = world_point(frames, a, vector(p, o + SITE_PLACE))
    fixed = p[o + _AT + 3] != 0.0
    d = out_of(frames, b, vector(p, o + _AT))
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


def _parameters(part, at):
    fixed = part.numbers[0] != 0.0
    return site_numbers(at, part.site_axes.ravel(), at.turn @ part.point if fixed else at.point, part.numbers)


KIND = Kind(_measure, _parameters, miss=CHORD, targets={"point": _AT, "turn": _AT})
