"""One step of Levenberg and Marquardt inside the ranges, for one problem or four in lanes.

The step d minimises ‖e + J d‖² + λ ‖d‖² over lower ≤ x + d ≤ upper. Coordinates on a range that the slope pushes
outwards are held from the beginning; those that would leave theirs are then set on it, their share of the residual
moved to the right-hand side, and the rest solved again, until none does. With fewer rows than variables the dual
form is solved,

    d = −Jᵀ y,   (J Jᵀ + λ) y = e        (rows × rows, `lm_tiles`; a held column is one outer product less)

else the primal one, (JᵀJ + λ) d = −Jᵀ e.

Where the goals leave freedom, a *pull* p, where the step would go by itself, may be preferred among equals: λ ‖d − p‖²
instead of λ ‖d‖², so that d = p − Jᵀ y with (J Jᵀ + λ) y = e + J p. What the goals want of it is taken out, the rest
stays. (None in place of it leaves the whole of it out of the compiled code.)
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import any_of
from manikin.kernels.memory.lanes import select
from manikin.kernels.search.tiles import NO_PIVOT, multiply_rows, solve_tiles, take_out

# How often coordinates may be added to those that are held in one step; what is left over is cut off.
_PASSES = 8


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
        none = s < NO_PIVOT
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
def _against_rows(strips, blocks, jacobian, right, zero, x):
    """x = Jᵀ right; two strips of one block (a position and an orientation of one site) at a time."""
    for i in range(x.shape[0]):
        x[i] = zero
    s = 0
    while s < strips:
        b = blocks.strip[s]
        strip = jacobian[s]
        variable = blocks.variable[b]
        r0 = right[3 * s]
        r1 = right[3 * s + 1]
        r2 = right[3 * s + 2]
        if s + 1 < strips and blocks.strip[s + 1] == b:
            other = jacobian[s + 1]
            r3 = right[3 * s + 3]
            r4 = right[3 * s + 4]
            r5 = right[3 * s + 5]
            for k in range(blocks.length[b]):
                y = strip[k, 0] * r0 + strip[k, 1] * r1 + strip[k, 2] * r2
                x[variable[k]] += y + (other[k, 0] * r3 + other[k, 1] * r4 + other[k, 2] * r5)
            s += 2
        else:
            for k in range(blocks.length[b]):
                x[variable[k]] += strip[k, 0] * r0 + strip[k, 1] * r1 + strip[k, 2] * r2
            s += 1


@kernel
def slope_and_held(rows, work, lower, upper):
    """g = Jᵀ e into SLOPE; 1 into FREE but 0 where a range holds; returns the largest free slope."""
    zero = 0.0 * work.x[0]
    _against_rows(rows.strips, work.blocks, work.jacobian, work.e, zero, work.slope)
    largest = zero
    for i in range(work.x.shape[0]):
        x = work.x[i]
        g = work.slope[i]
        free = select(x <= lower[i], select(g > 0.0, 0.0, zero + 1.0), zero + 1.0)
        free = select(x >= upper[i], select(g < 0.0, 0.0, free), free)
        work.free[i] = free
        size = math.fabs(g) * free
        largest = select(size > largest, size, largest)
    return largest


@kernel
def _bounded(work, scale, lower, upper, live):
    """X_NEW = x − WISH (scaled) inside the ranges, where free; how far, summed, the live ones would leave them."""
    beyond = 0.0 * work.x[0]
    for i in range(work.x.shape[0]):
        y = select(work.free[i] > 0.5, work.x[i] - work.wish[i] * scale[i], work.x_new[i])
        z = select(y < lower[i], lower[i], y)
        z = select(z > upper[i], upper[i], z)
        work.x_new[i] = z
        beyond += math.fabs(z - y) * live
    return beyond


@kernel
def _hold_outside(rows, work, right, scale, lower, upper, live, dual, pull):
    """Hold on its range every coordinate whose step leaves it: RIGHT is ``right`` with what they do."""
    zero = 0.0 * work.x[0]
    blocks = work.blocks
    for r in range(3 * rows.strips):
        work.right[r] = right[r]
    for i in range(work.x.shape[0]):
        x = work.x[i]
        free = work.free[i]
        z = work.x_new[i]
        y = select(free > 0.5, x - work.wish[i] * scale[i], z)
        out = math.fabs(z - y) * free * live > 0.0
        if any_of(out):
            part = select(out, (z - x) / scale[i], zero)
            if pull is not None:
                part -= select(out, pull[i], zero)
            work.free[i] = select(out, zero, free)
            for s in range(rows.strips):
                k = blocks.place[blocks.strip[s], i]
                if k >= 0:
                    for c in range(3):
                        work.right[3 * s + c] += work.jacobian[s, k, c] * part
            if dual:
                take_out(rows.strips, blocks, work.jacobian, i, select(out, 1.0, zero), work.tiles)


@kernel
def _add_pull(rows, work, pull):
    """RIGHT is e + J p, p without what is held."""
    for i in range(work.x.shape[0]):
        pull[i] = pull[i] * work.free[i]
    blocks = work.blocks
    for s in range(rows.strips):
        b = blocks.strip[s]
        strip = work.jacobian[s]
        r0 = work.e[3 * s]
        r1 = work.e[3 * s + 1]
        r2 = work.e[3 * s + 2]
        for k in range(blocks.length[b]):
            d = pull[blocks.variable[b, k]]
            r0 += strip[k, 0] * d
            r1 += strip[k, 1] * d
            r2 += strip[k, 2] * d
        work.right[3 * s] = r0
        work.right[3 * s + 1] = r1
        work.right[3 * s + 2] = r2


@kernel
def _dual_step(rows, work, scale, lower, upper, damping, live, pull):
    """X_NEW by the dual form; False when passes ran out and something has been cut off."""
    zero = 0.0 * damping
    blocks = work.blocks
    multiply_rows(rows.strips, blocks, work.jacobian, zero, work.tiles)
    for i in range(work.x.shape[0]):
        held = 1.0 - work.free[i]
        if any_of(held > 0.0):
            take_out(rows.strips, blocks, work.jacobian, i, held, work.tiles)
    right = work.e
    if pull is not None:
        _add_pull(rows, work, pull)
        right = work.right
    for _ in range(_PASSES):
        solve_tiles(rows.strips, blocks.first, work.tiles, damping, right, work.factor, work.solved)
        _against_rows(rows.strips, blocks, work.jacobian, work.solved, zero, work.wish)
        if pull is not None:
            for i in range(work.x.shape[0]):
                work.wish[i] -= pull[i]
        if not any_of(_bounded(work, scale, lower, upper, live) > 0.0):
            return True
        _hold_outside(rows, work, right, scale, lower, upper, live, True, pull)
        right = work.right
    return False


@kernel
def _multiply_columns(rows, work, right, zero):
    """JᵀJ and Jᵀ right over the free variables."""
    n = work.x.shape[0]
    blocks = work.blocks
    for a in range(n):
        row = work.matrix[a]
        for b in range(a + 1):
            row[b] = zero
    _against_rows(rows.strips, blocks, work.jacobian, right, zero, work.slope)
    for i in range(n):
        work.slope[i] = work.slope[i] * work.free[i]
    for s in range(rows.strips):
        own = blocks.strip[s]
        strip = work.jacobian[s]
        for k in range(blocks.length[own]):
            a = blocks.variable[own, k]
            free = work.free[a]
            x0 = strip[k, 0] * free
            x1 = strip[k, 1] * free
            x2 = strip[k, 2] * free
            for h in range(k + 1):
                b = blocks.variable[own, h]
                y = (x0 * strip[h, 0] + x1 * strip[h, 1] + x2 * strip[h, 2]) * work.free[b]
                work.matrix[max(a, b), min(a, b)] += y


@kernel
def _primal_step(rows, work, scale, lower, upper, damping, live):
    """X_NEW by the primal form."""
    right = work.e
    for _ in range(_PASSES):
        _multiply_columns(rows, work, right, 0.0 * damping)
        solve_damped(work.x.shape[0], work.matrix, damping, work.slope, work.lower, work.wish)
        if not any_of(_bounded(work, scale, lower, upper, live) > 0.0):
            break
        _hold_outside(rows, work, right, scale, lower, upper, live, False, None)
        right = work.right


@kernel
def _left_over(rows, work, scale):
    """The square of e + J d."""
    blocks = work.blocks
    left = 0.0 * work.x[0]
    for i in range(work.x.shape[0]):
        work.step[i] = (work.x_new[i] - work.x[i]) / scale[i]
    for s in range(rows.strips):
        b = blocks.strip[s]
        strip = work.jacobian[s]
        r0 = work.e[3 * s]
        r1 = work.e[3 * s + 1]
        r2 = work.e[3 * s + 2]
        for k in range(blocks.length[b]):
            d = work.step[blocks.variable[b, k]]
            r0 += strip[k, 0] * d
            r1 += strip[k, 1] * d
            r2 += strip[k, 2] * d
        left += r0 * r0 + r1 * r1 + r2 * r2
    return left


@kernel
def bounded_step(rows, work, scale, lower, upper, damping, live, pull):
    """X_NEW inside the ranges from SLOPE and FREE; returns the square of e + J d."""
    for i in range(work.x.shape[0]):
        work.x_new[i] = work.x[i]
    whole = False
    if rows.count <= work.x.shape[0]:
        whole = _dual_step(rows, work, scale, lower, upper, damping, live, pull)
    else:
        _primal_step(rows, work, scale, lower, upper, damping, live)
    if not whole:
        return _left_over(rows, work, scale)
    left = 0.0 * damping  # e + J d = λ y
    for r in range(3 * rows.strips):
        s = damping * work.solved[r]
        left += s * s
    return left


@kernel
def longest_entry(work, scale):
    """The longest entry of the step from X to X_NEW, scaled."""
    longest = 0.0 * work.x[0]
    for i in range(work.x.shape[0]):
        size = math.fabs(work.x_new[i] - work.x[i]) / scale[i]
        longest = select(size > longest, size, longest)
    return longest


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
