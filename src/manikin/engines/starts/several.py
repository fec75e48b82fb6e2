"""Not the first solution but the nearest to the start, or several well apart.

The nearest: of the ends of all starts that reach every goal the nearest few, each drawn towards the start (`nearest`).
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.starts.distance import distance, unwound
from manikin.engines.starts.nearest import drawn_near
from manikin.plan.options import Options

if TYPE_CHECKING:
    from manikin.engines.raw import Raw
    from manikin.engines.work import Work

# Further starts where no number is given, and how far two solutions are apart at least, in the metric of `distance`.
STARTS = 64
APART = 0.1
# Of the ends that reach every goal, how many are drawn towards the start.
DRAWN = 4


def several(work: Work, begun: np.ndarray, asked: Options) -> Raw:
    """The first (or nearest) solution, and with ``solutions`` above one others in its ``alternatives``.

    Each start is followed to its end. Of the ends that reach every goal the first to be taken is that of the lowest
    number (or the nearest), then always the one farthest from those taken, while it is `APART` from them.
    """
    with work.anchored(begun):  # wherever one of them begins
        return _several(work, begun, asked)


def _several(work: Work, begun: np.ndarray, asked: Options) -> Raw:
    begin, time_limit = perf_counter(), asked.time_limit
    found, all_seconds = _ends(work, begun, asked)
    reached = [one for one in found if work.reached(one)]
    if not reached:
        best = min(found, key=lambda one: one.potential)
        best.starts, best.seconds = len(found), all_seconds
        return best
    if asked.nearest:
        reached.sort(key=lambda one: distance(work, one.q, begun))
        for index, one in enumerate(reached[:DRAWN]):
            left = None if time_limit is None else time_limit - (perf_counter() - begin)
            if left is None or left > 0.0:
                reached[index] = drawn_near(work, one, begun)
        reached.sort(key=lambda one: distance(work, one.q, begun))
        all_seconds = perf_counter() - begin
    taken = [reached.pop(0)]
    while reached and len(taken) < asked.solutions:
        apart = [min(distance(work, one.q, other.q) for other in taken) for one in reached]
        if max(apart) < APART:
            break
        taken.append(reached.pop(int(np.argmax(apart))))
    first = taken[0]
    first.alternatives = tuple(taken[1:])
    for one in taken:
        one.starts, one.seconds = len(found), all_seconds
    return first


def _ends(work: Work, begun: np.ndarray, asked: Options) -> tuple[list[Raw], float]:
    """Solutions from the start and from further ones, in this order, and the seconds they took."""
    from manikin.engines.starts.restarts import random_start
    from manikin.engines.starts.search import seed_starts

    begin, count = perf_counter(), STARTS if asked.restarts is None else asked.restarts
    found = [work.solve(begun, None, Options(restarts=0, time_limit=asked.time_limit))]
    if not work.verdict(found[0]).feasible:
        return found, perf_counter() - begin
    if work.fast is not None:
        starts = seed_starts(work.packed, work.fast, begun, count, asked.seed)
    else:
        rng = np.random.default_rng(asked.seed)
        starts = (random_start(work, begun, rng) for _ in range(count))
    for start in starts:
        left = None if asked.time_limit is None else asked.time_limit - (perf_counter() - begin)
        if left is not None and left <= 0.0:
            break
        one = work.solve(start, None, Options(restarts=0, time_limit=left))
        one.q = unwound(work, one.q, begun)
        one.begun_from(found[0].start, found[0].began)
        found.append(one)
    return found, perf_counter() - begin
