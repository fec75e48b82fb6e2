"""Whole-clip refinement: all frames as one least-squares problem, against jitter.

    minimise  Σ_t Σ_g w_g,t ‖r_g(q_t)‖²  +  λ Σ_t h_t ‖q⃛_t‖²   inside the ranges and couplings,

q⃛ the third divided difference over four neighbouring frames. Gauss and Newton's equations are banded: blocks of the
frames on the diagonal, and three more bands a coordinate (`clip_step`), so that one step costs T n³ and not (T n)³. A
coordinate that would leave its range is held at it and the step solved again.

Outliers weigh less: w_g,t is the goal's weight times min(1, (c/|r|)²), with c three times the median miss of the goal,
or of all goals where that is more, found anew at every step. What is no outlier weighs all it should, so that misses
before and after compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure.figure import Figure
from manikin.motion.clip_step import System, alone, banded, conjugate, roughness
from manikin.motion.edit import brought_in
from manikin.motion.wishes import Wish, linearised, residuals, scales

# How many damped steps at most, and the change, in radians and metres, below which they end.
STEPS, SMALL = 12, 1e-6
#: Up to as many coordinates the banded matrix is factorised; with more, conjugate gradients are quicker.
_FEW = 24
#: Added to the diagonal, as a share of its largest entry: above what rounding takes off, whatever the figure's size.
_REGULAR = 1e-13
#: How often a step is solved again with more coordinates held at their ranges.
_ROUNDS = 20


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
    if len(times) < 4 or q.shape[1] == 0:
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
    steps: int = STEPS,
) -> Refined:
    """The clip nearest to the wishes and to smoothness, from the clip q (T, n); `smoothing` is λ, s⁵.

    free: which coordinates may move, by default all that move some wish; or orthonormal directions (n, k), each
        coordinate in one of them at most, along which they move together (`tied`). fixed_frames: frames that stay as
        they are. steps: at most.
    """
    if not smoothing >= 0.0:
        raise SolveError(f"refine: the smoothing must not be negative, got {smoothing!r}")
    if (len(times) < 4 and smoothing > 0.0) or not wishes:
        return Refined(q.copy(), [wish.weights for wish in wishes], 0.0, 0.0, smoothing)
    problem = _Clip(figure, times, wishes, smoothing, robust, fixed_frames)
    x = brought_in(figure, q)
    columns = problem.columns(x) if free is None else free
    basis = np.eye(figure.n)[:, columns] if columns.ndim == 1 else columns
    cost, weights = problem.cost(x)
    for _ in range(steps):
        before = cost
        x, cost, weights, moved = problem.step(x, basis, cost, weights)
        if moved < SMALL or abs(before - cost) < 1e-3 * before:
            break
    return Refined(x, weights, rms_of(figure, x, wishes, weights), jerk_of(times, x @ basis), smoothing)


def robust_weights(wishes: Sequence[Wish], found: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The weights of frames, (T,) each, for residuals (T, rows): less for outliers."""
    sizes = [np.linalg.norm(r * scales(wish.goal), axis=1) for wish, r in zip(wishes, found, strict=True)]
    used = [size[wish.weights > 0.0] for wish, size in zip(wishes, sizes, strict=True)]
    usual = [float(np.median(some)) if len(some) else 0.0 for some in used]
    # A goal that is met almost exactly has no outliers where it misses as others do.
    least = max(float(np.median(usual)) if usual else 0.0, 1e-4)
    return [
        wish.weights / np.maximum(size / (3.0 * max(own, least)), 1.0) ** 2
        for wish, size, own in zip(wishes, sizes, usual, strict=True)
    ]


def tied(figure: Figure, columns: np.ndarray) -> np.ndarray:
    """Orthonormal directions (n, k) of coordinates, those of long sums moving together, as wide as their ranges are.

    A coupling that is a plain sum of three or more coordinates, as the human's spine and neck have, is one direction.
    """
    chosen = set(columns.tolist())
    directions: list[np.ndarray] = []
    taken: set[int] = set()
    for coupling in figure.couplings:
        places = [figure.index(name) for name in coupling.coefficients]
        plain = len(set(coupling.coefficients.values())) == 1
        width = figure.upper[places] - figure.lower[places]
        if len(places) < 3 or not plain or not chosen.issuperset(places) or taken & set(places):
            continue
        if not np.isfinite(width).all() or not width.any():
            continue
        one = np.zeros(figure.n)
        one[places] = width / np.linalg.norm(width)
        directions.append(one)
        taken |= set(places)
    single = [k for k in columns.tolist() if k not in taken]
    return np.column_stack([np.eye(figure.n)[:, single], *directions])


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
        self.coefficients: np.ndarray
        self.spans: np.ndarray
        self.coefficients, self.spans = thirds(times) if len(times) > 3 else (np.zeros((0, 4)), np.zeros(0))
        rough = self.smoothing * self.spans * (self.coefficients**2).sum(axis=1)
        self.stiffest = float(rough.max(initial=0.0))
        """The largest entry of λ D³ᵀD³, about."""
        self.fixed = np.zeros(len(times), bool) if fixed_frames is None else fixed_frames
        self.damping = np.full(len(times), 1e-4)
        """Of each frame's steps, where nothing ties them: Levenberg and Marquardt's, less after a step that helped."""

    def columns(self, q: np.ndarray) -> np.ndarray:
        """The coordinates that move some wish's site."""
        sites = dict.fromkeys(wish.site for wish in self.wishes)
        some = q[:: max(1, len(q) // 4)]
        moves = np.zeros(self.figure.n, bool)
        for site in sites:
            moves |= np.abs(self.figure.jacobian(some, site)).max(axis=(0, 1)) > 1e-12
        return np.flatnonzero(moves)

    def costs(self, q: np.ndarray, weights: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
        """What the wishes of each frame cost, (T,), and their residuals."""
        found = residuals(self.figure, q, self.wishes)
        total = np.zeros(len(q))
        for wish, r, w in zip(self.wishes, found, weights, strict=True):
            total += ((r * scales(wish.goal)) ** 2).sum(axis=1) * w
        return total, found

    def roughness(self, q: np.ndarray) -> float:
        """λ Σ h ‖q⃛‖²."""
        if self.smoothing == 0.0:
            return 0.0
        c = self.coefficients
        third: Any = sum(c[:, k, None] * q[k : len(q) - 3 + k] for k in range(4))
        return self.smoothing * float(self.spans @ (third**2).sum(axis=1))

    def cost(self, q: np.ndarray, weights: list[np.ndarray] | None = None) -> tuple[float, list[np.ndarray]]:
        """The value to be minimised, with weights as given or found anew, and these."""
        if weights is None:
            weights = [wish.weights for wish in self.wishes]
            if self.robust:
                weights = robust_weights(self.wishes, self.costs(q, weights)[1])
        return float(self.costs(q, weights)[0].sum()) + self.roughness(q), weights

    def step(
        self, q: np.ndarray, basis: np.ndarray, cost: float, weights: list[np.ndarray]
    ) -> tuple[np.ndarray, float, list[np.ndarray], float]:
        """One step: the new clip, its cost with new weights, those, and the greatest change."""
        m = basis.shape[1]
        columns, rows = np.nonzero(basis.T)
        size, first = basis[rows, columns], np.flatnonzero(np.diff(columns, prepend=-1))
        slopes, misses = [], []
        for wish, (r, jacobian), w in zip(
            self.wishes, linearised(self.figure, q, self.wishes), weights, strict=True
        ):
            s = scales(wish.goal) * np.sqrt(w)[:, None]
            slopes.append(np.add.reduceat(jacobian[:, :, rows] * size, first, axis=2) * s[:, :, None])
            misses.append(r * s)
        j, r = np.concatenate(slopes, axis=1), np.concatenate(misses, axis=1)
        gradient = np.einsum("trc,tr->tc", j, r)
        blocks = np.swapaxes(j, 1, 2) @ j
        if self.smoothing > 0.0:
            gradient += self.rough(q @ basis)
        largest = np.einsum("tcc->tc", blocks).max(axis=1, initial=0.0)[:, None] + self.stiffest
        blocks[:, range(m), range(m)] += _REGULAR * largest
        blocks[:, range(m), range(m)] += 1e-9 if self.smoothing > 0.0 else self.damping[:, None]
        change = self._inside(blocks, gradient, *self._room(q, basis)) @ basis.T
        new = self._shortened(q, change, cost, weights)
        cost, weights = self.cost(new, None if self.robust else weights)
        return new, cost, weights, float(np.abs(new - q).max())

    def _shortened(
        self, q: np.ndarray, change: np.ndarray, cost: float, weights: list[np.ndarray]
    ) -> np.ndarray:
        """As much of a change as makes it better: of all frames together or, where nothing ties them, of each."""
        apart = self.smoothing == 0.0
        before = self.costs(q, weights)[0] if apart else np.array([cost])
        share, result = np.ones((len(q), 1)), q.copy()
        left = ~self.fixed
        for _ in range(6):
            new = result.copy()
            new[left] = brought_in(self.figure, q[left] + share[left] * change[left])
            now = self.costs(new, weights)[0]
            if not apart:
                if now.sum() + self.roughness(new) <= cost * (1.0 + 1e-15):
                    return new
            else:
                better = left & (now <= before * (1.0 + 1e-15))
                self.damping[better & (share[:, 0] == 1.0)] *= 0.2
                self.damping[left & ~better] *= 4.0
                np.clip(self.damping, 1e-6, 1e6, out=self.damping)
                result[better] = new[better]
                left = left & ~better
                if not left.any():
                    return result
            share *= 0.35
        return result

    def _room(self, q: np.ndarray, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far each direction may go down and up, (T, m) each, before some coordinate leaves its range."""
        low = np.full((len(q), basis.shape[1]), -np.inf)
        high = np.full_like(low, np.inf)
        rows, columns = np.nonzero(basis)
        size = basis[rows, columns]
        down, up = (self.figure.lower - q)[:, rows] / size, (self.figure.upper - q)[:, rows] / size
        least, most = np.minimum(down, up), np.maximum(down, up)
        for k, column in enumerate(columns.tolist()):
            low[:, column] = np.maximum(low[:, column], least[:, k])
            high[:, column] = np.minimum(high[:, column], most[:, k])
        return np.minimum(low, 0.0), np.maximum(high, 0.0)

    def _inside(
        self, blocks: np.ndarray, gradient: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> np.ndarray:
        """The step, with directions that would leave their ranges held at them."""
        held = np.repeat(self.fixed[:, None], gradient.shape[1], axis=1)
        at = np.zeros_like(gradient)
        solve = alone if self.smoothing == 0.0 else banded if gradient.shape[1] <= _FEW else conjugate
        change = at
        for _ in range(_ROUNDS):
            change = solve(System(blocks, self.smoothing, self.coefficients, self.spans, -gradient, held, at))
            out = ((change < low - 1e-12) | (change > high + 1e-12)) & ~held
            if not out.any():
                break
            at[out] = np.clip(change[out], low[out], high[out])
            held |= out
        return np.clip(change, low, high)

    def rough(self, x: np.ndarray) -> np.ndarray:
        """λ D³ᵀ D³ x, (T, m)."""
        return roughness(x, self.smoothing, self.coefficients, self.spans)
