"""The search over rows of every kind from a start, or along a path: what goes in, and what is told of where it ends.

The start is brought into its ranges, what means "where it is" means it, and after the steps (`mixed_search`) every part
is measured once more.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import outside
from manikin.kernels.math.vector import applied_back, matrix, product, vector
from manikin.kernels.memory.layout import (
    IDENTITY,
    view_space,
    view_sweep,
    view_tree,
    view_work as view_method,
)
from manikin.kernels.memory.path import next_targets, path_samples
from manikin.kernels.memory.state import DONE, MET, STOPPED
from manikin.kernels.memory.views import integers_at, reals_at, view1
from manikin.kernels.projection.active_set import X
from manikin.kernels.projection.feasible import gather_rows, worst_violation
from manikin.kernels.projection.solve import (
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_REACHED,
    OUT_STATUS,
    REFUSED,
    REPAIR,
    TIDY,
    is_finite,
    is_tidy,
    place,
    recharted,
    unwound,
)
from manikin.kernels.rows.layout import view_measures
from manikin.kernels.rows.mass import BALANCE
from manikin.kernels.rows.pose import (
    AIM,
    AXES,
    COORDINATES,
    OWN,
    ROTATION,
    SITE_PLACE,
    SITE_TURN,
    TURN,
    frame_turn,
    into,
    relative_turn,
    world_point,
)
from manikin.kernels.rows.shapes import CLEAR, EGG
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

#: Items of the table: the budget of steps, those of a path, an address and a size for each of S R W, MS MR MW, G and H.
T_BUDGET, T_S, T_R, T_W, T_MS, T_MR, T_MW, T_G, T_H = 0, 5, 7, 9, 11, 13, 15, 17, 19


@kernel
def _mean_start(M, frames, follows):
    """Let the rows that keep what the start has mean the frames of now."""
    p = M.parameters
    for t in range(M.kind.shape[0]):
        if follows[t] == 0:
            continue
        a = M.motion[t]
        b = M.base[t]
        o = M.offset[t]
        own = o + OWN
        if M.kind[t] == COORDINATES:
            x = into(frames, b, world_point(frames, a, vector(p, o + SITE_PLACE)))
            for c in range(3):
                p[own + c] = x[c]
        elif M.kind[t] == TURN:
            turned = relative_turn(frames, a, b, p, o)
            for c in range(9):
                p[own + c] = turned[c]
        elif M.kind[t] == ROTATION:
            # The site's axes S with Rᵦᵀ R S = F, F those that the rotation is measured from.
            wanted = product(frame_turn(frames, b), matrix(p, own))
            r = frame_turn(frames, a)
            for c in range(3):
                column = applied_back(r, (wanted[c], wanted[3 + c], wanted[6 + c]))
                for row in range(3):
                    p[o + SITE_TURN + 3 * row + c] = column[row]


@kernel(exact=True)
def part_miss(M, t):
    """How far a part is from met, in its unit: the norm of what its rows are outside; the largest, for clearances and
    balance; the angle, for rotations.
    """
    kind = M.kind[t]
    first = M.first[t]
    square = 0.0
    largest = 0.0
    for r in range(first, first + M.count[t]):
        rho = outside(M.value[r], M.lower[r], M.upper[r])
        square += rho * rho
        largest = max(largest, abs(rho))
    if CLEAR <= kind <= EGG or kind == BALANCE:
        return largest
    if kind in (TURN, AIM):
        return 2.0 * math.asin(min(0.5 * math.sqrt(square), 1.0))
    if kind == AXES:
        return _angle_of_axes(M, t)
    return math.sqrt(square)


@kernel(exact=True)
def _angle_of_axes(M, t):
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
def _is_end(start, end):
    """Whether a search begins where the last one ended."""
    same = True
    for j in range(start.shape[0]):
        same = same and start[j] == end[j]
    return same


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
def mean_start(T, start):
    """Let what means the start mean this one, wherever the searches to come begin."""
    S, R, W, M, G, H = _opened(T)
    sweep = view_sweep(S, W)
    space = view_space(S, R)
    _bring_in(start, space, view_idle(G, H), sweep)
    place(S[IDENTITY] != 0, view_tree(S, R), sweep)
    _mean_start(M, sweep.frames, view_drives(G, H).follows)
    bounds = view_mixed_bounds(G, H)
    if view_limits(G, H).option[PULL_TO_START] != 0.0:
        for i in range(bounds.pull_low.shape[0]):
            bounds.pull_low[i] = sweep.q[space.variable[i]]
            bounds.pull_high[i] = sweep.q[space.variable[i]]


@kernel
def search_from(T, start, block, follow):
    """Search from the coordinates ``start``; ``block`` receives ``out`` (as of `projection.solve`, a miss a part), the
    end, and the start. Returns DONE when every goal is met; SLOW, FLAT or SPENT; or what of a start cannot be accepted.

    follow: whether what means the start means this one. For what is kept, a start that is the last end means what it
    meant then, so that nothing drifts.
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
    _bring_in(q, space, view_idle(G, H), sweep)
    if not is_tidy(space, sweep.q):
        return TIDY
    n = work.x.shape[0]
    for i in range(n):
        work.x[i] = sweep.q[space.variable[i]]
        method.vector[X, i] = work.x[i]
    same = _is_end(start, drives.end)
    if follow != 0 and not same:
        place(is_identity, tree, sweep)
        _mean_start(M, sweep.frames, drives.follows)
    stand(space, work.x, same, bounds.stays, bounds.pull_low)
    for i in range(n):
        if bounds.stays[i] != 0.0:
            bounds.pull_high[i] = bounds.pull_low[i]
    if follow != 0 and limits.option[PULL_TO_START] != 0.0:
        for i in range(n):
            bounds.pull_low[i] = work.x[i]
            bounds.pull_high[i] = work.x[i]
    limit_speed(bounds, work.x, limits.option[SECONDS])
    linear = view_step(G, H, 0)
    possible = gather_rows(space, sweep.q, method)
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
    for j in range(q.shape[0]):
        drives.end[j] = q[j]
    reached = _report(M, limits, drives.tell, G[G_LAST], out)
    out[OUT_POTENTIAL] = potential
    out[OUT_STATUS] = MET if task == DONE else STOPPED
    out[OUT_ITERATIONS] = steps
    out[OUT_EVALUATIONS] = evaluations
    out[OUT_REACHED] = 1.0 if reached and task == DONE else 0.0
    if task == DONE and not reached:
        return SLOW
    return task


@kernel(entry=True)
def mixed(T, start, block, follow, _):
    """`search_from` ``start``, or along a path (`memory.path`): each sample from the end of the last."""
    samples = path_samples(T)
    if samples == 0:
        return search_from(T, start, block, follow)
    size = block.shape[0] // samples
    begin = view1(start, 0, start.shape[0])
    for k in range(samples):
        if not next_targets(T, k):
            return REFUSED
        own = view1(block, k * size, size)
        task = search_from(T, begin, own, follow)
        if task != DONE:
            return task
        begin = view1(own, size - 2 * start.shape[0], start.shape[0])
    return DONE
