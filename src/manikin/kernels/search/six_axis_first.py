"""A search that begins at a closed form: six hinges that bring their site to its place (`six_axis_solve`)."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import view_parts
from manikin.kernels.memory.path import next_targets, path_samples
from manikin.kernels.memory.stack import stack1, stack2
from manikin.kernels.memory.state import DONE
from manikin.kernels.memory.views import integers_at, reals_at, view1
from manikin.kernels.projection.solve import REFUSED
from manikin.kernels.rows.errors import TARGET, TARGET_AXES
from manikin.kernels.search.damped import FAR, SLOW, open_block, search_from
from manikin.kernels.search.layout import T_R, T_S, T_SIX
from manikin.kernels.six_axis.solve import nearest

# What a search ends with where every goal is met, and it began at the closed form.
BY_SIX = -1


@kernel
def _place_nearest(T, q):
    """Whether the closed form has a solution inside the limits; the nearest to q is then in q."""
    spec = reals_at(T[T_SIX], T[T_SIX + 1])
    limits = reals_at(T[T_SIX + 2], 12)
    places = integers_at(T[T_SIX + 4], 6)
    near = stack1(6)
    for j in range(6):
        near[j] = q[places[j]]
        if not abs(near[j]) < math.inf:
            return False
    S = integers_at(T[T_S], T[T_S + 1])
    R = reals_at(T[T_R], T[T_R + 1])
    parameters = view_parts(S, R).parameters
    target = stack2(4, 4)
    for i in range(3):
        target[i, 3] = parameters[0, TARGET + i]
        target[3, i] = 0.0
        for k in range(3):
            target[i, k] = parameters[1, TARGET_AXES + 3 * k + i]
    target[3, 3] = 1.0
    best = stack1(6)
    if nearest(spec, target, near, view1(limits, 0, 6), view1(limits, 6, 6), best) == 0:
        return False
    for j in range(6):
        q[places[j]] = best[j]
    return True


@kernel
def _from_nearest(T, start, block, patience, far):
    out, q = open_block(start, block)
    task = search_from(T, q, out, patience, far)
    if task != FAR and task != SLOW:
        return task
    out, q = open_block(start, block)
    if _place_nearest(T, q) and search_from(T, q, out, patience, math.inf) == DONE:
        return BY_SIX
    if task == FAR:
        far = math.inf
    out, q = open_block(start, block)
    return search_from(T, q, out, patience, far)


@kernel(entry=True)
def lm_six(T, start, block, patience, far):
    """`lm.lm`, but where that is FAR or SLOW from the solution nearest to the start: BY_SIX if this meets every goal.

    The problem's first two parts are those of a Placement of the site that hangs on the six hinges (`SixHinges`), whose
    numbers are at the end of the table.
    """
    samples = path_samples(T)
    if samples == 0:
        return _from_nearest(T, start, block, patience, far)
    size = block.shape[0] // samples
    begin = view1(start, 0, start.shape[0])
    for k in range(samples):
        if not next_targets(T, k):
            return REFUSED
        own = view1(block, k * size, size)
        task = _from_nearest(T, begin, own, patience, far)
        if task > DONE:
            return task
        begin = view1(own, size - 2 * start.shape[0], start.shape[0])
    return DONE
