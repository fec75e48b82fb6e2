"""Plain goals (the terms of 1989) of many problems, four problems side by side in the lanes of a register.

Each problem is searched from its own start and, while that misses, from others: the middle of the ranges, then points
of the same sequence as in `search.lanes`, every other of the first ones inside the inner half of the ranges. A lane
whose problem is over is given the next. Nothing that one lane does depends on another, so that the answer to a problem
is the same in whatever company it is solved. Where three ends agree on the lowest potential, and that is no near miss,
further starts are left out.

What ends short of the goals is measured at the lowest end, by one evaluation more.
"""

from __future__ import annotations

import math

from manikin.kernels.batch.layout import SITE_NUMBERS, view_batch
from manikin.kernels.jit import PREBUILT, kernel
from manikin.kernels.memory.lane_tools import any_of
from manikin.kernels.memory.lanes import WIDTH, select, widen
from manikin.kernels.memory.layout import (
    TERM,
    Terms,
    Tree,
    view_space,
    view_sweep,
    view_terms,
    view_tree,
)
from manikin.kernels.memory.state import DONE
from manikin.kernels.memory.targets import T_GIVEN, T_GOALS, view_slots, write_target
from manikin.kernels.memory.views import integers_at, view1, view2, view3
from manikin.kernels.projection.solve import (
    OPTION_GRADIENT,
    REFUSED,
    TIDY,
    is_finite,
    is_tidy,
    recharted,
    unwound,
)
from manikin.kernels.rows.terms import (
    _NO_DIRECTION,
    AXES,
    AXIS_WEIGHTS,
    PLANE,
    TARGET,
    TARGET_AXES,
    point_error,
    site_axis,
    site_point,
    total_weight,
)
from manikin.kernels.search.damped import FLAT, SLOW, SPENT, enter, evaluate_rows, wrap
from manikin.kernels.search.lanes import (
    _ACCEPTED,
    _DAMPING,
    _FACTOR,
    _FRESH,
    _INDEX,
    _LARGEST,
    _LIVE,
    _LONGEST,
    _MET,
    _P,
    _SLOW,
    _STEPS,
    FITTED,
    INNER,
    _judge,
    _long_vector,
)
from manikin.kernels.search.layout import (
    Bounds,
    Ties,
    view_bounds,
    view_lane_places,
    view_lane_state,
    view_lane_work,
    view_lane_x,
    view_ties,
)
from manikin.kernels.search.rows import lay_rows
from manikin.kernels.search.step import _left_over, bounded_step, longest_entry, slope_and_held

if PREBUILT is None:
    import manikin.kernels.intrinsics.uniform  # noqa: F401  (what lanes may be asked)

# More scalars of a lane: which start its problem is at (−1: the lowest end is being measured), the lowest potential so
# far, steps of all starts before this one, how many ends agree on the lowest.
_ATTEMPT, _BEST, _TOTAL, _SAME = 12, 13, 14, 15
_MEASURING = -1.0
# Columns of ``report``.
REPORT_TASK, REPORT_ITERATIONS, REPORT_STARTS, REPORT_POTENTIAL, REPORT = range(5)
# Steps and slow steps running after which a start is given up: of the first starts, and of those after so many.
_STEPS_AT_MOST, _PATIENCE, _MORE_STEPS, _MORE_PATIENCE, _FIRST = 30, 3, 80, 8, 16
# So many ends whose potentials differ by no more than this share are taken for the lowest there is, where it is above
# so much of the sum of weights.
_AGREEING, _ALIKE, _CLOSE = 3, 0.02, 1e-3


@kernel
def _load_figure(tree, terms, space, bounds, F, f):
    """The numbers of figure f where scalar code reads them."""
    row = F[f]
    at = 0
    for i in range(tree.placement.shape[0]):
        for c in range(12):
            tree.placement[i, c] = row[at]
            at += 1
    for k in range(tree.offset.shape[0]):
        tree.offset[k] = row[at]
        at += 1
    n = space.lower.shape[0]
    for j in range(n):
        space.lower[j] = row[at + j]
        space.upper[j] = row[at + n + j]
    at += 2 * n
    v = bounds.lower.shape[0]
    for i in range(v):
        bounds.lower[i] = row[at + i]
        bounds.upper[i] = row[at + v + i]
        bounds.true_lower[i] = row[at + 2 * v + i]
        bounds.true_upper[i] = row[at + 3 * v + i]
        bounds.low[i] = row[at + 4 * v + i]
        bounds.width[i] = row[at + 5 * v + i]
    at += 6 * v
    for t in range(terms.kind.shape[0]):
        for c in range(SITE_NUMBERS):
            terms.parameters[t, c] = row[at]
            at += 1


@kernel
def _share_bounds(bounds, batch, lane):
    """The scalar bounds into a lane."""
    for i in range(bounds.lower.shape[0]):
        batch.lower_of[i, lane] = bounds.lower[i]
        batch.upper_of[i, lane] = bounds.upper[i]
        batch.true_lower_of[i, lane] = bounds.true_lower[i]
        batch.true_upper_of[i, lane] = bounds.true_upper[i]
        batch.low_of[i, lane] = bounds.low[i]
        batch.width_of[i, lane] = bounds.width[i]


@kernel
def _share_placement(tree, batch, lane):
    """The scalar placements into a lane."""
    for i in range(tree.placement.shape[0]):
        for c in range(12):
            batch.placement_of[12 * i + c, lane] = tree.placement[i, c]


@kernel
def _take_targets(TT, numbers):
    """Write a problem's targets, (goals, 16); False where one of them cannot be taken."""
    slots = view_slots(TT)
    goals = TT[T_GOALS]
    given = integers_at(TT[T_GIVEN], goals)
    for goal in range(goals):
        if given[goal] != 0:
            row = view1(numbers[goal], 0, numbers.shape[1])
            if not write_target(slots, goal, row, False) or not write_target(slots, goal, row, True):
                return False
    return True


@kernel
def _load(alone, batch, TT, numbers, q, x, lane):
    """A problem into a lane: targets, start, axis values that do not vary. DONE, or why not."""
    tree, terms, space, sweep, ties = alone
    if not _take_targets(TT, numbers):
        return REFUSED
    if not is_finite(q):
        return REFUSED
    if not is_tidy(space, q):
        return TIDY
    for t in range(terms.kind.shape[0]):
        for c in range(TERM):
            batch.parameters_of[TERM * t + c, lane] = terms.parameters[t, c]
    enter(tree, space, sweep, ties, q)
    for k in range(ties.fixed.shape[0]):
        batch.fixed_of[k, lane] = ties.fixed[k]
    for i in range(x.shape[0]):
        x[i, lane] = sweep.q[space.variable[i]]
    return DONE


@kernel
def _seed(batch, bounds, start, variable, attempt, x, lane):
    """Start number ``attempt`` (from 1) of a lane's problem: the middle of the ranges, then the sequence."""
    number = attempt - 2
    share = INNER if number < FITTED and number % 2 == 0 else 1.0
    for i in range(x.shape[0]):
        low = batch.low_of[i, lane]
        limited = low > -math.inf
        u = 0.5
        if number >= 0:
            u = bounds.shift[i] + (number + 1) * bounds.alpha[i]
            u -= math.floor(u)
            if limited:
                u = 0.5 + share * (u - 0.5)
        if not limited:
            low = start[variable[i]] - 0.5 * batch.width_of[i, lane]
        value = low + u * batch.width_of[i, lane]
        x[i, lane] = min(max(value, batch.true_lower_of[i, lane]), batch.true_upper_of[i, lane])


@kernel
def _squares(kinds, terms, frames, squares):
    """The square of each term's miss: of a distance, or of the chord 2 sin ½θ of an angle.

    kinds: the scalar terms, which tell how many axes are minded.
    """
    p = terms.parameters
    for t in range(terms.kind.shape[0]):
        kind = terms.kind[t]
        i = terms.motion[t]
        if kind <= PLANE:
            r0, r1, r2 = site_point(frames, i, p, t)
            e0, e1, e2 = point_error(kind, p, t, r0, r1, r2)
            squares[t] = e0 * e0 + e1 * e1 + e2 * e2
        elif kind == AXES:
            minded = 0
            only = 0
            for k in range(3):
                if kinds.parameters[t, AXIS_WEIGHTS + k] > 0.0:
                    minded += 1
                    only = k
            total = 0.0 * frames[0, 0]
            for k in range(3):
                if minded != 1 or k == only:
                    v0, v1, v2 = site_axis(frames, i, p, t, k)
                    e0 = v0 - p[t, TARGET_AXES + 3 * k]
                    e1 = v1 - p[t, TARGET_AXES + 3 * k + 1]
                    e2 = v2 - p[t, TARGET_AXES + 3 * k + 2]
                    total += e0 * e0 + e1 * e1 + e2 * e2
            squares[t] = total * (1.0 if minded == 1 else 0.5)
        else:
            r0, r1, r2 = site_point(frames, i, p, t)
            v0, v1, v2 = site_axis(frames, i, p, t, 0)
            d0 = p[t, TARGET] - r0
            d1 = p[t, TARGET + 1] - r1
            d2 = p[t, TARGET + 2] - r2
            square = d0 * d0 + d1 * d1 + d2 * d2
            none = square < _NO_DIRECTION
            inverse = 1.0 / math.sqrt(select(none, 1.0, square))
            e0 = v0 - d0 * inverse
            e1 = v1 - d1 * inverse
            e2 = v2 - d2 * inverse
            squares[t] = select(none, 2.0, e0 * e0 + e1 * e1 + e2 * e2)


@kernel
def _begin(state, batch, lane, problem, attempt):
    """Set a lane's scalars up for a start of a problem."""
    state[_INDEX, lane] = problem
    state[_LIVE, lane] = 1.0
    state[_FRESH, lane] = 1.0
    state[_STEPS, lane] = -1.0
    state[_MET, lane] = 0.0
    state[_P, lane] = 1.0
    state[_DAMPING, lane] = 1.0
    state[_FACTOR, lane] = 2.0
    state[_SLOW, lane] = 0.0
    state[_ATTEMPT, lane] = attempt
    later = attempt >= _FIRST
    batch.limits_of[0, lane] = _MORE_STEPS if later else _STEPS_AT_MOST
    batch.limits_of[1, lane] = _MORE_PATIENCE if later else _PATIENCE


@kernel
def _any_over(lanes, limits, slope_left, weight):
    """Whether some search may be over; `_verdict` says which, and how."""
    zero = 0.0 * lanes[_P]
    over = select(lanes[_MET] > 0.5, zero + 1.0, zero)
    over = select(2.0 * lanes[_LARGEST] <= slope_left * (weight + lanes[_P]), zero + 1.0, over)
    over = select(lanes[_SLOW] >= limits[1], zero + 1.0, over)
    over = select(lanes[_STEPS] >= limits[0], zero + 1.0, over)
    over = select(lanes[_LONGEST] < 1e-13, zero + 1.0, over)
    over = select(lanes[_DAMPING] > 1e12 * (weight + 1.0), zero + 1.0, over)
    return any_of(over * lanes[_LIVE] > 0.5)


@kernel
def _verdict(state, batch, lane, begun, slope_left, weight):
    """How the search of a lane stands after a round: −1 (goes on), DONE, FLAT, SLOW or SPENT."""
    if state[_MET, lane] > 0.5:
        return DONE
    if begun:
        return SPENT if state[_ATTEMPT, lane] < -0.5 else -1
    if 2.0 * state[_LARGEST, lane] <= slope_left * (weight + state[_P, lane]):
        return FLAT
    if state[_SLOW, lane] >= batch.limits_of[1, lane]:
        return SLOW
    if state[_ACCEPTED, lane] < 0.5 and (
        state[_LONGEST, lane] < 1e-13 or state[_DAMPING, lane] > 1e12 * (weight + 1.0)
    ):
        return FLAT
    return SPENT if state[_STEPS, lane] >= batch.limits_of[0, lane] else -1


@kernel
def _hand_over(space, batch, state, start, x, lane, task, q, squares, report):
    """The end of a lane's problem: coordinates, misses and counts."""
    for j in range(q.shape[0]):
        q[j] = start[j]
    # As `finish`: rotation vectors short, whole turns out, measured from the start. X_NEW of a lane is free by now.
    n = x.shape[0]
    own = view1(squares, squares.shape[0] - n, n)
    for i in range(n):
        own[i] = x[i, lane]
    recharted(space, own, math.pi)
    unwound(space, own, q)
    for j in range(q.shape[0]):
        q[j] = min(max(q[j], space.lower[j]), space.upper[j])
    for i in range(n):
        q[space.variable[i]] = own[i]
    for t in range(squares.shape[0] - n):
        squares[t] = batch.squares_of[t, lane]
    report[REPORT_TASK] = task
    report[REPORT_ITERATIONS] = state[_TOTAL, lane] + max(state[_STEPS, lane], 0.0)
    attempt = state[_ATTEMPT, lane]
    report[REPORT_STARTS] = attempt + 1.0 if attempt > -0.5 else state[_SAME, lane]
    report[REPORT_POTENTIAL] = state[_P, lane]


@kernel
def _short(state, lane, weight, attempts, x, kept):
    """A start of a lane's problem ended short of the goals: the next one's number, or −1 where the lowest end will do.

    kept: where the lowest end of the problem is kept.
    """
    p = state[_P, lane]
    best = state[_BEST, lane]
    if p < (1.0 - _ALIKE) * best:
        state[_SAME, lane] = 1.0
    elif p <= (1.0 + _ALIKE) * best:
        state[_SAME, lane] += 1.0
    if p < best:
        state[_BEST, lane] = p
        for i in range(x.shape[0]):
            kept[i] = x[i, lane]
    state[_TOTAL, lane] += max(state[_STEPS, lane], 0.0)
    attempt = state[_ATTEMPT, lane] + 1.0
    agreed = state[_SAME, lane] >= _AGREEING and state[_BEST, lane] > _CLOSE * weight
    if agreed or attempt > attempts:
        state[_SAME, lane] = attempt
        return _MEASURING
    return attempt


@kernel
def _run(
    alone, tree, terms, ties, bounds, step_bounds, batch, varied, lanes_of, work, places, x, x_new, problem
):
    """All problems of a chunk; see the entries."""
    lanes, state = lanes_of
    own_tree, own_terms, space, _, own_ties = alone
    TT, F, which, start_rows, number_rows, q_rows, end_rows, report_rows, attempts = problem
    starts = view2(start_rows, 0, start_rows.shape[0], start_rows.shape[1])
    numbers = view3(number_rows, 0, number_rows.shape[0], number_rows.shape[1], number_rows.shape[2])
    q = view2(q_rows, 0, q_rows.shape[0], q_rows.shape[1])
    ends = view2(end_rows, 0, end_rows.shape[0], end_rows.shape[1])
    report = view2(report_rows, 0, report_rows.shape[0], report_rows.shape[1])
    count = q.shape[0]
    n = x.shape[0]
    rows = lay_rows(own_terms, own_ties, work.blocks)
    weight = total_weight(own_terms)
    slope_left = space.option[OPTION_GRADIENT]
    for c in range(12):
        places.frames[0, c] = widen(1.0 if c == 0 or c == 4 or c == 8 else 0.0)
    terms_count = own_terms.kind.shape[0]
    following = 0
    live = 0
    scalar = -1
    charts = space.charts.shape[0] > 0
    fresh = True
    left = widen(0.0)
    rounds = 0
    for lane in range(WIDTH):
        _share_bounds(bounds, batch, lane)
        if varied:
            _share_placement(own_tree, batch, lane)
        for k in range(batch.fixed_of.shape[0]):
            batch.fixed_of[k, lane] = 0.0
        for t in range(terms_count):
            for c in range(TERM):
                batch.parameters_of[TERM * t + c, lane] = own_terms.parameters[t, c]
        _begin(state, batch, lane, 0, 0.0)
        state[_LIVE, lane] = 0.0
        state[_LARGEST, lane] = 0.0
        state[_LONGEST, lane] = 0.0
        state[_ACCEPTED, lane] = 0.0
        for i in range(n):
            x[i, lane] = bounds.true_lower[i]
    wanting = WIDTH
    while True:
        if wanting > 0:
            wanting = 0
            for lane in range(WIDTH):
                while state[_LIVE, lane] < 0.5 and following < count:
                    k = following
                    following += 1
                    if varied and which[k] != scalar:
                        scalar = which[k]
                        _load_figure(own_tree, own_terms, space, bounds, F, scalar)
                    start = starts[k if starts.shape[0] > 1 else 0]
                    task = _load(alone, batch, TT, numbers[k if numbers.shape[0] > 1 else 0], start, x, lane)
                    if task != DONE:
                        report[k, REPORT_TASK] = task
                        continue
                    if varied:
                        _share_bounds(bounds, batch, lane)
                        _share_placement(own_tree, batch, lane)
                    _begin(state, batch, lane, k, 0.0)
                    state[_BEST, lane] = math.inf
                    state[_TOTAL, lane] = 0.0
                    state[_SAME, lane] = 0.0
                    live += 1
                    fresh = True
        if live == 0:
            break
        if rounds > 0:
            lanes[_LARGEST] = slope_and_held(rows, work, step_bounds.lower, step_bounds.upper)
            bounded_step(
                rows,
                work,
                bounds.scale,
                step_bounds.lower,
                step_bounds.upper,
                lanes[_DAMPING],
                lanes[_LIVE],
                None,
            )
            # What a step leaves, always by the same sum: `bounded_step` chooses between two for all lanes together.
            left = _left_over(rows, work, bounds.scale)
            lanes[_LONGEST] = longest_entry(work, bounds.scale)
            wrap(step_bounds, work.x_new)
        rounds += 1
        if fresh:
            for lane in range(WIDTH):
                if state[_FRESH, lane] > 0.5 or state[_LIVE, lane] < 0.5:
                    for i in range(n):
                        x_new[i, lane] = x[i, lane]
        new, met = evaluate_rows(tree, terms, ties, places, work.x_new, work.e_new, work.jacobian_new)
        _judge(rows, work, lanes, left, new, met, weight, fresh)
        lanes[_STEPS] = lanes[_STEPS] + lanes[_LIVE]
        if not (fresh or charts or _any_over(lanes, batch.limits, slope_left, weight)):
            continue
        fresh = False
        measured = False
        for lane in range(WIDTH):
            begun = state[_FRESH, lane] > 0.5
            state[_FRESH, lane] = 0.0
            if state[_LIVE, lane] < 0.5:
                continue
            task = _verdict(state, batch, lane, begun, slope_left, weight)
            if task < 0:
                if charts and _long_vector(space, x, lane):
                    state[_FRESH, lane] = 1.0
                    fresh = True
                continue
            k = int(state[_INDEX, lane])
            start = starts[k if starts.shape[0] > 1 else 0]
            measuring = state[_ATTEMPT, lane] < -0.5
            kept = view1(ends[k], terms_count, n)
            if task != DONE and not measuring:
                attempt = _short(state, lane, weight, attempts, x, kept)
                _begin(state, batch, lane, k, attempt)
                fresh = True
                if attempt > 0.0:
                    _seed(batch, bounds, start, space.variable, int(attempt), x, lane)
                else:
                    for i in range(n):
                        x[i, lane] = kept[i]
                continue
            if not measured:
                _squares(own_terms, terms, places.frames, batch.squares)
                measured = True
            if varied and which[k] != scalar:
                scalar = which[k]
                _load_figure(own_tree, own_terms, space, bounds, F, scalar)
            _hand_over(space, batch, state, start, x, lane, task, q[k], ends[k], report[k])
            state[_LIVE, lane] = 0.0
            live -= 1
            wanting += 1


@kernel
def _lane_ties(ties, batch):
    """The drives with what does not vary in lanes."""
    return Ties(
        ties.first,
        ties.which,
        ties.order,
        ties.block,
        ties.begin,
        ties.motion,
        ties.part,
        ties.column,
        ties.coefficient,
        ties.share,
        batch.fixed,
        ties.single,
    )


@kernel
def _lane_bounds(bounds, batch):
    """The bounds of a step in lanes."""
    return Bounds(
        batch.lower,
        batch.upper,
        batch.true_lower,
        batch.true_upper,
        bounds.scale,
        bounds.wraps,
        bounds.low,
        bounds.width,
        bounds.alpha,
        bounds.shift,
        bounds.speed,
        bounds.rest,
        bounds.pulled,
    )


@kernel
def _lane_tree(tree, batch):
    """The tree with placements in lanes."""
    return Tree(
        tree.parent,
        tree.kind,
        tree.axis,
        tree.drive_axis,
        tree.drive_dof,
        batch.placement,
        tree.offset,
        tree.drive_coefficient,
    )


@kernel(entry=True)
def plain_batch(S, R, W, N, V, L, C, TT, starts, numbers, q, ends, report, attempts):
    """Solve a problem for every row of ``q``, all of one figure.

    TT: the table of targets, whose slots lie in R. starts: a row of coordinates each, or one for all. numbers: targets,
    (problems, goals, 16), or (1, …) for all. ends: the squares of the misses, then the variables. report: see the
    columns. attempts: further starts of a problem at most.
    """
    tree = view_tree(S, R)
    terms = view_terms(S, R)
    space = view_space(S, R)
    ties = view_ties(N, V)
    bounds = view_bounds(N, V)
    batch = view_batch(S, N, C)
    alone = tree, terms, space, view_sweep(S, W), ties
    x, x_new = view_lane_x(N, L)
    none = view2(R, 0, 0, 0)
    problem = TT, none, view1(S, 0, 0), starts, numbers, q, ends, report, attempts
    in_lanes = Terms(terms.kind, terms.motion, batch.parameters)
    _run(
        alone,
        tree,
        in_lanes,
        _lane_ties(ties, batch),
        bounds,
        bounds,
        batch,
        False,
        view_lane_state(N, L),
        view_lane_work(N, L),
        view_lane_places(N, L),
        x,
        x_new,
        problem,
    )


@kernel(entry=True)
def plain_batch_figures(S, R, W, N, V, L, C, TT, F, which, starts, numbers, q, ends, report, attempts):
    """The same, problem k for figure ``which[k]``, a row of F."""
    tree = view_tree(S, R)
    terms = view_terms(S, R)
    space = view_space(S, R)
    ties = view_ties(N, V)
    bounds = view_bounds(N, V)
    batch = view_batch(S, N, C)
    alone = tree, terms, space, view_sweep(S, W), ties
    x, x_new = view_lane_x(N, L)
    problem = (
        TT,
        view2(F, 0, F.shape[0], F.shape[1]),
        view1(which, 0, which.shape[0]),
        starts,
        numbers,
        q,
        ends,
        report,
        attempts,
    )
    in_lanes = Terms(terms.kind, terms.motion, batch.parameters)
    _run(
        alone,
        _lane_tree(tree, batch),
        in_lanes,
        _lane_ties(ties, batch),
        bounds,
        _lane_bounds(bounds, batch),
        batch,
        True,
        view_lane_state(N, L),
        view_lane_work(N, L),
        view_lane_places(N, L),
        x,
        x_new,
        problem,
    )
