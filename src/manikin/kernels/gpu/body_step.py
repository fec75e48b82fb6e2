"""A damped step inside limits and linear constraints, tile by tile, in a thread's own memory."""

from __future__ import annotations

import math

from manikin.kernels.gpu.body_layout import (
    _OFF,
    _TINY,
    BLOCKS,
    CHART,
    CHARTS,
    DOFS,
    LINEAR,
    LINEAR_ENTRY,
    LINEAR_MOVES,
    STRIP,
    STRIP_BLOCK,
    STRIP_FIRST,
    STRIPS,
    SWEEPS,
    WIDTH,
)
from manikin.kernels.gpu.unroll import local, part


@part
def hold(W, counts, strips, lengths, variables, figures, lower, upper, rows, jacobian, step):
    """Coordinates on a limit that the gradient pushes beyond lose their columns."""
    e = local(3)
    dofs = counts[DOFS]
    width = counts[WIDTH]
    for j in range(dofs):
        W[step + j] = 0.0
    for s in range(counts[STRIPS]):
        block = strips[STRIP * s + STRIP_BLOCK]
        for r in range(3):
            e[r] = W[rows + 3 * s + r]
        for k in range(lengths[block]):
            at = jacobian + 3 * (s * width + k)
            W[step + variables[block * width + k]] += W[at] * e[0] + W[at + 1] * e[1] + W[at + 2] * e[2]
    some = False
    for j in range(dofs):
        g = W[step + j]
        held = (g < 0.0 and W[j] >= figures[upper + j]) or (g > 0.0 and W[j] <= figures[lower + j])
        W[step + j] = 0.0
        if held:
            W[step + j] = 1.0
            some = True
    if some:
        for s in range(counts[STRIPS]):
            block = strips[STRIP * s + STRIP_BLOCK]
            for k in range(lengths[block]):
                if W[step + variables[block * width + k]] > 0.5:
                    at = jacobian + 3 * (s * width + k)
                    for r in range(3):
                        W[at + r] = 0.0


@part
def factorise(W, counts, strips, lengths, shared, jacobian, factor, damping):
    """Cholesky's factor of J Jᵀ + λ, tile by tile; the diagonal's own is kept inverted."""
    A = local(9)
    x = local(3)
    y = local(3)
    l = local(9)  # noqa: E741
    m = local(9)
    width = counts[WIDTH]
    blocks = counts[BLOCKS]
    for s in range(counts[STRIPS]):
        bs = strips[STRIP * s + STRIP_BLOCK]
        begin = strips[STRIP * s + STRIP_FIRST]
        row_s = factor + 9 * (s * (s + 1) // 2)
        for t in range(begin, s + 1):
            bt = strips[STRIP * t + STRIP_BLOCK]
            row_t = factor + 9 * (t * (t + 1) // 2)
            common = shared[bs * blocks + bt]
            if bs == bt:
                common = lengths[bs]
            for k in range(9):
                A[k] = 0.0
            for k in range(common):
                at = jacobian + 3 * (s * width + k)
                to = jacobian + 3 * (t * width + k)
                for r in range(3):
                    x[r] = W[at + r]
                    y[r] = W[to + r]
                for r in range(3):
                    for c in range(3):
                        A[3 * r + c] += x[r] * y[c]
            for v in range(begin, t):
                at = row_s + 9 * v
                to = row_t + 9 * v
                for k in range(9):
                    l[k] = W[at + k]
                    m[k] = W[to + k]
                for r in range(3):
                    for c in range(3):
                        A[3 * r + c] -= (
                            l[3 * r] * m[3 * c] + l[3 * r + 1] * m[3 * c + 1] + l[3 * r + 2] * m[3 * c + 2]
                        )
            at = row_s + 9 * t
            if s == t:
                for c in range(3):
                    A[4 * c] += damping[0]
                    for k in range(c):
                        A[4 * c] -= A[3 * c + k] * A[3 * c + k]
                    A[4 * c] = 1.0 / math.sqrt(max(A[4 * c], _TINY))
                    for r in range(c + 1, 3):
                        for k in range(c):
                            A[3 * r + c] -= A[3 * r + k] * A[3 * c + k]
                        A[3 * r + c] *= A[4 * c]
            else:
                to = row_t + 9 * t
                for k in range(9):
                    m[k] = W[to + k]
                for c in range(3):
                    for r in range(3):
                        for k in range(c):
                            A[3 * r + c] -= A[3 * r + k] * m[3 * c + k]
                        A[3 * r + c] *= m[4 * c]
            for k in range(9):
                W[at + k] = A[k]


@part
def substitute(W, counts, strips, rows, factor):
    """Rows e are replaced by (J Jᵀ + λ)⁻¹ e."""
    y = local(3)
    z = local(3)
    l = local(9)  # noqa: E741
    count = counts[STRIPS]
    for s in range(count):
        row_s = factor + 9 * (s * (s + 1) // 2)
        at = rows + 3 * s
        for r in range(3):
            y[r] = W[at + r]
        for t in range(strips[STRIP * s + STRIP_FIRST], s):
            to = row_s + 9 * t
            for r in range(3):
                z[r] = W[rows + 3 * t + r]
            for r in range(3):
                y[r] -= W[to + 3 * r] * z[0] + W[to + 3 * r + 1] * z[1] + W[to + 3 * r + 2] * z[2]
        to = row_s + 9 * s
        for k in range(9):
            l[k] = W[to + k]
        for r in range(3):
            for k in range(r):
                y[r] -= l[3 * r + k] * y[k]
            y[r] *= l[4 * r]
            W[at + r] = y[r]
    for back in range(count):
        s = count - 1 - back
        row_s = factor + 9 * (s * (s + 1) // 2)
        at = rows + 3 * s
        to = row_s + 9 * s
        for r in range(3):
            y[r] = W[at + r]
        for k in range(9):
            l[k] = W[to + k]
        for b in range(3):
            for k in range(3 - b, 3):
                y[2 - b] -= l[3 * k + 2 - b] * y[k]
            y[2 - b] *= l[4 * (2 - b)]
        for r in range(3):
            W[at + r] = y[r]
        for t in range(strips[STRIP * s + STRIP_FIRST], s):
            to = row_s + 9 * t
            for c in range(3):
                W[rows + 3 * t + c] -= W[to + c] * y[0] + W[to + 3 + c] * y[1] + W[to + 6 + c] * y[2]


@part
def move(
    W, counts, strips, lengths, variables, charts, scale, figures, lower, upper, rows, jacobian, step, reach
):
    """x − Jᵀ y, each coordinate by at most ``reach`` and within its limits; vectors near a whole turn are wound
    back."""
    y = local(3)
    dofs = counts[DOFS]
    width = counts[WIDTH]
    for j in range(dofs):
        W[step + j] = 0.0
    for s in range(counts[STRIPS]):
        block = strips[STRIP * s + STRIP_BLOCK]
        for r in range(3):
            y[r] = W[rows + 3 * s + r]
        for k in range(lengths[block]):
            at = jacobian + 3 * (s * width + k)
            W[step + variables[block * width + k]] -= W[at] * y[0] + W[at + 1] * y[1] + W[at + 2] * y[2]
    longest = reach[0]
    for j in range(dofs):
        d = W[step + j] * scale[j]
        W[step + j] = d
        longest = max(longest, abs(d))
    f = reach[0] / longest
    for j in range(dofs):
        d = W[step + j]
        if d != 0.0:
            W[j] = min(max(W[j] + f * d, figures[lower + j]), figures[upper + j])
    wind(W, counts, charts)


@part
def wind(W, counts, charts):
    """Vectors of turns near a whole one are wound back."""
    for c in range(counts[CHARTS]):
        first = charts[CHART * c]
        last = first + charts[CHART * c + 1]
        square = 0.0
        for j in range(first, last):
            square += W[j] * W[j]
        if square > 22.2:
            back = 1.0 - 6.2831853 / math.sqrt(square)
            for j in range(first, last):
                W[j] *= back


@part
def keep(W, counts, linear_first, linear, weights, figures, ends, lower, upper, broken):
    """Bring x back between the ends of linear constraints, one after the other, a few times round.

    Each is the nearest point that keeps it, coordinates on a limit standing still (Kaczmarz). ``broken``: how many
    are still off.
    """
    broken[0] = 0
    for _ in range(counts[SWEEPS]):
        broken[0] = 0
        for r in range(counts[LINEAR]):
            value = 0.0
            for s in range(linear_first[r], linear_first[r + 1]):
                value += weights[s] * W[linear[LINEAR_ENTRY * s]]
            low = figures[ends + 2 * r]
            high = figures[ends + 2 * r + 1]
            off = value - min(max(value, low), high)
            if off != 0.0:
                if abs(off) > _OFF:
                    broken[0] += 1
                norm = 0.0
                for s in range(linear_first[r], linear_first[r + 1]):
                    j = linear[LINEAR_ENTRY * s]
                    d = off * weights[s]
                    stands = (d > 0.0 and W[j] <= figures[lower + j]) or (
                        d < 0.0 and W[j] >= figures[upper + j]
                    )
                    if linear[LINEAR_ENTRY * s + LINEAR_MOVES] != 0 and not stands:
                        norm += weights[s] * weights[s]
                f = off / max(norm, _TINY)
                for s in range(linear_first[r], linear_first[r + 1]):
                    if linear[LINEAR_ENTRY * s + LINEAR_MOVES] != 0:
                        j = linear[LINEAR_ENTRY * s]
                        W[j] = min(max(W[j] - f * weights[s], figures[lower + j]), figures[upper + j])
