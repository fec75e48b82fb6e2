"""One damped step among ranges and linear rows.

In coordinates scaled by the root of the metric the step d minimises

    ‖e + J d‖² + λ ‖d − p‖²    such that   lower ≤ x + d ≤ upper   and   low ≤ A d ≤ high

(p, the *pull*, is where the step would go if nothing were asked: zero, or towards what is preferred among equals; as λ
falls, what the goals want of it is taken out and the rest of it stays.) First by guessing what holds it. With the
coordinates on their ends set there (d_h), and the held rows A_h d = b,

    d = p − Jᵀy − A_hᵀν,  ⎡ J Jᵀ + λ   J A_hᵀ  ⎤ ⎡ y ⎤   ⎡ e + J d_h + J p     ⎤
                          ⎣ A_h Jᵀ     A_h A_hᵀ ⎦ ⎣ ν ⎦ = ⎣ A_h d_h + A_h p − b ⎦

(products over the free coordinates),

a system as large as the goals' rows and the held ones. What d then breaks is held, what would rather leave its end is
let go, and the rest solved again; when nothing changes, that is the minimum. Where it does not settle, or there are
more rows than variables, the dual method of Goldfarb and Idnani (`quadratic`) answers. Rows that cannot be met within
the ranges are met as far as these allow. Either way the new point keeps every range exactly and every linear row to
`KEPT`: what rounding leaves is brought back.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import outside
from manikin.kernels.math.quadratic import SOLVED, factor, minimise
from manikin.kernels.pose.limits import (
    EQUAL,
    LOWER,
    ROW_BEGIN,
    ROW_END,
    ROW_LOWER,
    ROW_SIDE,
    ROW_UPPER,
    UPPER,
    X,
    nearest_feasible,
    row_value,
    worst_violation,
)
from manikin.kernels.search.linear_layout import view_quadratic

#: Violation of a row, its normal of length 1, that a point may have.
KEPT = 1e-12
# Rounds of guesses, and how many may be no better than the best; what is changed after one.
_PASSES, _TRIES = 30, 3
#: How the coordinates that stay on their ends are guessed.
BY_SLOPE, BY_PULL, BY_LAST = range(3)
# Violations and multipliers below this are none, of the largest entry of y and ν; for the dual method of 1.
_NOISE = 1e-13
_BROKEN = 1e-13
# Of a held row's square, what is left when the others imply it; of the largest entry of JᵀJ, or of 1, the damping.
_DEPENDENT = 1e-11
# Radians or metres: a coordinate that is held on an end and this near to it is there.
_BESIDE = 1e-14
# Of the square of a row, what bringing its variables in and out leaves of it.
_ROUNDING = 1e-14
_LEAST_DAMPING = 1e-11


@kernel
def scale_rows(method, bounds, linear, stays):
    """The rows by the scaled variables, ranges for `feasible`. Held are equalities alone or, where it ``stays``, what
    was held last: `take_room` lets go what is not on its end.
    """
    n = linear.rows.shape[1]
    for r in range(method.rows.shape[0]):
        row = linear.rows[r]
        for i in range(int(linear.begin[r]), int(linear.past[r])):
            row[i] = 0.0
        linear.begin[r] = method.row[ROW_BEGIN, r]
        linear.past[r] = method.row[ROW_END, r]
        source = method.rows[r]
        for i in range(int(linear.begin[r]), int(linear.past[r])):
            row[i] = source[i] * bounds.scale[i]
        if method.row[ROW_SIDE, r] == EQUAL:
            linear.hold[r] = EQUAL
        elif not stays:
            linear.hold[r] = 0.0
        linear.push[r] = 0.0
        linear.support[r] = 0.0
    for i in range(n):
        method.vector[LOWER, i] = bounds.lower[i]
        method.vector[UPPER, i] = bounds.upper[i]


@kernel
def take_room(method, bounds, work, linear, count):
    """How far the step may go from X, of the first ``count`` rows, which are linear; one held last time stays so only
    if X is on its end.
    """
    n = work.x.shape[0]
    for i in range(n):
        linear.d_low[i] = (bounds.lower[i] - work.x[i]) / bounds.scale[i]
        linear.d_high[i] = (bounds.upper[i] - work.x[i]) / bounds.scale[i]
    for r in range(count):
        value = row_value(method, r, work.x)
        linear.low[r] = method.row[ROW_LOWER, r] - value
        linear.high[r] = method.row[ROW_UPPER, r] - value
        if linear.hold[r] != EQUAL:
            away = linear.high[r] if linear.hold[r] > 0.0 else -linear.low[r]
            if not away <= KEPT:
                linear.hold[r] = 0.0
                linear.push[r] = 0.0


@kernel
def bend(work, linear):
    """Slope and the rows' multipliers together, Jᵀe + Aᵀμ, into ``bent``."""
    n = work.x.shape[0]
    for i in range(n):
        linear.bent[i] = work.slope[i]
    for r in range(linear.rows.shape[0]):
        c = linear.push[r]
        if c != 0.0:
            row = linear.rows[r]
            for i in range(int(linear.begin[r]), int(linear.past[r])):
                linear.bent[i] += c * row[i]


@kernel
def _begin(rows, work, linear, guess):
    """The system of the rows asked for, over the free coordinates; which those are is guessed."""
    n = work.x.shape[0]
    bend(work, linear)
    for i in range(n):
        work.step[i] = 0.0
        if guess == BY_LAST:
            outwards = work.free[i] < 0.5 and (linear.d_low[i] >= 0.0 or linear.d_high[i] <= 0.0)
        else:
            way = -linear.pull[i] if guess == BY_PULL else linear.bent[i]
            outwards = (linear.d_low[i] >= 0.0 and way > 0.0) or (linear.d_high[i] <= 0.0 and way < 0.0)
        work.free[i] = 0.0 if outwards else 1.0
    for a in range(rows):
        _enter(rows, work, linear, a, work.e[a])


@kernel
def system_row(rows, linear, a):
    """Row a of the system: one asked for, then those that are listed as held."""
    return linear.jacobian[a] if a < rows else linear.rows[int(linear.listed[a - rows])]


@kernel
def _enter(rows, work, linear, a, right):
    """Row a into the system, by those before it and itself, over the free coordinates; four sums at a time."""
    n = work.x.shape[0]
    row = system_row(rows, linear, a)
    whole = 0.0
    for i in range(n):
        c = row[i]
        whole += c * c
        masked = c * work.free[i]
        linear.masked[i] = masked
        right += masked * linear.pull[i] + (c - masked) * work.step[i]
    linear.right[a] = right
    linear.whole[a] = whole
    line = linear.matrix[a]
    for b in range(0, a + 1, 4):
        row0 = system_row(rows, linear, b)
        row1 = system_row(rows, linear, min(b + 1, a))
        row2 = system_row(rows, linear, min(b + 2, a))
        row3 = system_row(rows, linear, min(b + 3, a))
        s0 = 0.0
        s1 = 0.0
        s2 = 0.0
        s3 = 0.0
        for i in range(n):
            c = linear.masked[i]
            s0 += c * row0[i]
            s1 += c * row1[i]
            s2 += c * row2[i]
            s3 += c * row3[i]
        line[min(b + 3, a)] = s3
        line[min(b + 2, a)] = s2
        line[min(b + 1, a)] = s1
        line[b] = s0


@kernel
def _column(rows, size, work, linear, i, sign):
    """Bring coordinate i into the system of this size (1) or out of it (−1), and its share of the residual likewise."""
    part = sign * (work.step[i] - linear.pull[i])
    column = linear.solved  # what it had is no longer needed: rows were looked at before ranges
    for a in range(size):
        column[a] = system_row(rows, linear, a)[i]
    for a in range(size):
        c = column[a]
        linear.right[a] -= c * part
        c *= sign
        row = linear.matrix[a]
        for b in range(a + 1):
            row[b] += c * column[b]


@kernel
def _list_held(rows, work, linear, count):
    """The held rows behind those asked for, equalities first; the first of ``count`` that were there stay. How many."""
    place = 0
    same = True
    for kind in range(2):
        for r in range(linear.rows.shape[0]):
            side = linear.hold[r]
            if side == 0.0 or (side == EQUAL) != (kind == 0):
                continue
            same = same and place < count and int(linear.listed[place]) == r
            if not same:
                linear.listed[place] = r
                end = linear.low[r] if side < 0.0 else linear.high[r]
                _enter(rows, work, linear, rows + place, -end)
            place += 1
    return place


@kernel
def factorise(rows, size, linear, damping):
    """L D Lᵀ of the system, the first ``rows`` damped; D⁻¹ on the diagonal, 0 where the rows before imply one."""
    matrix = linear.matrix
    lower = linear.factor
    for a in range(size):
        row = lower[a]
        for b in range(a):
            other = lower[b]
            s = matrix[a, b]
            for c in range(b):
                s -= row[c] * other[c]
            row[b] = s
        whole = matrix[a, a] + (damping if a < rows else 0.0)
        s = whole
        for c in range(a):
            u = row[c]
            f = u * lower[c, c]
            row[c] = f
            s -= u * f
        least = 1e-30 if a < rows else max(_DEPENDENT * whole, _ROUNDING * linear.whole[a])
        row[a] = 1.0 / s if s > least else 0.0


@kernel
def solve_system(size, linear):
    """``solved`` from ``right`` by the factor; the unknown of a row that those before imply is 0."""
    lower = linear.factor
    x = linear.solved
    for a in range(size):
        row = lower[a]
        t = linear.right[a]
        for c in range(a):
            t -= row[c] * x[c]
        x[a] = t
    for a in range(size):
        x[a] *= lower[a, a]
    for a in range(size - 1, 0, -1):
        s = x[a]
        row = lower[a]
        for c in range(a):
            x[c] -= row[c] * s


@kernel
def _wrong_range(work, linear, i, noise):
    """Whether a free coordinate leaves its range, or one on its end would come in, by more than rounding."""
    wish = work.wish[i]
    low = linear.d_low[i]
    high = linear.d_high[i]
    if work.free[i] > 0.5:
        return -wish < low - noise or -wish > high + noise
    inwards = wish + work.step[i]
    return low < high and (inwards < -noise if work.step[i] <= low else inwards > noise)


@kernel
def _change_range(rows, size, work, linear, i):
    """Hold a coordinate at the end that it leaves, or let it go."""
    if work.free[i] > 0.5:
        work.free[i] = 0.0
        work.step[i] = linear.d_low[i] if work.step[i] < linear.d_low[i] else linear.d_high[i]
        _column(rows, size, work, linear, i, -1.0)
    else:
        _column(rows, size, work, linear, i, 1.0)
        work.free[i] = 1.0


@kernel
def _broken_by(linear, work, r):
    """By how much the step breaks row r: below 0 at its lower end."""
    row = linear.rows[r]
    value = 0.0
    for i in range(int(linear.begin[r]), int(linear.past[r])):
        value += row[i] * work.step[i]
    return outside(value, linear.low[r], linear.high[r])


@kernel
def _change(rows, work, linear, count, noise, lets_go):
    """Hold what is broken and, if it ``lets_go``, let go of what is held and should not be: (how many of both there
    were, and of the first). Of a support's edges only the one that is broken most is held: others may not be then.

    (STEP is that of the free coordinates as they were; ranges come after rows, whose values depend on it.)
    """
    wrong = 0
    broken = 0
    p = 0
    while p < count and linear.hold[int(linear.listed[p])] == EQUAL:
        p += 1
    worst = 0.0
    which = -1
    last = linear.rows.shape[0] - 1
    for r in range(last + 1):
        if linear.hold[r] == EQUAL:
            continue
        if p < count and int(linear.listed[p]) == r:
            if linear.solved[rows + p] * linear.hold[r] < -noise:
                wrong += 1
                linear.hold[r] = 0.0 if lets_go else linear.hold[r]
            p += 1
        else:
            by = _broken_by(linear, work, r)
            if abs(by) > max(noise, abs(worst)):
                worst = by
                which = r
        if which >= 0 and (
            r == last or linear.support[r] == 0.0 or linear.support[r + 1] != linear.support[r]
        ):
            broken += 1
            linear.hold[which] = 1.0 if worst > 0.0 else -1.0
            worst = 0.0
            which = -1
    for i in range(work.x.shape[0]):
        if _wrong_range(work, linear, i, noise):
            if work.free[i] > 0.5:
                broken += 1
            else:
                wrong += 1
                if not lets_go:
                    continue
            _change_range(rows, rows + count, work, linear, i)
    return wrong + broken, broken


@kernel
def _guessed_step(rows, work, linear, damping, guess, tries):
    """STEP by guessing; how many rows are held, they and the factor are left as they are; −1 where it does not settle.

    All guesses that were wrong are changed while that makes them fewer, but for ``tries`` times. Without tries what is
    broken is held, and nothing let go: the step is then feasible, if not the best.
    """
    n = work.x.shape[0]
    _begin(rows, work, linear, guess)
    fewest = n + linear.rows.shape[0] + 1
    lets_go = tries > 0
    count = 0
    for _ in range(_PASSES):
        count = _list_held(rows, work, linear, count)
        factorise(rows, rows + count, linear, damping)
        solve_system(rows + count, linear)
        for i in range(n):
            work.wish[i] = -linear.pull[i]
        largest = 0.0
        for a in range(rows + count):
            c = linear.solved[a]
            largest = max(largest, abs(c))
            row = system_row(rows, linear, a)
            for i in range(n):
                work.wish[i] += row[i] * c
        for i in range(n):
            if work.free[i] > 0.5:
                work.step[i] = -work.wish[i]
        noise = _NOISE * (largest + 1.0)
        wrong, broken = _change(rows, work, linear, count, noise, lets_go)
        if wrong == 0 or (broken == 0 and not lets_go):
            for r in range(linear.rows.shape[0]):
                linear.push[r] = 0.0
            for p in range(count):
                linear.push[int(linear.listed[p])] = damping * linear.solved[rows + p]
            return count
        if wrong < fewest:
            fewest = wrong
        elif lets_go:
            tries -= 1
            if tries < 0:
                break
    return -1


@kernel
def solve_exactly(method, work, linear, slope):
    """STEP that minimises ½ dᵀHd + slope·d among ranges and rows, H factored in ``method.curve[1]``; False if none."""
    n = work.x.shape[0]
    qp = view_quadratic(linear, method.curve[1])
    status, count = minimise(
        qp,
        slope,
        linear.rows,
        linear.low,
        linear.high,
        linear.rows.shape[0],
        linear.d_low,
        linear.d_high,
        work.step,
        _BROKEN,
    )
    for i in range(n):
        work.free[i] = 1.0
    for r in range(linear.rows.shape[0]):
        linear.push[r] = 0.0
        if linear.hold[r] != EQUAL:
            linear.hold[r] = 0.0
    for p in range(count):
        which = int(qp.held[p])
        if which < n:
            work.free[which] = 0.0
        else:
            r = which - n
            linear.push[r] = -qp.multiplier[p] * qp.side[p]
            if linear.hold[r] != EQUAL:
                linear.hold[r] = -qp.side[p]
    return status == SOLVED


@kernel
def _exact_step(rows, method, work, linear, damping):
    """STEP by the dual method; False where it finds none."""
    n = work.x.shape[0]
    H = method.metric
    while True:
        largest = 0.0
        for i in range(n):
            row = H[i]
            for j in range(i + 1):
                row[j] = 0.0
            for r in range(rows):
                c = linear.jacobian[r, i]
                if c != 0.0:
                    other = linear.jacobian[r]
                    for j in range(i + 1):
                        row[j] += c * other[j]
            largest = max(largest, row[i])
        damping = max(damping, _LEAST_DAMPING * max(largest, 1.0))
        for i in range(n):
            H[i, i] += damping
        if factor(H, method.curve[1]):
            for i in range(n):
                linear.bent[i] = work.slope[i] - damping * linear.pull[i]
            return solve_exactly(method, work, linear, linear.bent)
        if not damping < 1e30:
            return False
        damping *= 100.0


@kernel
def bring_back(method, bounds, work):
    """X_NEW inside the ranges, and inside the rows to `KEPT`, where rounding left it outside; STEP to there."""
    n = work.x.shape[0]
    x = method.vector[X]
    for i in range(n):
        y = work.x[i] + work.step[i] * bounds.scale[i]
        x[i] = min(max(y, bounds.lower[i]), bounds.upper[i])
    if worst_violation(method)[0] > KEPT:
        nearest_feasible(method, method.metric, method.curve[1])
    longest = 0.0
    for i in range(n):
        low = bounds.lower[i]
        high = bounds.upper[i]
        y = min(max(x[i], low), high)
        if work.free[i] < 0.5:  # on its end, and not beside it by rounding: the next step has it there
            y = low if abs(y - low) <= _BESIDE else y
            y = high if abs(y - high) <= _BESIDE else y
        work.x_new[i] = y
        work.step[i] = (y - work.x[i]) / bounds.scale[i]
        longest = max(longest, abs(work.step[i]))
    return longest


@kernel
def slope_left(work, linear):
    """The largest entry of the slope that neither a range nor a row on which X stands takes up."""
    bend(work, linear)
    largest = 0.0
    for i in range(work.x.shape[0]):
        slope = linear.bent[i]
        held = (linear.d_low[i] >= 0.0 and slope > 0.0) or (linear.d_high[i] <= 0.0 and slope < 0.0)
        if not held:
            largest = max(largest, abs(slope))
    for r in range(linear.rows.shape[0]):
        if linear.hold[r] != 0.0 and linear.hold[r] != EQUAL:
            away = linear.high[r] if linear.hold[r] > 0.0 else -linear.low[r]
            if away > KEPT or linear.push[r] * linear.hold[r] < 0.0:
                largest = max(largest, abs(linear.push[r]))
    return largest


@kernel
def find_step(rows, method, work, linear, damping, guess):
    """STEP from SLOPE within the room that was taken: (whether there is one, how many rows the factor has as held, or
    −1 where the system was not what found it).

    guess: how to guess which coordinates on an end stay there: those that the slope pushes out, or the pull, or those
    that the last step held.
    """
    few = rows <= work.x.shape[0]
    if few:
        count = _guessed_step(rows, work, linear, damping, guess, _TRIES)
        if count >= 0:
            return True, count
    if _exact_step(rows, method, work, linear, damping):
        return True, -1
    # Rows that cannot be met within the ranges: as near as these let them.
    count = _guessed_step(rows, work, linear, damping, guess, 0) if few else -1
    return count >= 0, -1


@kernel
def linear_step(rows, method, bounds, work, linear, damping):
    """STEP and X_NEW from SLOPE; returns (whether there is one, ‖e + J d‖², longest entry, slope that is left)."""
    n = work.x.shape[0]
    take_room(method, bounds, work, linear, linear.rows.shape[0])
    found, _ = find_step(rows, method, work, linear, damping, BY_SLOPE)
    largest = slope_left(work, linear)
    longest = bring_back(method, bounds, work)
    left = 0.0
    for r in range(rows):
        s = work.e[r]
        row = linear.jacobian[r]
        for i in range(n):
            s += row[i] * work.step[i]
        left += s * s
    return found, left, longest, largest
