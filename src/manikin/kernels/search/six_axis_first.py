"""A search that begins at a closed form: six hinges that bring their site to its place (`six_axis_solve`)."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import view_parts
from manikin.kernels.memory.path import CONTINUES, next_targets, path_samples, run_of_sample
from manikin.kernels.memory.stack import stack1, stack2
from manikin.kernels.memory.state import DONE, EVALUATIONS, ITERATIONS, MET, POTENTIAL, REFUSED, STATUS
from manikin.kernels.memory.views import integers_at, reals_at, view1
from manikin.kernels.pose.limits import X, is_tidy
from manikin.kernels.pose.place import is_finite
from manikin.kernels.pose.report import write_end
from manikin.kernels.residuals.errors import STOP, TARGET, TARGET_AXES, WEIGHT
from manikin.kernels.residuals.potentials import miss_parts
from manikin.kernels.search.damped import (
    FAR,
    SLOW,
    enter,
    open_block,
    place_variables,
    search_from,
)
from manikin.kernels.search.layout import T_R, T_S, T_SIX, view_places
from manikin.kernels.search.problem import arrays_of, view_problem
from manikin.kernels.six_axis.solve import MISS, nearest

# How many times the square at which a part stops is almost near enough.
_ALMOST = 16.0
# What a search ends with where every goal is met, and it began at the closed form.
BY_SIX = -1


@kernel
def _place_nearest(T, q, checked):
    """Whether the closed form has a solution inside the limits; the nearest to q is then in q.

    checked: as of `nearest`.
    """
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
    if nearest(spec, target, near, view1(limits, 0, 6), view1(limits, 6, 6), best, checked) == 0:
        return False
    for j in range(6):
        q[places[j]] = best[j]
    return True


@kernel
def _may_stop(parts, errors):
    """Whether every part that counts may be near enough to stop at, or is almost."""
    near = True
    for t in range(parts.kind.shape[0]):
        if parts.parameters[t, WEIGHT] > 0.0:
            near = near and errors[t] * errors[t] <= _ALMOST * parts.parameters[t, STOP]
    return near


@kernel
def _arrive(T, q, out, run):
    """Whether the solution nearest to q meets every goal as it comes, and q does not; it is then in q and out.

    What this leaves open, a search says: a start that is met as it is, a solution that has to be mended.
    """
    S, R, W, N, V = arrays_of(T)
    tree, parts, space, sweep, method, ties, _, work = view_problem(S, R, W, N, V)
    if not is_finite(q) or not is_tidy(space, q):
        return False
    places = view_places(N, V, sweep)
    st = method.state
    placed = st[STATUS] == MET and run >= CONTINUES
    enter(tree, space, sweep, ties, q)
    if not placed:  # as the last search left it
        for i in range(work.x.shape[0]):
            work.x[i] = sweep.q[space.variable[i]]
        place_variables(tree, ties, places, work.x)
    miss_parts(parts, sweep.frames, sweep.errors)
    if _may_stop(parts, sweep.errors) or not _place_nearest(T, q, False):
        return False
    for i in range(work.x.shape[0]):
        work.x[i] = q[space.variable[i]]
        method.vector[X, i] = work.x[i]
    place_variables(tree, ties, places, work.x)
    reached = miss_parts(parts, sweep.frames, sweep.errors)
    potential = 0.0
    for t in range(parts.kind.shape[0]):
        miss = sweep.errors[t]
        if not (reached and miss <= MISS):
            return False
        potential += parts.parameters[t, WEIGHT] * miss * miss
    st[POTENTIAL] = potential
    st[STATUS] = MET
    st[ITERATIONS] = 0
    st[EVALUATIONS] = 2
    write_end(space, sweep, method, q, out, reached)
    return True


@kernel
def _from_nearest(T, start, block, patience, far, run):
    out, q = open_block(start, block)
    if far == 0.0:
        if _arrive(T, q, out, run):
            return BY_SIX
        out, q = open_block(start, block)
    task = search_from(T, q, out, patience, far, run)
    if task != FAR and task != SLOW:
        return task
    out, q = open_block(start, block)
    if _place_nearest(T, q, True) and search_from(T, q, out, patience, math.inf, run) == DONE:
        return BY_SIX
    if task == FAR:
        far = math.inf
    out, q = open_block(start, block)
    return search_from(T, q, out, patience, far, run)


@kernel(entry="i8[:], f8[:], f8[:], i8, f8 -> i8")
def lm_six(T, start, block, patience, far):
    """`lm.lm`, but where that is FAR or SLOW from the solution nearest to the start: BY_SIX if this meets every goal.

    The problem's first two parts are those of a Placement of the site that hangs on the six hinges (`SixHinges`), whose
    numbers are at the end of the table.
    """
    samples = path_samples(T)
    if samples == 0:
        return _from_nearest(T, start, block, patience, far, run_of_sample(T, 0))
    size = block.shape[0] // samples
    begin = view1(start, 0, start.shape[0])
    for k in range(samples):
        if not next_targets(T, k):
            return REFUSED
        own = view1(block, k * size, size)
        task = _from_nearest(T, begin, own, patience, far, run_of_sample(T, k))
        if task > DONE:
            return task
        begin = view1(own, size - 2 * start.shape[0], start.shape[0])
    return DONE
