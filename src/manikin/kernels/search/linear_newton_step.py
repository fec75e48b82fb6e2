"""One of Newton's steps among ranges and linear rows: the minimum d of

    g·d + ½ dᵀ(H + λ)d    such that   lower ≤ x + d ≤ upper   and   low ≤ A d ≤ high

As `linear_step`, by guessing what holds it and, where that does not settle, by `quadratic`. With free coordinates f,
those on their ends h, and the held rows A_h d = b,

    (H + λ + σ A_hᵀA_h)_ff d_f = −g_f − H_fh d_h − A_hfᵀν,     A_h d = b

by Cholesky's factors and the small system for ν. The term with σ changes nothing while the rows hold, and lets H be
negative along their normals, as it may be at a minimum. In the same way `quadratic`, which wants a matrix that is
positive definite everywhere, is given coordinates on their ends parted from the others.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.quadratic import factor
from manikin.kernels.projection.active_set import EQUAL
from manikin.kernels.search.linear_step import KEPT, bend, factorise, slope_left, solve_exactly, solve_system
from manikin.kernels.search.newton import _solve_positive

_PASSES = 12
_BROKEN = 1e-13
# Of the largest entry of H: a multiplier below −this lets go; the least that λ is raised to; σ, for rows of length 1.
_LETS_GO = 1e-14
_LEAST_RAISE = 1e-3
# Fourfold from there to 1e12; also the end where the second derivatives are all zero.
_MOST_RAISES = 26
_STIFF = 100.0
_SETTLED, _UNSETTLED, _INDEFINITE = range(3)


@kernel
def _stiffen(linear, r, largest, H):
    """H + σ a aᵀ for row r, lower triangle; returns σ."""
    line = linear.rows[r]
    n = line.shape[0]
    square = 1e-300
    for i in range(n):
        square += line[i] * line[i]
    stiff = _STIFF * largest / square
    for i in range(n):
        c = stiff * line[i]
        if c != 0.0:
            row = H[i]
            for j in range(i + 1):
                row[j] += c * line[j]
    return stiff


@kernel
def _copy_lower(source, damping, target):
    for i in range(target.shape[0]):
        row = target[i]
        other = source[i]
        for j in range(i + 1):
            row[j] = other[j]
        row[i] += damping


@kernel
def _solve_again(lower, free, right, x):
    """x = M⁻¹ right with the factors of `_solve_positive`."""
    n = free.shape[0]
    for a in range(n):
        x[a] = 0.0
        if free[a] > 0.5:
            row = lower[a]
            s = right[a]
            for b in range(a):
                s -= row[b] * x[b]
            x[a] = s * row[a]
    for a in range(n - 1, -1, -1):
        if free[a] > 0.5:
            row = lower[a]
            s = x[a] * row[a]
            x[a] = s
            for c in range(a):
                x[c] -= row[c] * s


@kernel
def _hold_rows(method, work, linear, count):
    """The multipliers ν of the held rows, and the step that keeps them, from the one without them."""
    n = work.x.shape[0]
    for p in range(count):
        r = int(linear.listed[p])
        row = linear.rows[r]
        right = -(linear.low[r] if linear.hold[r] < 0.0 else linear.high[r])
        for i in range(n):
            right += row[i] * (work.solved[i] if work.free[i] > 0.5 else work.step[i])
        linear.right[p] = right
        linear.whole[p] = 0.0
        _solve_again(work.lower, work.free, row, method.basis[p])
        for c in range(p + 1):
            other = method.basis[c]
            s = 0.0
            for i in range(n):
                s += row[i] * other[i]
            linear.matrix[p, c] = s
    factorise(0, count, linear, 0.0)
    solve_system(count, linear)
    for p in range(count):
        c = linear.solved[p]
        other = method.basis[p]
        for i in range(n):
            work.solved[i] -= c * other[i]


@kernel
def _reconsider(method, work, linear, damping, largest, count):
    """Hold what the step breaks, let go of what would rather leave its end; True when there was one."""
    H = method.curve[0]
    n = work.x.shape[0]
    changed = False
    for i in range(n):
        linear.masked[i] = work.free[i]
        if work.free[i] > 0.5:
            work.step[i] = work.solved[i]
    for i in range(n):
        low = linear.d_low[i]
        high = linear.d_high[i]
        if linear.masked[i] > 0.5:
            if work.solved[i] < low or work.solved[i] > high:
                changed = True
                work.free[i] = 0.0
            continue
        if low == high:
            continue
        push = 2.0 * work.slope[i] + damping * work.step[i]
        row = H[i]
        for j in range(n):
            push += row[j] * work.step[j]
        for p in range(count):
            push += linear.solved[p] * linear.rows[int(linear.listed[p]), i]
        at_low = work.step[i] <= low
        if push < -_LETS_GO * largest if at_low else push > _LETS_GO * largest:
            changed = True
            work.free[i] = 1.0
    p = 0
    for r in range(linear.rows.shape[0]):
        if p < count and int(linear.listed[p]) == r:
            if linear.hold[r] != EQUAL and linear.solved[p] * linear.hold[r] < -_LETS_GO * largest:
                linear.hold[r] = 0.0
                changed = True
            p += 1
            continue
        row = linear.rows[r]
        value = 0.0
        for i in range(n):
            value += row[i] * work.step[i]
        if value > linear.high[r] + _BROKEN or value < linear.low[r] - _BROKEN:
            linear.hold[r] = 1.0 if value > linear.high[r] else -1.0
            changed = True
    for i in range(n):
        if work.free[i] < 0.5:
            work.step[i] = min(max(work.step[i], linear.d_low[i]), linear.d_high[i])
    return changed


@kernel
def _guess(method, work, linear, damping, largest):
    """STEP by guessing: _SETTLED, _UNSETTLED, or _INDEFINITE where λ must be raised."""
    H = method.curve[0]
    n = work.x.shape[0]
    bend(work, linear)
    for i in range(n):
        work.step[i] = 0.0
        outwards = (linear.d_low[i] >= 0.0 and linear.bent[i] > 0.0) or (
            linear.d_high[i] <= 0.0 and linear.bent[i] < 0.0
        )
        work.free[i] = 0.0 if outwards else 1.0
    for _ in range(_PASSES):
        _copy_lower(H, 0.0, method.metric)
        count = 0
        for r in range(linear.rows.shape[0]):
            if linear.hold[r] != 0.0:
                linear.listed[count] = r
                linear.push[r] = _stiffen(linear, r, largest, method.metric)
                count += 1
        for i in range(n):
            s = -2.0 * work.slope[i]
            row = H[i]
            for j in range(n):
                s -= row[j] * work.step[j] * (1.0 - work.free[j])
            work.wish[i] = s
        if not _solve_positive(method.metric, work.free, damping, work.wish, work.lower, work.solved):
            return _INDEFINITE
        if count > 0:
            _hold_rows(method, work, linear, count)
            for p in range(count):  # what the stiff term took of ν
                r = int(linear.listed[p])
                along = 0.0
                for i in range(n):
                    along += linear.rows[r, i] * work.solved[i] * work.free[i]
                linear.solved[p] += linear.push[r] * along
        if not _reconsider(method, work, linear, damping, largest, count):
            for r in range(linear.rows.shape[0]):
                linear.push[r] = 0.0
            for p in range(count):
                linear.push[int(linear.listed[p])] = 0.5 * linear.solved[p]
            return _SETTLED
    return _UNSETTLED


@kernel
def _exact(method, work, linear, damping, largest):
    """STEP by the dual method; False where H + λ is not positive definite, or there is none."""
    n = work.x.shape[0]
    H = method.metric
    _copy_lower(method.curve[0], damping, H)
    for r in range(linear.rows.shape[0]):
        away = linear.high[r] if linear.hold[r] > 0.0 else -linear.low[r]
        if linear.hold[r] != 0.0 and away <= KEPT:
            _stiffen(linear, r, largest, H)
    for i in range(n):
        if work.free[i] < 0.5 and (linear.d_low[i] >= 0.0 or linear.d_high[i] <= 0.0):
            for j in range(i):
                H[i, j] = 0.0
            for j in range(i + 1, n):
                H[j, i] = 0.0
            H[i, i] = largest
    if not factor(H, method.curve[1]):
        return False
    for i in range(n):
        work.wish[i] = 2.0 * work.slope[i]
    found = solve_exactly(method, work, linear, work.wish)
    for r in range(linear.rows.shape[0]):
        linear.push[r] *= 0.5
    return found


@kernel
def newton_step(method, work, linear, damping, largest):
    """STEP from SLOPE and the second derivatives in ``method.curve[0]``, ``largest`` their largest entry.

    Returns (whether there is one, the slope that is left, λ as it had to be raised).
    """
    found = False
    for _ in range(_MOST_RAISES):
        if found or not damping <= 1e12 * largest:
            break
        verdict = _guess(method, work, linear, damping, largest)
        found = verdict == _SETTLED
        if verdict == _UNSETTLED:
            found = _exact(method, work, linear, damping, largest)
        if not found:
            damping = max(4.0 * damping, _LEAST_RAISE * largest)
    return found, slope_left(work, linear), damping
