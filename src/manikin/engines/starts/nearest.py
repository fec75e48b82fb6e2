"""From a pose that reaches every goal to the nearest to the start that does.

Where goals leave freedom, what reaches them is a surface, and a search ends where it first meets it. From there the
pose is drawn towards the start and searched from again,

    x ← search(x + t (start − x)),

which brings it back by the shortest steps, at right angles to the surface. So it comes to rest only where start − x is
at right angles to the surface too, but for the joints on their ranges: at a point from which every small step leads
away from the start. t is halved where a step does not come nearer, and twice as long after one that does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.starts.distance import distance, unwound
from manikin.plan.options import Options

if TYPE_CHECKING:
    from manikin.engines.raw import Raw
    from manikin.engines.work import Work

# The first and the least share of the way to the start that is tried; how often; a step that gains less is none.
_FIRST, _LEAST, _STEPS, _GAIN = 0.5, 0.02, 40, 1e-4


def drawn_near(work: Work, found: Raw, start: np.ndarray) -> Raw:
    """A solution that is no farther from the start than the one given, and mostly as near as any nearby."""
    away, share = distance(work, found.q, start), _FIRST
    for _ in range(_STEPS):
        if away == 0.0 or share < _LEAST:
            break
        point = found.q + share * (start - found.q)
        point = np.clip(point, work.figure.lower, work.figure.upper)
        one = work.solve(point, None, Options(restarts=0))
        one.q = unwound(work, one.q, start)
        near = distance(work, one.q, start)
        if near < (1.0 - _GAIN) * away and work.reached(one):
            one.begun_from(found.start, found.began)
            found, away, share = one, near, min(2.0 * share, 1.0)
        else:
            share *= 0.5
    return found
