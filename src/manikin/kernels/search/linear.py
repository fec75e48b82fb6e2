"""The method of `lm` for problems with linear rows, from one start or from seeds one after the other.

The same damping, patience and verdicts; the step is that of `linear_step`. A seed is what `lm_lanes` begins with (a row
of ``given``, or the lowest of four points of the sequence), moved to the nearest point of all ranges and rows.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
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
    DONE,
    EVALUATIONS,
    ITERATIONS,
    MET,
    POTENTIAL,
    REFUSED,
    REPAIR,
    STATUS,
    STOPPED,
    TIDY,
)
from manikin.kernels.memory.views import reals_at, view1
from manikin.kernels.pose.limits import X, gather_rows, is_tidy, nearest_feasible, worst_violation
from manikin.kernels.pose.place import LONGEST_VECTOR, is_finite, recharted
from manikin.kernels.pose.report import OUT_REACHED, finish
from manikin.kernels.residuals.potentials import total_weight
from manikin.kernels.search.damped import (
    FLAT,
    PULL,
    PULL_STEPS,
    SLOW,
    SLOW_SHARE,
    SPENT,
    begin_at,
    enter,
    evaluate_rows,
    evaluate_start,
    first_damping,
    longest_move,
    longest_pulled,
    open_block,
    pull_to_rest,
    pulls_taken,
    stand,
    wrap,
)
from manikin.kernels.search.layout import (
    T_LINEAR,
    exchanged,
    view_places,
)
from manikin.kernels.search.linear_layout import view_linear
from manikin.kernels.search.linear_step import linear_step, scale_rows
from manikin.kernels.search.problem import arrays_of, view_problem
from manikin.kernels.search.rows import dense_rows, lay_rows
from manikin.kernels.search.step import next_damping, slope_and_held

#: Columns of ``ends`` before the coordinates, as those of `lm_lanes`.
END_POTENTIAL, END_TASK, END_ITERATIONS, END_X = range(4)
#: A start may be outside a row by so much; below it rounding is all there is.
FEASIBLE = 1e-11
#: Points of the sequence that a seed is the lowest of.
OF_POINTS = 4


@kernel
def search(tree, parts, space, method, ties, bounds, places, work, linear, budget, patience):
    """Steps from X until all goals are met, P has fallen slowly ``patience`` times running, or nothing helps."""
    rows = lay_rows(parts, ties, work.blocks)
    weight = total_weight(parts)
    home = work
    potential, met = evaluate_start(tree, parts, ties, places, work.x, work.e, work.jacobian, 1.0)
    iterations = 0
    evaluations = 1
    slow = 0
    pulls = pulls_taken(potential, weight)
    damping = first_damping(rows, work, potential, weight)
    growth = 2.0
    task = SPENT
    at_new = False
    while True:
        if met > 0.5:
            task = DONE
            break
        if iterations >= budget:
            break
        slope_and_held(rows, work, bounds.lower, bounds.upper)
        share = PULL if pulls < PULL_STEPS else 0.0
        pulls += 1
        dense_rows(rows, work.blocks, work.jacobian, linear.jacobian)
        found = False
        left = 0.0
        longest = 0.0
        largest = 0.0
        for attempt in range(2):
            pull_to_rest(bounds, work.x, share, linear.pull)
            found, left, longest, largest = linear_step(
                3 * rows.strips, method, bounds, work, linear, damping
            )
            if share == 0.0 or attempt == 1:
                break
            moved = longest_move(work)
            most = longest_pulled(math.sqrt(potential / weight))
            if moved <= most:
                break
            share *= most / moved
        if found and 2.0 * largest <= space.option[OPTION_GRADIENT] * (weight + potential):
            task = FLAT
            break
        iterations += 1
        new = math.inf
        new_met = 0.0
        if found:
            wrap(bounds, work.x_new)
            new, new_met = evaluate_rows(tree, parts, ties, places, work.x_new, work.e_new, work.jacobian_new)
            evaluations += 1
        fell = potential - new
        predicted = potential - left
        accepted = fell > 0.0 and predicted > 0.0
        gain = fell / predicted if accepted else 0.0
        damping, growth = next_damping(accepted, gain, new / potential, damping, growth)
        at_new = accepted
        slow = slow + 1 if fell < SLOW_SHARE * potential else 0
        if accepted:
            potential = new
            met = new_met
            work = exchanged(work)
            if recharted(space, work.x, LONGEST_VECTOR):
                potential, met = evaluate_rows(tree, parts, ties, places, work.x, work.e, work.jacobian)
                evaluations += 1
        elif (found and longest < 1e-13) or damping > 1e12 * (weight + 1.0):
            task = FLAT
            break
        if slow >= patience and met < 0.5:
            task = SLOW
            break
    if not at_new and task != DONE:
        evaluate_rows(tree, parts, ties, places, work.x, work.e_new, work.jacobian_new)
    for i in range(work.x.shape[0]):
        home.x[i] = work.x[i]
    st = method.state
    st[POTENTIAL] = potential
    st[STATUS] = MET if task == DONE else STOPPED
    st[ITERATIONS] = iterations
    st[EVALUATIONS] = evaluations
    return task


@kernel
def _spread_point(bounds, start, number, x):
    """Point ``number`` of the sequence, inside the ranges."""
    for i in range(x.shape[0]):
        u = bounds.shift[i] + number * bounds.alpha[i]
        u -= math.floor(u)
        low = bounds.low[i] if bounds.low[i] > -math.inf else start[i] - 0.5 * bounds.width[i]
        x[i] = min(max(low + u * bounds.width[i], bounds.true_lower[i]), bounds.true_upper[i])


@kernel
def _seed(tree, parts, method, ties, bounds, places, work, start, given, index):
    """Seed number ``index`` into X, brought into the rows; False where that cannot be."""
    n = work.x.shape[0]
    if index < given.shape[0]:
        for i in range(n):
            work.x[i] = min(max(given[index, i], bounds.true_lower[i]), bounds.true_upper[i])
    else:
        lowest = math.inf
        first = OF_POINTS * (index - given.shape[0]) + 1
        for other in range(OF_POINTS):
            _spread_point(bounds, start, first + other, work.x_new)
            potential, _ = evaluate_rows(tree, parts, ties, places, work.x_new, work.e_new, work.jacobian_new)
            if other == 0 or potential < lowest:
                lowest = potential
                for i in range(n):
                    work.x[i] = work.x_new[i]
    x = method.vector[X]
    for i in range(n):
        x[i] = work.x[i]
    possible = nearest_feasible(method, method.metric, method.curve[1])
    for i in range(n):
        work.x[i] = min(max(x[i], bounds.true_lower[i]), bounds.true_upper[i])
    return possible


@kernel
def enter_rows(space, sweep, method, bounds, work, linear):
    """Rows for the coordinates in ``sweep.q``; False when X, or a row without variables, breaks one."""
    possible = gather_rows(space, sweep.q, method)
    scale_rows(method, bounds, linear, False)
    x = method.vector[X]
    for i in range(work.x.shape[0]):
        x[i] = work.x[i]
    return possible and worst_violation(method)[0] <= FEASIBLE


@kernel(
    entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], f8[:], f8[:], f8[:,:], i8, f8[:,:], i8, i8 -> i8"
)
def lm_linear(S, R, W, N, V, P, q, variables, out, given, first, ends, budget, patience):
    """Search from the coordinates q, or from q with these variables; the end replaces q; ``out`` as of `solve.solve`.

    Returns what `lm.lm` does, or REPAIR for a start that breaks a linear row. With rows in ``ends`` the search is from
    seed number ``first`` and those after it instead, one a row, until one meets all goals: returns its row, or −1; q is
    where the coordinates that do not vary are, and the start that seeds without limits are spread about.
    """
    tree, parts, space, sweep, method, ties, bounds, work = view_problem(S, R, W, N, V)
    linear = view_linear(S, N, P)
    if not is_finite(q):
        return REFUSED
    if not is_tidy(space, q):
        return TIDY
    enter(tree, space, sweep, ties, q)
    begin_at(space, sweep, bounds, work.x, variables)
    n = work.x.shape[0]
    if not enter_rows(space, sweep, method, bounds, work, linear) and ends.shape[0] == 0:
        return REPAIR
    places = view_places(N, V, sweep)
    steps = 0.0
    evaluations = 0.0
    found = -1
    task = SPENT
    start = linear.program[0]
    for row in range(max(1, ends.shape[0])):
        if ends.shape[0] > 0:
            for i in range(n):
                start[i] = sweep.q[space.variable[i]]
            scale_rows(method, bounds, linear, False)
            if first + row >= given.shape[0]:
                evaluations += OF_POINTS
            if not _seed(tree, parts, method, ties, bounds, places, work, start, given, first + row):
                ends[row, END_POTENTIAL] = math.inf
                ends[row, END_TASK] = FLAT
                ends[row, END_ITERATIONS] = 0.0
                continue
        task = search(tree, parts, space, method, ties, bounds, places, work, linear, budget, patience)
        steps += method.state[ITERATIONS]
        evaluations += method.state[EVALUATIONS]
        if ends.shape[0] > 0:
            ends[row, END_POTENTIAL] = method.state[POTENTIAL]
            ends[row, END_TASK] = task
            ends[row, END_ITERATIONS] = method.state[ITERATIONS]
            for i in range(n):
                ends[row, END_X + i] = work.x[i]
            if task == DONE:
                found = row
                break
    method.state[ITERATIONS] = steps
    method.state[EVALUATIONS] = evaluations
    if ends.shape[0] > 0 and found < 0:
        return -1
    for i in range(n):
        method.vector[X, i] = work.x[i]
    finish(parts, space, sweep, method, q, out)
    if ends.shape[0] > 0:
        return found
    return DONE if out[OUT_REACHED] > 0.5 else task


@kernel
def _search_from(T, q, out, patience, run):
    """Search from the coordinates q, which the end replaces: `damped.search_from` among linear rows."""
    S, R, W, N, V = arrays_of(T)
    P = reals_at(T[T_LINEAR], T[T_LINEAR + 1])
    tree, parts, space, sweep, method, ties, bounds, work = view_problem(S, R, W, N, V)
    linear = view_linear(S, N, P)
    if not is_finite(q):
        return REFUSED
    enter(tree, space, sweep, ties, q)
    for i in range(work.x.shape[0]):
        work.x[i] = sweep.q[space.variable[i]]
    stand(space, given_start(T, q), run == FRESH, work.x, bounds.stays, bounds.rest)
    if not is_tidy(space, q):
        return TIDY
    if not enter_rows(space, sweep, method, bounds, work, linear):
        return REPAIR
    places = view_places(N, V, sweep)
    task = search(tree, parts, space, method, ties, bounds, places, work, linear, T[T_BUDGET], patience)
    for i in range(work.x.shape[0]):
        method.vector[X, i] = work.x[i]
    finish(parts, space, sweep, method, q, out)
    return DONE if out[OUT_REACHED] > 0.5 else task


@kernel(entry="i8[:], f8[:], f8[:], i8, f8 -> i8")
def lm_rows(T, start, block, patience, _):
    """`damped.lm` for problems with linear rows: the same block, the same targets and paths; never too far."""
    samples = path_samples(T)
    if samples == 0:
        out, q = open_block(start, block)
        return _search_from(T, q, out, patience, run_of_sample(T, 0))
    size = block.shape[0] // samples
    begin = view1(start, 0, start.shape[0])
    for k in range(samples):
        if not next_targets(T, k):
            return REFUSED
        out, q = open_block(begin, view1(block, k * size, size))
        task = _search_from(T, q, out, patience, run_of_sample(T, k))
        if task != DONE:
            return task
        begin = q
    return DONE
