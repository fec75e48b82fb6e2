"""The search over rows of every kind from a start, or along a path: what goes in, and what is told of where it ends.

The start is brought into its ranges, what means "where it is" means it, and after the steps (`mixed_search`) every part
is measured once more.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import (
    IDENTITY,
    view_space,
    view_sweep,
    view_tree,
    view_work as view_method,
)
from manikin.kernels.memory.path import (
    CONTINUES,
    FRESH,
    ON_PATH,
    T_BUDGET,
    T_HEAD,
    T_RUN,
    given_start,
    next_targets,
    path_samples,
    run_of_sample,
)
from manikin.kernels.memory.state import DONE, MET, REFUSED, REPAIR, STOPPED, TIDY
from manikin.kernels.memory.views import integers_at, reals_at, view1
from manikin.kernels.pose.limits import X, gather_rows, is_tidy, worst_violation
from manikin.kernels.pose.place import is_finite, place, recharted, unwound
from manikin.kernels.pose.report import (
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_REACHED,
    OUT_STATUS,
)
from manikin.kernels.residuals.dispatch import mean_start
from manikin.kernels.residuals.layout import view_measures
from manikin.kernels.residuals.miss import part_miss
from manikin.kernels.search.damped import SLOW, limit_speed, open_block, stand
from manikin.kernels.search.linear import FEASIBLE
from manikin.kernels.search.linear_step import scale_rows
from manikin.kernels.search.mixed_layout import (
    G_LAST,
    PULL_TO_START,
    SECONDS,
    view_drives,
    view_idle,
    view_limits,
    view_mixed_bounds,
    view_mixed_work,
    view_step,
)
from manikin.kernels.search.mixed_search import search

#: Items of the table after its head: an address and a size for each of S R W, MS MR MW, G and H.
T_S, T_R, T_W, T_MS, T_MR, T_MW, T_G, T_H = (T_HEAD + 2 * k for k in range(8))


@kernel
def _mean_start(M, frames, follows):
    """Let the rows that keep what the start has mean the frames of now."""
    for t in range(M.kind.shape[0]):
        if follows[t] != 0:
            mean_start(M, frames, t)


@kernel
def _report(M, limits, tell, last, out):
    """The miss of each part that is reported on; whether all that count are reached."""
    reached = True
    for t in range(M.kind.shape[0]):
        first = M.first[t]
        miss = 0.0
        on = M.count[t] > 0 and M.level[first] < last
        if on:
            miss = part_miss(M, t)
            if M.weight[first] > 0.0:
                reached = reached and miss <= limits.allowed[t]
        if tell[t] >= 0:
            out[OUT_ERRORS + tell[t]] = miss
    return reached


@kernel
def _bring_in(q, space, idle, sweep):
    """Coordinates into their ranges."""
    for j in range(q.shape[0]):
        sweep.q[j] = min(max(q[j], space.lower[j]), space.upper[j])
    for k in range(idle.dof.shape[0]):
        j = idle.dof[k]
        sweep.q[j] = min(max(sweep.q[j], idle.low[k]), idle.high[k])


@kernel
def _opened(T):
    """S, R, W, the measures, G and H of a table."""
    return (
        integers_at(T[T_S], T[T_S + 1]),
        reals_at(T[T_R], T[T_R + 1]),
        reals_at(T[T_W], T[T_W + 1]),
        view_measures(
            integers_at(T[T_MS], T[T_MS + 1]),
            reals_at(T[T_MR], T[T_MR + 1]),
            reals_at(T[T_MW], T[T_MW + 1]),
        ),
        integers_at(T[T_G], T[T_G + 1]),
        reals_at(T[T_H], T[T_H + 1]),
    )


@kernel
def _anchor(is_identity, tree, space, sweep, M, follows, idle, start):
    """Let the rows that keep something mean where this start has it."""
    _bring_in(start, space, idle, sweep)
    place(is_identity, tree, sweep)
    _mean_start(M, sweep.frames, follows)


@kernel
def search_from(T, start, given, block, run):
    """Search from the coordinates ``start``; ``block`` receives ``out`` (as of `projection.solve`, a miss a part), the
    end, and the start. Returns DONE when every goal is met; SLOW, FLAT or SPENT; or what of a start cannot be accepted.

    given: the start that was given, which may be another; run: as of `memory.path`.
    """
    S, R, W, M, G, H = _opened(T)
    tree = view_tree(S, R)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    method = view_method(S, W)
    drives = view_drives(G, H)
    bounds = view_mixed_bounds(G, H)
    limits = view_limits(G, H)
    work = view_mixed_work(G, H)
    is_identity = S[IDENTITY] != 0
    out, q = open_block(start, block)
    if not is_finite(q):
        return REFUSED
    idle = view_idle(G, H)
    if run == FRESH:
        _anchor(is_identity, tree, space, sweep, M, drives.follows, idle, given)
    _bring_in(q, space, idle, sweep)
    n = work.x.shape[0]
    for i in range(n):
        work.x[i] = sweep.q[space.variable[i]]
        method.vector[X, i] = work.x[i]
    stand(space, given, run == FRESH, work.x, bounds.stays, bounds.pull_low)
    for i in range(n):
        if bounds.stays[i] != 0.0:
            bounds.pull_high[i] = bounds.pull_low[i]
    if run != ON_PATH and limits.option[PULL_TO_START] != 0.0:
        for i in range(n):
            j = space.variable[i]
            bounds.pull_low[i] = min(max(given[j], space.lower[j]), space.upper[j])
            bounds.pull_high[i] = bounds.pull_low[i]
    if not is_tidy(space, sweep.q):
        return TIDY
    limit_speed(bounds, work.x, limits.option[SECONDS])
    linear = view_step(G, H, 0)
    possible = gather_rows(space, sweep.q, method)
    same = run >= CONTINUES
    scale_rows(method, bounds, linear, same)
    if not possible or worst_violation(method)[0] > FEASIBLE:
        return REPAIR
    task, potential, steps, evaluations = search(
        G, H, is_identity, tree, space, method, M, sweep, bounds, limits, drives, work, T[T_BUDGET], same
    )
    recharted(space, work.x, math.pi)
    unwound(space, work.x, q)
    for j in range(q.shape[0]):
        q[j] = sweep.q[j]
    for i in range(n):
        q[space.variable[i]] = work.x[i]
    reached = _report(M, limits, drives.tell, G[G_LAST], out)
    out[OUT_POTENTIAL] = potential
    out[OUT_STATUS] = MET if task == DONE else STOPPED
    out[OUT_ITERATIONS] = steps
    out[OUT_EVALUATIONS] = evaluations
    out[OUT_REACHED] = 1.0 if reached and task == DONE else 0.0
    if task == DONE and not reached:
        return SLOW
    return task


@kernel(entry="i8[:], f8[:], f8[:], i8, f8 -> i8")
def mixed(T, start, block, _patience, _far):
    """`search_from` ``start``, or along a path (`memory.path`): each sample from the end of the last."""
    samples = path_samples(T)
    if samples == 0:
        return search_from(T, start, given_start(T, start), block, T[T_RUN])
    size = block.shape[0] // samples
    begin = view1(start, 0, start.shape[0])
    for k in range(samples):
        if not next_targets(T, k):
            return REFUSED
        own = view1(block, k * size, size)
        given = given_start(T, begin) if k == 0 else begin
        task = search_from(T, begin, given, own, run_of_sample(T, k))
        if task != DONE:
            return task
        begin = view1(own, size - 2 * start.shape[0], start.shape[0])
    return DONE
