"""The active constraints of Goldfarb: A_q, (A_qᵀA_q)⁻¹ kept by recursion, and the multipliers.

The constraints are aᵢᵀθ ≤ bᵢ with ‖aᵢ‖ = 1, of which the first l are equalities: of each range its two ends, of each
coupling the same. Where the report assumes that active constraints are linearly independent, one that depends on the
others is not added: no step that respects those can break it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.papers.limits import Limits

# Of the square of a unit normal: less than this left beside the active ones counts as dependent.
_DEPENDENT = 1e-12


@dataclass(frozen=True, eq=False)
class Constraints:
    """All constraints: rows aᵢᵀ of ``normals``, ends bᵢ, and how many of the first are equalities."""

    normals: np.ndarray
    ends: np.ndarray
    equalities: int

    @classmethod
    def of(cls, limits: Limits) -> Constraints:
        """Equalities first, among them the ranges of no width; then every finite end of a range and of a coupling."""
        eye, fixed, equal = np.eye(len(limits.lower)), ~limits.movable, limits.equal
        E = np.vstack([limits.A[equal], eye[fixed]])
        e = np.concatenate([limits.low[equal], limits.lower[fixed]])
        S, s0, _ = limits.slacks()
        return cls(np.vstack([E, -S]), np.concatenate([e, -s0]), len(E))

    def room(self, x: np.ndarray) -> np.ndarray:
        """bᵢ − aᵢᵀθ."""
        return self.ends - self.normals @ x


class ActiveSet:
    """A_q and (A_qᵀA_q)⁻¹; ``which`` lists the constraints in it."""

    def __init__(self, constraints: Constraints) -> None:
        self.constraints = constraints
        self.which: list[int] = []
        self.inverse = np.zeros((0, 0))

    @property
    def A(self) -> np.ndarray:
        """The active normals as columns, (n, q)."""
        return self.constraints.normals[self.which].T

    def add(self, i: int) -> bool:
        """Add constraint i, (AᵀA)⁻¹ bordered by one row and column; False if it depends on those there are."""
        a = self.constraints.normals[i]
        b = self.A.T @ a
        c = self.inverse @ b
        left = float(a @ a - b @ c)
        if left <= _DEPENDENT:
            return False
        self.inverse = np.block(
            [[self.inverse + np.outer(c, c) / left, -c[:, None] / left], [-c / left, 1.0 / left]]
        )
        self.which.append(i)
        return True

    def drop(self, place: int) -> int:
        """Take out the constraint at this place, and its row and column of the inverse; returns which it was."""
        others = np.arange(len(self.which)) != place
        column = self.inverse[others, place]
        self.inverse = (
            self.inverse[np.ix_(others, others)] - np.outer(column, column) / self.inverse[place, place]
        )
        return self.which.pop(place)

    def projected(self, v: np.ndarray) -> np.ndarray:
        """P_q v = v − A (AᵀA)⁻¹ Aᵀ v."""
        return v - self.A @ (self.inverse @ (self.A.T @ v))

    def multipliers(self, g: np.ndarray) -> np.ndarray:
        """α = (AᵀA)⁻¹ Aᵀ g (step 1): of a minimum not above 0, but for equalities."""
        return self.inverse @ (self.A.T @ g)

    def worst(self, alpha: np.ndarray) -> tuple[float, int]:
        """The largest αⱼ aⱼⱼ^−½ over the inequalities, and its place (step 2); (0, −1) if none is above 0."""
        gain = alpha / np.sqrt(np.diag(self.inverse))
        gain[np.array(self.which, dtype=int) < self.constraints.equalities] = -np.inf
        place = int(np.argmax(gain)) if len(gain) else -1
        return (float(gain[place]), place) if place >= 0 and gain[place] > 0.0 else (0.0, -1)
