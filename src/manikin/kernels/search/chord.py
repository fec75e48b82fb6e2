"""A step of the search over rows of every kind by the factor of the last one: the chord method.

After a step the derivatives of the rows have hardly changed, and neither has what holds it. So the same system is
solved for what is left: a row asked for, e, or broken, b, at the new point. Restoring rows costs two triangular solves
and one evaluation in place of derivatives, products and a factor.

With a pull p to its end the multipliers y of the last step are known, and what they make of the derivatives of *now*,
Jᵀy, is one backward sweep over the tree (no row is written). With c = p − Jᵀy over the free coordinates the step

    d = c − J₀ᵀδ,   J₀ J₀ᵀ δ + λ δ = e + J₀ c      (a held row: … = A₀ c − b, without λ)

ends where the true derivatives balance the pull: J₀ only says how to get there. (Of a row asked for it leaves λ δ,
where a whole step leaves λ y: what the pull presses out of it goes as the multipliers settle, without a smaller λ.)
Held are the same coordinates and rows; where one would leave its end, or another would be broken, there is no such step
and a whole one finds out.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import outside
from manikin.kernels.pose.limits import EQUAL
from manikin.kernels.residuals.layout import ON_COORDINATES
from manikin.kernels.residuals.measures import coordinate_row, push_measures
from manikin.kernels.search.linear_step import KEPT, solve_system, system_row
from manikin.kernels.search.mixed_rows import row_factor
from manikin.kernels.tree.sweep import backward

# Radians: a coordinate that leaves its range, or its end, by less does so by rounding; of a multiplier likewise.
_STAYS = 1e-10


@kernel
def note_multipliers(M, work, linear, first, damping, hard_weight):
    """Keep, of each row of the goals, how hard it pushed in the step that was found."""
    for r in range(M.value.shape[0]):
        where = int(work.target[r])
        push = 0.0
        if where < 0:
            push = row_factor(M, r, hard_weight) * linear.solved[-1 - where]
        elif where > 0:
            push = linear.push[first + where - 1] / damping
        work.multiplier[r] = push


@kernel
def _lean(tree, M, sweep, drives, bounds, work, linear, first, damping):
    """c = p − Jᵀy, by the derivatives of now, into WISH."""
    wish = work.wish
    for i in range(wish.shape[0]):
        wish[i] = linear.pull[i]
    push_measures(tree, M, sweep, work.multiplier, sweep.wrenches)
    backward(tree.parent, tree.kind, tree.axis, sweep.frames, sweep.spins, sweep.wrenches, sweep.slopes)
    for v in range(drives.first.shape[0] - 1):
        for d in range(drives.first[v], drives.first[v + 1]):
            wish[drives.which[d]] -= sweep.slopes[v] * drives.coefficient[d]
    for t in range(M.kind.shape[0]):
        if M.attach[t] != ON_COORDINATES:
            continue
        for r in range(M.first[t], M.first[t] + M.count[t]):
            if work.multiplier[r] != 0.0:
                coordinate_row(M, sweep.q, t, r - M.first[t], sweep.by_dof)
                for j in range(sweep.by_dof.shape[0]):
                    i = drives.variable_of[j]
                    if i >= 0:
                        wish[i] -= work.multiplier[r] * sweep.by_dof[j] * bounds.scale[i]
    for r in range(first):
        if linear.push[r] != 0.0:
            c = linear.push[r] / damping
            for i in range(int(linear.begin[r]), int(linear.past[r])):
                wish[i] -= c * linear.rows[r, i]


@kernel
def _what_is_left(M, work, linear, asked, held, first, hard_weight):
    """The right-hand side: what is left of the rows asked for and of those held, and the ends of the latter."""
    for r in range(M.value.shape[0]):
        where = int(work.target[r])
        if where < 0:
            left = row_factor(M, r, hard_weight) * outside(M.value[r], M.lower[r], M.upper[r])
            work.e[-1 - where] = left
            linear.right[-1 - where] = left
        elif where > 0:
            linear.low[first + where - 1] = M.lower[r] - M.value[r]
            linear.high[first + where - 1] = M.upper[r] - M.value[r]
    for p in range(held):
        r = int(linear.listed[p])
        end = linear.low[r] if linear.hold[r] < 0.0 else linear.high[r]
        linear.right[asked + p] = -end if r >= first else 0.0  # linear rows are where they are held


@kernel
def _note_change(M, work, linear, asked, held, first, damping, hard_weight):
    """Add what the multipliers changed by; False where a row that is held at an end would rather leave it."""
    stays = True
    for p in range(held):
        r = int(linear.listed[p])
        linear.push[r] += damping * linear.solved[asked + p]
        side = linear.hold[r]
        stays = stays and (side == EQUAL or linear.push[r] * side >= -_STAYS * damping)
    for r in range(M.value.shape[0]):
        where = int(work.target[r])
        if where < 0:
            work.multiplier[r] += row_factor(M, r, hard_weight) * linear.solved[-1 - where]
        elif where > 0:
            work.multiplier[r] = linear.push[first + where - 1] / damping
    return stays


@kernel
def _stays_inside(bounds, work, linear, first, pulled):
    """Whether the step keeps ranges and linear rows and, where there is a pull, no coordinate wants off its end."""
    stays = True
    for i in range(work.x.shape[0]):
        x = work.x[i]
        to = x - work.wish[i] * bounds.scale[i]
        low = bounds.lower[i]
        high = bounds.upper[i]
        if work.free[i] > 0.5:
            stays = stays and low - _STAYS <= to <= high + _STAYS
        elif pulled and low < high:
            stays = stays and (to <= x + _STAYS if x - low < high - x else to >= x - _STAYS)
    for r in range(first):
        if linear.hold[r] == 0.0:
            value = 0.0
            for i in range(int(linear.begin[r]), int(linear.past[r])):
                value += linear.rows[r, i] * work.step[i]
            stays = stays and linear.low[r] - KEPT <= value <= linear.high[r] + KEPT
    return stays


@kernel
def chord_step(
    tree, M, sweep, drives, bounds, work, linear, asked, held, first, damping, hard_weight, pulled
):
    """STEP from X by the last factor, of ``asked`` rows and ``held`` ones; False where it would change what holds it.

    Values and wrenches are those of X, room that of `take_room`; with ``pulled`` the pull is in ``pull``, and
    ``multiplier`` and ``push`` are those of the last step, else rows are restored by the shortest step.
    """
    n = work.x.shape[0]
    wish = work.wish
    _what_is_left(M, work, linear, asked, held, first, hard_weight)
    if pulled:
        _lean(tree, M, sweep, drives, bounds, work, linear, first, damping)
        for i in range(n):
            linear.masked[i] = wish[i] * work.free[i]
        for a in range(asked + held):
            row = system_row(asked, linear, a)
            s = 0.0
            for i in range(n):
                s += row[i] * linear.masked[i]
            linear.right[a] += s
    else:
        for i in range(n):
            wish[i] = 0.0
    solve_system(asked + held, linear)
    for i in range(n):
        wish[i] = -wish[i]
    for a in range(asked + held):
        row = system_row(asked, linear, a)
        c = linear.solved[a]
        for i in range(n):
            wish[i] += c * row[i]
    for i in range(n):
        work.step[i] = -wish[i] * work.free[i]
    stays = True
    if pulled:
        stays = _note_change(M, work, linear, asked, held, first, damping, hard_weight)
    return stays and _stays_inside(bounds, work, linear, first, pulled)
