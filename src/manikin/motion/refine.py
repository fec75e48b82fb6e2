"""Whole-clip refinement: all frames as one least-squares problem, against jitter.

    minimise  Σ_t Σ_g w_g,t ‖r_g(q_t)‖²  +  λ Σ_t h_t ‖q⃛_t‖²   inside the ranges and couplings,

q⃛ the third divided difference over four neighbouring frames. Gauss and Newton's equations are banded: blocks of the
frames on the diagonal, and three more bands a coordinate (`clip_step`), so that one step costs T n³ and not (T n)³. A
coordinate that would leave its range is held at it and the step solved again.

Outliers weigh less: w_g,t is the goal's weight divided by 1 + (|r|/c)², with c three times the median miss of the goal
(Cauchy), found anew at every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure.figure import Figure
from manikin.motion.clip_step import banded, conjugate, roughness
from manikin.motion.edit import brought_in
from manikin.motion.wishes import Wish, linearised, residuals, scales

# How many damped steps at most, and the change, in radians and metres, below which they end.
STEPS, SMALL = 12, 1e-6
#: Up to as many coordinates the banded matrix is factorised; with more, conjugate gradients are quicker.
_FEW = 24


@dataclass(frozen=True, eq=False)
class Refined:
    """q (T, n); weights of each wish (T,), 1 where it is no outlier; rms: of all misses, m and rad; jerk: the root mean
    square of the third divided differences; smoothing: λ."""

    q: np.ndarray
    weights: list[np.ndarray]
    rms: float
    jerk: float
    smoothing: float


def thirds(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients (T − 3, 4) of the third divided differences, 6/Π(t_i − t_j), and the time h each stands for."""
    t = np.stack([times[k : len(times) - 3 + k] for k in range(4)], axis=1)
    apart = t[:, :, None] - t[:, None, :] + np.eye(4)
    return 6.0 / apart.prod(axis=2), (t[:, 3] - t[:, 0]) / 3.0


def jerk_of(times: np.ndarray, q: np.ndarray) -> float:
    """Root mean square of the third divided differences over all coordinates that move."""
    if len(times) < 4:
        return 0.0
    c, _ = thirds(times)
    third = sum(c[:, k, None] * q[k : len(q) - 3 + k] for k in range(4))
    return float(np.sqrt(np.mean(np.asarray(third) ** 2)))


def rms_of(figure: Figure, q: np.ndarray, wishes: Sequence[Wish], weights: Sequence[np.ndarray]) -> float:
    """Root mean square of the weighted misses, in metres."""
    total, count = 0.0, 0.0
    for wish, r, w in zip(wishes, residuals(figure, q, wishes), weights, strict=True):
        s = scales(wish.goal)
        total += float(((r * s) ** 2).sum(axis=1) @ w)
        count += float(w.sum()) * len(s)
    return float(np.sqrt(total / max(count, 1.0)))


def refine(
    figure: Figure,
    times: np.ndarray,
    q: np.ndarray,
    wishes: Sequence[Wish],
    *,
    smoothing: float,
    robust: bool = True,
    free: np.ndarray | None = None,
    fixed_frames: np.ndarray | None = None,
) -> Refined:
    """The clip nearest to the wishes and to smoothness, from the clip q (T, n); `smoothing` is λ, s⁵.

    free: which coordinates may move, by default all that move some wish. fixed_frames: frames that stay as they are.
    """
    if not smoothing >= 0.0:
        raise SolveError(f"refine: the smoothing must not be negative, got {smoothing!r}")
    if (len(times) < 4 and smoothing > 0.0) or not wishes:
        return Refined(q.copy(), [wish.weights for wish in wishes], 0.0, 0.0, smoothing)
    problem = _Clip(figure, times, wishes, smoothing, robust, fixed_frames)
    x = brought_in(figure, q)
    columns = problem.columns(x) if free is None else free
    cost, weights = problem.cost(x)
    for _ in range(STEPS):
        before = cost
        x, cost, weights, moved = problem.step(x, columns, cost, weights)
        if moved < SMALL or abs(before - cost) < 1e-3 * before:
            break
    return Refined(x, weights, rms_of(figure, x, wishes, weights), jerk_of(times, x[:, columns]), smoothing)


def robust_weights(wishes: Sequence[Wish], found: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The weights of frames, (T,) each, for residuals (T, rows): less for outliers."""
    result = []
    for wish, r in zip(wishes, found, strict=True):
        size = np.linalg.norm(r * scales(wish.goal), axis=1)
        used = size[wish.weights > 0.0]
        c = 3.0 * max(float(np.median(used)) if len(used) else 0.0, 1e-4)
        result.append(wish.weights / (1.0 + (size / c) ** 2))
    return result


class _Clip:
    """The least-squares problem of a clip."""

    def __init__(
        self,
        figure: Figure,
        times: np.ndarray,
        wishes: Sequence[Wish],
        smoothing: float,
        robust: bool,
        fixed_frames: np.ndarray | None,
    ) -> None:
        self.figure, self.wishes, self.smoothing, self.robust = figure, wishes, smoothing, robust
        self.coefficients, self.spans = thirds(times) if len(times) > 3 else (np.zeros((0, 4)), np.zeros(0))
        self.fixed = np.zeros(len(times), bool) if fixed_frames is None else fixed_frames

    def columns(self, q: np.ndarray) -> np.ndarray:
        """The coordinates that move some wish's site."""
        sites = dict.fromkeys(wish.site for wish in self.wishes)
        some = q[:: max(1, len(q) // 4)]
        moves = np.zeros(self.figure.n, bool)
        for site in sites:
            moves |= np.abs(self.figure.jacobian(some, site)).max(axis=(0, 1)) > 1e-12
        return np.flatnonzero(moves)

    def cost(self, q: np.ndarray, weights: list[np.ndarray] | None = None) -> tuple[float, list[np.ndarray]]:
        """The value to be minimised, with weights as given or found anew, and these."""
        found = residuals(self.figure, q, self.wishes)
        if weights is None:
            weights = robust_weights(self.wishes, found) if self.robust else [w.weights for w in self.wishes]
        total = sum(
            float(((r * scales(wish.goal)) ** 2).sum(axis=1) @ w)
            for wish, r, w in zip(self.wishes, found, weights, strict=True)
        )
        if self.smoothing == 0.0:
            return total, weights
        c = self.coefficients
        third: Any = sum(c[:, k, None] * q[k : len(q) - 3 + k] for k in range(4))
        return total + self.smoothing * float(self.spans @ (third**2).sum(axis=1)), weights

    def step(
        self, q: np.ndarray, columns: np.ndarray, cost: float, weights: list[np.ndarray]
    ) -> tuple[np.ndarray, float, list[np.ndarray], float]:
        """One step: the new clip, its cost with new weights, those, and the greatest change."""
        count, m = len(q), len(columns)
        blocks, gradient = np.zeros((count, m, m)), np.zeros((count, m))
        for wish, (r, jacobian), w in zip(
            self.wishes, linearised(self.figure, q, self.wishes), weights, strict=True
        ):
            s = scales(wish.goal) * np.sqrt(w)[:, None]
            j = jacobian[:, :, columns] * s[:, :, None]
            gradient += np.einsum("trc,tr->tc", j, r * s)
            blocks += np.swapaxes(j, 1, 2) @ j
        if self.smoothing > 0.0:
            gradient += self.rough(q[:, columns])
        damping = 1e-9 if self.smoothing > 0.0 else 1e-4 * float(np.trace(blocks, axis1=1, axis2=2).mean()) / m
        blocks[:, range(m), range(m)] += 1e-9 + damping
        change = self._inside(blocks, gradient, q, columns)
        share = 1.0
        for _ in range(8):
            new = q.copy()
            new[:, columns] += share * change
            new[~self.fixed] = brought_in(self.figure, new[~self.fixed])
            lower, _ = self.cost(new, weights)
            if lower <= cost + 1e-15 * abs(cost):
                cost, weights = self.cost(new)
                return new, cost, weights, float(np.abs(new - q).max())
            share *= 0.35
        return q, cost, weights, 0.0

    def _inside(
        self, blocks: np.ndarray, gradient: np.ndarray, q: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """The step, with coordinates that would leave their ranges held at them."""
        low, high = self.figure.lower[columns] - q[:, columns], self.figure.upper[columns] - q[:, columns]
        held = np.repeat(self.fixed[:, None], len(columns), axis=1)
        at = np.zeros_like(gradient)
        solve = banded if len(columns) <= _FEW and self.smoothing > 0.0 else conjugate
        change = at
        for _ in range(4):
            change = solve(blocks, self.smoothing, self.coefficients, self.spans, -gradient, held, at)
            out = ((change < low - 1e-12) | (change > high + 1e-12)) & ~held
            if not out.any():
                break
            at[out] = np.clip(change[out], low[out], high[out])
            held |= out
        return np.clip(change, np.minimum(low, 0.0), np.maximum(high, 0.0))

    def rough(self, x: np.ndarray) -> np.ndarray:
        """λ D³ᵀ D³ x, (T, m)."""
        return roughness(x, self.smoothing, self.coefficients, self.spans)
