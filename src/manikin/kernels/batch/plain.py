"""Plain goals (the five kinds of 1989) of many problems, four problems side by side in the lanes of a register.

Each problem is searched from its own start and, while that misses, from others: the middle of the ranges, then points
of the same sequence as in `search.lanes`, every other of the first ones inside the inner half of the ranges. A lane
whose problem is over is given the next. Nothing that one lane does depends on another, so that the answer to a problem
is the same in whatever company it is solved. Where three ends agree on the lowest potential, and that is no near miss,
further starts are left out.

What ends short of the goals is measured at the lowest end, by one evaluation more.
"""

from __future__ import annotations

import math

from manikin.kernels.batch.layout import view_batch
from manikin.kernels.batch.loading import (
    load_figure,
    load_problem,
    load_seed,
    share_bounds,
    share_placement,
)
from manikin.kernels.jit import LOWERING, kernel
from manikin.kernels.math.vector import dot
from manikin.kernels.memory.lanes import WIDTH, select, widen
from manikin.kernels.memory.layout import (
    OPTION_GRADIENT,
    PART,
    Parts,
    Tree,
    view_parts,
    view_space,
    view_sweep,
    view_tree,
)
from manikin.kernels.memory.state import DONE
from manikin.kernels.memory.views import view1, view2, view3
from manikin.kernels.pose.place import recharted, unwound
from manikin.kernels.residuals.errors import (
    AXES,
    PLANE,
    aim_error,
    axis_error,
    only_axis,
    point_error,
    site_axis,
    site_point,
)
from manikin.kernels.residuals.potentials import total_weight
from manikin.kernels.search.damped import SPENT, evaluate_rows, wrap
from manikin.kernels.search.lane_state import (
    LANE_ACCEPTED,
    LANE_DAMPING,
    LANE_FRESH,
    LANE_INDEX,
    LANE_LARGEST,
    LANE_LIVE,
    LANE_LONGEST,
    LANE_P,
    LANE_STEPS,
    any_over,
    begin_lane,
    long_vector,
    verdict,
)
from manikin.kernels.search.lanes import judge_steps
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

if LOWERING:
    import manikin.toolchain.intrinsics.uniform  # noqa: F401  (what lanes may be asked)

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
def _squares(own_parts, parts, frames, squares):
    """The square of each part's miss: of a distance, or of the chord 2 sin ½θ of an angle.

    own_parts: the scalar ones, which tell how many axes are minded.
    """
    p = parts.parameters
    for t in range(parts.kind.shape[0]):
        kind = parts.kind[t]
        i = parts.motion[t]
        if kind == AXES:
            only = only_axis(own_parts.parameters, t)
            total = 0.0 * frames[0, 0]
            for k in range(3):
                if only < 0 or k == only:
                    _, e = axis_error(frames, i, p, t, k)
                    total += dot(e, e)
            squares[t] = total * (0.5 if only < 0 else 1.0)
            continue
        r = site_point(frames, i, p, t)
        if kind <= PLANE:
            e = point_error(kind, p, t, r)
            squares[t] = dot(e, e)
        else:
            _, _, none, e = aim_error(p, t, r, site_axis(frames, i, p, t, 0))
            squares[t] = select(none, 2.0, dot(e, e))


@kernel
def _begin(state, batch, lane, problem, attempt):
    """Set a lane's scalars up for a start of a problem."""
    begin_lane(state, lane, problem, 1.0)
    state[_ATTEMPT, lane] = attempt
    later = attempt >= _FIRST
    batch.limits_of[0, lane] = _MORE_STEPS if later else _STEPS_AT_MOST
    batch.limits_of[1, lane] = _MORE_PATIENCE if later else _PATIENCE


@kernel
def _verdict(state, batch, lane, begun, slope_left, weight):
    """How the search of a lane stands after a round: −1 (goes on), DONE, FLAT, SLOW or SPENT."""
    limits = batch.limits_of
    found = verdict(state, lane, begun, slope_left, weight, limits[0, lane], limits[1, lane])
    return SPENT if begun and found < 0 and state[_ATTEMPT, lane] < -0.5 else found


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
    report[REPORT_ITERATIONS] = state[_TOTAL, lane] + max(state[LANE_STEPS, lane], 0.0)
    attempt = state[_ATTEMPT, lane]
    report[REPORT_STARTS] = attempt + 1.0 if attempt > -0.5 else state[_SAME, lane]
    report[REPORT_POTENTIAL] = state[LANE_P, lane]


@kernel
def _short(state, lane, weight, attempts, x, kept):
    """A start of a lane's problem ended short of the goals: the next one's number, or −1 where the lowest end will do.

    kept: where the lowest end of the problem is kept.
    """
    p = state[LANE_P, lane]
    best = state[_BEST, lane]
    if p < (1.0 - _ALIKE) * best:
        state[_SAME, lane] = 1.0
    elif p <= (1.0 + _ALIKE) * best:
        state[_SAME, lane] += 1.0
    if p < best:
        state[_BEST, lane] = p
        for i in range(x.shape[0]):
            kept[i] = x[i, lane]
    state[_TOTAL, lane] += max(state[LANE_STEPS, lane], 0.0)
    attempt = state[_ATTEMPT, lane] + 1.0
    agreed = state[_SAME, lane] >= _AGREEING and state[_BEST, lane] > _CLOSE * weight
    if agreed or attempt > attempts:
        state[_SAME, lane] = attempt
        return _MEASURING
    return attempt


@kernel
def _run(
    alone, tree, parts, ties, bounds, step_bounds, batch, varied, lanes_of, work, places, x, x_new, problem
):
    """All problems of a chunk; see the entries."""
    lanes, state = lanes_of
    own_tree, own_parts, space, _, own_ties = alone
    TT, F, which, start_rows, number_rows, q_rows, end_rows, report_rows, attempts = problem
    starts = view2(start_rows, 0, start_rows.shape[0], start_rows.shape[1])
    numbers = view3(number_rows, 0, number_rows.shape[0], number_rows.shape[1], number_rows.shape[2])
    q = view2(q_rows, 0, q_rows.shape[0], q_rows.shape[1])
    ends = view2(end_rows, 0, end_rows.shape[0], end_rows.shape[1])
    report = view2(report_rows, 0, report_rows.shape[0], report_rows.shape[1])
    count = q.shape[0]
    n = x.shape[0]
    rows = lay_rows(own_parts, own_ties, work.blocks)
    weight = total_weight(own_parts)
    slope_left = space.option[OPTION_GRADIENT]
    for c in range(12):
        places.frames[0, c] = widen(1.0 if c == 0 or c == 4 or c == 8 else 0.0)
    parts_count = own_parts.kind.shape[0]
    following = 0
    live = 0
    scalar = -1
    charts = space.charts.shape[0] > 0
    fresh = True
    left = widen(0.0)
    rounds = 0
    for lane in range(WIDTH):
        share_bounds(bounds, batch, lane)
        if varied:
            share_placement(own_tree, batch, lane)
        for k in range(batch.fixed_of.shape[0]):
            batch.fixed_of[k, lane] = 0.0
        for t in range(parts_count):
            for c in range(PART):
                batch.parameters_of[PART * t + c, lane] = own_parts.parameters[t, c]
        _begin(state, batch, lane, 0, 0.0)
        state[LANE_LIVE, lane] = 0.0
        state[LANE_LARGEST, lane] = 0.0
        state[LANE_LONGEST, lane] = 0.0
        state[LANE_ACCEPTED, lane] = 0.0
        for i in range(n):
            x[i, lane] = bounds.true_lower[i]
    wanting = WIDTH
    while True:
        if wanting > 0:
            wanting = 0
            for lane in range(WIDTH):
                while state[LANE_LIVE, lane] < 0.5 and following < count:
                    k = following
                    following += 1
                    if varied and which[k] != scalar:
                        scalar = which[k]
                        load_figure(own_tree, own_parts, space, bounds, F, scalar)
                    start = starts[k if starts.shape[0] > 1 else 0]
                    task = load_problem(
                        alone, batch, TT, numbers[k if numbers.shape[0] > 1 else 0], start, x, lane
                    )
                    if task != DONE:
                        report[k, REPORT_TASK] = task
                        continue
                    if varied:
                        share_bounds(bounds, batch, lane)
                        share_placement(own_tree, batch, lane)
                    _begin(state, batch, lane, k, 0.0)
                    state[_BEST, lane] = math.inf
                    state[_TOTAL, lane] = 0.0
                    state[_SAME, lane] = 0.0
                    live += 1
                    fresh = True
        if live == 0:
            break
        if rounds > 0:
            lanes[LANE_LARGEST] = slope_and_held(rows, work, step_bounds.lower, step_bounds.upper)
            bounded_step(
                rows,
                work,
                bounds.scale,
                step_bounds.lower,
                step_bounds.upper,
                lanes[LANE_DAMPING],
                lanes[LANE_LIVE],
                None,
            )
            # What a step leaves, always by the same sum: `bounded_step` chooses between two for all lanes together.
            left = _left_over(rows, work, bounds.scale)
            lanes[LANE_LONGEST] = longest_entry(work, bounds.scale)
            wrap(step_bounds, work.x_new)
        rounds += 1
        if fresh:
            for lane in range(WIDTH):
                if state[LANE_FRESH, lane] > 0.5 or state[LANE_LIVE, lane] < 0.5:
                    for i in range(n):
                        x_new[i, lane] = x[i, lane]
        new, met = evaluate_rows(tree, parts, ties, places, work.x_new, work.e_new, work.jacobian_new)
        judge_steps(rows, work, lanes, left, new, met, weight, fresh)
        lanes[LANE_STEPS] = lanes[LANE_STEPS] + lanes[LANE_LIVE]
        if not (fresh or charts or any_over(lanes, slope_left, weight, batch.limits[0], batch.limits[1])):
            continue
        fresh = False
        measured = False
        for lane in range(WIDTH):
            begun = state[LANE_FRESH, lane] > 0.5
            state[LANE_FRESH, lane] = 0.0
            if state[LANE_LIVE, lane] < 0.5:
                continue
            task = _verdict(state, batch, lane, begun, slope_left, weight)
            if task < 0:
                if charts and long_vector(space, x, lane):
                    state[LANE_FRESH, lane] = 1.0
                    fresh = True
                continue
            k = int(state[LANE_INDEX, lane])
            start = starts[k if starts.shape[0] > 1 else 0]
            measuring = state[_ATTEMPT, lane] < -0.5
            kept = view1(ends[k], parts_count, n)
            if task != DONE and not measuring:
                attempt = _short(state, lane, weight, attempts, x, kept)
                _begin(state, batch, lane, k, attempt)
                fresh = True
                if attempt > 0.0:
                    load_seed(batch, bounds, start, space.variable, int(attempt), x, lane)
                else:
                    for i in range(n):
                        x[i, lane] = kept[i]
                continue
            if not measured:
                _squares(own_parts, parts, places.frames, batch.squares)
                measured = True
            if varied and which[k] != scalar:
                scalar = which[k]
                load_figure(own_tree, own_parts, space, bounds, F, scalar)
            _hand_over(space, batch, state, start, x, lane, task, q[k], ends[k], report[k])
            state[LANE_LIVE, lane] = 0.0
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
        ties.component,
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
        bounds.stays,
    )


@kernel
def _lane_tree(tree, batch):
    """The tree with placements in lanes."""
    return Tree(
        tree.parent,
        tree.kind,
        tree.size,
        tree.axis,
        tree.drive_axis,
        tree.drive_dof,
        batch.placement,
        tree.offset,
        tree.drive_coefficient,
        tree.curves,
    )


@kernel(
    entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], i8[:], f8[:,:], f8[:,:,:], f8[:,:], "
    "f8[:,:], f8[:,:], i8"
)
def plain_batch(S, R, W, N, V, L, C, TT, starts, numbers, q, ends, report, attempts):
    """Solve a problem for every row of ``q``, all of one figure.

    TT: the table of targets, whose slots lie in R. starts: a row of coordinates each, or one for all. numbers: targets,
    (problems, goals, 16), or (1, …) for all. ends: the squares of the misses, then the variables. report: see the
    columns. attempts: further starts of a problem at most.
    """
    tree = view_tree(S, R, W)
    parts = view_parts(S, R)
    space = view_space(S, R)
    ties = view_ties(N, V)
    bounds = view_bounds(N, V)
    batch = view_batch(S, N, C)
    alone = tree, parts, space, view_sweep(S, W), ties
    x, x_new = view_lane_x(N, L)
    none = view2(R, 0, 0, 0)
    problem = TT, none, view1(S, 0, 0), starts, numbers, q, ends, report, attempts
    in_lanes = Parts(parts.kind, parts.motion, batch.parameters)
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


@kernel(
    entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], i8[:], f8[:,:], i8[:], f8[:,:], f8[:,:,:], "
    "f8[:,:], f8[:,:], f8[:,:], i8"
)
def plain_batch_figures(S, R, W, N, V, L, C, TT, F, which, starts, numbers, q, ends, report, attempts):
    """The same, problem k for figure ``which[k]``, a row of F."""
    tree = view_tree(S, R, W)
    parts = view_parts(S, R)
    space = view_space(S, R)
    ties = view_ties(N, V)
    bounds = view_bounds(N, V)
    batch = view_batch(S, N, C)
    alone = tree, parts, space, view_sweep(S, W), ties
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
    in_lanes = Parts(parts.kind, parts.motion, batch.parameters)
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
