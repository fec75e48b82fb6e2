"""Ranges and linear couplings as a method of the papers sees them: l ≤ θ ≤ u and b ≤ A θ ≤ c over the variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from manikin.figure import Coupling, Figure
from manikin.papers.least_squares import least_distance, least_squares, null_space

# Nearer to an end than this is on it.
_TOUCH = 1e-9
# Of unit normals: a point counts as inside that breaks nothing by more.
_KEPT = 1e-11
# Of a unit normal, what the equalities leave of it: less says nothing more.
_SAYS = 1e-12


@dataclass(frozen=True, eq=False)
class Limits:
    """All that the variables have to keep within.

    lower, upper: their ranges.
    A, low, high: the couplings' rows, each of length 1, with what other coordinates add taken into the ends.
    couplings: these, in the same order; length: what each row was divided by.
    """

    lower: np.ndarray
    upper: np.ndarray
    A: np.ndarray
    low: np.ndarray
    high: np.ndarray
    couplings: tuple[Coupling, ...]
    length: np.ndarray

    @classmethod
    def of(
        cls, figure: Figure, variables: np.ndarray, couplings: Sequence[Coupling], q: np.ndarray
    ) -> Limits:
        """The limits of these coordinates, the others at q; couplings that none of them is in are left out."""
        every = np.zeros((len(couplings), figure.n))
        for r, coupling in enumerate(couplings):
            for name, coefficient in coupling.coefficients.items():
                every[r, figure.index(name)] = coefficient
        there = np.any(every[:, variables], axis=1)
        couplings = tuple(coupling for coupling, yes in zip(couplings, there, strict=True) if yes)
        every = every[there]
        rows = every[:, variables]
        length = np.linalg.norm(rows, axis=1)
        fixed = q.copy()
        fixed[variables] = 0.0
        already = every @ fixed
        return cls(
            figure.lower[variables],
            figure.upper[variables],
            rows / length[:, None],
            (np.array([coupling.lower for coupling in couplings]) - already) / length,
            (np.array([coupling.upper for coupling in couplings]) - already) / length,
            couplings,
            length,
        )

    @cached_property
    def equal(self) -> np.ndarray:
        """Mask of the couplings that are equalities."""
        return np.array([coupling.equality for coupling in self.couplings], bool)

    @cached_property
    def movable(self) -> np.ndarray:
        """Mask of the variables whose range is more than a point."""
        return self.lower < self.upper

    def excess(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far x is beyond each range and each coupling: negative below its lower end, positive above its upper."""
        values = self.A @ x
        return (
            np.maximum(x - self.upper, 0.0) - np.maximum(self.lower - x, 0.0),
            np.maximum(values - self.high, 0.0) - np.maximum(self.low - values, 0.0),
        )

    def worst(self, x: np.ndarray) -> float:
        """The largest excess."""
        return max(float(np.abs(part).max(initial=0.0)) for part in self.excess(x))

    def inequalities(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """G and h of G dθ ≥ h: what a step from x may do, but for equalities. At a point inside, h ≤ 0."""
        eye = np.eye(len(x))
        values, free = self.A @ x, ~self.equal
        parts = [
            (eye, self.lower - x),
            (-eye, x - self.upper),
            (self.A[free], (self.low - values)[free]),
            (-self.A[free], (values - self.high)[free]),
        ]
        G, h = np.vstack([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
        there = np.isfinite(h)
        return G[there], h[there]

    def nearest(self, x: np.ndarray) -> np.ndarray:
        """The nearest point inside, for x that is outside by rounding or by a little."""
        x = np.clip(x, self.lower, self.upper)
        for _ in range(4):
            excess = self.excess(x)[1]
            if np.abs(excess).max(initial=0.0) <= 1e-15:
                break
            moves = self.movable & ((x > self.lower) & (x < self.upper))
            broken = excess != 0.0
            x = x.copy()
            x[moves] -= np.linalg.lstsq(self.A[broken][:, moves], excess[broken], rcond=1e-12)[0]
            x = np.clip(x, self.lower, self.upper)
        return x

    def inner(self, x: np.ndarray, share: float) -> np.ndarray:
        """x, which is inside, off the limits of ranges that it touches by a share of their width, couplings kept.

        A range without another end counts as one of a turn.
        """
        width = share * np.minimum(self.upper - self.lower, 2.0 * np.pi)
        moved = np.where(x - self.lower < width, self.lower + width, x)
        moved = np.where(self.upper - x < width, self.upper - width, moved)
        moved = np.where(self.movable & self.touched(x), moved, x)
        found = self.brought_in(moved) if self.couplings and share > 0.0 else moved
        return x if found is None else found

    def touched(self, x: np.ndarray) -> np.ndarray:
        """Mask of the coordinates that are on an end of their range."""
        return (x - self.lower <= _TOUCH) | (self.upper - x <= _TOUCH)

    def brought_in(self, x: np.ndarray) -> np.ndarray | None:
        """The nearest point inside, from anywhere; None if there is none.

        x is first moved to the nearest point that keeps the equalities; what remains is the shortest step among them
        to where the inequalities hold too, Lawson and Hanson's least distance.
        """
        E, e = self.A[self.equal], self.low[self.equal]
        if len(E):
            x = x - np.linalg.lstsq(E, E @ x - e, rcond=1e-10)[0]
        G, h = self.inequalities(x)
        N = null_space(E) if len(E) else np.eye(len(x))
        size = np.linalg.norm(G @ N, axis=1)
        says = size > _SAYS
        if (h[~says] > _KEPT).any():  # the equalities alone break it
            return None
        found = least_distance((G @ N)[says] / size[says, None], h[says] / size[says])
        if found is None:
            return None
        x = self.nearest(x + N @ found[0])
        return x if self.worst(x) <= _KEPT else None

    def step(self, x: np.ndarray, C: np.ndarray, d: np.ndarray) -> np.ndarray:
        """The dθ of least ‖C dθ − d‖ that stays inside from x, which is inside; C has full column rank."""
        G, h = self.inequalities(x)
        return least_squares(C, d, G, np.minimum(h, 0.0), self.A[self.equal])[0]

    def slacks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows S and ends s₀ with S θ ≥ s₀: every finite end of a movable range or an inequality; which have no other
        end."""
        eye, free, move = np.eye(len(self.lower)), ~self.equal, self.movable
        S = np.vstack([eye[move], -eye[move], self.A[free], -self.A[free]])
        ends = np.concatenate([self.lower[move], -self.upper[move], self.low[free], -self.high[free]])
        others = np.concatenate([-self.upper[move], self.lower[move], -self.high[free], self.low[free]])
        there = np.isfinite(ends)
        return S[there], ends[there], ~np.isfinite(others[there])
