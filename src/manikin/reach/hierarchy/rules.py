"""What the coordinates of a chain obey: ranges, linear couplings and the cones of ball joints.

    lower ≤ q ≤ upper,      low ≤ A q ≤ high,      |σ(q) / radii| ≤ 1

Configurations are columns, (coordinates, count).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Cone, Figure, lean

_STEP = 1e-6


@dataclass(frozen=True, eq=False)
class Rules:
    """Ranges, coupling rows (each of length 1), and cones whose first two entries are indices of the chain."""

    lower: np.ndarray
    upper: np.ndarray
    A: np.ndarray
    low: np.ndarray
    high: np.ndarray
    cones: tuple[Cone, ...]

    @classmethod
    def of(cls, figure: Figure, dofs: np.ndarray, q: np.ndarray) -> Rules:
        """Those that concern these coordinates, the others standing at q."""
        place = {int(dof): k for k, dof in enumerate(dofs)}
        rows, low, high = [], [], []
        for coupling in figure.couplings:
            row, already = np.zeros(len(dofs)), 0.0
            for name, factor in coupling.coefficients.items():
                index = figure.index(name)
                if index in place:
                    row[place[index]] = factor
                else:
                    already += factor * q[index]
            length = float(np.linalg.norm(row))
            if length > 0.0:
                rows.append(row / length)
                low.append((coupling.lower - already) / length)
                high.append((coupling.upper - already) / length)
        cones = []
        for cone in figure.cones:
            inside = [index in place for index in (cone.first, cone.second)]
            if any(inside) and not all(inside):
                raise FigureError(
                    f"hierarchy: {figure.dofs[cone.first]!r} and {figure.dofs[cone.second]!r} share a cone; "
                    "free both or neither"
                )
            if all(inside):
                cones.append(cone._replace(first=place[cone.first], second=place[cone.second]))
        A = np.array(rows).reshape(-1, len(dofs))
        lower, upper = figure.lower[dofs], figure.upper[dofs]
        return cls(lower.copy(), upper.copy(), A, np.array(low), np.array(high), tuple(cones))

    @property
    def finite(self) -> tuple[np.ndarray, np.ndarray]:
        """The ranges, one turn about 0 standing for what has no end."""
        lower = np.where(np.isfinite(self.lower), self.lower, np.minimum(self.upper, np.pi) - 2.0 * np.pi)
        upper = np.where(np.isfinite(self.upper), self.upper, np.maximum(self.lower, -np.pi) + 2.0 * np.pi)
        both = ~np.isfinite(self.lower) & ~np.isfinite(self.upper)
        return np.where(both, -np.pi, lower), np.where(both, np.pi, upper)

    def clipped(self, q: np.ndarray) -> np.ndarray:
        """Inside the ranges."""
        return np.clip(q, self.lower[:, None], self.upper[:, None])

    def excess(self, q: np.ndarray) -> np.ndarray:
        """How far the couplings and cones are broken, (rules, count): what is to be added to each to obey it."""
        values = self.A @ q
        found = [np.clip(values, self.low[:, None], self.high[:, None]) - values]
        found += [-np.maximum(_outside(cone, q), 0.0)[None] for cone in self.cones]
        return np.concatenate(found)

    def slopes(self, q: np.ndarray) -> np.ndarray:
        """The derivatives of the couplings' and cones' values, (rules, coordinates, count)."""
        found = np.zeros((len(self.A) + len(self.cones), *q.shape))
        found[: len(self.A)] = self.A[:, :, None]
        for k, cone in enumerate(self.cones):
            for j in (cone.first, cone.second):
                step = np.zeros(len(q))[:, None]
                step[j] = _STEP
                found[len(self.A) + k, j] = (_outside(cone, q + step) - _outside(cone, q - step)) / (
                    2.0 * _STEP
                )
        return found

    def broken(self, q: np.ndarray) -> np.ndarray:
        """The worst that any rule is broken by, (count,)."""
        out = np.maximum(self.lower[:, None] - q, q - self.upper[:, None]).max(axis=0, initial=0.0)
        return np.maximum(out, np.abs(self.excess(q)).max(axis=0, initial=0.0))

    def possible(self, free: np.ndarray, middle: np.ndarray, half: np.ndarray) -> np.ndarray:
        """Which boxes of the coordinates ``free``, (free, count), may hold a legal configuration, the others anywhere.

        A swing's direction moves by no more than the swing does, so a cone misses a box if its middle leans farther
        from the cone's middle than the larger radius and the box's half diagonal together.
        """
        lower, upper = self.finite
        whole = np.repeat((0.5 * (lower + upper))[:, None], middle.shape[1], axis=1)
        wide = np.repeat((0.5 * (upper - lower))[:, None], middle.shape[1], axis=1)
        whole[free], wide[free] = middle, half
        value, reach = self.A @ whole, np.abs(self.A) @ wide
        good = ((value + reach >= self.low[:, None]) & (value - reach <= self.high[:, None])).all(axis=0)
        for cone in self.cones:
            pair = [cone.first, cone.second]
            seen = np.linalg.norm(cone.seen(whole.T), axis=-1)
            good &= seen <= max(cone.radius_1, cone.radius_2) + np.linalg.norm(wide[pair], axis=0)
        return good


def _outside(cone: Cone, q: np.ndarray) -> np.ndarray:
    """|σ / radii| − 1 in units of the smaller radius, (count,); negative inside."""
    seen = lean.seen_from(cone[2:4], q[[cone.first, cone.second]].T)
    return (np.linalg.norm(seen / np.array(cone[4:6]), axis=-1) - 1.0) * min(cone[4:6])
