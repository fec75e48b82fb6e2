"""A step of the search among rows of every kind: what is proposed, a chord or a whole step, and whether it is taken."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.pose.limits import X, nearest_feasible, worst_violation
from manikin.kernels.pose.place import LONGEST_VECTOR, recharted
from manikin.kernels.search.chord import chord_step
from manikin.kernels.search.damping import first_damping, next_damping
from manikin.kernels.search.evaluate import ENOUGH, evaluate
from manikin.kernels.search.judge import SLOW_SHARE
from manikin.kernels.search.layout import PULL_TO_THE_END
from manikin.kernels.search.pull import (
    PULL,
    PULL_STEPS,
    extrapolate,
    is_there,
    lengths,
    longest_pulled,
    pull_towards,
)
from manikin.kernels.search.ranges import wrap
from manikin.kernels.search.residuals import derivatives
from manikin.kernels.search.rows import ASKED, list_rows, note_held
from manikin.kernels.search.state import (
    ARRIVED,
    BEFORE,
    CHORDS,
    COUNT,
    DAMPING,
    EVALUATIONS,
    FLAT,
    FRESH,
    GOES_ON,
    GROWTH,
    HARD,
    KNOWN,
    LENGTH,
    LONGEST,
    MET,
    NEAR,
    POTENTIAL,
    PULLED,
    PULLS,
    RADIUS,
    REACH,
    SCALE,
    SETTLED,
    SIZE,
    SLOW_STEPS,
    STEPS,
    TAKEN,
    WAY,
    WEIGHT,
)
from manikin.kernels.search.step import BY_LAST, BY_PULL, BY_SLOPE, damped_step, is_asked, take_room
from manikin.kernels.search.system import after

_HARD_ENOUGH = 2e-9
# A step shorter than this is none, and λ beyond this times the weights leaves none.
_NO_STEP, _DAMPED_OUT = 1e-13, 1e12
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
def _scale(s, g, count, to_the_end):
    """The mean of J² of the rows that are asked for, over the variables that the pull minds where it leads to an end
    (over all, where that is nothing); 0 where there are none.

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
    return (minded if to_the_end and minded > 0.0 else total) / max(asked, 1)


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
def _pulled_step(s, g, count, share, most, guess):
    """The step towards PULL; one that only leans (``most`` above 0) no longer than that: (whether it settled, strips of
    its system, how far the pull wants to go).
    """
    damping = s.work.state[DAMPING]
    wanted = pull_towards(s, share)
    settled, size = damped_step(s, g, count, damping, guess)
    if most > 0.0 and share > 0.0 and size >= 0:
        longest = _longest(s)
        if longest > most:
            wanted = pull_towards(s, share * most / longest)
            settled, size = damped_step(s, g, count, damping, BY_LAST)
    return settled, size, wanted


@kernel
def _whole_step(s, g, to_the_end):
    """BASE by a factor of its own; False where the rows that matter are too many."""
    st = s.work.state
    if st[FRESH] > 0.5:
        derivatives(s.strips, s.residuals, s.chains, s.place, s.work.e, s.work.jacobian, None)
        st[FRESH] = 0.0
    count = list_rows(s, g)
    if count < 0:
        return False
    share = 1.0
    most = 0.0
    guess = BY_PULL if st[GOES_ON] < 0.5 and st[STEPS] == 0.0 else BY_LAST
    if not to_the_end:
        share = PULL if st[PULLS] < PULL_STEPS else 0.0
        most = longest_pulled(math.sqrt(st[POTENTIAL] / st[WEIGHT]))
        guess = BY_SLOPE
        st[PULLS] += 1.0
    if st[DAMPING] < 0.0:
        st[SCALE] = _scale(s, g, count, to_the_end)
        far = st[POTENTIAL] / st[WEIGHT]
        st[DAMPING] = first_damping(st[SCALE], far, st[NEAR]) if st[SCALE] > 0.0 else 1e-12
    st[STEPS] += 1.0
    settled, size, wanted = _pulled_step(s, g, count, share, most, guess)
    if size < 0:
        return False
    note_held(g, count)
    st[COUNT] = count
    st[SIZE] = size
    st[SETTLED] = 1.0 if settled else 0.0
    st[PULLED] = 1.0 if wanted > 0.0 else 0.0
    return True


@kernel
def propose(s, g):
    """X_NEW: (1 where it is a chord, 0 where it is a whole step, −1 where there is none; what is left of P by it)."""
    st = s.work.state
    to_the_end = g.limits.option[PULL_TO_THE_END] != 0.0
    pulled = st[ARRIVED] < 0.5
    chord = False
    take_room(s)
    if st[CHORDS] > 0.0 and _is_near(st[REACH], st[HARD], to_the_end):
        if pulled:
            pull_towards(s, 1.0)
        chord = chord_step(s, g, int(st[COUNT]), int(st[SIZE]), pulled)
        st[CHORDS] -= 1.0
        st[PULLED] = 1.0 if pulled else 0.0
    if not chord and not _whole_step(s, g, to_the_end):
        return -1, 0.0
    st[LENGTH], st[WAY] = lengths(s)
    changed = False
    if to_the_end and (pulled or not chord):
        changed = st[KNOWN] > 0.0
        extrapolate(s, st[KNOWN])
    st[LONGEST], shorter = _shorten(s, st[RADIUS])
    predicted = st[POTENTIAL]
    if not chord:
        left, broken = _left(s, g, int(st[SIZE]), st[SETTLED] > 0.5 and not changed and not shorter)
        predicted = st[POTENTIAL] - left - g.hard_weight * broken
    _take_step(s, g)
    wrap(s.bounds, s.work.x_new)
    return 1 if chord else 0, predicted


@kernel
def judge_proposal(s, g, chord, predicted):
    """Take X_NEW where it serves, and what follows for the steps after it: FLAT where nothing helps, else −1."""
    work = s.work
    st = work.state
    pulled = st[ARRIVED] < 0.5
    to_the_end = g.limits.option[PULL_TO_THE_END] != 0.0
    new, hard, met = evaluate(s, g, work.x_new, work.e_new, ENOUGH)
    st[EVALUATIONS] += 1.0
    old = st[POTENTIAL]
    longest = st[LONGEST]
    fell = old - new
    bent = _CHORD_BENT * longest * (longest + st[REACH]) if chord else _BENT * longest * longest
    allowed = bent * bent * st[WEIGHT] if st[PULLED] > 0.5 else 0.0
    helps = fell > 0.0 and predicted > 0.0
    taken = helps or new <= allowed or met > 0.5
    if chord:
        taken = met > 0.5 or new <= (max(allowed, old) if pulled else _CHORD_SHARE * old)
    if not taken:
        return _refuse(s, g, chord, to_the_end)
    restored = chord and not pulled
    for i in range(work.x.shape[0]):  # what restores rows belongs to the step before
        work.last_step[i] = work.base[i] + (work.last_step[i] if restored else 0.0)
        work.x[i] = work.x_new[i]
    for p in range(3 * s.residuals):
        work.e[p] = work.e_new[p]
    st[POTENTIAL] = new
    st[HARD] = hard
    st[MET] = met
    st[FRESH] = 1.0
    if pulled or not chord:
        st[KNOWN] = st[KNOWN] + 1.0 if new <= 1e-4 * st[WEIGHT] else 0.0
    if not to_the_end:
        st[SLOW_STEPS] = st[SLOW_STEPS] + 1.0 if new > SLOW_SHARE * old and met < 0.5 else 0.0
    elif pulled or not chord:
        st[SLOW_STEPS] = st[SLOW_STEPS] + 1.0 if new > SLOW_SHARE * old and new > allowed else 0.0
        st[ARRIVED] = 1.0 if is_there(longest, st[LENGTH], st[WAY], st[BEFORE]) else 0.0
        st[BEFORE] = st[LENGTH]
    if not chord:
        st[REACH] = longest
        may = st[SETTLED] > 0.5 and (to_the_end or new <= _CHORD_AFTER * old)
        st[CHORDS] = _CHORDS if may else 0.0
        if helps:
            remains = new / max(old, 1e-300)
            st[DAMPING], st[GROWTH] = next_damping(True, fell / predicted, remains, st[DAMPING], st[GROWTH])
        else:
            st[DAMPING] *= 0.1
    if recharted(s.space, work.x, LONGEST_VECTOR):
        st[CHORDS] = 0.0
        st[POTENTIAL], st[HARD], st[MET] = evaluate(s, g, work.x, work.e, ENOUGH)
        st[EVALUATIONS] += 1.0
    return -1


@kernel
def _refuse(s, g, chord, to_the_end):
    """After a step that does not serve: FLAT where none is left, else −1."""
    st = s.work.state
    if not chord:
        if st[LONGEST] < _NO_STEP or st[DAMPING] > _DAMPED_OUT * st[WEIGHT]:
            st[TAKEN] = 0.0
            return FLAT
        if not to_the_end:
            # With a pull the step gets shorter: more damping would leave the goals to it.
            damping, st[GROWTH] = next_damping(False, 0.0, 1.0, st[DAMPING], st[GROWTH])
            st[DAMPING] = max(damping, 1e-8 * st[SCALE])
        else:
            st[RADIUS] *= 0.25
        st[SLOW_STEPS] += 1.0
    st[CHORDS] = 0.0
    st[KNOWN] = 0.0
    st[BEFORE] = 0.0
    # Rows, and frames, are those of X again.
    st[POTENTIAL], st[HARD], st[MET] = evaluate(s, g, s.work.x, s.work.e, ENOUGH)
    st[EVALUATIONS] += 1.0
    return -1
