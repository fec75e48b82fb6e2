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
four poses of a humanoid: 50 to 85 % instead of 25 to 50). A root that moves freely is put where it fits the goals best,
given all other joints (`rigid_fit`), in these and in those given; later it is turned all ways.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import any_of, both
from manikin.kernels.memory.lanes import WIDTH, select, widen
from manikin.kernels.memory.layout import (
    IDENTITY,
    view_space,
    view_sweep,
    view_terms,
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
from manikin.kernels.projection.active_set import X
from manikin.kernels.projection.solve import LONGEST_VECTOR, OPTION_GRADIENT, finish, place
from manikin.kernels.rows.terms import total_weight
from manikin.kernels.search.damped import (
    FLAT,
    SLOW,
    SLOW_SHARE,
    SPENT,
    enter,
    evaluate_rows,
    first_damping,
    place_variables,
    wrap,
)
from manikin.kernels.search.layout import (
    N_ROOT,
    N_ROOT_MOTION,
    view_bounds,
    view_lane_places,
    view_lane_state,
    view_lane_work,
    view_lane_x,
    view_places,
    view_ties,
    view_work,
)
from manikin.kernels.search.rigid_fit import fit_root
from manikin.kernels.search.rows import lay_rows
from manikin.kernels.search.step import bounded_step, longest_entry, next_damping, slope_and_held

# Of the first starts of the sequence, so many, every other is drawn from this inner share of the ranges.
FITTED, INNER = 16, 0.5
# Slow steps after which a start is given up when one after it has met all goals.
_HURRY = 1
# Columns of ``ends`` before the coordinates: where each search ended, and how.
END_POTENTIAL, END_TASK, END_ITERATIONS, END_X = range(4)
# Scalars of a lane.
_P, _MET, _DAMPING, _FACTOR, _SLOW, _LIVE, _FRESH, _ACCEPTED, _LARGEST, _LONGEST, _INDEX, _STEPS, _SCREEN = (
    range(13)
)


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
    tree, terms, space, sweep, ties, bounds, places, alone, own_places, root, motion = problem
    n = x.shape[0]
    number = index - given.shape[0]
    fitted = root >= 0 and number < FITTED and bounds.width[root + 3] > 0.0
    share = INNER if number < FITTED and number % 2 == 0 else 1.0
    if number < 0:
        for i in range(n):
            x[i, lane] = min(max(given[index, i], bounds.true_lower[i]), bounds.true_upper[i])
    elif fitted:  # one alone: what four would tell of the limbs is little beside the root's fit
        _point(bounds, space, sweep, number + 1, share, x, lane)
    else:
        first = WIDTH * number + 1
        for other in range(WIDTH):
            _point(bounds, space, sweep, first + other, share, x_new, other)
        lanes[_SCREEN] = evaluate_rows(tree, terms, ties, places, work.x_new, work.e_new, work.jacobian_new)[
            0
        ]
        lowest = 0
        for other in range(1, WIDTH):
            if state[_SCREEN, other] < state[_SCREEN, lowest]:
                lowest = other
        for i in range(n):
            x[i, lane] = x_new[i, lowest]
    if fitted:
        for i in range(n):
            alone.x_new[i] = x[i, lane]
        place_variables(tree, ties, own_places, alone.x_new)
        fit_root(tree, terms, own_places.frames, motion, root, alone.x_new)
        for i in range(root, root + 6):
            x[i, lane] = alone.x_new[i]


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
def _judge(rows, work, lanes, left, new, new_met, weight, any_fresh):
    """Accept the proposals that help (all that are fresh), and adapt λ."""
    old = lanes[_P]
    fell = old - new
    predicted = old - left
    zero = 0.0 * old
    fresh = lanes[_FRESH] > 0.5
    good = select(both(fell > 0.0, predicted > 0.0), lanes[_LIVE], zero)
    good = select(fresh, zero + 1.0, good)
    accepted = good > 0.5
    damping, factor = next_damping(accepted, fell / predicted, new / old, lanes[_DAMPING], lanes[_FACTOR])
    slow = select(fell < SLOW_SHARE * old, lanes[_SLOW] + 1.0, zero)
    lanes[_P] = select(accepted, new, old)
    lanes[_MET] = select(accepted, new_met, lanes[_MET])
    _take_where(accepted, rows, work)
    if any_fresh:
        damping = select(fresh, first_damping(rows, work, lanes[_P], weight), damping)
        factor = select(fresh, 2.0, factor)
        slow = select(fresh, 0.0, slow)
    lanes[_DAMPING] = damping
    lanes[_FACTOR] = factor
    lanes[_SLOW] = slow
    lanes[_ACCEPTED] = good


@kernel
def _long_vector(space, x, lane):
    """Whether a rotation vector of this lane is long; it is then replaced by the shortest of the same rotation."""
    changed = False
    for c in range(space.charts.shape[0]):
        first = space.charts[c, 0]
        size = space.charts[c, 1]
        square = 0.0
        for i in range(first, first + size):
            square += x[i, lane] * x[i, lane]
        if square > LONGEST_VECTOR * LONGEST_VECTOR:
            length = math.sqrt(square)
            turns = math.floor(length / (2.0 * math.pi) + 0.5)
            for i in range(first, first + size):
                x[i, lane] *= 1.0 - turns * 2.0 * math.pi / length
            changed = changed or turns != 0
    return changed


@kernel
def _verdict(state, lane, begun, slope_left, weight, budget, patience):
    """How the search of a lane stands after a round: −1 (goes on), DONE, FLAT, SLOW or SPENT."""
    if state[_MET, lane] > 0.5:
        return DONE
    if begun:
        return -1
    if 2.0 * state[_LARGEST, lane] <= slope_left * (weight + state[_P, lane]):
        return FLAT
    if state[_SLOW, lane] >= patience:
        return SLOW
    if state[_ACCEPTED, lane] < 0.5 and (
        state[_LONGEST, lane] < 1e-13 or state[_DAMPING, lane] > 1e12 * (weight + 1.0)
    ):
        return FLAT
    return SPENT if state[_STEPS, lane] >= budget else -1


@kernel
def _any_over(lanes, slope_left, weight, budget, patience):
    """Whether some search may be over; `_verdict` says which, and how."""
    zero = 0.0 * lanes[_P]
    over = select(lanes[_MET] > 0.5, zero + 1.0, zero)
    over = select(2.0 * lanes[_LARGEST] <= slope_left * (weight + lanes[_P]), zero + 1.0, over)
    over = select(lanes[_SLOW] >= patience, zero + 1.0, over)
    over = select(lanes[_STEPS] >= budget, zero + 1.0, over)
    over = select(lanes[_LONGEST] < 1e-13, zero + 1.0, over)
    over = select(lanes[_DAMPING] > 1e12 * (weight + 1.0), zero + 1.0, over)
    return any_of(over * lanes[_LIVE] > 0.5)


@kernel
def _begin(state, lane, index, live):
    """Set a lane's scalars up for start number ``index``."""
    state[_INDEX, lane] = index
    state[_LIVE, lane] = live
    state[_FRESH, lane] = 1.0
    state[_STEPS, lane] = -1.0
    state[_MET, lane] = 0.0
    state[_P, lane] = 1.0
    state[_DAMPING, lane] = 1.0
    state[_FACTOR, lane] = 2.0
    state[_SLOW, lane] = 0.0


@kernel(entry=True)
def lm_lanes(S, R, W, N, V, L, q, out, given, first, ends, budget, patience, every, own):
    """Search from start number ``first`` and those after it, a row of ``ends`` each.

    ``own`` (0 or 1): the first row is the given start's, from where `lm` left it; where that ends FLAT, which may be a
    saddle, the others are given up.

    Returns the row of the first that met all goals, −1, or −2 where the given start ended FLAT. ``q`` is where the
    coordinates that do not vary are, and is replaced by the result, with ``out``, if there is one. ``every``: no start
    is dropped because another has met the goals.
    """
    tree = view_tree(S, R)
    terms = view_terms(S, R)
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
    rows = lay_rows(terms, ties, work.blocks)
    weight = total_weight(terms)
    slope_left = space.option[OPTION_GRADIENT]
    for c in range(12):
        places.frames[0, c] = widen(1.0 if c == 0 or c == 4 or c == 8 else 0.0)
    alone = view_work(N, V)
    own_places = view_places(N, V, sweep)
    problem = (
        tree,
        terms,
        space,
        sweep,
        ties,
        bounds,
        places,
        alone,
        own_places,
        N[N_ROOT],
        N[N_ROOT_MOTION],
    )
    last = ends.shape[0]
    following = 0
    live = 0
    best = -1
    steps = taken if own > 0 else 0.0
    evaluations = st[EVALUATIONS] if own > 0 else 0.0
    for lane in range(WIDTH):
        _begin(state, lane, following, 1.0 if following < last else 0.0)
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
            lanes[_LARGEST] = slope_and_held(rows, work, bounds.lower, bounds.upper)
            left = bounded_step(
                rows, work, bounds.scale, bounds.lower, bounds.upper, lanes[_DAMPING], lanes[_LIVE], None
            )
            lanes[_LONGEST] = longest_entry(work, bounds.scale)
            wrap(bounds, work.x_new)
        rounds += 1
        if fresh:
            for lane in range(WIDTH):
                if state[_FRESH, lane] > 0.5:
                    for i in range(n):
                        x_new[i, lane] = x[i, lane]
        new, met = evaluate_rows(tree, terms, ties, places, work.x_new, work.e_new, work.jacobian_new)
        _judge(rows, work, lanes, left, new, met, weight, fresh)
        if rounds == 1 and own > 0 and taken > 0:
            state[_DAMPING, 0] = st[DAMPING]
            state[_FACTOR, 0] = st[GROWTH]
            state[_SLOW, 0] = st[SLOW_STEPS]
        lanes[_STEPS] = lanes[_STEPS] + lanes[_LIVE]
        evaluations += live
        if not (fresh or charts or _any_over(lanes, slope_left, weight, float(budget), float(patience))):
            continue
        fresh = False
        for lane in range(WIDTH):
            begun = state[_FRESH, lane] > 0.5
            state[_FRESH, lane] = 0.0
            if state[_LIVE, lane] < 0.5:
                continue
            task = _verdict(state, lane, begun, slope_left, weight, budget, patience)
            if task < 0:
                if charts and _long_vector(space, x, lane):
                    state[_FRESH, lane] = 1.0
                    fresh = True
                continue
            index = int(state[_INDEX, lane])
            steps += state[_STEPS, lane]
            ends[index, END_POTENTIAL] = state[_P, lane]
            ends[index, END_TASK] = task
            ends[index, END_ITERATIONS] = state[_STEPS, lane]
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
                        if state[_INDEX, other] > index and state[_LIVE, other] > 0.5:
                            state[_LIVE, other] = 0.0
                            live -= 1
            if following < last:
                _begin(state, lane, following, 1.0)
                _seed(problem, work, lanes, state, x, x_new, given, first + following - own, lane)
                fresh = True
                evaluations += 4.0
                following += 1
            else:
                if state[_LIVE, lane] > 0.5:
                    live -= 1
                state[_LIVE, lane] = 0.0
    st[ITERATIONS] = steps
    st[EVALUATIONS] = evaluations
    if best >= 0:
        for i in range(n):
            method.vector[X, i] = ends[best, END_X + i]
            sweep.q[space.variable[i]] = ends[best, END_X + i]
        place(S[IDENTITY] != 0, tree, sweep)
        st[POTENTIAL] = ends[best, END_POTENTIAL]
        st[STATUS] = MET
        finish(terms, space, sweep, method, q, out)
    return best
