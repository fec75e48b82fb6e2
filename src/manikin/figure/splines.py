"""Splines of odd degree through points, as the smoothest curves there: natural, clamped and periodic.

Of all curves with the values y_i at the knots t_i, the natural spline of degree 2m − 1 has the least ∫ (x^(m))² dt.
Between two knots it is the polynomial that has the first m − 1 derivatives u at both (Hermite's), so that the integral
is a quadratic form of the u, one small matrix an interval; its minimum is a symmetric, positive definite,
block-tridiagonal system, solved by odd-even reduction: log₂ T rounds, each over all blocks at a time. Clamped ends have
their derivatives given as 0; a periodic spline has the same at its last knot as at its first.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import factorial

import numpy as np

ENDS = ("natural", "clamped", "periodic")


def derivatives(times: np.ndarray, y: np.ndarray, m: int, ends: str = "natural") -> np.ndarray:
    """(T, m − 1, c): the derivatives 1 to m − 1 at the knots of the spline of degree 2m − 1 through y (T, c).

    times: ascending. A natural spline needs m knots or more, a periodic one two different ones and y[-1] equal to y[0].
    """
    count, k = len(times), m - 1
    scale = (times[-1] - times[0]) / (count - 1)  # times in mean intervals: derivatives of like size
    h = np.diff(times) / scale
    grown = h[:, None] ** np.arange(m)
    sizes = np.concatenate([grown, grown], axis=1)
    energy = sizes[:, :, None] * element(m) * sizes[:, None, :] / (h ** (2 * m - 1))[:, None, None]
    # Of each interval: value and derivatives at its first knot, then at its last.
    value, other = np.array([0, m]), np.r_[1:m, m + 1 : 2 * m]
    force = -energy[:, other][:, :, value] @ np.stack([y[:-1], y[1:]], axis=1)
    stiff = energy[:, other][:, :, other]
    periodic = ends == "periodic"
    blocks = np.zeros((count, k, k))
    right = np.zeros((count, k, y.shape[1]))
    blocks[:-1] += stiff[:, :k, :k]
    blocks[1:] += stiff[:, k:, k:]
    right[:-1] += force[:, :k]
    right[1:] += force[:, k:]
    below = stiff[:, k:, :k]
    if periodic:
        blocks[0] += blocks[-1]
        right[0] += right[-1]
        found = _cyclic(blocks[:-1], below, right[:-1])
        found = np.concatenate([found, found[:1]])
    elif ends == "clamped":
        found = np.zeros_like(right)
        if count > 2:
            found[1:-1] = block_tridiagonal(blocks[1:-1], below[1:-1], right[1:-1])
    else:
        found = block_tridiagonal(blocks, below, right)
    return found / (scale ** np.arange(1, m))[:, None]


def pieces(times: np.ndarray, known: np.ndarray) -> np.ndarray:
    """(T − 1, 2m, c): coefficients of (t − t_i)^p between the knots, from the derivatives 0 to m − 1, (T, m, c)."""
    m = known.shape[1]
    h = np.diff(times)
    grown = (h[:, None] ** np.arange(m))[..., None]
    ends = np.concatenate([known[:-1] * grown, known[1:] * grown], axis=1)
    return (hermite(m) @ ends) / (h[:, None] ** np.arange(2 * m))[..., None]


@cache
def hermite(m: int) -> np.ndarray:
    """(2m, 2m): coefficients of s^p, p = 0 … 2m − 1, from the derivatives 0 … m − 1 at s = 0 and at s = 1."""
    size = 2 * m
    rows = [[Fraction(factorial(j) if p == j else 0) for p in range(size)] for j in range(m)]
    rows += [
        [Fraction(factorial(p) // factorial(p - j) if p >= j else 0) for p in range(size)] for j in range(m)
    ]
    inverse = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    for i in range(size):  # Gauss and Jordan, exact
        pivot = next(r for r in range(i, size) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        inverse[i], inverse[pivot] = inverse[pivot], inverse[i]
        by = rows[i][i]
        rows[i] = [entry / by for entry in rows[i]]
        inverse[i] = [entry / by for entry in inverse[i]]
        for r in range(size):
            if r != i and rows[r][i]:
                by = rows[r][i]
                rows[r] = [a - by * b for a, b in zip(rows[r], rows[i], strict=True)]
                inverse[r] = [a - by * b for a, b in zip(inverse[r], inverse[i], strict=True)]
    result = np.array(inverse, dtype=np.float64)
    result.flags.writeable = False
    return result


@cache
def element(m: int) -> np.ndarray:
    """(2m, 2m): ∫ (x^(m))² over an interval of length 1, as a form of the derivatives 0 … m − 1 at both ends."""
    bend = np.zeros((2 * m, 2 * m))
    for p in range(m, 2 * m):
        for q in range(m, 2 * m):
            rise = factorial(p) // factorial(p - m) * (factorial(q) // factorial(q - m))
            bend[p, q] = rise / (p + q - 2 * m + 1)
    found = hermite(m).T @ bend @ hermite(m)
    found = 0.5 * (found + found.T)
    found.flags.writeable = False
    return found


def block_tridiagonal(blocks: np.ndarray, below: np.ndarray, right: np.ndarray) -> np.ndarray:
    """x (N, k, c) of A x = right; A symmetric, positive definite, with these blocks (N, k, k), and below (N − 1, k, k).

    Odd-even reduction: every second block is eliminated, which leaves a system of the same kind half as large.
    """
    count = len(blocks)
    if count == 1:
        found: np.ndarray = np.linalg.solve(blocks, right)
        return found
    odd, even = slice(1, None, 2), slice(0, None, 2)
    k = blocks.shape[1]
    gone = len(blocks[odd])  # block 2j + 1 lies between 2j and 2j + 2, where there is one
    before, after = below[0::2], below[1::2]  # A of (2j + 1, 2j), and of (2j + 2, 2j + 1)
    beside = np.zeros((gone, k, k))
    beside[: len(after)] = after.transpose(0, 2, 1)
    known = np.linalg.solve(blocks[odd], np.concatenate([before, beside, right[odd]], axis=2))
    by_first, by_last, alone = known[..., :k], known[..., k : 2 * k], known[..., 2 * k :]
    kept, force = blocks[even].copy(), right[even].copy()
    kept[:gone] -= before.transpose(0, 2, 1) @ by_first
    force[:gone] -= before.transpose(0, 2, 1) @ alone
    kept[1:] -= after @ by_last[: len(after)]
    force[1:] -= after @ alone[: len(after)]
    smaller = block_tridiagonal(kept, -(after @ by_first[: len(after)]), force)
    result = np.empty_like(right)
    result[even] = smaller
    alone = alone - by_first @ smaller[:gone]
    alone[: len(after)] -= by_last[: len(after)] @ smaller[1 : len(after) + 1]
    result[odd] = alone
    return result


def _cyclic(blocks: np.ndarray, below: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The same where the last of N blocks is followed by the first: below[-1] is A of (first, last)."""
    count, k, c = right.shape
    if count == 1:
        whole = blocks + below + below.transpose(0, 2, 1)
        found: np.ndarray = np.linalg.solve(whole, right)
        return found
    # All but the last block as a chain, with the last one's columns on the right-hand side.
    across = np.zeros((count - 1, k, k))
    across[-1] += below[count - 2].T
    across[0] += below[-1]
    both = block_tridiagonal(blocks[:-1], below[: count - 2], np.concatenate([right[:-1], across], axis=2))
    alone, by_last = both[..., :c], both[..., c:]
    turned = across.transpose(0, 2, 1)
    last = np.linalg.solve(
        blocks[-1] - (turned @ by_last).sum(axis=0), right[-1] - (turned @ alone).sum(axis=0)
    )
    return np.concatenate([alone - by_last @ last, last[None]])
