"""Some of a site's axes in given directions: g = vₖ − gₖ, three rows an axis.

Parameters: the site's frame (12), an axis in it and its target direction (6 each).
"""

from __future__ import annotations

import math

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import applied, cross, vector
from manikin.kernels.residuals.frames import OWN, all_near, out_of, relative_turn, set_moment, site_numbers
from manikin.kernels.residuals.kind import Kind


@kernel
def _measure(M, sweep, t):
    p = M.parameters
    b = M.base[t]
    o = M.offset[t]
    first = M.first[t]
    site = relative_turn(sweep.frames, M.motion[t], b, p, o)
    for k in range(M.count[t] // 3):
        v = applied(site, vector(p, o + OWN + 6 * k))
        for i in range(3):
            row = first + 3 * k + i
            M.value[row] = v[i] - p[o + OWN + 6 * k + 3 + i]
            e = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
            set_moment(M.wrench, row, out_of(sweep.frames, b, cross(v, e)))
    all_near(M, t)


@kernel(exact=True)
def _miss(M, t):
    """The angle between the frames that two axes each tell."""
    p = M.parameters
    target = M.offset[t] + OWN
    first = M.first[t]
    g = vector(p, target + 3)
    h = vector(p, target + 9)
    u = (g[0] + M.value[first], g[1] + M.value[first + 1], g[2] + M.value[first + 2])
    v = (h[0] + M.value[first + 3], h[1] + M.value[first + 4], h[2] + M.value[first + 5])
    chord = 0.0
    for c in range(3):
        d = (c + 1) % 3
        e = (c + 2) % 3
        third = (u[d] * v[e] - u[e] * v[d]) - (g[d] * h[e] - g[e] * h[d])
        chord += (u[c] - g[c]) ** 2 + (v[c] - h[c]) ** 2 + third * third
    return 2.0 * math.asin(min(math.sqrt(chord / 8.0), 1.0))


KIND = Kind(
    _measure,
    lambda part, at: site_numbers(at, np.hstack([part.site_axes, part.directions @ at.turn.T]).ravel()),
    miss=_miss,
)
