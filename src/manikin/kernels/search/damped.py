"""The method of Levenberg and Marquardt inside the ranges, one start at a time.

Each step solves the linearised goals, damped by λ, inside the ranges (`lm_step`). λ begins in proportion to
P (far away a small damping slams into the limits and sticks there) and follows the ratio of the fall of P to the
predicted one. A joint whose range covers a whole turn wraps. The search is given up when it is slow, for Newton's
steps or for other starts: that is the work of whoever called. What it would go on with (X, λ, its growth, how many
steps were slow) is left in the workspace, so that `lm_lanes` can.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lanes import round_down, select
from manikin.kernels.memory.layout import OPTION_GRADIENT
from manikin.kernels.memory.path import (
    FRESH,
    T_BUDGET,
    given_start,
    next_targets,
    path_samples,
    run_of_sample,
)
from manikin.kernels.memory.state import (
    DAMPING,
    DONE,
    EVALUATIONS,
    GROWTH,
    ITERATIONS,
    MET,
    POTENTIAL,
    REFUSED,
    SLOW_STEPS,
    STATUS,
    STOPPED,
    TIDY,
)
from manikin.kernels.memory.views import view1
from manikin.kernels.pose.limits import X, is_tidy
from manikin.kernels.pose.place import LONGEST_VECTOR, is_finite, recharted
from manikin.kernels.pose.report import OUT_ERRORS, OUT_EVALUATIONS, OUT_REACHED, finish
from manikin.kernels.residuals.potentials import miss_parts, total_weight
from manikin.kernels.search.layout import (
    SECONDS,
    exchanged,
    view_options,
    view_places,
)
from manikin.kernels.search.problem import arrays_of, view_problem
from manikin.kernels.search.rows import fill_rows, lay_rows
from manikin.kernels.search.step import bounded_step, longest_entry, next_damping, slope_and_held
from manikin.kernels.tree.sweep import drive, place_motions, turn_values

# What a search ends with besides DONE: steps that cut P by too little; no slope, or no step that helps; no more budget;
# no step taken, the start being far from the goals.
SLOW, FLAT, SPENT, FAR = 11, 12, 13, 14
# A step that cuts P by less than this share is slow.
SLOW_SHARE = 0.3
# A search ends with misses of at most half the tolerance, or a tenth where the goals leave no freedom: there what is
# left of a miss shows in the joints, and more so near a singular pose. But a start is left alone only where it is
# nearer than a hundredth (STOP), so that what follows a slow target moves at every sample and not in jerks.
ENOUGH, CLOSE_ENOUGH = 2500.0, 100.0
_TURN = 2.0 * math.pi
# λ at the beginning, in units of the mean square of a row of J: on the goals, near them, and far from them; and P, of
# the sum of weights, below which a start is near: it grows with the square of P there (a step in twelve less).
_NO_DAMPING = 1e-4
_LEAST_DAMPING = 0.003
_MOST_DAMPING = 0.3
_NEAR = 0.05
# The pull towards rest, for a figure that follows something: a share of the way that is left; in how many steps; and
# none where more than this is missed, in metres, at the start. It is less where a step would be longer than so many
# radians a metre of what is missed, so that a figure that is nearly there stays, or than this, so that it bends the way
# little.
PULL, PULL_STEPS, _FOLLOWS = 0.5, 1, 0.03
_PULL_BY_MISS, _PULL_LONGEST = 12.0, 0.1


@kernel
def place_variables(tree, ties, places, x):
    """The frames at the variables x."""
    values = places.values
    if ties.single != 0:
        for k in range(values.shape[0]):
            values[k] = ties.fixed[k] + ties.coefficient[k] * x[ties.which[k]]
    else:
        for k in range(values.shape[0]):
            s = ties.fixed[k] + 0.0 * x[0]
            for t in range(ties.first[k], ties.first[k + 1]):
                s += ties.coefficient[t] * x[ties.which[t]]
            values[k] = s
    turn_values(places.wide, places.wide_trig)
    place_motions(
        tree.parent, tree.kind, tree.axis, tree.placement, values, places.trig, places.frames, places.spins
    )


@kernel
def evaluate_start(tree, parts, ties, places, x, e, jacobian, share):
    """Rows and Jacobian at the variables x: (P, 1 where every part may stop, to this share)."""
    place_variables(tree, ties, places, x)
    return fill_rows(parts, ties, places.frames, places.spins, e, jacobian, share)


@kernel
def evaluate_rows(tree, parts, ties, places, x, e, jacobian):
    """The same after a step, which need not come closer than half the tolerance: the next would be a waste."""
    return evaluate_start(tree, parts, ties, places, x, e, jacobian, ENOUGH)


@kernel
def wrap(bounds, x):
    """Bring the coordinates that wrap back into their ranges by whole turns."""
    for i in range(x.shape[0]):
        if bounds.wraps[i] == 0.0:
            continue
        high = bounds.true_upper[i]
        low = bounds.true_lower[i]
        y = x[i]
        y = select(y > high, y + _TURN * round_down((high - y) / _TURN), y)
        y = select(y < low, y - _TURN * round_down((y - low) / _TURN), y)
        y = select(y > high, high, y)
        x[i] = select(y < low, low, y)


@kernel
def any_wraps(bounds):
    """Whether any coordinate wraps."""
    count = 0.0
    for i in range(bounds.wraps.shape[0]):
        count += bounds.wraps[i]
    return count > 0.0


@kernel
def first_damping(rows, work, potential, weight):
    """λ to begin with: a share of the mean square of J's rows that grows with P."""
    blocks = work.blocks
    s0 = 0.0 * potential
    s1 = s0
    s2 = s0
    for s in range(rows.strips):
        strip = work.jacobian[s]
        for k in range(blocks.length[blocks.strip[s]]):
            s0 += strip[k, 0] * strip[k, 0]
            s1 += strip[k, 1] * strip[k, 1]
            s2 += strip[k, 2] * strip[k, 2]
    far = potential / weight
    least = select(far < _NO_DAMPING, _NO_DAMPING, far)
    least = select(least > _LEAST_DAMPING, _LEAST_DAMPING, least)
    share = _MOST_DAMPING * far * select(far < _NEAR, far, 1.0)
    share = select(share < least, least, share)
    share = select(share > _MOST_DAMPING, _MOST_DAMPING, share)
    return share * (s0 + s1 + s2) / rows.count


@kernel
def enter(tree, space, sweep, ties, q):
    """Bring q into the ranges and note what the coordinates that do not vary make of the axis values."""
    for j in range(q.shape[0]):
        value = min(max(q[j], space.lower[j]), space.upper[j])
        sweep.q[j] = value
        sweep.by_dof[j] = value
    for i in range(space.variable.shape[0]):
        sweep.by_dof[space.variable[i]] = 0.0
    drive(tree.offset, tree.drive_axis, tree.drive_dof, tree.drive_coefficient, sweep.by_dof, ties.fixed)


@kernel
def limit_speed(bounds, x, seconds):
    """Ranges of this search: what each variable can reach from X in so many seconds; with none, all of its own.

    In time nothing wraps: from one end of a range to the same pose at its other end is a way of its own.
    """
    for i in range(x.shape[0]):
        low = bounds.true_lower[i]
        high = bounds.true_upper[i]
        if bounds.wraps[i] != 0.0 and seconds == 0.0:
            low = -math.inf
            high = math.inf
        if seconds > 0.0:
            low = max(low, x[i] - seconds * bounds.speed[i])
            high = min(high, x[i] + seconds * bounds.speed[i])
        bounds.lower[i] = low
        bounds.upper[i] = high


@kernel
def pulls_taken(potential, weight):
    """How many pulled steps count as taken where a search begins: all of them where it follows nothing."""
    return 0 if potential <= _FOLLOWS * _FOLLOWS * weight else PULL_STEPS


@kernel
def longest_pulled(miss):
    """How long a step with a pull may be; ``miss`` is in metres."""
    return min(_PULL_BY_MISS * miss, _PULL_LONGEST)


@kernel
def pull_to_rest(bounds, x, share, pull):
    """Where a step would go from x by itself: a share of the way to rest.

    It is the same share of every variable's way: cut one by one they would lead to a place that depends on how the
    figure came, not to the posture nearest to rest.
    """
    for i in range(x.shape[0]):
        pull[i] = share * bounds.pulled[i] * (bounds.rest[i] - x[i]) / bounds.scale[i]


@kernel
def stand(space, start, fresh, x, stays, rest):
    """Let the pull lead a base that nothing else places, the variables that ``stays`` marks, back to where it stands in
    the start; or, unless the search is ``fresh``, to where it stood before: what is dragged round a closed path comes
    back with it.

    Of a rotation vector, to the one of that rotation that is nearer.
    """
    for i in range(x.shape[0]):
        if fresh and stays[i] != 0.0:
            j = space.variable[i]
            rest[i] = min(max(start[j], space.lower[j]), space.upper[j])
    for c in range(space.charts.shape[0]):
        first = space.charts[c, 0]
        if stays[first] == 0.0:
            continue
        square = 0.0
        along = 0.0
        for i in range(first, first + space.charts[c, 1]):
            square += rest[i] * rest[i]
            along += rest[i] * x[i]
        length = math.sqrt(square)
        if length == 0.0:
            continue
        other = length - _TURN
        if (other - length) * (other + length - 2.0 * along / length) < 0.0:
            for i in range(first, first + space.charts[c, 1]):
                rest[i] *= other / length


@kernel
def longest_move(work):
    """The longest entry of the step from X to X_NEW."""
    longest = 0.0
    for i in range(work.x.shape[0]):
        longest = max(longest, abs(work.x_new[i] - work.x[i]))
    return longest


@kernel
def search(tree, parts, space, ties, bounds, places, work, st, budget, patience, far):
    """Steps from X until all goals are met, P has fallen slowly ``patience`` times running, or nothing helps.

    None is taken where P is above ``far`` times the sum of the weights.
    """
    rows = lay_rows(parts, ties, work.blocks)
    home = work
    weight = total_weight(parts)
    potential, met = evaluate_start(tree, parts, ties, places, work.x, work.e, work.jacobian, 1.0)
    charts = space.charts.shape[0] > 0
    wraps = any_wraps(bounds)
    enough = ENOUGH if rows.count < work.x.shape[0] else CLOSE_ENOUGH
    iterations = 0
    evaluations = 1
    slow = 0
    pulls = pulls_taken(potential, weight)
    damping = 0.0
    factor = 2.0
    task = SPENT
    at_new = False
    if potential > far * weight and met < 0.5:
        st[POTENTIAL] = potential
        st[STATUS] = STOPPED
        st[ITERATIONS] = 0
        st[EVALUATIONS] = 1
        return FAR
    while True:
        if met > 0.5:
            task = DONE
            break
        largest = slope_and_held(rows, work, bounds.lower, bounds.upper)
        if 2.0 * largest <= space.option[OPTION_GRADIENT] * (weight + potential):
            task = FLAT
            break
        if iterations >= budget:
            break
        if iterations == 0:
            damping = first_damping(rows, work, potential, weight)
        iterations += 1
        share = PULL if pulls < PULL_STEPS and rows.count < work.x.shape[0] else 0.0
        pulls += 1
        left = 0.0
        for attempt in range(2):
            pull_to_rest(bounds, work.x, share, work.pull)
            left = bounded_step(rows, work, bounds.scale, bounds.lower, bounds.upper, damping, 1.0, work.pull)
            if share == 0.0 or attempt == 1:
                break
            longest = longest_move(work)
            most = longest_pulled(math.sqrt(potential / weight))
            if longest <= most:
                break
            share *= most / longest
            slope_and_held(rows, work, bounds.lower, bounds.upper)
        if wraps:
            wrap(bounds, work.x_new)
        new, new_met = evaluate_start(
            tree, parts, ties, places, work.x_new, work.e_new, work.jacobian_new, enough
        )
        evaluations += 1
        fell = potential - new
        predicted = potential - left
        accepted = fell > 0.0 and predicted > 0.0
        damping, factor = next_damping(accepted, fell / predicted, new / potential, damping, factor)
        at_new = accepted
        slow = slow + 1 if fell < SLOW_SHARE * potential else 0
        if accepted:
            potential = new
            met = new_met
            work = exchanged(work)
            if charts and recharted(space, work.x, LONGEST_VECTOR):
                potential, met = evaluate_start(
                    tree, parts, ties, places, work.x, work.e, work.jacobian, enough
                )
                evaluations += 1
        elif longest_entry(work, bounds.scale) < 1e-13 or damping > 1e12 * (weight + 1.0):
            task = FLAT
            break
        if slow >= patience and met < 0.5:
            task = SLOW
            break
    if not at_new and task != DONE:
        evaluate_rows(tree, parts, ties, places, work.x, work.e_new, work.jacobian_new)
    for i in range(work.x.shape[0]):
        home.x[i] = work.x[i]
    st[POTENTIAL] = potential
    st[STATUS] = MET if task == DONE else STOPPED
    st[ITERATIONS] = iterations
    st[EVALUATIONS] = evaluations
    st[DAMPING] = damping
    st[GROWTH] = factor
    st[SLOW_STEPS] = slow
    return task


@kernel
def begin_at(space, sweep, bounds, x, variables):
    """Start at the variables given, or where there are none at the coordinates in ``sweep.q``."""
    for i in range(x.shape[0]):
        if variables.shape[0] > 0:
            x[i] = min(max(variables[i], bounds.true_lower[i]), bounds.true_upper[i])
        else:
            x[i] = sweep.q[space.variable[i]]


@kernel
def open_block(start, block):
    """The parts of a block, ``out``, the end and the start, the last two set to the start and the first to zero."""
    n = start.shape[0]
    first = block.shape[0] - 2 * n
    out = view1(block, 0, first)
    q = view1(block, first, n)
    begun = view1(block, first + n, n)
    for i in range(first):
        out[i] = 0.0
    for j in range(n):
        q[j] = start[j]
        begun[j] = start[j]
    return out, q


@kernel
def search_from(T, q, out, patience, far, run):
    """Search from the coordinates q, which the end replaces; ``out`` as of `solve.solve`; ``run`` as of `memory.path`.

    Returns DONE when every goal is met; SLOW, FLAT or SPENT; FAR, with q as it was and its misses; or what of a start
    `solve.solve` cannot accept.
    """
    S, R, W, N, V = arrays_of(T)
    tree, parts, space, sweep, method, ties, bounds, work = view_problem(S, R, W, N, V)
    if not is_finite(q):
        return REFUSED
    enter(tree, space, sweep, ties, q)
    for i in range(work.x.shape[0]):
        work.x[i] = sweep.q[space.variable[i]]
    stand(space, given_start(T, q), run == FRESH, work.x, bounds.stays, bounds.rest)
    if not is_tidy(space, q):
        return TIDY
    limit_speed(bounds, work.x, view_options(N, V)[SECONDS])
    places = view_places(N, V, sweep)
    task = search(tree, parts, space, ties, bounds, places, work, method.state, T[T_BUDGET], patience, far)
    if task == FAR:
        miss_parts(parts, sweep.frames, sweep.errors)
        for t in range(sweep.errors.shape[0]):
            out[OUT_ERRORS + t] = sweep.errors[t]
        out[OUT_EVALUATIONS] = 1.0
        return task
    for i in range(space.variable.shape[0]):
        method.vector[X, i] = work.x[i]
    finish(parts, space, sweep, method, q, out)
    return DONE if out[OUT_REACHED] > 0.5 else task


@kernel(entry="i8[:], f8[:], f8[:], i8, f8 -> i8")
def lm(T, start, block, patience, far):
    """`search_from` the coordinates ``start``; ``block`` receives ``out``, the end, and the start.

    Where the table tells of a path (`memory.path`), a block for each of its samples, each from the end of the last,
    until one fails.
    """
    samples = path_samples(T)
    if samples == 0:
        out, q = open_block(start, block)
        return search_from(T, q, out, patience, far, run_of_sample(T, 0))
    size = block.shape[0] // samples
    begin = view1(start, 0, start.shape[0])
    for k in range(samples):
        if not next_targets(T, k):
            return REFUSED
        out, q = open_block(begin, view1(block, k * size, size))
        task = search_from(T, q, out, patience, far, run_of_sample(T, k))
        if task != DONE:
            return task
        begin = q
    return DONE
