"""One damped step among ranges alone, for one problem or four in lanes: d minimises

    ‖e + J d‖² + λ ‖d − p‖²   over   lower ≤ x + d ≤ upper

in the dual form of `step`. Variables on an end that the slope pushes outwards are held from the beginning; those that
would leave theirs are then set on it and the rest solved again, until none does. Nothing is let go: that is left to the
next step. Without a pull, p None, nothing of it is in the compiled code.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import any_of
from manikin.kernels.memory.lanes import select
from manikin.kernels.search.system import after, multiply_residuals, solve, take_out, transposed

# How often variables may be added to those that are held in one step; what is left over is cut off.
_PASSES = 8


@kernel
def slope_and_free(s):
    """g = Jᵀ e into SLOPE; FREE is 0 where an end holds a variable that g pushes against it; the largest free slope."""
    work = s.work
    transposed(s, s.residuals, work.e, work.slope)
    zero = 0.0 * work.x[0]
    largest = zero
    for i in range(work.x.shape[0]):
        x = work.x[i]
        g = work.slope[i]
        free = select(x <= s.bounds.lower[i], select(g > 0.0, 0.0, zero + 1.0), zero + 1.0)
        free = select(x >= s.bounds.upper[i], select(g < 0.0, 0.0, free), free)
        work.free[i] = free
        size = math.fabs(g) * free
        largest = select(size > largest, size, largest)
    return largest


@kernel
def _within(s, i, y):
    low = s.bounds.lower[i]
    high = s.bounds.upper[i]
    z = select(y < low, low, y)
    return select(z > high, high, z)


@kernel
def _wanted(s, i, pull):
    """Where the step of variable i leads by itself."""
    d = -s.work.wish[i]
    if pull is not None:
        d += pull[i]
    return s.work.x[i] + d * s.bounds.scale[i]


@kernel
def _move(s, pull, live):
    """X_NEW from WISH inside the ranges, held variables on their ends; how far, summed, free ones would leave them."""
    work = s.work
    beyond = 0.0 * work.x[0]
    for i in range(work.x.shape[0]):
        free = work.free[i] > 0.5
        y = _wanted(s, i, pull)
        z = _within(s, i, y)
        beyond += select(free, math.fabs(z - y), 0.0) * live
        work.x_new[i] = select(free, z, work.x_new[i])
    return beyond


@kernel
def _hold_outside(s, pull, live):
    """Hold every free variable that leaves its range on the end it meets; RIGHT is e with all that is held."""
    work = s.work
    zero = 0.0 * work.x[0]
    for i in range(work.x.shape[0]):
        free = work.free[i]
        y = _wanted(s, i, pull)
        out = math.fabs(_within(s, i, y) - y) * free * live > 0.0
        if any_of(out):
            free = select(out, zero, free)
            work.free[i] = free
            take_out(s, 0, s.residuals, i, select(out, 1.0, zero))
        rest = zero
        if pull is not None:
            rest += pull[i]
        work.base[i] = select(free > 0.5, rest, (work.x_new[i] - work.x[i]) / s.bounds.scale[i])
    after(s, s.residuals, work.e, work.base, work.right)


@kernel
def bounded_step(s, damping, live, pull):
    """X_NEW from e, J, SLOPE and FREE; returns the square of e + J d."""
    work = s.work
    zero = 0.0 * damping
    multiply_residuals(s)
    for i in range(work.x.shape[0]):
        work.x_new[i] = work.x[i]
        held = 1.0 - work.free[i]
        if any_of(held > 0.0):
            take_out(s, 0, s.residuals, i, held)
    right = work.e
    if pull is not None:
        for i in range(work.x.shape[0]):
            pull[i] = pull[i] * work.free[i]
        after(s, s.residuals, work.e, pull, work.right)
        right = work.right
    beyond = zero
    for _ in range(_PASSES):
        solve(s, s.residuals, damping, None, right, work.solved)
        transposed(s, s.residuals, work.solved, work.wish)
        beyond = _move(s, pull, live)
        if not any_of(beyond > 0.0):
            break
        _hold_outside(s, pull, live)
        right = work.right
    left = zero  # e + J d = λ y
    for p in range(3 * s.residuals):
        y = damping * work.solved[p]
        left += y * y
    if any_of(beyond > 0.0):
        cut = _left_over(s)
        left = select(beyond > 0.0, cut, left)
    return left


@kernel
def _left_over(s):
    """The square of e + J d where the step was cut off."""
    work = s.work
    left = 0.0 * work.x[0]
    for i in range(work.x.shape[0]):
        work.base[i] = (work.x_new[i] - work.x[i]) / s.bounds.scale[i]
    after(s, s.residuals, work.e, work.base, work.right)
    for p in range(3 * s.residuals):
        left += work.right[p] * work.right[p]
    return left


@kernel
def longest_entry(s):
    """The longest entry of the step from X to X_NEW, scaled."""
    work = s.work
    longest = 0.0 * work.x[0]
    for i in range(work.x.shape[0]):
        size = math.fabs(work.x_new[i] - work.x[i]) / s.bounds.scale[i]
        longest = select(size > longest, size, longest)
    return longest
