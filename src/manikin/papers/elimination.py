"""Couplings for a method that knows ranges only: equalities by elimination, inequalities by multipliers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manikin.papers.limits import Limits
from manikin.papers.numerics import qr

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]

# What is left of a row that the others imply.
_DEPENDENT = 1e-10
# The first weight of broken rows, what it grows by, how often, and when they are broken no more.
_WEIGHT, _GROWTH, _ROUNDS, _KEPT = 10.0, 4.0, 30, 1e-8


@dataclass(frozen=True, eq=False)
class Elimination:
    """θ = t + T z: of each equality one coordinate becomes a sum of the others, z, which keep their ranges.

    kept: which coordinates z are. low ≤ R z ≤ high: the inequalities, and the ranges of the coordinates that are
    gone.
    """

    kept: np.ndarray
    T: np.ndarray
    t: np.ndarray
    R: np.ndarray
    low: np.ndarray
    high: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @classmethod
    def of(cls, limits: Limits) -> Elimination:
        """Eliminate the coordinates with the widest ranges first, so that few of their ends come to matter."""
        n = len(limits.lower)
        E, e = limits.A[limits.equal], limits.low[limits.equal]
        gone = np.zeros(0, int)
        if len(E):
            width = np.minimum(limits.upper - limits.lower, 2.0 * np.pi)
            _, triangle, order = qr(E * width, pivoting=True, mode="economic")
            size = np.abs(np.diag(triangle))
            gone = np.sort(order[: int(np.count_nonzero(size > _DEPENDENT * size.max(initial=0.0)))])
        kept = np.setdiff1d(np.arange(n), gone)
        T, t = np.zeros((n, len(kept))), np.zeros(n)
        T[kept, np.arange(len(kept))] = 1.0
        if len(gone):
            solved = np.linalg.lstsq(E[:, gone], np.column_stack([-E[:, kept], e]), rcond=None)[0]
            T[gone], t[gone] = solved[:, :-1], solved[:, -1]
        rest = limits.A[~limits.equal]
        R = np.vstack([rest @ T, T[gone]])
        low = np.concatenate([limits.low[~limits.equal] - rest @ t, limits.lower[gone] - t[gone]])
        high = np.concatenate([limits.high[~limits.equal] - rest @ t, limits.upper[gone] - t[gone]])
        return cls(kept, T, t, R, low, high, limits.lower[kept], limits.upper[kept])

    def expand(self, z: np.ndarray) -> np.ndarray:
        """θ of z."""
        return self.t + self.T @ z

    def broken(self, z: np.ndarray) -> np.ndarray:
        """How far each row is beyond its ends: negative below."""
        values = self.R @ z
        return np.maximum(values - self.high, 0.0) - np.maximum(self.low - values, 0.0)

    def minimise(
        self, F: Function, z: np.ndarray, within: Callable[[Function, np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """The least of F(θ(z)) inside ranges and rows; ``within`` minimises a function inside the ranges alone.

        Rows are kept by multipliers λ (Powell, Hestenes and Rockafellar): to F is added ½ρ‖v‖², v how far Rz + λ/ρ is
        beyond its ends; then λ ← ρ v, and ρ grows while the rows are not twice as well kept as before. Where no row
        is broken this is F itself.
        """
        price, weight = np.zeros(len(self.R)), _WEIGHT

        def beyond(z: np.ndarray) -> np.ndarray:
            shifted = self.R @ z + price / weight
            return shifted - np.clip(shifted, self.low, self.high)

        def total(z: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = F(self.expand(z))
            v = beyond(z)
            return value + 0.5 * weight * float(v @ v), self.T.T @ gradient + weight * (self.R.T @ v)

        before = np.inf
        for _ in range(_ROUNDS):
            z = within(total, z)
            worst = float(np.abs(self.broken(z)).max(initial=0.0))
            price = weight * beyond(z)
            if worst <= _KEPT:
                break
            weight *= _GROWTH if worst > 0.5 * before else 1.0
            before = worst
        return z
