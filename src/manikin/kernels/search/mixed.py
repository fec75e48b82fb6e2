"""The damped search over rows of every kind, soft and hard, among ranges and linear rows.

Each step solves the linearised rows (`mixed_rows`, `linear_step`): soft rows that are missed are damped by λ, hard rows
and those about to be left hold the step without any damping, so that a pinned foot costs what a soft goal costs. It
means to meet everything at once: where it does, levels make no difference, and all of it was possible. Where it is slow
it gives up, and the careful descent (`levels.descent`), which never leaves what is held, says why.

What is preferred among equals is the *pull* of the step. By default it is weak and leads on the way towards rest; a
posture that is asked for leads to its end.
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
    LONGEST_VECTOR,
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
from manikin.kernels.search.damped import (
    FLAT,
    PULL,
    PULL_STEPS,
    SLOW,
    SPENT,
    limit_speed,
    longest_pulled,
    open_block,
    pulls_taken,
    wrap,
)
from manikin.kernels.search.linear import FEASIBLE
from manikin.kernels.search.linear_step import (
    BY_LAST,
    BY_PULL,
    BY_SLOPE,
    bring_back,
    find_step,
    scale_rows,
    take_room,
)
from manikin.kernels.search.mixed_layout import (
    G_LAST,
    G_LINEAR,
    G_MOST,
    HARD_WEIGHT,
    PULL_TO_START,
    PULL_TO_THE_END,
    SECONDS,
    view_drives,
    view_idle,
    view_limits,
    view_mixed_bounds,
    view_mixed_work,
    view_step,
)
from manikin.kernels.search.mixed_rows import fill_rows, judge, measure_asked, note_held, sort_rows
from manikin.kernels.search.step import next_damping

#: Items of the table: the budget of steps, those of a path, an address and a size for each of S R W, MS MR MW, G and H.
T_BUDGET, T_S, T_R, T_W, T_MS, T_MR, T_MW, T_G, T_H = 0, 5, 7, 9, 11, 13, 15, 17, 19

# Soft rows end at half their tolerance (STOP is a hundredth), hard ones here.
_ENOUGH = 50.0
_HARD_STOP, _HARD_ENOUGH = 1e-10, 2e-9
_SLOW_SHARE, _PATIENCE = 0.7, 10
_LONGEST = 1.0
# λ to begin with, in units of the mean square of a row.
_NO_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-4, 0.003, 0.3
# Where a pull leads to an end (a weak one is as in `damped`): no longer than the first, over below the others.
_STRONG_LONGEST, _THERE, _THERE_SHARE = 0.5, 2e-4, 1e-3
# Or where the next would be shorter than this, steps that shrink to less than a share going on so.
_NEXT, _SHRINKS = 5e-5, 0.25
_EXTRAPOLATED = 5.0
# Changes whose squares' determinant is below this share of their product say the same twice.
_DEPENDENT = 1e-6
# A step with a pull may leave as much as its own curvature: this times its square, of a metre.
_BENT = 1.0


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


@kernel
def _evaluate(is_identity, tree, space, M, sweep, limits, last, x, share, hard_stop):
    """Values of all rows at the variables x: what `judge` says of them."""
    for i in range(x.shape[0]):
        sweep.q[space.variable[i]] = x[i]
    place(is_identity, tree, sweep)
    measure_asked(tree, M, sweep, last)
    return judge(M, limits, last, share, hard_stop)


@kernel
def _pull(bounds, work, linear, share):
    """Where the step would go by itself, a share of the way; returns how far one variable wants to go."""
    wanted = 0.0
    for i in range(work.x.shape[0]):
        way = 0.0
        if bounds.pull_share[i] > 0.0:
            x = work.x[i]
            way = share * (min(max(x, bounds.pull_low[i]), bounds.pull_high[i]) - x)
            wanted = max(wanted, abs(way))
            way *= bounds.pull_share[i]
        linear.pull[i] = way / bounds.scale[i]
    return wanted


@kernel
def _left(work, linear, asked, first, holding):
    """What is left of the rows asked for, and (unweighted) of those that hold, in the linear model after STEP."""
    n = work.x.shape[0]
    left = 0.0
    for a in range(asked):
        s = work.e[a]
        row = linear.jacobian[a]
        for i in range(n):
            s += row[i] * work.step[i]
        left += s * s
    broken = 0.0
    for c in range(first, first + holding):
        s = 0.0
        row = linear.rows[c]
        for i in range(n):
            s += row[i] * work.step[i]
        s = outside(s, linear.low[c], linear.high[c])
        broken += s * s
    return left, broken


@kernel
def _slope(work, linear, asked):
    """Jᵀ e into SLOPE."""
    n = work.x.shape[0]
    for i in range(n):
        work.slope[i] = 0.0
    for a in range(asked):
        row = linear.jacobian[a]
        c = work.e[a]
        for i in range(n):
            work.slope[i] += c * row[i]


@kernel
def _extrapolate(work, kept):
    """Lengthen a step of a pull that converges slowly, by the last ``kept`` ones, two at most (Anderson 1965).

    With f the plain steps, F the changes of f from one to the next and S the steps taken between them:
    f − (S + F) γ, γ the least squares of f − F γ. Kept are the plain step and, when it is taken, the one to take.
    """
    n = work.x.shape[0]
    a11 = 0.0
    a12 = 0.0
    a22 = 0.0
    b1 = 0.0
    b2 = 0.0
    for i in range(n):
        f = work.step[i]
        change = f - work.last_plain[i]
        older = work.older_change[i]
        a11 += change * change
        a12 += change * older
        a22 += older * older
        b1 += change * f
        b2 += older * f
    first = b1 / a11 if kept > 0 and a11 > 0.0 else 0.0
    second = 0.0
    determinant = a11 * a22 - a12 * a12
    if kept > 1 and determinant > _DEPENDENT * a11 * a22:
        first = (b1 * a22 - b2 * a12) / determinant
        second = (b2 * a11 - b1 * a12) / determinant
    first = min(max(first, -_EXTRAPOLATED), _EXTRAPOLATED)
    second = min(max(second, -_EXTRAPOLATED), _EXTRAPOLATED)
    for i in range(n):
        f = work.step[i]
        change = f - work.last_plain[i]
        if kept > 0:
            by_last = first * (work.last_step[i] + change)
            work.step[i] -= by_last + second * (work.older_step[i] + work.older_change[i])
        work.older_change[i] = change
        work.older_step[i] = work.last_step[i]
        work.last_plain[i] = f


@kernel
def _lengths(bounds, work, linear):
    """The length of STEP, and that of the whole way that the pull wants, scaled."""
    step = 0.0
    way = 0.0
    for i in range(work.x.shape[0]):
        step += work.step[i] * work.step[i]
        if bounds.pull_share[i] > 0.0:
            x = work.x[i]
            to = (min(max(x, bounds.pull_low[i]), bounds.pull_high[i]) - x) / bounds.scale[i]
            way += to * to
    return math.sqrt(step), math.sqrt(way)


@kernel
def _longest(work, bounds):
    """The longest entry of STEP."""
    size = 0.0
    for i in range(work.x.shape[0]):
        size = max(size, abs(work.step[i]) * bounds.scale[i])
    return size


@kernel
def _shorten(work, bounds, longest):
    """Make STEP no longer than this; returns its longest entry."""
    n = work.x.shape[0]
    size = _longest(work, bounds)
    if size > longest:
        f = longest / size
        for i in range(n):
            work.step[i] *= f
        return longest
    return size


@kernel
def _damping(total, asked, potential, weight):
    """λ to begin with."""
    if asked == 0:
        return 1e-12
    far = potential / weight
    least = min(max(far, _NO_DAMPING), _LEAST_DAMPING)
    return min(max(_MOST_DAMPING * far, least), _MOST_DAMPING) * total / asked


@kernel
def _minded(bounds, linear, asked, total):
    """Σ J² of the rows asked for over the variables that the pull minds; over all, where that is nothing.

    (What it does not mind hardly weighs: damping in proportion to that would leave the goals to the pull.)
    """
    minded = 0.0
    for a in range(asked):
        row = linear.jacobian[a]
        for i in range(row.shape[0]):
            minded += row[i] * row[i] if bounds.pull_share[i] > 0.0 else 0.0
    return minded if minded > 0.0 else total


@kernel
def _weights(M, last):
    """Sum of the weights of the soft rows that want something."""
    total = 0.0
    for r in range(M.value.shape[0]):
        wants = M.lower[r] == M.upper[r] or outside(M.value[r], M.lower[r], M.upper[r]) != 0.0
        if wants and 0 < M.level[r] < last:
            total += M.weight[r]
    return total


@kernel
def search(G, H, is_identity, tree, space, method, M, sweep, bounds, limits, drives, work, budget):
    """Steps from X until every row is met (and the pull is where it leads to), or it is slow: (task, P, steps,
    evaluations).
    """
    n = work.x.shape[0]
    k = G[G_LINEAR]
    last = G[G_LAST]
    most = G[G_MOST]
    hard_weight = limits.option[HARD_WEIGHT]
    to_the_end = limits.option[PULL_TO_THE_END] != 0.0
    soft, hard, met = _evaluate(is_identity, tree, space, M, sweep, limits, last, work.x, 1.0, _HARD_STOP)
    potential = soft + hard_weight * hard
    steps = 0
    evaluations = 1
    slow = 0
    damping = -1.0
    growth = 2.0
    strong = _STRONG_LONGEST
    before = 0.0
    done = not to_the_end
    at_x = True
    kept = 0
    weight = max(_weights(M, last), 1e-300) + hard_weight
    pulls = pulls_taken(potential, weight)
    for r in range(M.value.shape[0]):
        work.held[r] = 0.0
    while True:
        if met and done:
            return DONE, soft, steps, evaluations
        if steps >= budget or slow >= _PATIENCE:
            task = SPENT if steps >= budget else SLOW
            break
        asked, holding = sort_rows(M, work, last)
        if asked > most or holding > most:
            task = SLOW
            break
        linear = view_step(G, H, holding)
        total = fill_rows(tree, M, sweep, drives, bounds, work, linear, k, hard_weight)
        if to_the_end:
            total = _minded(bounds, linear, asked, total)
        if damping < 0.0:
            damping = _damping(total, asked, potential, weight)
        _slope(work, linear, asked)
        share = 1.0
        guess = BY_PULL if steps == 0 else BY_LAST
        if not to_the_end:
            share = PULL if pulls < PULL_STEPS else 0.0
            guess = BY_SLOPE
            pulls += 1
        steps += 1
        found = False
        wanted = 0.0
        for attempt in range(2):
            wanted = _pull(bounds, work, linear, share)
            take_room(method, bounds, work, linear, k)
            found = find_step(asked, method, work, linear, damping, guess)
            if to_the_end or share == 0.0 or attempt == 1 or not found:
                break
            longest = _longest(work, bounds)
            reach = longest_pulled(math.sqrt(potential / weight))
            if longest <= reach:
                break
            share *= reach / longest
        if not found:
            task = FLAT
            break
        note_held(M, work, linear, k)
        step, way = _lengths(bounds, work, linear)
        if to_the_end:
            _extrapolate(work, kept)
        longest = _shorten(work, bounds, strong if to_the_end else _LONGEST)
        bring_back(method, bounds, work)
        left, broken = _left(work, linear, asked, k, holding)
        wrap(bounds, work.x_new)
        old = potential
        soft, hard, new_met = _evaluate(
            is_identity, tree, space, M, sweep, limits, last, work.x_new, _ENOUGH, _HARD_ENOUGH
        )
        evaluations += 1
        potential = soft + hard_weight * hard
        fell = old - potential
        predicted = old - left - hard_weight * broken
        bent = _BENT * longest * longest
        allowed = bent * bent * weight if wanted > 0.0 else 0.0
        accepted = (fell > 0.0 and predicted > 0.0) or potential <= allowed or new_met
        gain = fell / predicted if fell > 0.0 and predicted > 0.0 else 0.0
        if accepted:
            for i in range(n):
                work.last_step[i] = work.step[i]
                work.x[i] = work.x_new[i]
            met = new_met
            kept = kept + 1 if potential <= 1e-4 * weight else 0
            if not to_the_end:
                slow = slow + 1 if potential > _SLOW_SHARE * old and not met else 0
            else:
                slow = slow + 1 if potential > _SLOW_SHARE * old and potential > allowed else 0
                done = longest <= _THERE or step <= _THERE_SHARE * way
                done = done or (longest <= _SHRINKS * before and longest * longest <= _NEXT * before)
                before = longest if longest < strong else 0.0
            if gain > 0.0:
                damping, growth = next_damping(True, gain, potential / max(old, 1e-300), damping, growth)
            else:
                damping *= 0.1
            if recharted(space, work.x, LONGEST_VECTOR):
                soft, hard, met = _evaluate(
                    is_identity, tree, space, M, sweep, limits, last, work.x, _ENOUGH, _HARD_ENOUGH
                )
                evaluations += 1
                potential = soft + hard_weight * hard
        else:
            if longest < 1e-13 or damping > 1e12 * weight:
                at_x = False
                task = FLAT
                break
            if not to_the_end:  # there the step gets shorter: more damping would leave the goals to the pull
                damping, growth = next_damping(False, 0.0, 1.0, damping, growth)
                damping = max(damping, 1e-8 * total / max(asked, 1))
            strong *= 0.25
            before = 0.0
            kept = 0
            slow += 1
            soft, hard, met = _evaluate(
                is_identity, tree, space, M, sweep, limits, last, work.x, _ENOUGH, _HARD_ENOUGH
            )
            evaluations += 1
            potential = soft + hard_weight * hard
    if not at_x:
        soft, hard, met = _evaluate(
            is_identity, tree, space, M, sweep, limits, last, work.x, _ENOUGH, _HARD_ENOUGH
        )
        evaluations += 1
    return task, soft, steps, evaluations


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
def mean_start(T, start):
    """Let what means the start mean this one, wherever the searches to come begin."""
    S = integers_at(T[T_S], T[T_S + 1])
    R = reals_at(T[T_R], T[T_R + 1])
    G = integers_at(T[T_G], T[T_G + 1])
    H = reals_at(T[T_H], T[T_H + 1])
    M = view_measures(
        integers_at(T[T_MS], T[T_MS + 1]),
        reals_at(T[T_MR], T[T_MR + 1]),
        reals_at(T[T_MW], T[T_MW + 1]),
    )
    sweep = view_sweep(S, reals_at(T[T_W], T[T_W + 1]))
    _bring_in(start, view_space(S, R), view_idle(G, H), sweep)
    place(S[IDENTITY] != 0, view_tree(S, R), sweep)
    _mean_start(M, sweep.frames, view_drives(G, H).follows)


@kernel
def search_from(T, start, block, follow):
    """Search from the coordinates ``start``; ``block`` receives ``out`` (as of `projection.solve`, a miss a part), the
    end, and the start. Returns DONE when every goal is met; SLOW, FLAT or SPENT; or what of a start cannot be accepted.

    follow: whether what means the start means this one. A start that is the last end means what it meant then, so that
    nothing drifts.
    """
    S = integers_at(T[T_S], T[T_S + 1])
    R = reals_at(T[T_R], T[T_R + 1])
    W = reals_at(T[T_W], T[T_W + 1])
    M = view_measures(
        integers_at(T[T_MS], T[T_MS + 1]),
        reals_at(T[T_MR], T[T_MR + 1]),
        reals_at(T[T_MW], T[T_MW + 1]),
    )
    G = integers_at(T[T_G], T[T_G + 1])
    H = reals_at(T[T_H], T[T_H + 1])
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
    if follow != 0 and not _is_end(start, drives.end):
        place(is_identity, tree, sweep)
        _mean_start(M, sweep.frames, drives.follows)
    if limits.option[PULL_TO_START] != 0.0:
        for i in range(n):
            bounds.pull_low[i] = work.x[i]
            bounds.pull_high[i] = work.x[i]
    limit_speed(bounds, work.x, limits.option[SECONDS])
    linear = view_step(G, H, 0)
    possible = gather_rows(space, sweep.q, method)
    scale_rows(method, bounds, linear)
    if not possible or worst_violation(method)[0] > FEASIBLE:
        return REPAIR
    task, potential, steps, evaluations = search(
        G, H, is_identity, tree, space, method, M, sweep, bounds, limits, drives, work, T[T_BUDGET]
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
