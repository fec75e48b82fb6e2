"""The damped search for goals of every kind, soft and hard, among ranges and linear rows: its loop.

Each step solves what is asked, linearised (`step`): what is missed softly is damped by λ, hard goals and rows about to
be left hold the step without any damping, so that a pinned foot costs what a soft goal costs. λ begins in proportion
to P (far away a small damping slams into the ranges and sticks there) and follows the ratio of the fall of P to the
predicted one. Near the end the last factor serves again (`chord`). The search means to meet everything at once: where
it does, levels make no difference, and all of it was possible. Where it is slow it gives up, and the descent
(`levels.descent`), which never leaves what is held, says why.

What is preferred among equals is the *pull* of the step (`pull`). By default it is weak and leads on the way towards
rest; a posture that is asked for leads to its end.
"""

from __future__ import annotations

import math

from manikin.kernels.damped.chord import chord_step
from manikin.kernels.damped.layout import PULL_TO_THE_END
from manikin.kernels.damped.pull import extrapolate, is_there, lengths, pull_towards
from manikin.kernels.damped.residuals import derivatives, values
from manikin.kernels.damped.rows import ASKED, judge_rows, list_rows, measure_rows, note_held
from manikin.kernels.damped.step import BY_LAST, BY_PULL, BY_SLOPE, damped_step, is_asked, take_room
from manikin.kernels.damped.system import after
from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import outside
from manikin.kernels.memory.state import DONE
from manikin.kernels.pose.limits import X, nearest_feasible, worst_violation
from manikin.kernels.pose.place import LONGEST_VECTOR, recharted
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
from manikin.kernels.search.step import next_damping
from manikin.kernels.tree.curves import follow_curves
from manikin.kernels.tree.sweep import place_motions, turn_values

# A search ends at half the tolerances, a start is left alone at a hundredth; hard goals at these.
_ENOUGH = 50.0
_HARD_STOP, _HARD_ENOUGH = 1e-10, 2e-9
_SLOW_SHARE = 0.7
_LONGEST = 1.0
# λ to begin with, in units of the mean square of a row.
_NO_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-4, 0.003, 0.3
# Where a pull leads to an end, steps are no longer than this.
_STRONG_LONGEST = 0.5
# A step with a pull may leave as much as its own curvature: this times its square, of a metre.
_BENT = 1.0
# Chords after a step, at most; after one with a pull that is no longer than this, after another that left no more than
# a share of P. One that restores rows and leaves more than the last share is none; one with a pull goes along rows that
# have turned since the step, and may leave so many times the product of its own length and both together.
_CHORDS, _CHORD_LONGEST, _CHORD_AFTER, _CHORD_SHARE, _CHORD_BENT = 7, 0.02, 1e-3, 0.1, 10.0
#: Violation of a linear row, its normal of length 1, that a point may have.
KEPT = 1e-12
# Radians or metres: a coordinate that is held on an end and this near to it is there.
_BESIDE = 1e-14


@kernel
def place_at(s, x):
    """The frames at the variables x."""
    drives = s.drives
    v = s.place.values
    if drives.single != 0:
        for k in range(drives.fixed.shape[0]):
            v[k] = drives.fixed[k] + drives.coefficient[k] * x[drives.which[k]]
    else:
        for k in range(drives.fixed.shape[0]):
            total = drives.fixed[k] + 0.0 * s.place.frames[0, 0]
            for t in range(drives.first[k], drives.first[k + 1]):
                total += drives.coefficient[t] * x[drives.which[t]]
            v[k] = total
    tree = s.tree
    follow_curves(tree.curves, v)
    turn_values(s.place.wide, s.place.wide_trig)
    place_motions(
        tree.parent, tree.kind, tree.axis, tree.placement, v, s.place.trig, s.place.frames, s.place.spins
    )


@kernel
def _evaluate(s, g, x, e, share, hard_stop):
    """At the variables x: (P, the squares of the hard rows, whether each is near enough)."""
    for i in range(x.shape[0]):
        g.sweep.q[s.space.variable[i]] = x[i]
    place_at(s, x)
    soft, hard, met = values(s.strips, s.residuals, s.chains, s.place, e, share * share, hard_stop)
    if g.scalars.alone_count[0] > 0.0:
        measure_rows(g, False)
        by_rows, hard_rows, rows_met = judge_rows(g, share, hard_stop)
        soft += by_rows
        hard += hard_rows
        met *= rows_met
    return soft + g.hard_weight * hard, hard, met > 0.5


@kernel
def _measure_scale(s, g, count, to_the_end):
    """Σ J² of the rows that are asked for over the variables that the pull minds, where it leads to an end (over all,
    where that is nothing); and how many such rows there are.

    (What it does not mind hardly weighs: damping in proportion to that would leave the goals to the pull.)
    """
    total = 0.0
    minded = 0.0
    asked = 0
    share = s.bounds.pull_share
    for a in range(s.residuals):
        if s.strips.hard[a] != 0.0:
            continue
        asked += 3
        c = int(s.strips.chain[a])
        strip = s.work.jacobian[a]
        for k in range(s.chains.length[c]):
            y = strip[k, 0] * strip[k, 0] + strip[k, 1] * strip[k, 1] + strip[k, 2] * strip[k, 2]
            total += y
            minded += y if share[s.chains.variable[c, k]] > 0.0 else 0.0
    for k in range(count):
        if g.scalars.state[k] == ASKED:
            asked += 1
            for i in range(share.shape[0]):
                y = g.scalars.factor[k] * g.scalars.derivative[k, i]
                total += y * y
                minded += y * y if share[i] > 0.0 else 0.0
    return (minded if to_the_end and minded > 0.0 else total), asked


@kernel
def _first_damping(total, asked, potential, weight):
    """λ to begin with."""
    if asked == 0:
        return 1e-12
    far = potential / weight
    least = min(max(far, _NO_DAMPING), _LEAST_DAMPING)
    return min(max(_MOST_DAMPING * far, least), _MOST_DAMPING) * total / asked


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
def _longest(s):
    """The longest entry of the step."""
    size = 0.0
    for i in range(s.work.x.shape[0]):
        size = max(size, abs(s.work.base[i]) * s.bounds.scale[i])
    return size


@kernel
def _shorten(s, longest):
    """Make the step no longer than this: its longest entry, and whether it was longer."""
    size = _longest(s)
    if size <= longest:
        return size, False
    for i in range(s.work.x.shape[0]):
        s.work.base[i] *= longest / size
    return longest, True


@kernel
def _take_step(s, g):
    """X_NEW inside the ranges, and inside the linear rows to `KEPT`, where rounding left it outside."""
    work = s.work
    x = g.method.vector[X]
    for i in range(work.x.shape[0]):
        low = s.bounds.lower[i]
        high = s.bounds.upper[i]
        y = min(max(work.x[i] + work.base[i] * s.bounds.scale[i], low), high)
        if work.free[i] < 0.5:  # on its end, and not beside it by rounding: the next step has it there
            y = low if abs(y - low) <= _BESIDE else y
            y = high if abs(y - high) <= _BESIDE else y
        work.x_new[i] = y
        x[i] = y
    if g.method.rows.shape[0] > 0 and worst_violation(g.method)[0] > KEPT:
        nearest_feasible(g.method, g.method.metric, g.method.curve[1])
        for i in range(work.x.shape[0]):
            work.x_new[i] = min(max(x[i], s.bounds.lower[i]), s.bounds.upper[i])


@kernel
def _is_near(reach, hard, to_the_end):
    """Whether chords are worth it after a step of this length: two of them restore what is hard, or it is a pull's."""
    if to_the_end:
        return reach <= _CHORD_LONGEST
    return reach * reach * math.sqrt(hard) <= _HARD_ENOUGH


@kernel
def _pulled_step(s, g, count, size, share, damping, guess, most):
    """The step towards PULL; one that only leans (``most`` above 0) no longer than that: (whether there is one, strips
    of its system, how far the pull wants to go).
    """
    wanted = pull_towards(s, share)
    settled, size = damped_step(s, g, count, damping, guess)
    if most > 0.0 and share > 0.0 and size >= 0:
        longest = _longest(s)
        if longest > most:
            wanted = pull_towards(s, share * most / longest)
            settled, size = damped_step(s, g, count, damping, BY_LAST)
    return settled, size, wanted


@kernel
def _left(s, g, size, settled):
    """What is left of the rows asked for in the linear model after the step, and of those that hold."""
    work = s.work
    left = 0.0
    broken = 0.0
    if settled:  # e + J d = D y
        for p in range(3 * size):
            y = g.scalars.damping[p] * work.solved[p]
            left += y * y if p < 3 * s.residuals or g.scalars.listed[p] >= 0.0 else 0.0
        return left, broken
    after(s, size, work.e, work.base, work.right)
    for p in range(3 * size):
        if p < 3 * s.residuals:
            hard = g.scalars.damping[p] == 0.0
        elif g.scalars.listed[p] < 0.0:
            continue
        else:
            hard = not is_asked(g.scalars, p)
            if hard and not g.scalars.least[p] < math.inf:
                continue
        if hard:
            broken += work.right[p] * work.right[p]
        else:
            left += work.right[p] * work.right[p]
    return left, broken


@kernel
def search(s, g, budget, patience, goes_on):
    """Steps from X until every row is met (and the pull is where it leads to), or it is slow: (task, P, steps,
    evaluations). Chords are no steps of their own: where one does not do, a whole step follows.

    goes_on: whether X is where the last search ended. Then what held its last step is the first guess of what holds
    this one; the step itself does not depend on it.
    """
    work = s.work
    n = work.x.shape[0]
    to_the_end = g.limits.option[PULL_TO_THE_END] != 0.0
    potential, hard, met = _evaluate(s, g, work.x, work.e, 1.0, _HARD_STOP)
    steps = 0
    evaluations = 1
    slow = 0
    damping = -1.0
    growth = 2.0
    strong = _STRONG_LONGEST
    done = not to_the_end
    at_x = True
    kept = 0
    total = 0.0
    asked = 0
    count = 0
    size = s.residuals
    settled = False
    reach = 0.0
    before = 0.0
    chords = 0
    weight = max(_weights(g.M, g.last), 1e-300) + g.hard_weight
    pulls = pulls_taken(potential, weight)
    task = SPENT
    if not goes_on:
        for r in range(g.scalars.held.shape[0]):
            g.scalars.held[r] = 0.0
    while True:
        if met and done:
            return DONE, potential - g.hard_weight * hard, steps, evaluations
        if steps >= budget or slow >= patience:
            task = SPENT if steps >= budget else SLOW
            break
        pulled = to_the_end and not done
        again = False
        take_room(s)
        if chords > 0 and _is_near(reach, hard, to_the_end):
            if pulled:
                pull_towards(s, 1.0)
            again = chord_step(s, g, count, size, pulled)
            chords -= 1
        old = potential
        predicted = potential
        wanted = 1.0 if pulled else 0.0
        if not again:
            derivatives(s.strips, s.residuals, s.chains, s.place, work.jacobian)
            count = list_rows(s, g)
            if count < 0:
                task = SLOW
                break
            share = 1.0
            most = 0.0
            guess = BY_PULL if steps == 0 and not goes_on else BY_LAST
            if not to_the_end:
                share = PULL if pulls < PULL_STEPS else 0.0
                most = longest_pulled(math.sqrt(potential / weight))
                guess = BY_SLOPE
                pulls += 1
            if damping < 0.0:
                total, asked = _measure_scale(s, g, count, to_the_end)
                damping = _first_damping(total, asked, potential, weight)
            steps += 1
            settled, size, wanted = _pulled_step(s, g, count, size, share, damping, guess, most)
            if size < 0:
                task = SLOW
                break
            note_held(g, count)
        step, way = lengths(s)
        changed = False
        if to_the_end and (pulled or not again):
            changed = kept > 0
            extrapolate(s, kept)
        longest, shorter = _shorten(s, strong if to_the_end else _LONGEST)
        if not again:
            left, broken = _left(s, g, size, settled and not changed and not shorter)
            predicted = old - left - g.hard_weight * broken
        _take_step(s, g)
        wrap(s.bounds, work.x_new)
        potential, hard, new_met = _evaluate(s, g, work.x_new, work.e_new, _ENOUGH, _HARD_ENOUGH)
        evaluations += 1
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
                work.last_step[i] = work.base[i] + (work.last_step[i] if restored else 0.0)
                work.x[i] = work.x_new[i]
            for p in range(3 * s.residuals):
                work.e[p] = work.e_new[p]
            met = new_met
            if pulled or not again:
                kept = kept + 1 if potential <= 1e-4 * weight else 0
            if not again:
                reach = longest
                chords = 0
                if settled and (to_the_end or potential <= _CHORD_AFTER * old):
                    chords = _CHORDS
            if not to_the_end:
                slow = slow + 1 if potential > _SLOW_SHARE * old and not met else 0
            elif pulled or not again:
                slow = slow + 1 if potential > _SLOW_SHARE * old and potential > allowed else 0
                done = is_there(longest, step, way, before)
                before = step
            if not again:
                if gain > 0.0:
                    damping, growth = next_damping(True, gain, potential / max(old, 1e-300), damping, growth)
                else:
                    damping *= 0.1
            if recharted(s.space, work.x, LONGEST_VECTOR):
                chords = 0
                potential, hard, met = _evaluate(s, g, work.x, work.e, _ENOUGH, _HARD_ENOUGH)
                evaluations += 1
        else:
            if not again:
                if longest < 1e-13 or damping > 1e12 * weight:
                    at_x = False
                    task = FLAT
                    break
                if not to_the_end:
                    # With a pull the step gets shorter: more damping would leave the goals to it.
                    damping, growth = next_damping(False, 0.0, 1.0, damping, growth)
                    damping = max(damping, 1e-8 * total / max(asked, 1))
                strong *= 0.25
                slow += 1
            chords = 0
            kept = 0
            before = 0.0
            potential, hard, met = _evaluate(s, g, work.x, work.e, _ENOUGH, _HARD_ENOUGH)
            evaluations += 1
    if not at_x:
        potential, hard, met = _evaluate(s, g, work.x, work.e, _ENOUGH, _HARD_ENOUGH)
        evaluations += 1
    return task, potential - g.hard_weight * hard, steps, evaluations
