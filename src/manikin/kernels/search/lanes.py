"""Four searches among ranges side by side, in the lanes of a register; and those of one problem's seeds.

A lane whose search is over (all goals met, slow, or nothing helps) is given the next start, or the next problem of a
batch (`batch.plain`). Nothing that one lane does depends on another.

The given start may be the first of one problem's, going on from where its search left it: with few variables a round
of four takes as long as one step alone, so that others beside it cost nothing while it is not known whether it will do.
When one start has met all goals those after it are dropped, and those before it go on while each of their steps helps,
so that of those that get there the lowest index wins, whichever was quicker.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import any_of
from manikin.kernels.memory.lanes import WIDTH, select
from manikin.kernels.memory.layout import IDENTITY, OPTION_GRADIENT
from manikin.kernels.memory.state import DONE
from manikin.kernels.memory.views import integers_at, reals_at
from manikin.kernels.pose.place import LONGEST_VECTOR, place
from manikin.kernels.pose.report import OUT_ERRORS
from manikin.kernels.residuals.potentials import miss_parts, total_weight
from manikin.kernels.search.begin import bring_in, note_fixed, write_counts, write_end
from manikin.kernels.search.bounded import bounded_step, longest_entry, slope_and_free
from manikin.kernels.search.damping import first_damping
from manikin.kernels.search.evaluate import ENOUGH, evaluate
from manikin.kernels.search.judge import NEAR_BELOW, judge, mean_square
from manikin.kernels.search.layout import (
    T_G,
    T_H,
    T_S,
    Search,
    view_lane_numbers,
    view_lane_place,
    view_lane_work,
    view_parts,
)
from manikin.kernels.search.opened import open_poses
from manikin.kernels.search.ranges import wrap
from manikin.kernels.search.residuals import derivatives
from manikin.kernels.search.seeds import (
    END_ITERATIONS,
    END_POTENTIAL,
    END_TASK,
    END_X,
    drawn,
    inner_share,
    inside,
)
from manikin.kernels.search.state import (
    DAMPING,
    EVALUATIONS,
    FLAT,
    FRESH,
    GROWTH,
    INDEX,
    LARGEST,
    LIVE,
    LONGEST,
    LOOKED_AT,
    MET,
    POTENTIAL,
    SLOW,
    SLOW_STEPS,
    SPENT,
    STEPS,
    TAKEN,
    WEIGHT,
)

# Slow steps after which a start is given up when one after it has met all goals.
_HURRY = 1
# As of `search`.
_NO_STEP, _DAMPED_OUT = 1e-13, 1e12


@kernel
def lanes_of(s, G, L):
    """The same search in lanes."""
    return Search(
        s.tree,
        s.space,
        s.drives,
        s.chains,
        s.strips,
        s.bounds,
        view_lane_place(G, L),
        view_lane_work(G, L),
        s.residuals,
        s.rows,
    )


@kernel
def begin_lane(state, lane, index, live):
    """The state of a lane that begins with start, or problem, number ``index``."""
    state[INDEX, lane] = index
    state[LIVE, lane] = live
    state[FRESH, lane] = 1.0
    state[STEPS, lane] = -1.0
    state[MET, lane] = 0.0
    state[POTENTIAL, lane] = 1.0
    state[DAMPING, lane] = 1.0
    state[GROWTH, lane] = 2.0
    state[SLOW_STEPS, lane] = 0.0
    state[LARGEST, lane] = 0.0
    state[LONGEST, lane] = 0.0
    state[TAKEN, lane] = 0.0


@kernel
def advance(s, weight, budget, patience, first, fresh):
    """A step of every lane, or, of those that have just begun, a look at the start: whether a search may be over.

    first: whether this is the first of all rounds; fresh: whether any lane has just begun.
    """
    work = s.work
    st = work.state
    left = 0.0 * st[POTENTIAL]
    if not first:
        st[LARGEST] = slope_and_free(s)
        left = bounded_step(s, st[DAMPING], st[LIVE], None)
        st[LONGEST] = longest_entry(s)
        wrap(s.bounds, work.x_new)
    begun = st[FRESH] > 0.5
    if fresh:
        for i in range(work.x.shape[0]):
            work.x_new[i] = select(begun, work.x[i], work.x_new[i])
    new, _, met = evaluate(s, None, work.x_new, work.e_new, ENOUGH)
    where = judge(s, left, new, met, st[LIVE], st[FRESH])
    if any_of(where):
        derivatives(s.strips, s.residuals, s.chains, s.place, work.e, work.jacobian, where)
    if fresh:
        damping = first_damping(mean_square(s), st[POTENTIAL] / weight, NEAR_BELOW)
        st[DAMPING] = select(begun, damping, st[DAMPING])
        st[GROWTH] = select(begun, 2.0, st[GROWTH])
        st[SLOW_STEPS] = select(begun, 0.0, st[SLOW_STEPS])
    st[STEPS] = st[STEPS] + st[LIVE]
    gradient = s.space.option[OPTION_GRADIENT]
    zero = 0.0 * left
    over = select(st[MET] > 0.5, zero + 1.0, zero)
    over = select(2.0 * st[LARGEST] <= gradient * (weight + st[POTENTIAL]), zero + 1.0, over)
    over = select(st[SLOW_STEPS] >= patience, zero + 1.0, over)
    over = select(st[STEPS] >= budget, zero + 1.0, over)
    over = select(st[LONGEST] < _NO_STEP, zero + 1.0, over)
    over = select(st[DAMPING] > _DAMPED_OUT * (weight + 1.0), zero + 1.0, over)
    return any_of(over * st[LIVE] > 0.5)


@kernel
def verdict(state, lane, begun, flat, weight, budget, patience):
    """How the search of a lane stands after a round: −1 (goes on), DONE, FLAT, SLOW or SPENT.

    begun: whether it has just begun; flat: the slope below which there is none, of P and the weights.
    """
    if state[MET, lane] > 0.5:
        return DONE
    if begun:
        return -1
    if 2.0 * state[LARGEST, lane] <= flat * (weight + state[POTENTIAL, lane]):
        return FLAT
    if state[SLOW_STEPS, lane] >= patience:
        return SLOW
    if state[TAKEN, lane] < 0.5 and (
        state[LONGEST, lane] < _NO_STEP or state[DAMPING, lane] > _DAMPED_OUT * (weight + 1.0)
    ):
        return FLAT
    return SPENT if state[STEPS, lane] >= budget else -1


@kernel
def long_vector(space, x, lane):
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
def _seed(s, numbers, start, given, index, lane):
    """Seed number ``index`` into X of a lane: given, or the lowest of four points of the sequence."""
    x = numbers.x
    bounds = s.bounds
    n = x.shape[0]
    number = index - given.shape[0]
    if number < 0:
        for i in range(n):
            x[i, lane] = inside(bounds, i, given[index, i])
        return
    points = numbers.x_new
    share = inner_share(number)
    for other in range(WIDTH):
        k = WIDTH * number + 1 + other
        for i in range(n):
            near = start[s.space.variable[i]]
            value = drawn(bounds.shift[i] + k * bounds.alpha[i], share, bounds.low[i], bounds.width[i], near)
            points[i, other] = inside(bounds, i, value)
    state = numbers.state
    s.work.state[LOOKED_AT] = evaluate(s, None, s.work.x_new, s.work.e_new, ENOUGH)[0]
    lowest = 0
    for other in range(1, WIDTH):
        if state[LOOKED_AT, other] < state[LOOKED_AT, lowest]:
            lowest = other
    for i in range(n):
        x[i, lane] = points[i, lowest]


@kernel
def _note_end(state, x, lane, task, end):
    """Where the search of a lane ended."""
    end[END_POTENTIAL] = state[POTENTIAL, lane]
    end[END_TASK] = task
    end[END_ITERATIONS] = state[STEPS, lane]
    for i in range(x.shape[0]):
        end[END_X + i] = x[i, lane]


@kernel
def _drop_after(state, index):
    """Give up the searches that began later than this one: how many."""
    dropped = 0
    for lane in range(WIDTH):
        if state[INDEX, lane] > index and state[LIVE, lane] > 0.5:
            state[LIVE, lane] = 0.0
            dropped += 1
    return dropped


@kernel
def _go_on(state, alone):
    """The first lane goes on as the search from the given start alone has left it."""
    if alone[STEPS] > 0.0:
        state[DAMPING, 0] = alone[DAMPING]
        state[GROWTH, 0] = alone[GROWTH]
        state[SLOW_STEPS, 0] = alone[SLOW_STEPS]


@kernel
def _from_seeds(s, numbers, alone, start, given, first, ends, budget, patience, own):
    """As of `poses_from_seeds`: the row of the first that met all goals, −1 or −2."""
    state = numbers.state
    x = numbers.x
    weight = alone[WEIGHT]
    last = ends.shape[0]
    following = 0
    live = 0
    best = -1
    charts = s.space.charts.shape[0] > 0
    for lane in range(WIDTH):
        begin_lane(state, lane, following, 1.0 if following < last else 0.0)
        if own <= following < last:
            _seed(s, numbers, start, given, first + following - own, lane)
            alone[EVALUATIONS] += 4.0
        elif lane > 0:
            for i in range(x.shape[0]):
                x[i, lane] = x[i, 0]
        live += 1 if following < last else 0
        following += 1
    following = min(following, last)
    fresh = True
    rounds = 0
    while live > 0:
        over = advance(s, weight, budget, patience, rounds == 0, fresh)
        if rounds == 0 and own > 0:
            _go_on(state, alone)
        rounds += 1
        alone[EVALUATIONS] += live
        if not (fresh or charts or over):
            continue
        fresh = False
        for lane in range(WIDTH):
            begun = state[FRESH, lane] > 0.5
            state[FRESH, lane] = 0.0
            if state[LIVE, lane] < 0.5:
                continue
            flat = s.space.option[OPTION_GRADIENT]
            task = verdict(state, lane, begun, flat, weight, budget, patience)
            if task < 0:
                if charts and long_vector(s.space, x, lane):
                    state[FRESH, lane] = 1.0
                    fresh = True
                continue
            index = int(state[INDEX, lane])
            alone[STEPS] += state[STEPS, lane]
            _note_end(state, x, lane, task, ends[index])
            if index < own and task == FLAT:
                return -2
            if task == DONE and (best < 0 or index < best):
                best = index
                last = min(last, index)
                patience = min(patience, _HURRY)
                live -= _drop_after(state, index)
            if following < last:
                begin_lane(state, lane, following, 1.0)
                _seed(s, numbers, start, given, first + following - own, lane)
                fresh = True
                alone[EVALUATIONS] += 4.0
                following += 1
            else:
                live -= 1 if state[LIVE, lane] > 0.5 else 0
                state[LIVE, lane] = 0.0
    return best


@kernel(entry="i8[:], f8[:], f8[:], f8[:], f8[:,:], i8, f8[:,:], i8, i8, i8 -> i8")
def poses_from_seeds(T, L, q, out, given, first, ends, budget, patience, own):
    """Search from seed number ``first`` and those after it, a row of ``ends`` each.

    Seeds: the rows of ``given`` first, then the points of the sequence (`seeds`). own (0 or 1): the first row is the
    given start's, from where `poses` left it; where that ends FLAT, which may be a saddle, the others are given up.

    Returns the row of the first that met all goals, −1, or −2 where the given start ended FLAT. ``q`` is where the
    coordinates that do not vary are, and is replaced by the result, with ``out``, if there is one.
    """
    one, parts, sweep = open_poses(T)
    G = integers_at(T[T_G], T[T_G + 1])
    alone = one.work.state
    if own == 0:
        alone[STEPS] = 0.0
        alone[EVALUATIONS] = 0.0
    alone[WEIGHT] = total_weight(parts)
    bring_in(q, one.space, view_parts(G, reals_at(T[T_H], T[T_H + 1])), sweep)
    note_fixed(one.tree, one.space, sweep, one.drives)
    s = lanes_of(one, G, L)
    numbers = view_lane_numbers(G, L)
    for i in range(one.work.x.shape[0]):
        numbers.x[i, 0] = one.work.x[i]
    best = _from_seeds(s, numbers, alone, sweep.q, given, first, ends, budget, patience, own)
    if best >= 0:
        x = one.work.x
        for i in range(x.shape[0]):
            x[i] = ends[best, END_X + i]
            sweep.q[one.space.variable[i]] = x[i]
        place(integers_at(T[T_S], T[T_S + 1])[IDENTITY] != 0, one.tree, sweep)
        alone[POTENTIAL] = ends[best, END_POTENTIAL]
        reached = miss_parts(parts, sweep.frames, sweep.errors)
        for t in range(sweep.errors.shape[0]):
            out[OUT_ERRORS + t] = sweep.errors[t]
        write_end(one, sweep, x, q)
        write_counts(alone, DONE, reached, out)
    return best
