"""Components of a site's position: gᵢ = dᵢ·(r − p).

Parameters: the site's frame (12), the point p (3), a direction d a row (3 each).
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import difference, dot, vector
from manikin.kernels.residuals.curvature import add_force
from manikin.kernels.residuals.errors import POINT, world_point
from manikin.kernels.residuals.frames import (
    OWN,
    SITE_PLACE,
    into,
    near_by_value,
    out_of,
    set_force,
    site_numbers,
)
from manikin.kernels.residuals.kind import Kind


@kernel
def _measure(M, sweep, t):
    frames = sweep.frames
    b = M.base[t]
    o = M.offset[t]
    first = M.first[t]
    p = M.parameters
    r = world_point(frames, M.motion[t], vector(p, o + SITE_PLACE))
    e = difference(into(frames, b, r), vector(p, o + OWN))
    for i in range(M.count[t]):
        d = vector(p, o + OWN + 3 + 3 * i)
        M.value[first + i] = dot(d, e)
        set_force(M.wrench, first + i, r, out_of(frames, b, d))
    near_by_value(M, t)


@kernel
def _second(tree, M, sweep, t, force, slopes, by_value):
    """A force at the site."""
    f0 = 0.0
    f1 = 0.0
    f2 = 0.0
    for r in range(M.first[t], M.first[t] + M.count[t]):
        f0 += force[r] * M.wrench[r, 0]
        f1 += force[r] * M.wrench[r, 1]
        f2 += force[r] * M.wrench[r, 2]
    i = M.motion[t]
    x = world_point(sweep.frames, i, vector(M.parameters, M.offset[t] + SITE_PLACE))
    add_force(sweep.tensors, i, x, (f0, f1, f2))


@kernel
def _mean_start(M, frames, t):
    o = M.offset[t]
    x = into(frames, M.base[t], world_point(frames, M.motion[t], vector(M.parameters, o + SITE_PLACE)))
    for c in range(3):
        M.parameters[o + OWN + c] = x[c]


KIND = Kind(
    _measure,
    lambda part, at: site_numbers(at, at.point, (part.directions @ at.turn.T).ravel()),
    second=_second,
    mean_start=_mean_start,
    targets={"point": OWN},
    strip=POINT,
)
