"""A step by the factor of the last one: the chord method.

After a step the derivatives of the rows have hardly changed, and neither has what holds it. So the same system is
solved for what is left: a row asked for, e, or broken, b, at the new point. Restoring rows costs two triangular solves
and one evaluation in place of derivatives, products and a factor.

With a pull p to its end the multipliers y of the last step are known, and what they make of the derivatives of *now*,
Jᵀy, is one backward sweep over the tree (no row is written). With c = p − Jᵀy over the free coordinates the step

    d = c − J₀ᵀδ,   (J₀ J₀ᵀ + D) δ = e + J₀ c

ends where the true derivatives balance the pull: J₀ only says how to get there. (Of a row asked for it leaves λ δ,
where a whole step leaves λ y: what the pull presses out of it goes as the multipliers settle, without a smaller λ.)
Held are the same coordinates and rows; where one would leave its end, or another would be broken, there is no such step
and a whole one finds out.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.pose.limits import EQUAL
from manikin.kernels.residuals.layout import ON_COORDINATES
from manikin.kernels.residuals.measures import push_measures
from manikin.kernels.search.residuals import push_residuals
from manikin.kernels.search.rows import HELD, NEAR, add_coordinates, along, to_meet, update_room
from manikin.kernels.search.system import after, solve_again, transposed
from manikin.kernels.tree.sweep import find_slopes

# Radians: a coordinate that leaves its range, or its end, by less does so by rounding; of a multiplier likewise.
_STAYS = 1e-10


@kernel
def _lean(s, g, size):
    """c = p − Jᵀy, by the derivatives of now, into WISH."""
    work = s.work
    scalars = g.scalars
    sweep = g.sweep
    M = g.M
    for i in range(work.x.shape[0]):
        work.wish[i] = work.pull[i]
    for r in range(scalars.multiplier.shape[0]):
        scalars.multiplier[r] = 0.0
    for p in range(3 * s.residuals, 3 * size):
        k = int(scalars.listed[p])
        c = work.solved[p]
        if k < 0 or c == 0.0:
            continue
        r = int(scalars.row[k])
        if r >= 0:
            scalars.multiplier[r] = c * scalars.factor[k]
        else:
            row = scalars.derivative[k]
            for i in range(int(scalars.begin[k]), int(scalars.past[k])):
                work.wish[i] -= c * row[i]
    push_measures(s.tree, M, sweep, scalars.multiplier, sweep.wrenches)
    push_residuals(s.strips, s.residuals, s.chains, s.place, work.solved, sweep.wrenches)
    tree = s.tree
    find_slopes(tree, sweep)
    for v in range(s.drives.first.shape[0] - 1):
        for d in range(s.drives.first[v], s.drives.first[v + 1]):
            work.wish[s.drives.which[d]] -= sweep.slopes[v] * s.drives.scaled[d]
    for t in range(M.kind.shape[0]):
        if M.attach[t] != ON_COORDINATES:
            continue
        for r in range(M.first[t], M.first[t] + M.count[t]):
            if scalars.multiplier[r] != 0.0:
                add_coordinates(s, g, t, r, -scalars.multiplier[r], work.wish)


@kernel
def _note_change(s, g, size):
    """Add to y what it changed by; False where a row that is held at an end would rather leave it."""
    scalars = g.scalars
    largest = 1.0
    for p in range(3 * size):
        s.work.solved[p] += s.work.right[p]
        largest = max(largest, abs(s.work.solved[p]))
    stays = True
    for p in range(3 * s.residuals, 3 * size):
        k = int(scalars.listed[p])
        if k >= 0 and scalars.state[k] == HELD and scalars.side[k] != EQUAL:
            stays = stays and s.work.solved[p] * scalars.side[k] >= -_STAYS * largest
    return stays


@kernel
def _stays_inside(s, g, count, pulled):
    """Whether the step keeps ranges and rows and, where there is a pull, no coordinate wants off its end."""
    work = s.work
    stays = True
    for i in range(work.x.shape[0]):
        x = work.x[i]
        to = x - work.wish[i] * s.bounds.scale[i]
        low = s.bounds.lower[i]
        high = s.bounds.upper[i]
        if work.free[i] > 0.5:
            stays = stays and low - _STAYS <= to <= high + _STAYS
        elif pulled and low < high:
            stays = stays and (to <= x + _STAYS if x - low < high - x else to >= x - _STAYS)
    for k in range(count):
        if g.scalars.state[k] == NEAR:
            value = along(g.scalars, k, work.base)
            stays = stays and g.scalars.low[k] - _STAYS <= value <= g.scalars.high[k] + _STAYS
    return stays


@kernel
def chord_step(s, g, count, size, pulled):
    """BASE from x by the last factor, of ``size`` strips; False where it would change what holds the step.

    With ``pulled`` the pull is in PULL and the multipliers of the last step are in SOLVED; else rows are restored by
    the shortest step.
    """
    work = s.work
    scalars = g.scalars
    n = work.x.shape[0]
    update_room(s, g, count)
    for p in range(3 * s.residuals, 3 * size):
        k = int(scalars.listed[p])
        work.e[p] = to_meet(scalars, k) if k >= 0 and scalars.least[p] < math.inf else 0.0
    delta = work.right
    if pulled:
        _lean(s, g, size)
        for i in range(n):
            work.slope[i] = work.wish[i] * work.free[i]
        after(s, size, work.e, work.slope, work.right)
        solve_again(s, size, work.right, delta)
        transposed(s, size, delta, work.slope)
        for i in range(n):
            work.wish[i] = work.slope[i] - work.wish[i]
    else:
        solve_again(s, size, work.e, delta)
        transposed(s, size, delta, work.wish)
    for i in range(n):
        work.base[i] = -work.wish[i] * work.free[i]
    stays = True
    if pulled:
        stays = _note_change(s, g, size)
    return stays and _stays_inside(s, g, count, pulled)
