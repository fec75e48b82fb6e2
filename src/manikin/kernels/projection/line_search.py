"""How far to go along a direction: to the first limit at most, as far as pays."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.state import (
    ALPHA,
    DELTA_1,
    DELTA_2,
    LEFT,
    LEFT_P,
    LEFT_SLOPE,
    LONGEST,
    POTENTIAL,
    RIGHT,
    RIGHT_P,
    RIGHT_SLOPE,
    SLOPE,
    TRIALS,
)
from manikin.kernels.projection.active_set import (
    FREE,
    G_NEW,
    LOWER,
    ROW_LOWER,
    ROW_SIDE,
    ROW_UPPER,
    SIDE,
    STEP,
    UPPER,
    X,
)

# Slopes of a constraint along the step smaller than this, of the step's length, are rounding.
_PARALLEL = 1e-12
FAR = 1e30
# How often the search tries.
MOST_TRIALS = 25


@kernel
def longest_step(work):
    """Distance along STEP to the first constraint that is not held: (distance, which, side).

    Which: the coordinate, n + row, or −1. A constraint that is touched already gives 0 (step 3 of the report with
    its λ = 0 included).
    """
    x = work.vector[X]
    s = work.vector[STEP]
    n = x.shape[0]
    longest = FAR
    which = -1
    at = 0.0
    size = 0.0
    for j in range(n):
        size = max(size, abs(s[j]))
    for j in range(n):
        if work.vector[SIDE, j] != FREE or abs(s[j]) <= _PARALLEL * size:
            continue
        end = work.vector[UPPER, j] if s[j] > 0.0 else work.vector[LOWER, j]
        room = (end - x[j]) / s[j]
        if room < longest:
            longest = room
            which = j
            at = 1.0 if s[j] > 0.0 else -1.0
    for r in range(work.row.shape[1]):
        if work.row[ROW_SIDE, r] != FREE:
            continue
        a = work.rows[r]
        slope = 0.0
        value = 0.0
        for j in range(n):
            slope += a[j] * s[j]
            value += a[j] * x[j]
        if abs(slope) <= _PARALLEL * size:
            continue
        end = work.row[ROW_UPPER, r] if slope > 0.0 else work.row[ROW_LOWER, r]
        room = (end - value) / slope
        if room < longest:
            longest = room
            which = n + r
            at = 1.0 if slope > 0.0 else -1.0
    return max(longest, 0.0), which, at


@kernel
def cubic_minimum(a, fa, ga, b, fb, gb):
    """Where the cubic through (a, fa) and (b, fb) with slopes ga and gb is least; NaN when it has no minimum.

    Written so that it serves between the points and beyond b alike.
    """
    span = b - a
    z = 3.0 * (fa - fb) / span + ga + gb
    root = z * z - ga * gb
    if root < 0.0:
        return math.nan
    root = math.copysign(math.sqrt(root), span)
    below = gb - ga + 2.0 * root
    if below == 0.0:
        return math.nan
    return b - span * (gb + root - z) / below


@kernel
def _beyond(st, alpha, potential, slope):
    """A longer step, by the cubic through the last two points where it has a minimum beyond them."""
    guess = cubic_minimum(st[LEFT], st[LEFT_P], st[LEFT_SLOPE], alpha, potential, slope)
    if not guess > alpha:
        guess = 10.0 * alpha
    return min(max(guess, 1.5 * alpha), 10.0 * alpha)


@kernel
def _between(st):
    """A step between the two ends, by the cubic through them, not too near to either."""
    left = st[LEFT]
    right = st[RIGHT]
    span = right - left
    guess = cubic_minimum(left, st[LEFT_P], st[LEFT_SLOPE], right, st[RIGHT_P], st[RIGHT_SLOPE])
    if math.isnan(guess):
        guess = left + 0.5 * span
    return min(max(guess, left + 0.1 * span), left + 0.9 * span)


@kernel(inline=True)
def judge(work, potential):
    """Step 3: (26) at the proposed point. Returns the next α to try, 0 to accept, −1 to give up."""
    st = work.state
    v = work.vector
    alpha = st[ALPHA]
    slope = 0.0
    for j in range(v.shape[1]):
        slope += v[G_NEW, j] * v[STEP, j]
    st[TRIALS] += 1.0
    last = st[TRIALS] >= MOST_TRIALS
    if not potential <= st[POTENTIAL] + st[DELTA_1] * alpha * st[SLOPE]:
        st[RIGHT] = alpha
        st[RIGHT_P] = potential
        st[RIGHT_SLOPE] = slope
    elif slope < st[DELTA_2] * st[SLOPE] and alpha < st[LONGEST] and not last:
        ahead = _beyond(st, alpha, potential, slope)
        st[LEFT] = alpha
        st[LEFT_P] = potential
        st[LEFT_SLOPE] = slope
        if st[RIGHT] < 0.0:
            return min(ahead, st[LONGEST])
    else:
        return 0.0
    if last:
        return -1.0
    return _between(st)
