"""A damped step inside limits and linear constraints, tile by tile, in a thread's own memory."""

from __future__ import annotations

import math

from manikin.kernels.gpu.body_layout import (
    BLOCKS,
    CHART,
    CHARTS,
    DOFS,
    LINEAR,
    LINEAR_ENTRY,
    LINEAR_MOVES,
    OFF,
    STRIP,
    STRIP_BLOCK,
    STRIP_FIRST,
    STRIPS,
    SWEEPS,
    TINY,
    WIDTH,
)
from manikin.kernels.gpu.unroll import local, part


@part
def pull_back(data, thread, W):
    """Jᵀ times what lies in the rows, into the step."""
    e = local(3)
    width = data.counts[WIDTH]
    for j in range(data.counts[DOFS]):
        W[thread.step + j] = 0.0
    for s in range(data.counts[STRIPS]):
        block = data.strips[STRIP * s + STRIP_BLOCK]
        for r in range(3):
            e[r] = W[thread.rows + 3 * s + r]
        for k in range(data.lengths[block]):
            at = thread.jacobian + 3 * (s * width + k)
            W[thread.step + data.variables[block * width + k]] += (
                W[at] * e[0] + W[at + 1] * e[1] + W[at + 2] * e[2]
            )


@part
def fix_at_limits(data, thread, W):
    """Coordinates on a limit that the gradient pushes beyond lose their columns."""
    width = data.counts[WIDTH]
    pull_back(data, thread, W)
    some = False
    for j in range(data.counts[DOFS]):
        g = W[thread.step + j]
        held = (g < 0.0 and W[j] >= data.figures[thread.upper + j]) or (
            g > 0.0 and W[j] <= data.figures[thread.lower + j]
        )
        W[thread.step + j] = 0.0
        if held:
            W[thread.step + j] = 1.0
            some = True
    if some:
        for s in range(data.counts[STRIPS]):
            block = data.strips[STRIP * s + STRIP_BLOCK]
            for k in range(data.lengths[block]):
                if W[thread.step + data.variables[block * width + k]] > 0.5:
                    at = thread.jacobian + 3 * (s * width + k)
                    for r in range(3):
                        W[at + r] = 0.0


@part
def factorise(data, thread, W):
    """Cholesky's factor of J Jᵀ + λ, tile by tile; the diagonal's own is kept inverted."""
    A = local(9)
    x = local(3)
    y = local(3)
    l = local(9)  # noqa: E741
    m = local(9)
    width = data.counts[WIDTH]
    blocks = data.counts[BLOCKS]
    for s in range(data.counts[STRIPS]):
        bs = data.strips[STRIP * s + STRIP_BLOCK]
        begin = data.strips[STRIP * s + STRIP_FIRST]
        row_s = thread.factor + 9 * (s * (s + 1) // 2)
        for t in range(begin, s + 1):
            bt = data.strips[STRIP * t + STRIP_BLOCK]
            row_t = thread.factor + 9 * (t * (t + 1) // 2)
            common = data.shared[bs * blocks + bt]
            if bs == bt:
                common = data.lengths[bs]
            for k in range(9):
                A[k] = 0.0
            for k in range(common):
                at = thread.jacobian + 3 * (s * width + k)
                to = thread.jacobian + 3 * (t * width + k)
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
                    A[4 * c] += thread.damping
                    for k in range(c):
                        A[4 * c] -= A[3 * c + k] * A[3 * c + k]
                    A[4 * c] = 1.0 / math.sqrt(max(A[4 * c], TINY))
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
def substitute(data, thread, W):
    """Rows e are replaced by (J Jᵀ + λ)⁻¹ e."""
    y = local(3)
    z = local(3)
    l = local(9)  # noqa: E741
    count = data.counts[STRIPS]
    for s in range(count):
        row_s = thread.factor + 9 * (s * (s + 1) // 2)
        at = thread.rows + 3 * s
        for r in range(3):
            y[r] = W[at + r]
        for t in range(data.strips[STRIP * s + STRIP_FIRST], s):
            to = row_s + 9 * t
            for r in range(3):
                z[r] = W[thread.rows + 3 * t + r]
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
        row_s = thread.factor + 9 * (s * (s + 1) // 2)
        at = thread.rows + 3 * s
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
        for t in range(data.strips[STRIP * s + STRIP_FIRST], s):
            to = row_s + 9 * t
            for c in range(3):
                W[thread.rows + 3 * t + c] -= W[to + c] * y[0] + W[to + 3 + c] * y[1] + W[to + 6 + c] * y[2]


@part
def move(data, thread, W):
    """x − Jᵀ y, each coordinate by at most ``reach`` and within its limits; vectors near a whole turn are wound
    back."""
    pull_back(data, thread, W)
    longest = thread.reach
    for j in range(data.counts[DOFS]):
        d = -W[thread.step + j] * data.scale[j]
        W[thread.step + j] = d
        longest = max(longest, abs(d))
    f = thread.reach / longest
    for j in range(data.counts[DOFS]):
        d = W[thread.step + j]
        if d != 0.0:
            W[j] = min(max(W[j] + f * d, data.figures[thread.lower + j]), data.figures[thread.upper + j])
    shorten_rotation_vectors(data, W)


@part
def shorten_rotation_vectors(data, W):
    """Vectors of turns near a whole one are wound back."""
    for c in range(data.counts[CHARTS]):
        first = data.charts[CHART * c]
        last = first + data.charts[CHART * c + 1]
        square = 0.0
        for j in range(first, last):
            square += W[j] * W[j]
        if square > 22.2:
            back = 1.0 - 6.2831853 / math.sqrt(square)
            for j in range(first, last):
                W[j] *= back


@part
def enforce_linear(data, thread, W):
    """Bring x back between the ends of linear constraints, one after the other, a few times round.

    Each is the nearest point that keeps it, coordinates on a limit standing still (Kaczmarz). ``broken``: how many
    are still off.
    """
    thread.broken = 0
    for _ in range(data.counts[SWEEPS]):
        thread.broken = 0
        for r in range(data.counts[LINEAR]):
            value = 0.0
            for s in range(data.linear_first[r], data.linear_first[r + 1]):
                value += data.weights[s] * W[data.linear[LINEAR_ENTRY * s]]
            low = data.figures[thread.ends + 2 * r]
            high = data.figures[thread.ends + 2 * r + 1]
            off = value - min(max(value, low), high)
            if off != 0.0:
                if abs(off) > OFF:
                    thread.broken += 1
                norm = 0.0
                for s in range(data.linear_first[r], data.linear_first[r + 1]):
                    j = data.linear[LINEAR_ENTRY * s]
                    d = off * data.weights[s]
                    stands = (d > 0.0 and W[j] <= data.figures[thread.lower + j]) or (
                        d < 0.0 and W[j] >= data.figures[thread.upper + j]
                    )
                    if data.linear[LINEAR_ENTRY * s + LINEAR_MOVES] != 0 and not stands:
                        norm += data.weights[s] * data.weights[s]
                f = off / max(norm, TINY)
                for s in range(data.linear_first[r], data.linear_first[r + 1]):
                    if data.linear[LINEAR_ENTRY * s + LINEAR_MOVES] != 0:
                        j = data.linear[LINEAR_ENTRY * s]
                        W[j] = min(
                            max(W[j] - f * data.weights[s], data.figures[thread.lower + j]),
                            data.figures[thread.upper + j],
                        )
