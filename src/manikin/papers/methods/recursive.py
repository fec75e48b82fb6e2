"""Many end effectors by recursion over null spaces (sections 5 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manikin.papers.follow import follow
from manikin.papers.inverse import pseudo_inverse
from manikin.papers.methods.pseudoinverse import homogeneous
from manikin.papers.view import View


def run(
    view: View,
    Z: Any = None,
    intermediate: int = 10,
    spacing: str = "even",
    corrections: int = 1,
    iterations: int = 50,
) -> dict[str, Any]:
    """dθ of `recursion` along intermediate targets, one end effector a goal; the limits are not known to it.

    Where the end effectors contradict each other, an earlier goal comes before a later one. Z and the other options
    are those of `pseudoinverse`.
    """
    term = homogeneous(view, Z)
    effectors = _effectors(view)

    def step(x: np.ndarray, dX: np.ndarray, share: float) -> np.ndarray:
        J = view.jacobian(x)
        theta, F = recursion([J[rows] for rows in effectors], [dX[rows] for rows in effectors])
        if Z is not None and share > 0.0:
            theta = theta + F @ (share * term(x))
        return theta

    return follow(view, step, intermediate, spacing, corrections, iterations)


def recursion(
    jacobians: Sequence[np.ndarray], changes: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """dθ_M and F_M for M end effectors.

    F₀ = I, dθ₀ = 0; Jᵢ' = Jᵢ Fᵢ₋₁; dθᵢ = dθᵢ₋₁ + Jᵢ'⁺ (dXᵢ − Jᵢ dθᵢ₋₁); Fᵢ = Fᵢ₋₁ − Jᵢ'⁺ Jᵢ'.

    F_M projects on the intersection of the null spaces (Lemma 6.12). When the stacked Jacobian has full row rank,
    dθ_M is its solution of least norm (Theorem 6.19).
    """
    n = jacobians[0].shape[1]
    F, theta = np.eye(n), np.zeros(n)
    for J, dX in zip(jacobians, changes, strict=True):
        within = J @ F
        inverse = pseudo_inverse(within, float(np.linalg.norm(J, 2)))
        theta = theta + inverse @ (dX - J @ theta)
        F = F - inverse @ within
    return theta, F


def _effectors(view: View) -> list[np.ndarray]:
    """The rows of each goal: a placement's six belong together; of a constraint, its own."""
    found: list[list[int]] = []
    last = -1
    for part, where in zip(view.parts, view.slices, strict=True):
        rows = list(range(where.start, where.stop))
        if part.goal == last and last >= 0:
            found[-1].extend(rows)
        else:
            found.append(rows)
        last = part.goal
    return [np.array(rows) for rows in found]
