"""Pieces of degree five: values and derivatives, exact at both ends.

Of each piece the differences of its control points are kept, and the second differences beside them, so that velocity
and acceleration at the ends are those given to the last digits, however short the piece.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Pieces:
    """points (6, P, m), first differences (5, P, m), second differences (4, P, m), lengths h (P,)."""

    points: np.ndarray
    first: np.ndarray
    second: np.ndarray
    h: np.ndarray

    def value(self, piece: np.ndarray, u: np.ndarray, order: int = 0) -> np.ndarray:
        """The value, or a derivative, at the share u of pieces, (samples, m)."""
        h = self.h[piece][:, None]
        if order == 0:
            return _sum(self.points, piece, u)
        if order == 1:
            return 5.0 / h * _sum(self.first, piece, u)
        net = self.second
        factor = 20.0 / h**2
        for k in range(2, order):
            factor = factor * (len(net) - 1) / h
            net = np.diff(net, axis=0)
            if len(net) == 0 or k > 4:
                return np.zeros((len(u), self.points.shape[2]))
        return factor * _sum(net, piece, u)

    def series(self, piece: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The value and its first three derivatives as a series, (4, samples, m)."""
        return np.stack(
            [
                self.value(piece, u),
                self.value(piece, u, 1),
                self.value(piece, u, 2) / 2.0,
                self.value(piece, u, 3) / 6.0,
            ]
        )


def pieces(
    p0: np.ndarray,
    p1: np.ndarray,
    v0: np.ndarray,
    v1: np.ndarray,
    a0: np.ndarray,
    a1: np.ndarray,
    h: np.ndarray,
) -> Pieces:
    """The pieces with values, velocities and accelerations at both ends, (P, m) each, and lengths h, (P,)."""
    step = h[:, None]
    one, two = step * v0 / 5.0, step * v1 / 5.0
    bend, end = step**2 * a0 / 20.0, step**2 * a1 / 20.0
    middle = (p1 - p0) - 2.0 * one - 2.0 * two + end - bend
    first = np.stack([one, one + bend, middle, two - end, two])
    second = np.stack([bend, middle - one - bend, two - end - middle, end])
    points = np.stack([p0, p0 + one, p0 + 2.0 * one + bend, p1 - 2.0 * two + end, p1 - two, p1])
    return Pieces(points, first, second, h)


def _sum(net: np.ndarray, piece: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Σ B_k(u) net_k by Bernstein's polynomials of the degree that the net has."""
    degree = len(net) - 1
    w = 1.0 - u
    total = np.zeros((len(u), net.shape[2]))
    binomial = 1.0
    for k in range(degree + 1):
        total += (binomial * u**k * w ** (degree - k))[:, None] * net[k][piece]
        binomial = binomial * (degree - k) / (k + 1)
    return total
