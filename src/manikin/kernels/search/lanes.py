"""The method of `lm` from many starts of one problem, four side by side in the lanes of a register.

The given start may be the first of them, going on from where `lm` left it: with few variables a round of four takes as
long as one step alone, so that others beside it cost nothing while it is not known whether it will do.

A lane whose search is over (all goals met, slow, or nothing helps) is given the next start. When one start has met all
goals those after it are dropped, and those before it go on while each of their steps helps, so that of those that get
there the lowest index wins, whichever was quicker.

Starts: the rows of ``given`` first, then the points {shift + k α} of a Kronecker sequence (α: fractional parts of roots
of primes) inside the ranges, evenly spread in any number of dimensions and each known by its number: of every four
the one with the least potential (one evaluation in lanes; a Panda's pose is then found in 44 % of tries, not 29 %).
Every other of the first of them keeps to the inner half of the ranges, where joints have room to either side (70 %;
four poses of a humanoid: 50 to 85 % instead of 25 to 50). A root that moves freely is turned all ways.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import both
from manikin.kernels.memory.lanes import WIDTH, select, widen
from manikin.kernels.memory.layout import (
    IDENTITY,
    OPTION_GRADIENT,
    view_parts,
    view_space,
    view_sweep,
    view_tree,
    view_work as view_method,
)
from manikin.kernels.memory.state import (
    DAMPING,
    DONE,
    EVALUATIONS,
    GROWTH,
    ITERATIONS,
    MET,
    POTENTIAL,
    SLOW_STEPS,
    STATUS,
)
from manikin.kernels.pose.limits import X
from manikin.kernels.pose.place import place
from manikin.kernels.pose.report import finish
from manikin.kernels.residuals.potentials import total_weight
from manikin.kernels.search.damped import (
    FLAT,
    SLOW_SHARE,
    enter,
    evaluate_rows,
    first_damping,
    wrap,
)
from manikin.kernels.search.lane_state import (
    LANE_ACCEPTED,
    LANE_DAMPING,
    LANE_FACTOR,
    LANE_FRESH,
    LANE_INDEX,
    LANE_LARGEST,
    LANE_LIVE,
    LANE_LONGEST,
    LANE_MET,
    LANE_P,
    LANE_SCREEN,
    LANE_SLOW,
    LANE_STEPS,
    any_over,
    begin_lane,
    long_vector,
    verdict,
)
from manikin.kernels.search.layout import (
    view_bounds,
    view_lane_places,
    view_lane_state,
    view_lane_work,
    view_lane_x,
    view_ties,
    view_work,
)
from manikin.kernels.search.rows import lay_rows
from manikin.kernels.search.step import bounded_step, longest_entry, next_damping, slope_and_held

# Of the first starts of the sequence, so many, every other is drawn from this inner share of the ranges.
FITTED, INNER = 16, 0.5
# Slow steps after which a start is given up when one after it has met all goals.
_HURRY = 1
# Columns of ``ends`` before the coordinates: where each search ended, and how.
END_POTENTIAL, END_TASK, END_ITERATIONS, END_X = range(4)


@kernel
def _point(bounds, space, sweep, number, share, x, lane):
    """Point ``number`` of the sequence, inside this share of the ranges about their middle, into a lane."""
    for i in range(x.shape[0]):
        u = bounds.shift[i] + number * bounds.alpha[i]
        u -= math.floor(u)
        low = bounds.low[i]
        if low > -math.inf:
            u = 0.5 + share * (u - 0.5)
        else:
            low = sweep.q[space.variable[i]] - 0.5 * bounds.width[i]
        value = low + u * bounds.width[i]
        x[i, lane] = min(max(value, bounds.true_lower[i]), bounds.true_upper[i])


@kernel
def _seed(problem, work, lanes, state, x, x_new, given, index, lane):
    """Start number ``index`` into X of a lane: given, or the lowest of four points of the sequence."""
    tree, parts, space, sweep, ties, bounds, places = problem
    n = x.shape[0]
    number = index - given.shape[0]
    share = INNER if number < FITTED and number % 2 == 0 else 1.0
    if number < 0:
        for i in range(n):
            x[i, lane] = min(max(given[index, i], bounds.true_lower[i]), bounds.true_upper[i])
    else:
        first = WIDTH * number + 1
        for other in range(WIDTH):
            _point(bounds, space, sweep, first + other, share, x_new, other)
        lanes[LANE_SCREEN] = evaluate_rows(
            tree, parts, ties, places, work.x_new, work.e_new, work.jacobian_new
        )[0]
        lowest = 0
        for other in range(1, WIDTH):
            if state[LANE_SCREEN, other] < state[LANE_SCREEN, lowest]:
                lowest = other
        for i in range(n):
            x[i, lane] = x_new[i, lowest]


@kernel
def _take_where(accepted, rows, work):
    """In the lanes where the proposal is accepted it becomes the current point."""
    n = work.x.shape[0]
    for i in range(n):
        work.x[i] = select(accepted, work.x_new[i], work.x[i])
    for r in range(3 * rows.strips):
        work.e[r] = select(accepted, work.e_new[r], work.e[r])
    for s in range(rows.strips):
        old = work.jacobian[s]
        new = work.jacobian_new[s]
        for k in range(work.blocks.length[work.blocks.strip[s]]):
            for c in range(3):
                old[k, c] = select(accepted, new[k, c], old[k, c])


@kernel
def judge_steps(rows, work, lanes, left, new, new_met, weight, any_fresh):
    """Accept the proposals that help (all that are fresh), and adapt λ."""
    old = lanes[LANE_P]
    fell = old - new
    predicted = old - left
    zero = 0.0 * old
    fresh = lanes[LANE_FRESH] > 0.5
    good = select(both(fell > 0.0, predicted > 0.0), lanes[LANE_LIVE], zero)
    good = select(fresh, zero + 1.0, good)
    accepted = good > 0.5
    damping, factor = next_damping(
        accepted, fell / predicted, new / old, lanes[LANE_DAMPING], lanes[LANE_FACTOR]
    )
    slow = select(fell < SLOW_SHARE * old, lanes[LANE_SLOW] + 1.0, zero)
    lanes[LANE_P] = select(accepted, new, old)
    lanes[LANE_MET] = select(accepted, new_met, lanes[LANE_MET])
    _take_where(accepted, rows, work)
    if any_fresh:
        damping = select(fresh, first_damping(rows, work, lanes[LANE_P], weight), damping)
        factor = select(fresh, 2.0, factor)
        slow = select(fresh, 0.0, slow)
    lanes[LANE_DAMPING] = damping
    lanes[LANE_FACTOR] = factor
    lanes[LANE_SLOW] = slow
    lanes[LANE_ACCEPTED] = good


@kernel(
    entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], f8[:], f8[:,:], i8, f8[:,:], i8, i8, b1, i8 -> i8"
)
def lm_lanes(S, R, W, N, V, L, q, out, given, first, ends, budget, patience, every, own):
    """Search from start number ``first`` and those after it, a row of ``ends`` each.

    ``own`` (0 or 1): the first row is the given start's, from where `lm` left it; where that ends FLAT, which may be a
    saddle, the others are given up.

    Returns the row of the first that met all goals, −1, or −2 where the given start ended FLAT. ``q`` is where the
    coordinates that do not vary are, and is replaced by the result, with ``out``, if there is one. ``every``: no start
    is dropped because another has met the goals.
    """
    tree = view_tree(S, R, W)
    parts = view_parts(S, R)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    ties = view_ties(N, V)
    bounds = view_bounds(N, V)
    work = view_lane_work(N, L)
    places = view_lane_places(N, L)
    x, x_new = view_lane_x(N, L)
    lanes, state = view_lane_state(N, L)
    method = view_method(S, W)
    st = method.state
    taken = st[ITERATIONS]
    enter(tree, space, sweep, ties, q)
    n = x.shape[0]
    rows = lay_rows(parts, ties, work.blocks)
    weight = total_weight(parts)
    slope_left = space.option[OPTION_GRADIENT]
    for c in range(12):
        places.frames[0, c] = widen(1.0 if c == 0 or c == 4 or c == 8 else 0.0)
    alone = view_work(N, V)
    problem = tree, parts, space, sweep, ties, bounds, places
    last = ends.shape[0]
    following = 0
    live = 0
    best = -1
    steps = taken if own > 0 else 0.0
    evaluations = st[EVALUATIONS] if own > 0 else 0.0
    for lane in range(WIDTH):
        begin_lane(state, lane, following, 1.0 if following < last else 0.0)
        if following < last:
            live += 1
            if following < own:
                for i in range(n):
                    x[i, lane] = alone.x[i]
            else:
                _seed(problem, work, lanes, state, x, x_new, given, first + following - own, lane)
                evaluations += 4.0
        else:
            for i in range(n):
                x[i, lane] = x[i, 0]
        following += 1
    charts = space.charts.shape[0] > 0
    fresh = True
    left = widen(0.0)
    rounds = 0
    while live > 0:
        if rounds > 0:
            lanes[LANE_LARGEST] = slope_and_held(rows, work, bounds.lower, bounds.upper)
            left = bounded_step(
                rows,
                work,
                bounds.scale,
                bounds.lower,
                bounds.upper,
                lanes[LANE_DAMPING],
                lanes[LANE_LIVE],
                None,
            )
            lanes[LANE_LONGEST] = longest_entry(work, bounds.scale)
            wrap(bounds, work.x_new)
        rounds += 1
        if fresh:
            for lane in range(WIDTH):
                if state[LANE_FRESH, lane] > 0.5:
                    for i in range(n):
                        x_new[i, lane] = x[i, lane]
        new, met = evaluate_rows(tree, parts, ties, places, work.x_new, work.e_new, work.jacobian_new)
        judge_steps(rows, work, lanes, left, new, met, weight, fresh)
        if rounds == 1 and own > 0 and taken > 0:
            state[LANE_DAMPING, 0] = st[DAMPING]
            state[LANE_FACTOR, 0] = st[GROWTH]
            state[LANE_SLOW, 0] = st[SLOW_STEPS]
        lanes[LANE_STEPS] = lanes[LANE_STEPS] + lanes[LANE_LIVE]
        evaluations += live
        if not (fresh or charts or any_over(lanes, slope_left, weight, float(budget), float(patience))):
            continue
        fresh = False
        for lane in range(WIDTH):
            begun = state[LANE_FRESH, lane] > 0.5
            state[LANE_FRESH, lane] = 0.0
            if state[LANE_LIVE, lane] < 0.5:
                continue
            task = verdict(state, lane, begun, slope_left, weight, budget, patience)
            if task < 0:
                if charts and long_vector(space, x, lane):
                    state[LANE_FRESH, lane] = 1.0
                    fresh = True
                continue
            index = int(state[LANE_INDEX, lane])
            steps += state[LANE_STEPS, lane]
            ends[index, END_POTENTIAL] = state[LANE_P, lane]
            ends[index, END_TASK] = task
            ends[index, END_ITERATIONS] = state[LANE_STEPS, lane]
            for i in range(n):
                ends[index, END_X + i] = x[i, lane]
            if index < own and task == FLAT:
                return -2
            if task == DONE and (best < 0 or index < best):
                best = index
                if not every:
                    last = min(last, index)
                    patience = min(patience, _HURRY)
                    for other in range(WIDTH):
                        if state[LANE_INDEX, other] > index and state[LANE_LIVE, other] > 0.5:
                            state[LANE_LIVE, other] = 0.0
                            live -= 1
            if following < last:
                begin_lane(state, lane, following, 1.0)
                _seed(problem, work, lanes, state, x, x_new, given, first + following - own, lane)
                fresh = True
                evaluations += 4.0
                following += 1
            else:
                if state[LANE_LIVE, lane] > 0.5:
                    live -= 1
                state[LANE_LIVE, lane] = 0.0
    st[ITERATIONS] = steps
    st[EVALUATIONS] = evaluations
    if best >= 0:
        for i in range(n):
            method.vector[X, i] = ends[best, END_X + i]
            sweep.q[space.variable[i]] = ends[best, END_X + i]
        place(S[IDENTITY] != 0, tree, sweep)
        st[POTENTIAL] = ends[best, END_POTENTIAL]
        st[STATUS] = MET
        finish(parts, space, sweep, method, q, out)
    return best
