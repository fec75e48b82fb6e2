"""The damped search over rows of every kind, soft and hard, among ranges and linear rows: its loop.

Each step solves the linearised rows (`mixed_rows`, `linear_step`): soft rows that are missed are damped by λ, hard rows
and those about to be left hold the step without any damping, so that a pinned foot costs what a soft goal costs. Near
the end its factor serves again (`chord`). It means to meet everything at once: where it does, levels make no
difference, and all of it was possible. Where it is slow it gives up, and the careful descent (`levels.descent`), which
never leaves what is held, says why.

What is preferred among equals is the *pull* of the step. By default it is weak and leads on the way towards rest; a
posture that is asked for leads to its end.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import outside
from manikin.kernels.memory.state import DONE
from manikin.kernels.pose.place import LONGEST_VECTOR, place, recharted
from manikin.kernels.search.chord import chord_step, note_multipliers
from manikin.kernels.search.damped import (
    FLAT,
    PULL,
    PULL_STEPS,
    SLOW,
    SPENT,
    longest_pulled,
    pulls_taken,
    wrap,
)
from manikin.kernels.search.linear_step import BY_LAST, BY_PULL, BY_SLOPE, bring_back, find_step, take_room
from manikin.kernels.search.mixed_layout import (
    G_LAST,
    G_LINEAR,
    G_MOST,
    HARD_WEIGHT,
    PULL_TO_THE_END,
    view_step,
)
from manikin.kernels.search.mixed_rows import fill_rows, judge, measure_asked, note_held, sort_rows
from manikin.kernels.search.step import next_damping

# Soft rows end at half their tolerance (STOP is a hundredth), hard ones here.
_ENOUGH = 50.0
_HARD_STOP, _HARD_ENOUGH = 1e-10, 2e-9
_SLOW_SHARE, _PATIENCE = 0.7, 10
_LONGEST = 1.0
# λ to begin with, in units of the mean square of a row.
_NO_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-4, 0.003, 0.3
# Where a pull leads to an end (a weak one is as in `damped`): no longer than the first, over below the others.
_STRONG_LONGEST, _THERE, _THERE_SHARE = 0.5, 2e-4, 1e-3
# Or where it leaves less than this, by the ratio of the last two steps; the first of them by a wider bound, this many
# times the product of its length and of what the rows press.
_LEFT, _LEAVES = 3e-5, 2.0
_EXTRAPOLATED = 5.0
# Changes whose squares' determinant is below this share of their product say the same twice.
_DEPENDENT = 1e-6
# A step with a pull may leave as much as its own curvature: this times its square, of a metre.
_BENT = 1.0
# Chords after a step, at most; after one with a pull that is no longer than this, after another that left no more than
# a share of P. One that restores rows and leaves more than the last share is none; one with a pull goes along rows that
# have turned since the step, and may leave so many times the product of its own length and both together.
_CHORDS, _CHORD_LONGEST, _CHORD_AFTER, _CHORD_SHARE, _CHORD_BENT = 7, 0.02, 1e-3, 0.1, 10.0


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
def _is_there(longest, step, way, before):
    """Whether a pull is where it leads to after a step: that was short, or what it leaves is.

    A step d leaves of the balance p = Jᵀy what the derivatives have turned since, (J − J₀)ᵀy: about its length times
    ‖Jᵀy‖ = ‖p − d‖. So steps shorten by the same ratio, which is known after two (``before``: the last step, 0 where
    there is none); the longest entry with them.
    """
    if longest <= _THERE or step <= _THERE_SHARE * way:
        return True
    if before > 0.0:
        return longest * step <= _LEFT * before
    return longest * _LEAVES * (longest + step) * (way + step) <= _THERE * step


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
def _is_near(reach, hard, to_the_end):
    """Whether chords are worth it after a step of this length: two of them restore what is hard, or it is a pull's."""
    if to_the_end:
        return reach <= _CHORD_LONGEST
    return reach * reach * math.sqrt(hard) <= _HARD_ENOUGH


@kernel
def search(G, H, is_identity, tree, space, method, M, sweep, bounds, limits, drives, work, budget, goes_on):
    """Steps from X until every row is met (and the pull is where it leads to), or it is slow: (task, P, steps,
    evaluations). Chords are no steps of their own: where one does not do, a whole step follows.

    goes_on: whether X is where the last search ended. Then what held its last step is the first guess of what holds
    this one; the step itself does not depend on it.
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
    used = 0.0
    growth = 2.0
    strong = _STRONG_LONGEST
    done = not to_the_end
    at_x = True
    kept = 0
    total = 0.0
    asked = 0
    held = -1
    reach = 0.0
    before = 0.0
    chords = 0
    linear = view_step(G, H, 0)
    weight = max(_weights(M, last), 1e-300) + hard_weight
    pulls = pulls_taken(potential, weight)
    if not goes_on:
        for r in range(M.value.shape[0]):
            work.held[r] = 0.0
    while True:
        if met and done:
            return DONE, soft, steps, evaluations
        if steps >= budget or slow >= _PATIENCE:
            task = SPENT if steps >= budget else SLOW
            break
        pulled = to_the_end and not done
        again = False
        if chords > 0 and _is_near(reach, hard, to_the_end):
            if pulled:
                _pull(bounds, work, linear, 1.0)
            take_room(method, bounds, work, linear, k)
            again = chord_step(
                tree, M, sweep, drives, bounds, work, linear, asked, held, k, used, hard_weight, pulled
            )
            chords -= 1
        old = potential
        predicted = potential
        wanted = 1.0 if pulled else 0.0
        if again:
            step, way = _lengths(bounds, work, linear)
        else:
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
            used = damping
            _slope(work, linear, asked)
            share = 1.0
            guess = BY_PULL if steps == 0 and not goes_on else BY_LAST
            if not to_the_end:
                share = PULL if pulls < PULL_STEPS else 0.0
                guess = BY_SLOPE
                pulls += 1
            steps += 1
            found = False
            for attempt in range(2):
                wanted = _pull(bounds, work, linear, share)
                take_room(method, bounds, work, linear, k)
                found, held = find_step(asked, method, work, linear, damping, guess)
                if to_the_end or share == 0.0 or attempt == 1 or not found:
                    break
                longest = _longest(work, bounds)
                most_pulled = longest_pulled(math.sqrt(potential / weight))
                if longest <= most_pulled:
                    break
                share *= most_pulled / longest
                guess = BY_LAST
            if not found:
                task = FLAT
                break
            note_held(M, work, linear, k)
            step, way = _lengths(bounds, work, linear)
            if to_the_end and held >= 0:
                note_multipliers(M, work, linear, k, damping, hard_weight)
        if to_the_end and (pulled or not again):
            _extrapolate(work, kept)
        longest = _shorten(work, bounds, strong if to_the_end else _LONGEST)
        bring_back(method, bounds, work)
        if not again:
            left, broken = _left(work, linear, asked, k, holding)
            predicted = old - left - hard_weight * broken
        wrap(bounds, work.x_new)
        soft, hard, new_met = _evaluate(
            is_identity, tree, space, M, sweep, limits, last, work.x_new, _ENOUGH, _HARD_ENOUGH
        )
        evaluations += 1
        potential = soft + hard_weight * hard
        fell = old - potential
        bent = _CHORD_BENT * longest * (longest + reach) if again else _BENT * longest * longest
        allowed = bent * bent * weight if wanted > 0.0 else 0.0
        accepted = (fell > 0.0 and predicted > 0.0) or potential <= allowed or new_met
        if again:
            accepted = new_met or potential <= (max(allowed, old) if pulled else _CHORD_SHARE * old)
        gain = fell / predicted if fell > 0.0 and predicted > 0.0 else 0.0
        if accepted:
            restored = again and not pulled
            for i in range(n):  # what restores rows belongs to the step before
                work.last_step[i] = work.step[i] + (work.last_step[i] if restored else 0.0)
                work.x[i] = work.x_new[i]
            met = new_met
            if pulled or not again:
                kept = kept + 1 if potential <= 1e-4 * weight else 0
            if not again:
                reach = longest
                chords = 0
                if held >= 0 and (to_the_end or potential <= _CHORD_AFTER * old):
                    chords = _CHORDS
            if not to_the_end:
                slow = slow + 1 if potential > _SLOW_SHARE * old and not met else 0
            elif pulled or not again:
                slow = slow + 1 if potential > _SLOW_SHARE * old and potential > allowed else 0
                done = _is_there(longest, step, way, before)
                before = step
            if not again:
                if gain > 0.0:
                    damping, growth = next_damping(True, gain, potential / max(old, 1e-300), damping, growth)
                else:
                    damping *= 0.1
            if recharted(space, work.x, LONGEST_VECTOR):
                chords = 0
                soft, hard, met = _evaluate(
                    is_identity, tree, space, M, sweep, limits, last, work.x, _ENOUGH, _HARD_ENOUGH
                )
                evaluations += 1
                potential = soft + hard_weight * hard
        else:
            if not again:
                if longest < 1e-13 or damping > 1e12 * weight:
                    at_x = False
                    task = FLAT
                    break
                if (
                    not to_the_end
                ):  # there the step gets shorter: more damping would leave the goals to the pull
                    damping, growth = next_damping(False, 0.0, 1.0, damping, growth)
                    damping = max(damping, 1e-8 * total / max(asked, 1))
                strong *= 0.25
                slow += 1
            chords = 0
            kept = 0
            before = 0.0
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
