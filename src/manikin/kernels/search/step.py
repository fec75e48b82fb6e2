"""One damped step, for soft and hard alike: d minimises, in variables scaled by the root of the metric,

    ‖e + J d‖² + λ ‖d − p‖²   over   lower ≤ x + d ≤ upper,   such that hard residuals and held rows keep

(p, the *pull*, is where the step would go if nothing were asked: as λ falls, what the goals want of it is taken out and
the rest stays.) In the dual form, d fixed for held variables and products over the free ones,

    d = p − Jᵀy,   (J Jᵀ + D) y = e + J d_held + J p,   D = λ for a soft row, 0 for a hard one

a system as large as what is asked and what holds. Which ends and rows hold the step is guessed, solved for, and
changed: what the step breaks is held, what would rather leave its end is let go. All that is wrong is changed while
that makes it less; else the set is found exactly from there (`active_set`).
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.pose.limits import EQUAL
from manikin.kernels.search.active_set import find_set
from manikin.kernels.search.rows import ASKED, FAR, HELD, NEAR, along, enter_rows, to_meet
from manikin.kernels.search.system import (
    DEPENDENT,
    NO_PIVOT,
    ROUNDING,
    after,
    multiply_residuals,
    solve,
    take_out,
    transposed,
)

#: How the variables that stay on their ends are guessed: by the slope, by the pull, or as in the last step.
BY_SLOPE, BY_PULL, BY_LAST = range(3)
# Solutions of one step at most; of changes all at once so many may be no better than the best; how often the set is
# found exactly.
_PASSES, _TRIES, _SETS = 30, 2, 2
# Violations and multipliers below this, of the largest entry of y, are none.
_NOISE = 1e-13
#: What of what is wrong is changed: nothing, what pulls, what is broken, or both.
_NOTHING, _RELEASES, _BREACHES, _ALL = range(4)


@kernel
def take_room(s):
    """How far each variable may go from x, scaled."""
    for i in range(s.work.x.shape[0]):
        s.work.d_low[i] = (s.bounds.lower[i] - s.work.x[i]) / s.bounds.scale[i]
        s.work.d_high[i] = (s.bounds.upper[i] - s.work.x[i]) / s.bounds.scale[i]


@kernel
def _guess(s, g, size, guess):
    """Which variables are free to begin with: those that are on no end, or led away from it."""
    work = s.work
    if guess == BY_SLOPE:
        for p in range(3 * size):
            k = int(g.scalars.listed[p]) if p >= 3 * s.residuals else -1
            held = k >= 0 and g.scalars.state[k] == HELD
            work.right[p] = 0.0 if held else work.e[p]
        transposed(s, size, work.right, work.slope)
    for i in range(work.x.shape[0]):
        low = work.d_low[i]
        high = work.d_high[i]
        if guess == BY_LAST:
            outwards = work.free[i] < 0.5 and (low >= 0.0 or high <= 0.0)
        else:
            way = work.slope[i] if guess == BY_SLOPE else -work.pull[i]
            outwards = (low >= 0.0 and way > 0.0) or (high <= 0.0 and way < 0.0)
        work.free[i] = 0.0 if outwards else 1.0
        work.base[i] = 0.0


@kernel
def _begin(s, g, damping):
    """Damping and least pivots of the residuals; a hard one that is far is damped like a soft one until it is near."""
    scalars = g.scalars
    for a in range(s.residuals):
        miss = max(abs(s.work.e[3 * a]), abs(s.work.e[3 * a + 1]), abs(s.work.e[3 * a + 2]))
        hard = s.strips.hard[a] != 0.0 and miss <= FAR * s.strips.root[a]
        for c in range(3):
            p = 3 * a + c
            scalars.damping[p] = 0.0 if hard else damping
            scalars.least[p] = NO_PIVOT
            scalars.whole[p] = s.work.tiles[a, a, 4 * c]


@kernel
def _set_base(s):
    """BASE: the step of held variables (on their ends), the pull of free ones."""
    work = s.work
    for i in range(work.x.shape[0]):
        if work.free[i] > 0.5:
            work.base[i] = work.pull[i]
        else:
            low = work.d_low[i]
            high = work.d_high[i]
            work.base[i] = low if abs(work.base[i] - low) <= abs(work.base[i] - high) else high


@kernel
def _wrong_end(work, i, noise):
    """Whether a free variable leaves its range (1), or one that is held would rather come in (−1)."""
    d = work.pull[i] - work.wish[i]
    low = work.d_low[i]
    high = work.d_high[i]
    if work.free[i] > 0.5:
        return 1 if d < low - noise or d > high + noise else 0
    if low < high and (
        (work.base[i] <= low and d > low + noise) or (work.base[i] > low and d < high - noise)
    ):
        return -1
    return 0


@kernel
def _hold(s, g, k, side):
    """Hold row k at this end from now on."""
    scalars = g.scalars
    scalars.state[k] = HELD
    scalars.side[k] = side
    p = int(scalars.place[k])
    if p >= 0:
        scalars.least[p] = NO_PIVOT
        s.work.e[p] = to_meet(scalars, k)


@kernel
def _change_rows(s, g, count, noise, what):
    """Of the rows, what holds and should not, and what is broken and not held: (both, the latter), changed as ``what``
    says. Of the edges of one support only the one that is broken most is held: others may not be then.
    """
    scalars = g.scalars
    wrong = 0
    broken = 0
    worst = 0.0
    which = -1
    for k in range(count):
        side = scalars.side[k]
        if scalars.state[k] == HELD:
            if side != EQUAL and s.work.solved[int(scalars.place[k])] * side < -noise:
                wrong += 1
                if what in (_ALL, _RELEASES):
                    scalars.state[k] = NEAR
                    scalars.least[int(scalars.place[k])] = math.inf
        elif scalars.state[k] == NEAR:
            value = along(scalars, k, s.work.base)
            over = max(value - scalars.high[k], scalars.low[k] - value)
            if over > max(noise, worst):
                worst = over
                which = k
        last = k == count - 1 or scalars.support[k] == 0.0 or scalars.support[k + 1] != scalars.support[k]
        if last and which >= 0:
            broken += 1
            if what >= _BREACHES:
                _hold(s, g, which, 1.0 if along(scalars, which, s.work.base) > scalars.high[which] else -1.0)
            worst = 0.0
            which = -1
    return wrong + broken, broken


@kernel
def _change(s, g, count, size, noise, what):
    """The same of rows and ranges."""
    work = s.work
    wrong, broken = _change_rows(s, g, count, noise, what)
    for i in range(work.x.shape[0]):
        sign = _wrong_end(work, i, noise)
        if sign == 0:
            continue
        wrong += 1
        broken += 1 if sign > 0 else 0
        if what == _ALL or (what == _BREACHES and sign > 0) or (what == _RELEASES and sign < 0):
            take_out(s, 0, size, i, float(sign))
            work.free[i] = 0.0 if sign > 0 else 1.0
    return wrong, broken


@kernel
def _solve(s, g, size):
    """y and the step of the present set; returns what counts as rounding."""
    work = s.work
    scalars = g.scalars
    _set_base(s)
    after(s, size, work.e, work.base, work.right)
    for p in range(3 * size):
        if scalars.damping[p] == 0.0 and scalars.least[p] < math.inf:
            diagonal = work.tiles[p // 3, p // 3, 4 * (p % 3)]
            scalars.least[p] = max(DEPENDENT * diagonal, ROUNDING * scalars.whole[p], NO_PIVOT)
    solve(s, size, 0.0, scalars, work.right, work.solved)
    transposed(s, size, work.solved, work.wish)
    largest = 1.0
    for p in range(3 * size):
        largest = max(largest, abs(work.solved[p]))
    for i in range(work.x.shape[0]):
        if work.free[i] > 0.5:
            work.base[i] = work.pull[i] - work.wish[i]
    return _NOISE * largest


@kernel
def damped_step(s, g, count, damping, guess):
    """BASE, the step, from e, J and ``count`` listed rows, towards PULL: (whether it settled, strips of its system).

    Where it did not settle (rows that no step can meet within the ranges), it is as near as was found.
    """
    work = s.work
    multiply_residuals(s)
    _begin(s, g, damping)
    size, used, _ = enter_rows(s, g, count, s.residuals, 0, damping)
    if size < 0:
        return False, -1
    _guess(s, g, size, guess)
    n = work.x.shape[0]
    for i in range(n):
        if work.free[i] < 0.5:
            take_out(s, 0, size, i, 1.0)
    fewest = n + count + 1
    tries = _TRIES
    sets = _SETS
    found = False
    for _ in range(_PASSES):
        noise = _solve(s, g, size)
        wrong, broken = _change(s, g, count, size, noise, _NOTHING)
        if wrong == 0 or (broken == 0 and (found or sets == 0)):
            return True, size
        tries = _TRIES if wrong < fewest else tries - 1
        fewest = min(fewest, wrong)
        if tries >= 0:
            _change(s, g, count, size, noise, _ALL)
        elif sets > 0 and wrong > broken:  # the exact method begins where nothing pulls
            _change(s, g, count, size, noise, _RELEASES)
        elif sets > 0:
            sets -= 1
            found = find_set(s, g, count, size, noise)
        else:
            _change(s, g, count, size, noise, _BREACHES)
        more, used, changed = enter_rows(s, g, count, size, used, damping)
        if more < 0:
            return False, size
        size = more
        for i in range(n):
            if changed < size and work.free[i] < 0.5:
                take_out(s, changed, size, i, 1.0)
    return False, size


@kernel
def is_asked(scalars, p):
    """Whether row p of the system, of a single row, is one that is asked for."""
    k = int(scalars.listed[p])
    return k >= 0 and scalars.state[k] == ASKED
