"""A site on a circle: g = its height over the circle's plane, and its distance from the axis less R.

Parameters: the site's frame (12), the circle (`residuals.regions`).
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import vector
from manikin.kernels.residuals.errors import world_point
from manikin.kernels.residuals.frames import OWN, SITE_PLACE, all_near, into, out_of, set_force, site_numbers
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.placed import moved_primitives
from manikin.kernels.residuals.regions import circle_parts


@kernel
def _measure(M, sweep, t):
    p = M.parameters
    frames = sweep.frames
    b = M.base[t]
    o = M.offset[t]
    first = M.first[t]
    r = world_point(frames, M.motion[t], vector(p, o + SITE_PLACE))
    x = into(frames, b, r)
    c = o + OWN
    h, rho, n, out = circle_parts(p, c, (x[0] - p[c + 1], x[1] - p[c + 2], x[2] - p[c + 3]))
    M.value[first] = h
    M.value[first + 1] = rho - p[c + 7]
    set_force(M.wrench, first, r, out_of(frames, b, n))
    set_force(M.wrench, first + 1, r, out_of(frames, b, out))
    all_near(M, t)


KIND = Kind(
    _measure,
    lambda part, at: site_numbers(at, moved_primitives(part.primitives, at.base).ravel()),
)
