"""A site in a region: g = the largest of its signed distances to primitives (`residuals.regions`).

Parameters: the site's frame (12), the number of primitives, the primitives.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import vector
from manikin.kernels.residuals.errors import world_point
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
from manikin.kernels.residuals.placed import moved_primitives
from manikin.kernels.residuals.regions import deepest


@kernel
def _measure(M, sweep, t):
    p = M.parameters
    frames = sweep.frames
    b = M.base[t]
    o = M.offset[t]
    first = M.first[t]
    r = world_point(frames, M.motion[t], vector(p, o + SITE_PLACE))
    value, n = deepest(p, o + OWN + 1, int(p[o + OWN]), into(frames, b, r))
    M.value[first] = value
    set_force(M.wrench, first, r, out_of(frames, b, n))
    near_by_value(M, t)


KIND = Kind(
    _measure,
    lambda part, at: site_numbers(
        at, len(part.primitives), moved_primitives(part.primitives, at.base).ravel()
    ),
)
