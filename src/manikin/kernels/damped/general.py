"""Entries of the search over goals of every kind: from one start, along a path, from seeds."""

from __future__ import annotations

import math

from manikin.kernels.damped.begin import anchor, bring_in, lay_residuals, note_fixed
from manikin.kernels.damped.layout import (
    HARD_WEIGHT,
    LAST,
    PULL_TO_START,
    SECONDS,
    Rows,
    Search,
    view_border,
    view_bounds,
    view_chains,
    view_drives,
    view_limits,
    view_parts,
    view_place,
    view_scalars,
    view_strips,
    view_work,
)
from manikin.kernels.damped.rows import list_linear, measure_rows
from manikin.kernels.damped.search import search
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
from manikin.kernels.pose.limits import LOWER, UPPER, X, gather_rows, is_tidy, worst_violation
from manikin.kernels.pose.place import is_finite, recharted, unwound
from manikin.kernels.pose.report import (
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_REACHED,
    OUT_STATUS,
)
from manikin.kernels.residuals.layout import view_measures
from manikin.kernels.residuals.miss import part_miss
from manikin.kernels.search.damped import SLOW, limit_speed, open_block, stand

#: Items of the table after its head: an address and a size for each of S R W, MS MR MW, G and H.
T_S, T_R, T_W, T_MS, T_MR, T_MW, T_G, T_H = (T_HEAD + 2 * k for k in range(8))
#: A start may be outside a row by so much; below it rounding is all there is.
FEASIBLE = 1e-11


@kernel
def _report(M, parts, limits, last, out):
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
        if parts.tell[t] >= 0:
            out[OUT_ERRORS + parts.tell[t]] = miss
    return reached


@kernel
def _opened(T):
    """All that a table tells of: S, the search, its rows, and its parts; residuals are not laid out yet."""
    S = integers_at(T[T_S], T[T_S + 1])
    R = reals_at(T[T_R], T[T_R + 1])
    W = reals_at(T[T_W], T[T_W + 1])
    G = integers_at(T[T_G], T[T_G + 1])
    H = reals_at(T[T_H], T[T_H + 1])
    M = view_measures(
        integers_at(T[T_MS], T[T_MS + 1]),
        reals_at(T[T_MR], T[T_MR + 1]),
        reals_at(T[T_MW], T[T_MW + 1]),
    )
    sweep = view_sweep(S, W)
    limits = view_limits(G, H)
    s = Search(
        view_tree(S, R, W),
        view_space(S, R),
        view_drives(G, H),
        view_chains(G, H),
        view_strips(G, H),
        view_bounds(G, H),
        view_place(G, H, sweep),
        view_work(G, H),
        0,
    )
    g = Rows(
        M,
        sweep,
        view_method(S, W),
        limits,
        view_scalars(G, H),
        view_border(G, H),
        G[LAST],
        limits.option[HARD_WEIGHT],
    )
    return S[IDENTITY] != 0, s, g, view_parts(G, H)


@kernel
def _lead(s, g, given, run):
    """Where the pull leads, of what depends on the start that was given."""
    bounds = s.bounds
    space = s.space
    stand(space, given, run == FRESH, s.work.x, bounds.stays, bounds.pull_low)
    for i in range(s.work.x.shape[0]):
        if bounds.stays[i] != 0.0:
            bounds.pull_high[i] = bounds.pull_low[i]
    if run != ON_PATH and g.limits.option[PULL_TO_START] != 0.0:
        for i in range(s.work.x.shape[0]):
            j = space.variable[i]
            bounds.pull_low[i] = min(max(given[j], space.lower[j]), space.upper[j])
            bounds.pull_high[i] = bounds.pull_low[i]


@kernel
def _enter_limits(s, g, seconds):
    """Ranges and linear rows at X; False where X breaks one."""
    limit_speed(s.bounds, s.work.x, seconds)
    for i in range(s.work.x.shape[0]):
        g.method.vector[X, i] = s.work.x[i]
        g.method.vector[LOWER, i] = s.bounds.lower[i]
        g.method.vector[UPPER, i] = s.bounds.upper[i]
    possible = gather_rows(s.space, g.sweep.q, g.method)
    list_linear(s, g)
    return possible and worst_violation(g.method)[0] <= FEASIBLE


@kernel
def search_from(T, start, given, block, patience, run):
    """Search from the coordinates ``start``; ``block`` receives ``out`` (as of `pose.report`, a miss a part), the end,
    and the start. Returns DONE when every goal is met; SLOW, FLAT or SPENT; or what of a start cannot be accepted.

    given: the start that was given, which may be another; run: as of `memory.path`.
    """
    is_identity, opened, g, parts = _opened(T)
    space = opened.space
    sweep = g.sweep
    M = g.M
    out, q = open_block(start, block)
    if not is_finite(q):
        return REFUSED
    if run == FRESH:
        anchor(is_identity, opened.tree, space, sweep, M, parts, given)
    bring_in(q, space, parts, sweep)
    note_fixed(opened.tree, space, sweep, opened.drives)
    n = opened.work.x.shape[0]
    for i in range(n):
        opened.work.x[i] = sweep.q[space.variable[i]]
    _lead(opened, g, given, run)
    if not is_tidy(space, sweep.q):
        return TIDY
    if not _enter_limits(opened, g, g.limits.option[SECONDS]):
        return REPAIR
    residuals = lay_residuals(M, opened.strips, g.limits, g.scalars, g.last, g.hard_weight)
    s = Search(
        opened.tree,
        space,
        opened.drives,
        opened.chains,
        opened.strips,
        opened.bounds,
        opened.place,
        opened.work,
        residuals,
    )
    task, potential, steps, evaluations = search(s, g, T[T_BUDGET], patience, run >= CONTINUES)
    measure_rows(g, True)
    recharted(space, s.work.x, math.pi)
    unwound(space, s.work.x, q)
    for j in range(q.shape[0]):
        q[j] = sweep.q[j]
    for i in range(n):
        q[space.variable[i]] = s.work.x[i]
    reached = _report(M, parts, g.limits, g.last, out)
    out[OUT_POTENTIAL] = potential
    out[OUT_STATUS] = MET if task == DONE else STOPPED
    out[OUT_ITERATIONS] = steps
    out[OUT_EVALUATIONS] = evaluations
    out[OUT_REACHED] = 1.0 if reached and task == DONE else 0.0
    if task == DONE and not reached:
        return SLOW
    return task


@kernel(entry="i8[:], f8[:], f8[:], i8, f8 -> i8")
def general(T, start, block, patience, _far):
    """`search_from` ``start``, or along a path (`memory.path`): each sample from the end of the last."""
    samples = path_samples(T)
    if samples == 0:
        return search_from(T, start, given_start(T, start), block, patience, T[T_RUN])
    size = block.shape[0] // samples
    begin = view1(start, 0, start.shape[0])
    for k in range(samples):
        if not next_targets(T, k):
            return REFUSED
        own = view1(block, k * size, size)
        given = given_start(T, begin) if k == 0 else begin
        task = search_from(T, begin, given, own, patience, run_of_sample(T, k))
        if task != DONE:
            return task
        begin = view1(own, size - 2 * start.shape[0], start.shape[0])
    return DONE
