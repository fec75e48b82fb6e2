"""Plain goals (points, lines, planes, rotations, aims) of many problems, four side by side in the lanes of a register.

Each problem is searched from its own start and, while that misses, from others: the middle of the ranges, then points
of the same sequence as in `search.seeds`, every other of the first ones inside the inner half of the ranges. A lane
whose problem is over is given the next. Nothing that one lane does depends on another, so that the answer to a problem
is the same in whatever company it is solved. Where three ends agree on the lowest potential, and that is no near miss,
further starts are left out.

What ends short of the goals is measured at the lowest end, by one evaluation more.
"""

from __future__ import annotations

import math

from manikin.kernels.batch.loading import (
    load_figure,
    load_problem,
    load_seed,
    share_figure,
    share_parts,
)
from manikin.kernels.jit import LOWERING, kernel
from manikin.kernels.math.vector import dot
from manikin.kernels.memory.lanes import WIDTH, select
from manikin.kernels.memory.layout import OPTION_GRADIENT, Tree
from manikin.kernels.memory.state import DONE
from manikin.kernels.memory.views import integers_at, view1, view2, view3
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
from manikin.kernels.search.begin import with_numbers
from manikin.kernels.search.lanes import advance, begin_lane, long_vector, verdict
from manikin.kernels.search.layout import (
    T_G,
    Bounds,
    Drives,
    Search,
    view_batch,
    view_batch_numbers,
    view_lane_numbers,
    view_lane_place,
    view_lane_work,
)
from manikin.kernels.search.opened import open_poses
from manikin.kernels.search.state import (
    ATTEMPT,
    BEST,
    FRESH,
    INDEX,
    LIVE,
    POTENTIAL,
    SAME,
    SPENT,
    STEPS,
    TOTAL,
)

if LOWERING:
    import manikin.toolchain.intrinsics.uniform  # noqa: F401  (what lanes may be asked)

#: The attempt of a lane whose problem's lowest end is being measured.
_MEASURING = -1.0
# Columns of ``report``.
REPORT_TASK, REPORT_ITERATIONS, REPORT_STARTS, REPORT_POTENTIAL, REPORT = range(5)
# Steps and slow steps running after which a start is given up: of the first starts, and of those after so many.
_STEPS_AT_MOST, _PATIENCE, _MORE_STEPS, _MORE_PATIENCE, _FIRST = 30, 3, 80, 8, 16
# So many ends whose potentials differ by no more than this share are taken for the lowest there is, where it is above
# so much of the sum of weights.
_AGREEING, _ALIKE, _CLOSE = 3, 0.02, 1e-3


@kernel
def _squares(own_parts, parameters, frames, squares):
    """The square of each part's miss: of a distance, or of the chord 2 sin ½θ of an angle.

    own_parts: the scalar ones, which tell how many axes are minded.
    """
    p = parameters
    for t in range(own_parts.kind.shape[0]):
        kind = own_parts.kind[t]
        i = own_parts.motion[t]
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
def _begin(state, own, lane, problem, attempt):
    """Set a lane up for a start of a problem."""
    begin_lane(state, lane, problem, 1.0)
    state[ATTEMPT, lane] = attempt
    later = attempt >= _FIRST
    own.limits[0, lane] = _MORE_STEPS if later else _STEPS_AT_MOST
    own.limits[1, lane] = _MORE_PATIENCE if later else _PATIENCE


@kernel
def _hand_over(space, own, state, start, x, lane, task, q, squares, report):
    """The end of a lane's problem: coordinates, misses and counts."""
    for j in range(q.shape[0]):
        q[j] = start[j]
    # Rotation vectors short, whole turns out, measured from the start.
    n = x.shape[0]
    end = view1(squares, squares.shape[0] - n, n)
    for i in range(n):
        end[i] = x[i, lane]
    recharted(space, end, math.pi)
    unwound(space, end, q)
    for j in range(q.shape[0]):
        q[j] = min(max(q[j], space.lower[j]), space.upper[j])
    for i in range(n):
        q[space.variable[i]] = end[i]
    for t in range(squares.shape[0] - n):
        squares[t] = own.squares[t, lane]
    report[REPORT_TASK] = task
    report[REPORT_ITERATIONS] = state[TOTAL, lane] + max(state[STEPS, lane], 0.0)
    attempt = state[ATTEMPT, lane]
    report[REPORT_STARTS] = attempt + 1.0 if attempt > -0.5 else state[SAME, lane]
    report[REPORT_POTENTIAL] = state[POTENTIAL, lane]


@kernel
def _short(state, lane, weight, attempts, x, kept):
    """A start of a lane's problem ended short of the goals: the next one's number, or −1 where the lowest end will do.

    kept: where the lowest end of the problem is kept.
    """
    p = state[POTENTIAL, lane]
    best = state[BEST, lane]
    if p < (1.0 - _ALIKE) * best:
        state[SAME, lane] = 1.0
    elif p <= (1.0 + _ALIKE) * best:
        state[SAME, lane] += 1.0
    if p < best:
        state[BEST, lane] = p
        for i in range(x.shape[0]):
            kept[i] = x[i, lane]
    state[TOTAL, lane] += max(state[STEPS, lane], 0.0)
    attempt = state[ATTEMPT, lane] + 1.0
    agreed = state[SAME, lane] >= _AGREEING and state[BEST, lane] > _CLOSE * weight
    if agreed or attempt > attempts:
        state[SAME, lane] = attempt
        return _MEASURING
    return attempt


@kernel
def _share_all(alone, bounds, numbers, own):
    """What scalar code reads into all lanes, none of which has a problem yet."""
    for lane in range(WIDTH):
        share_figure(alone[0], bounds, own, lane)
        share_parts(alone[1], own, lane)
        for k in range(own.fixed.shape[0]):
            own.fixed[k, lane] = 0.0
        _begin(numbers.state, own, lane, 0, 0.0)
        numbers.state[LIVE, lane] = 0.0
        for i in range(numbers.x.shape[0]):
            numbers.x[i, lane] = bounds.true_lower[i]


@kernel
def _row(table, k):
    """Row k of a table, or its only one."""
    return table[k if table.shape[0] > 1 else 0]


@kernel
def _refill(alone, bounds, numbers, own, problem, following, shown):
    """Problems into the lanes that have none: (how many, the next problem, the figure that scalar code reads)."""
    TT, F, which, starts, targets, q, _, report, _ = problem
    state = numbers.state
    taken = 0
    for lane in range(WIDTH):
        while state[LIVE, lane] < 0.5 and following < q.shape[0]:
            k = following
            following += 1
            if which.shape[0] > 0 and which[k] != shown:
                shown = which[k]
                load_figure(alone, bounds, F, shown)
            task = load_problem(alone, own, TT, _row(targets, k), _row(starts, k), numbers.x, lane)
            if task != DONE:
                report[k, REPORT_TASK] = task
                continue
            if which.shape[0] > 0:
                share_figure(alone[0], bounds, own, lane)
            _begin(state, own, lane, k, 0.0)
            state[BEST, lane] = math.inf
            state[TOTAL, lane] = 0.0
            state[SAME, lane] = 0.0
            taken += 1
    return taken, following, shown


@kernel
def _end(s, alone, bounds, numbers, own, problem, lane, task):
    """What follows where the search of a lane is over: whether its problem is."""
    _, _, _, starts, _, _, ends, _, attempts = problem
    parts = alone[1]
    state = numbers.state
    x = numbers.x
    k = int(state[INDEX, lane])
    kept = view1(ends[k], parts.kind.shape[0], x.shape[0])
    if task == DONE or state[ATTEMPT, lane] < -0.5:
        return True
    attempt = _short(state, lane, total_weight(parts), attempts, x, kept)
    _begin(state, own, lane, k, attempt)
    if attempt > 0.0:
        load_seed(own, bounds, _row(starts, k), s.space.variable, int(attempt), x, lane)
    else:
        for i in range(x.shape[0]):
            x[i, lane] = kept[i]
    return False


@kernel
def _run(s, alone, bounds, numbers, batch, own, problem):
    """All problems of a chunk; see the entries.

    s: the search in lanes; alone: tree, parts, space, sweep and drives as scalar code reads them, and ``bounds``;
    batch, numbers and own: what differs between lanes, as lanes or number by number.
    """
    _, F, which, starts, _, q, ends, report, _ = problem
    _, parts, space, _, _ = alone
    state = numbers.state
    weight = total_weight(parts)
    flat = space.option[OPTION_GRADIENT]
    charts = space.charts.shape[0] > 0
    _share_all(alone, bounds, numbers, own)
    live = 0
    following = 0
    shown = -1
    wanting = WIDTH
    fresh = True
    rounds = 0
    while True:
        if wanting > 0:
            taken, following, shown = _refill(alone, bounds, numbers, own, problem, following, shown)
            live += taken
            fresh = fresh or taken > 0
            wanting = 0
        if live == 0:
            break
        over = advance(s, weight, batch.limits[0], batch.limits[1], rounds == 0, fresh)
        rounds += 1
        if not (fresh or charts or over):
            continue
        fresh = False
        measured = False
        for lane in range(WIDTH):
            begun = state[FRESH, lane] > 0.5
            state[FRESH, lane] = 0.0
            if state[LIVE, lane] < 0.5:
                continue
            task = verdict(state, lane, begun, flat, weight, own.limits[0, lane], own.limits[1, lane])
            if begun and task < 0 and state[ATTEMPT, lane] < -0.5:
                task = SPENT
            if task < 0:
                if charts and long_vector(space, numbers.x, lane):
                    state[FRESH, lane] = 1.0
                    fresh = True
                continue
            if not _end(s, alone, bounds, numbers, own, problem, lane, task):
                fresh = True
                continue
            if not measured:
                _squares(parts, s.strips.number, s.place.frames, batch.squares)
                measured = True
            k = int(state[INDEX, lane])
            if which.shape[0] > 0 and which[k] != shown:
                shown = which[k]
                load_figure(alone, bounds, F, shown)
            _hand_over(space, own, state, _row(starts, k), numbers.x, lane, task, q[k], ends[k], report[k])
            state[LIVE, lane] = 0.0
            live -= 1
            wanting += 1


@kernel
def _lane_drives(drives, batch):
    """The drives with what does not vary in lanes."""
    return Drives(
        drives.first,
        drives.which,
        drives.variable_of,
        drives.single,
        drives.coefficient,
        drives.scaled,
        batch.fixed,
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
        bounds.speed,
        bounds.pull_low,
        bounds.pull_high,
        bounds.pull_share,
        bounds.stays,
        bounds.low,
        bounds.width,
        bounds.alpha,
        bounds.shift,
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


@kernel
def _rows(TT, F, which, starts, numbers, q, ends, report, attempts):
    """A batch's problems as views."""
    return (
        TT,
        view2(F, 0, F.shape[0], F.shape[1]),
        view1(which, 0, which.shape[0]),
        view2(starts, 0, starts.shape[0], starts.shape[1]),
        view3(numbers, 0, numbers.shape[0], numbers.shape[1], numbers.shape[2]),
        view2(q, 0, q.shape[0], q.shape[1]),
        view2(ends, 0, ends.shape[0], ends.shape[1]),
        view2(report, 0, report.shape[0], report.shape[1]),
        attempts,
    )


@kernel
def _in_lanes(one, batch, G, L, tree, bounds):
    """The search of a batch in lanes."""
    return Search(
        tree,
        one.space,
        _lane_drives(one.drives, batch),
        one.chains,
        with_numbers(one.strips, batch.parameters),
        bounds,
        view_lane_place(G, L),
        view_lane_work(G, L),
        one.residuals,
        one.rows,
    )


@kernel(entry="i8[:], f8[:], f8[:], i8[:], f8[:,:], f8[:,:,:], f8[:,:], f8[:,:], f8[:,:], i8")
def plain_batch(T, L, C, TT, starts, numbers, q, ends, report, attempts):
    """Solve a problem for every row of ``q``, all of one figure.

    T: the table of `search.poses`. TT: the table of targets, whose slots lie in R. starts: a row of coordinates each,
    or one for all. numbers: targets, (problems, goals, 16), or (1, …) for all. ends: the squares of the misses, then
    the variables. report: see the columns. attempts: further starts of a problem at most.
    """
    one, parts, sweep = open_poses(T)
    G = integers_at(T[T_G], T[T_G + 1])
    batch = view_batch(G, C)
    s = _in_lanes(one, batch, G, L, one.tree, one.bounds)
    alone = one.tree, parts, one.space, sweep, one.drives
    none = view2(q, 0, 0, 0)
    problem = _rows(TT, none, view1(T, 0, 0), starts, numbers, q, ends, report, attempts)
    _run(s, alone, one.bounds, view_lane_numbers(G, L), batch, view_batch_numbers(G, C), problem)


@kernel(entry="i8[:], f8[:], f8[:], i8[:], f8[:,:], i8[:], f8[:,:], f8[:,:,:], f8[:,:], f8[:,:], f8[:,:], i8")
def plain_batch_figures(T, L, C, TT, F, which, starts, numbers, q, ends, report, attempts):
    """The same, problem k for figure ``which[k]``, a row of F."""
    one, parts, sweep = open_poses(T)
    G = integers_at(T[T_G], T[T_G + 1])
    batch = view_batch(G, C)
    s = _in_lanes(one, batch, G, L, _lane_tree(one.tree, batch), _lane_bounds(one.bounds, batch))
    alone = one.tree, parts, one.space, sweep, one.drives
    problem = _rows(TT, F, which, starts, numbers, q, ends, report, attempts)
    _run(s, alone, one.bounds, view_lane_numbers(G, L), batch, view_batch_numbers(G, C), problem)
