"""The reduced system of a step: the model's curvature along what holds it, factored.

    H' = P H P + s QᵀQ + λ,   P = I − QᵀQ

over the free coordinates, Q the orthonormal rows of what is held (`holding`), s its size: H' is positive definite where
the curvature along what is held is. Where a pivot of its factor is not positive, the factor so far tells a direction of
negative curvature.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.holding import shortest
from manikin.kernels.levels.layout import RANK, SIZE, SPARE, B, D

# Of an entry of the diagonal, what a pivot is above rounding.
_LEAST_PIVOT = 1e-12


@kernel
def _turn(w):
    """H q − ½ Qᵀ(Q H q) − ½ s q of each row q of the basis, into ``product``: H' = H − Σ (q yᵀ + y qᵀ)."""
    size = int(w.state[SIZE])
    rank = int(w.state[RANK])
    F = w.factor
    for k in range(rank):
        q = w.basis[k]
        y = w.product[k]
        for a in range(size):
            row = F[a]
            s = 0.0
            for b in range(size):
                s += row[b] * q[b]
            y[a] = s


@kernel
def reduce(w, weight):
    """H' without λ into the lower triangle of ``factor``."""
    size = int(w.state[SIZE])
    rank = int(w.state[RANK])
    F = w.factor
    for a in range(size):
        row = w.hessian[int(w.free_at[a])]
        own = F[a]
        for b in range(size):
            own[b] = row[int(w.free_at[b])]
    _turn(w)
    for k in range(rank):
        y = w.product[k]
        for j in range(k + 1):
            q = w.basis[j]
            s = 0.0
            for a in range(size):
                s += y[a] * q[a]
            w.cross[k, j] = s
            w.cross[j, k] = s
    for k in range(rank):
        y = w.product[k]
        for j in range(rank):
            s = 0.5 * w.cross[k, j]
            if j == k:
                s += 0.5 * weight
            q = w.basis[j]
            for a in range(size):
                y[a] -= s * q[a]
    for a in range(size):
        own = F[a]
        for k in range(rank):
            q = w.basis[k]
            y = w.product[k]
            f = q[a]
            g = y[a]
            for b in range(a + 1):
                own[b] -= f * y[b] + g * q[b]


@kernel
def factorise(w, damping):
    """``factor``, as `reduce` left it, becomes L with 1/L on its diagonal; returns −1, or the row that has no pivot."""
    F = w.factor
    for a in range(int(w.state[SIZE])):
        row = F[a]
        least = _LEAST_PIVOT * (abs(row[a]) + damping)
        s = row[a] + damping
        for b in range(a):
            other = F[b]
            f = row[b]
            for c in range(b):
                f -= row[c] * other[c]
            f *= other[b]
            row[b] = f
            s -= f * f
        if not s > least:
            return a
        row[a] = 1.0 / math.sqrt(s)
    return -1


@kernel
def _back(w, size, x):
    """x = L⁻ᵀ x over the first ``size``."""
    for a in range(size - 1, -1, -1):
        row = w.factor[a]
        t = x[a] * row[a]
        x[a] = t
        for b in range(a):
            x[b] -= row[b] * t


@kernel
def downhill(w, row):
    """D of negative curvature, from the factor that failed at this row; its longest entry is 1."""
    v = w.vector
    x = v[SPARE]
    for a in range(row):
        x[a] = -w.factor[row, a]
    _back(w, row, x)
    x[row] = 1.0
    longest = 0.0
    for a in range(row + 1):
        longest = max(longest, abs(x[a]))
    for i in range(v.shape[1]):
        v[D, i] = 0.0
    for a in range(row + 1):
        v[D, int(w.free_at[a])] = x[a] / longest


@kernel
def solve(w):
    """D of the factored system; returns by how much the model of ½ P falls."""
    v = w.vector
    n = v.shape[1]
    size = int(w.state[SIZE])
    shortest(w, v[D])
    x = v[SPARE]
    for a in range(size):
        i = int(w.free_at[a])
        s = v[B, i]
        row = w.hessian[i]
        for j in range(n):
            s += row[j] * v[D, j]
        x[a] = -s
    for k in range(int(w.state[RANK])):
        q = w.basis[k]
        s = 0.0
        for a in range(size):
            s += q[a] * x[a]
        for a in range(size):
            x[a] -= s * q[a]
    for a in range(size):
        row = w.factor[a]
        s = x[a]
        for b in range(a):
            s -= row[b] * x[b]
        x[a] = s * row[a]
    _back(w, size, x)
    for a in range(size):
        v[D, int(w.free_at[a])] += x[a]
    fall = 0.0
    for i in range(n):
        s = v[B, i]
        row = w.hessian[i]
        for j in range(n):
            s += 0.5 * row[j] * v[D, j]
        fall -= s * v[D, i]
    return fall
