"""The angle between the frames that the first two axes of a site tell, with their third.

Own: an axis and its direction (6 each).
"""

from __future__ import annotations

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import at3, chained, flipped, outer, times, turned_by
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.layout import OWN
from manikin.kernels.verify.seen import axes_seen


@kernel(exact=True)
def _miss(c):
    R = c.R
    own = c.o + OWN
    axes = axes_seen(c, c.w)
    u = times(axes, at3(R, own))
    v = times(axes, at3(R, own + 6))
    g = at3(R, own + 3)
    h = at3(R, own + 9)
    x = outer(u, v)
    y = outer(g, h)
    found = (u[0], v[0], x[0], u[1], v[1], x[1], u[2], v[2], x[2])
    target = (g[0], h[0], y[0], g[1], h[1], y[1], g[2], h[2], y[2])
    return turned_by(chained(found, flipped(target)))


CHECK = Checker(_miss, lambda part: [np.hstack([part.site_axes, part.directions])], targets={"turn": (3, 6)})
