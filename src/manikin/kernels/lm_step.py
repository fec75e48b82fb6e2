"""One step of Levenberg and Marquardt inside the ranges, for one problem or four in lanes.

The step d minimises ‖e + J d‖² + λ ‖d‖² over lower ≤ x + d ≤ upper. Coordinates on a range that the slope pushes
outwards are held from the beginning; those that would leave theirs are then set on it, their share of the residual
moved to the right-hand side, and the rest solved again, until none does. With fewer rows than variables the dual
form is solved,

    d = −Jᵀ y,   (J Jᵀ + λ) y = e        (rows × rows; a held column is one outer product less)

else the primal one, (JᵀJ + λ) d = −Jᵀ e.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.lane_tools import any_of
from manikin.kernels.lanes import select

# How often coordinates may be added to those that are held in one step; what is left over is cut off.
_PASSES = 8
# A pivot below this is none: its unknown is left at zero.
_NO_PIVOT = 1e-30


@kernel
def solve_damped(size, matrix, damping, right, factor, x):
    """x = (matrix + damping)⁻¹ right by L D Lᵀ (no roots: one division a row in the chain); reads the lower triangle.

    Below the diagonal of ``factor`` is L, on it 1/D.
    """
    for a in range(size):
        row = factor[a]
        for b in range(a):
            other = factor[b]
            s = matrix[a, b]
            for c in range(b):
                s -= row[c] * other[c]
            row[b] = s
        s = matrix[a, a] + damping
        t = right[a]
        for c in range(a):
            u = row[c]
            f = u * factor[c, c]
            row[c] = f
            s -= u * f
            t -= f * x[c]
        none = s < _NO_PIVOT
        row[a] = select(none, 0.0, 1.0 / select(none, 1.0, s))
        x[a] = t
    for a in range(size):
        x[a] = x[a] * factor[a, a]
    for a in range(size - 1, 0, -1):
        s = x[a]
        row = factor[a]
        for c in range(a):
            x[c] -= row[c] * s


@kernel
def slope_and_held(rows, work, lower, upper):
    """g = Jᵀ e into SLOPE; 1 into FREE but 0 where a range holds; returns the largest free slope."""
    n = work.x.shape[0]
    zero = 0.0 * work.x[0]
    for i in range(n):
        work.slope[i] = zero
    for r in range(rows):
        c = work.e[r]
        row = work.jacobian[r]
        for i in range(n):
            work.slope[i] += row[i] * c
    largest = zero
    for i in range(n):
        x = work.x[i]
        g = work.slope[i]
        free = select(x <= lower[i], select(g > 0.0, 0.0, zero + 1.0), zero + 1.0)
        free = select(x >= upper[i], select(g < 0.0, 0.0, free), free)
        work.free[i] = free
        size = math.fabs(g) * free
        largest = select(size > largest, size, largest)
    return largest


@kernel
def _hold_outside(rows, work, scale, lower, upper, live, dual):
    """Set on its range every coordinate whose step leaves it; True when there was one (in a live lane)."""
    n = work.x.shape[0]
    zero = 0.0 * work.x[0]
    again = False
    for i in range(n):
        x = work.x[i]
        free = work.free[i]
        y = x + work.step[i]
        bounded = select(y < lower[i], lower[i], y)
        bounded = select(bounded > upper[i], upper[i], bounded)
        away = math.fabs(bounded - y) * free * live
        if any_of(away > 0.0):
            again = True
            out = away > 0.0
            part = select(out, (bounded - x) / scale[i], zero)
            work.step[i] = select(out, bounded - x, work.step[i])
            work.free[i] = select(out, zero, free)
            one = select(out, 1.0, zero)
            for a in range(rows):
                column = work.jacobian[a, i]
                work.right[a] += column * part
                if dual:
                    column *= one
                    row = work.matrix[a]
                    for b in range(a + 1):
                        row[b] -= column * work.jacobian[b, i]
    return again


@kernel
def _dual_step(rows, work, scale, lower, upper, damping, live):
    """STEP by the dual form; False when passes ran out and something is left to be cut off."""
    n = work.x.shape[0]
    for a in range(rows):
        row = work.jacobian[a]
        for b in range(a + 1):
            other = work.jacobian[b]
            s = 0.0 * damping
            for i in range(n):
                s += row[i] * other[i]
            work.matrix[a, b] = s
    for i in range(n):
        held = 1.0 - work.free[i]
        if any_of(held > 0.0):
            for a in range(rows):
                c = work.jacobian[a, i] * held
                for b in range(a + 1):
                    work.matrix[a, b] -= c * work.jacobian[b, i]
    for _ in range(_PASSES):
        solve_damped(rows, work.matrix, damping, work.right, work.factor, work.solved)
        for i in range(n):
            work.wish[i] = 0.0 * damping
        for r in range(rows):
            c = work.solved[r]
            row = work.jacobian[r]
            for i in range(n):
                work.wish[i] += row[i] * c
        for i in range(n):
            work.step[i] = select(work.free[i] > 0.5, -work.wish[i] * scale[i], work.step[i])
        if not _hold_outside(rows, work, scale, lower, upper, live, True):
            return True
    return False


@kernel
def _primal_step(rows, work, scale, lower, upper, damping, live):
    n = work.x.shape[0]
    zero = 0.0 * damping
    for _ in range(_PASSES):
        for a in range(n):
            row = work.matrix[a]
            for b in range(a + 1):
                row[b] = zero
            work.wish[a] = zero
        for r in range(rows):
            line = work.jacobian[r]
            c = work.right[r]
            for a in range(n):
                f = line[a] * work.free[a]
                work.wish[a] -= f * c
                row = work.matrix[a]
                for b in range(a + 1):
                    row[b] += f * line[b] * work.free[b]
        solve_damped(n, work.matrix, damping, work.wish, work.factor, work.solved)
        for i in range(n):
            work.step[i] = select(work.free[i] > 0.5, work.solved[i] * scale[i], work.step[i])
        if not _hold_outside(rows, work, scale, lower, upper, live, False):
            break


@kernel
def bounded_step(rows, work, scale, lower, upper, damping, live):
    """STEP and X_NEW inside the ranges from SLOPE and FREE; returns the square of e + J d, and the longest entry."""
    n = work.x.shape[0]
    zero = 0.0 * damping
    for r in range(rows):
        work.right[r] = work.e[r]
    for i in range(n):
        work.step[i] = zero
    whole = False
    if rows <= n:
        whole = _dual_step(rows, work, scale, lower, upper, damping, live)
    else:
        _primal_step(rows, work, scale, lower, upper, damping, live)
    longest = zero
    for i in range(n):
        x = work.x[i]
        y = x + work.step[i]
        y = select(y < lower[i], lower[i], y)
        y = select(y > upper[i], upper[i], y)
        work.x_new[i] = y
        step = (y - x) / scale[i]
        work.step[i] = step
        size = math.fabs(step)
        longest = select(size > longest, size, longest)
    left = zero
    if whole:  # e + J d = λ y
        for r in range(rows):
            s = damping * work.solved[r]
            left += s * s
        return left, longest
    for r in range(rows):
        s = work.e[r]
        row = work.jacobian[r]
        for i in range(n):
            s += row[i] * work.step[i]
        left += s * s
    return left, longest


@kernel
def next_damping(accepted, gain, remains, damping, factor):
    """λ and its factor of growth after a step: less where the model was right, more where it failed.

    ``gain``: the fall of P over the predicted one; ``remains``: the share of P that is left. Where the model was right
    λ falls to a tenth, or as the residual does if that is more: close to the goals convergence is then quadratic.
    """
    c = 2.0 * gain - 1.0
    shrink = 1.0 - c * c * c
    shrink = select(shrink < 0.3333, 0.3333, shrink)
    share = math.sqrt(select(remains < 0.01, select(remains < 0.0, 0.0, remains), 0.01))
    shrink = select(gain > 0.9, share, shrink)
    one = 1.0 + 0.0 * damping
    return damping * select(accepted, shrink, factor), select(accepted, 2.0 * one, 2.0 * factor)
