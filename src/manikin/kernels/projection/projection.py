"""The method of Zhao and Badler (1989): variable metric steps projected on the active limits.

Written as a conversation, so that whoever computes the potential (compiled code or a Python function) may answer:
`advance` takes the value at the point proposed last (its gradient in G_NEW) and returns what it wants next:

EVALUATE  the value and gradient at X_NEW
CURVE     the second derivatives at X, for `escape.is_saddle`
NEXT      a call of `next_direction`
PROPOSE   a call of `propose`, then an evaluation
DONE      nothing; STATUS says why

(NEXT and PROPOSE are answered at one place, in `solve.reply`, so that their code is compiled once.)

Where it departs from the report, whose printed steps fail in everyday cases: a constraint that is touched counts (λ
= 0); the search may go beyond γ = 1 up to the first limit; an update is skipped when σᵀy is not safely positive;
dependent constraints are not added; and a point counts as stationary only when its curvature has been looked at
too.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.state import (
    ACTIVE_ROWS,
    ALPHA,
    AT,
    BUDGET,
    CURVE,
    DELTA_1,
    DONE,
    ESCAPE,
    EVALUATE,
    EVALUATIONS,
    FRESH,
    GAMMA,
    GRADIENT_TOLERANCE,
    ITERATIONS,
    KINK,
    LEFT,
    LEFT_P,
    LEFT_SLOPE,
    LONGEST,
    MET,
    NEXT,
    PHASE,
    POTENTIAL,
    PROPOSE,
    RIGHT,
    SEARCH,
    SLOPE,
    SMALL,
    STALLED,
    START,
    STATIONARY,
    STATUS,
    STOPPED,
    TRIALS,
    UNIT,
    UPDATE,
    WEAK_START,
    WHICH,
)
from manikin.kernels.projection.active_set import (
    AT_LOWER,
    AT_UPPER,
    DELTA_G,
    EQUAL,
    FREE,
    G_NEW,
    H_DELTA_G,
    LOWER,
    RHO,
    SIDE,
    STEP,
    UPPER,
    X_NEW,
    G,
    X,
    apply,
    fresh_metric,
    hold_bound,
    hold_row,
    multipliers,
    project_on_rows,
    release_bound,
    release_row,
    worst_multiplier,
)
from manikin.kernels.projection.line_search import MOST_TRIALS, judge, longest_step

# What the metric learns by (UPDATE): BFGS, or DFP where σᵀy < yᵀHy, as step 5 of the report has it; DFP always; BFGS
# always.
SWITCH, DFP, BFGS = range(3)
# A way to the next constraint shorter than this is none; a step shorter than that teaches nothing but rounding.
_NO_STEP = 1e-13
_TOO_SHORT = 1e-10


@kernel
def negligible(work):
    """The slope that counts as none: a share of what the goals' weights, and the potential left, make of a metre."""
    st = work.state
    return st[GRADIENT_TOLERANCE] * (st[UNIT] + st[POTENTIAL])


@kernel(inline=True)
def propose(work):
    """X_NEW = X + α STEP, never beyond a range by rounding."""
    v = work.vector
    alpha = work.state[ALPHA]
    for j in range(v.shape[1]):
        x = v[X, j] + alpha * v[STEP, j]
        v[X_NEW, j] = min(max(x, v[LOWER, j]), v[UPPER, j])


@kernel(inline=True)
def _take(work, potential):
    """The proposed point becomes the current one."""
    v = work.vector
    for j in range(v.shape[1]):
        v[X, j] = v[X_NEW, j]
        v[G, j] = v[G_NEW, j]
    work.state[POTENTIAL] = potential


@kernel(inline=True)
def _touch(work):
    """Hold the ranges that X touches and G pushes against; True when G leaves one of those it touches alone."""
    v = work.vector
    small = negligible(work)
    weak = False
    for j in range(v.shape[1]):
        if v[SIDE, j] == EQUAL:
            continue
        v[SIDE, j] = FREE
        if v[X, j] <= v[LOWER, j] and v[G, j] > 0.0:
            v[SIDE, j] = AT_LOWER
        elif v[X, j] >= v[UPPER, j] and v[G, j] < 0.0:
            v[SIDE, j] = AT_UPPER
        touched = v[X, j] <= v[LOWER, j] or v[X, j] >= v[UPPER, j]
        weak = weak or (touched and abs(v[G, j]) <= small)
    return weak


@kernel(inline=True)
def _hold(work, which, at):
    """Hold the constraint that the last step ran into; True when it was added."""
    v = work.vector
    n = v.shape[1]
    count = int(work.state[ACTIVE_ROWS])
    if which < n:
        v[X, which] = v[UPPER, which] if at > 0.0 else v[LOWER, which]
        return hold_bound(work, count, which, at)
    if hold_row(work, count, which - n, at):
        work.state[ACTIVE_ROWS] = count + 1
        return True
    return False


@kernel(inline=True)
def _release(work, which):
    n = work.vector.shape[1]
    count = int(work.state[ACTIVE_ROWS])
    scale = work.state[GAMMA]
    if which < n:
        release_bound(work, count, which, scale)
    else:
        release_row(work, count, which - n, scale)
        work.state[ACTIVE_ROWS] = count - 1


@kernel(inline=True)
def _renew(work):
    work.state[ACTIVE_ROWS] = fresh_metric(work, work.state[GAMMA])
    work.state[FRESH] = 1.0


@kernel
def _direction(work):
    """STEP = −H g; returns its slope and its length."""
    v = work.vector
    apply(work.metric, v[G], v[STEP])
    project_on_rows(work, int(work.state[ACTIVE_ROWS]), v[STEP])
    slope = 0.0
    square = 0.0
    for j in range(v.shape[1]):
        s = -v[STEP, j]
        v[STEP, j] = s
        slope += v[G, j] * s
        square += s * s
    return slope, math.sqrt(square)


@kernel(inline=True)
def _still_to_descend(work):
    v = work.vector
    largest = 0.0
    for j in range(v.shape[1]):
        if v[SIDE, j] == FREE:
            largest = max(largest, abs(v[RHO, j]))
    return largest


@kernel(inline=True)
def _first_length(work):
    """A first step is no longer than a radian (or a metre): nothing is known of the scale yet."""
    largest = 0.0
    for j in range(work.vector.shape[1]):
        largest = max(largest, abs(work.vector[STEP, j]))
    if work.state[FRESH] != 0.0 and largest > 1.0:
        return 1.0 / largest
    return 1.0


@kernel
def next_direction(work):
    """Steps 1 to 3 of the report: a direction, after letting go of what holds back; or the end."""
    st = work.state
    n = work.vector.shape[1]
    patience = 2 * (n + work.row.shape[1]) + 10
    while st[ITERATIONS] < st[BUDGET]:
        slope, length = _direction(work)
        count = int(st[ACTIVE_ROWS])
        multipliers(work, count)
        worst, which = worst_multiplier(work, count)
        small = negligible(work)
        left = _still_to_descend(work)
        if (left <= small and worst <= small) or st[STALLED] > patience:
            return CURVE
        if which >= 0 and worst > small and (length <= 0.5 * st[GAMMA] * worst or left <= small):
            _release(work, which)
            st[STALLED] += 1.0
            continue
        if slope >= 0.0 or length <= 1e-15:
            if st[FRESH] != 0.0:
                return CURVE
            _renew(work)
            continue
        longest, which, at = longest_step(work)
        if longest * length <= _NO_STEP:
            st[STALLED] += 1.0
            if not _hold(work, which, at):
                _renew(work)
            continue
        st[SLOPE] = slope
        st[LONGEST] = longest
        st[WHICH] = which
        st[AT] = at
        _begin_search(work)
        return PROPOSE
    st[STATUS] = STOPPED
    return DONE


@kernel(inline=True)
def _begin_search(work):
    st = work.state
    st[PHASE] = SEARCH
    st[ITERATIONS] += 1.0
    st[TRIALS] = 0.0
    st[LEFT] = 0.0
    st[LEFT_P] = st[POTENTIAL]
    st[LEFT_SLOPE] = st[SLOPE]
    st[RIGHT] = -1.0
    st[ALPHA] = min(_first_length(work), st[LONGEST])


@kernel
def _learn(work, potential):
    """Step 5: the BFGS or DFP update (28), (29), by UPDATE, then the new point."""
    st = work.state
    v = work.vector
    n = v.shape[1]
    y = v[DELTA_G]
    hy = v[H_DELTA_G]
    sigma = v[STEP]  # not X_NEW − X: that has the rounding of X, which need not respect the active rows
    alpha = st[ALPHA]
    sy = 0.0
    ss = 0.0
    yy = 0.0
    for j in range(n):
        y[j] = v[G_NEW, j] - v[G, j]
        sigma[j] *= alpha
        sy += sigma[j] * y[j]
        ss += sigma[j] * sigma[j]
        yy += y[j] * y[j]
    _take(work, potential)
    if not sy > 1e-10 * math.sqrt(ss * yy) or ss < _TOO_SHORT * _TOO_SHORT:
        return
    H = work.metric
    if st[FRESH] != 0.0:
        st[FRESH] = 0.0
        scale = sy / yy / st[GAMMA]
        st[GAMMA] = sy / yy
        for i in range(n):
            for j in range(n):
                H[i, j] *= scale
    yhy = apply(H, y, hy)
    update = st[UPDATE]
    # On a fresh metric the two are equal but for rounding.
    if update == BFGS or (update != DFP and sy >= yhy * (1.0 - 1e-9)):
        c = (1.0 + yhy / sy) / sy
        d = 1.0 / sy
        for i in range(n):
            along = c * sigma[i] - d * hy[i]
            across = d * sigma[i]
            row = H[i]
            for j in range(n):
                row[j] += along * sigma[j] - across * hy[j]
    elif yhy > 0.0:
        for i in range(n):
            along = sigma[i] / sy
            across = hy[i] / yhy
            row = H[i]
            for j in range(n):
                row[j] += along * sigma[j] - across * hy[j]


@kernel(inline=True)
def _accept(work, potential):
    """Steps 4 and 5: learn from the step, hold the constraint that it ran into."""
    st = work.state
    fell = st[POTENTIAL] - potential
    ran_into = st[ALPHA] >= st[LONGEST]
    _learn(work, potential)
    st[STALLED] = 0.0
    if fell <= 1e-13 * potential:
        st[SMALL] += 1.0
    else:
        st[SMALL] = 0.0
    if ran_into:
        _hold(work, int(st[WHICH]), st[AT])
        v = work.vector
        for j in range(v.shape[1]):
            if v[SIDE, j] == FREE and v[STEP, j] != 0.0:
                if v[X, j] >= v[UPPER, j] and v[STEP, j] > 0.0:
                    hold_bound(work, int(st[ACTIVE_ROWS]), j, AT_UPPER)
                elif v[X, j] <= v[LOWER, j] and v[STEP, j] < 0.0:
                    hold_bound(work, int(st[ACTIVE_ROWS]), j, AT_LOWER)


@kernel(inline=True)
def begin_escape(work, kink):
    """Set out along STEP, a direction of negative curvature ``kink`` (negative) from a stationary point."""
    st = work.state
    largest = 0.0
    for j in range(work.vector.shape[1]):
        largest = max(largest, abs(work.vector[STEP, j]))
    longest, which, at = longest_step(work)
    largest = max(largest, 1e-12)
    st[PHASE] = ESCAPE
    st[KINK] = kink
    st[LONGEST] = longest
    st[WHICH] = which
    st[AT] = at
    st[TRIALS] = 0.0
    st[ITERATIONS] += 1.0
    st[ALPHA] = min(1.0 / largest, longest)


@kernel(inline=True)
def _after_escape(work, potential):
    """Go on from the proposed point when it is lower as curvature promises; shorten the step when it is not."""
    st = work.state
    st[TRIALS] += 1.0
    alpha = st[ALPHA]
    if potential <= st[POTENTIAL] + 0.5 * st[DELTA_1] * alpha * alpha * st[KINK]:
        st[PHASE] = START
        return NEXT
    if st[TRIALS] >= MOST_TRIALS:
        st[STATUS] = STATIONARY
        return DONE
    st[ALPHA] = 0.3 * alpha
    return PROPOSE


@kernel(inline=True)
def _after_trial(work, potential):
    """Step 3 at the proposed point: try another length, accept, or begin anew with a plain metric."""
    st = work.state
    alpha = judge(work, potential)
    if alpha > 0.0:
        st[ALPHA] = alpha
        return PROPOSE
    stuck = alpha < 0.0
    if not stuck or potential < st[POTENTIAL]:
        _accept(work, potential)
        if st[SMALL] >= 3.0:
            return CURVE
    elif st[FRESH] != 0.0:
        return CURVE
    if stuck:
        _renew(work)
    return NEXT


@kernel(inline=True)
def advance(work, potential, met):
    """Take the value at X_NEW (its gradient in G_NEW; ``met``: all goals are) and say what is wanted next."""
    st = work.state
    st[EVALUATIONS] += 1.0
    if met:
        _take(work, potential)
        st[STATUS] = MET
        return DONE
    task = NEXT
    if st[PHASE] == SEARCH:
        task = _after_trial(work, potential)
    elif st[PHASE] == ESCAPE:
        task = _after_escape(work, potential)
    if st[PHASE] == START:
        _take(work, potential)
        weak = _touch(work)
        _renew(work)
        st[SMALL] = 0.0
        st[STALLED] = 0.0
        if st[ITERATIONS] == 0.0:
            st[WEAK_START] = 1.0 if weak else 0.0
    return task


@kernel(inline=True)
def begin(work):
    """Start the conversation at X, which satisfies every constraint."""
    st = work.state
    v = work.vector
    st[PHASE] = START
    st[STATUS] = STOPPED
    st[GAMMA] = 1.0
    st[ITERATIONS] = 0.0
    st[EVALUATIONS] = 0.0
    st[SMALL] = 0.0
    st[STALLED] = 0.0
    st[ACTIVE_ROWS] = 0.0
    st[POTENTIAL] = 0.0
    st[WEAK_START] = 0.0
    for j in range(v.shape[1]):
        v[X_NEW, j] = v[X, j]
        v[SIDE, j] = EQUAL if v[LOWER, j] == v[UPPER, j] else FREE
    return EVALUATE


@kernel(inline=True)
def restart(work):
    """Begin again at X, whose coordinates were changed for others of the same pose; the counts go on."""
    st = work.state
    used = st[ITERATIONS], st[EVALUATIONS], st[WEAK_START]
    task = begin(work)
    st[ITERATIONS], st[EVALUATIONS], st[WEAK_START] = used
    return task
