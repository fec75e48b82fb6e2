"""Damped least squares inside the joint limits and the linear couplings (7.4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.papers.follow import follow, positive
from manikin.papers.numerics import lsq_linear
from manikin.papers.view import View


def run(
    view: View,
    damping: float = 0.1,
    intermediate: int = 10,
    spacing: str = "even",
    corrections: int = 1,
    iterations: int = 200,
) -> dict[str, Any]:
    """Minimise ‖C dθ − d‖² with C = (J; λI) and d = (dX; 0), subject to l ≤ θ + dθ ≤ u (7.4).

    The chapter writes the limits as A dθ ≤ b, and linear couplings are further rows of it: equalities are kept by
    steps in their null space.

    damping: λ. intermediate, spacing, corrections, iterations: as for `pseudoinverse`.
    """
    positive(damping, "damping", view.method)
    movable = view.lower < view.upper

    def coupled(x: np.ndarray, dX: np.ndarray, share: float) -> np.ndarray:
        C = np.vstack([view.jacobian(x), damping * np.eye(len(x))])
        theta = view.limits.step(x, C, np.concatenate([dX, np.zeros(len(x))]))
        return view.limits.nearest(x + theta) - x

    def step(x: np.ndarray, dX: np.ndarray, share: float) -> np.ndarray:
        J = view.jacobian(x)[:, movable]
        n = J.shape[1]
        C, d = np.vstack([J, damping * np.eye(n)]), np.concatenate([dX, np.zeros(n)])
        low, high = np.minimum(view.lower - x, 0.0)[movable], np.maximum(view.upper - x, 0.0)[movable]
        theta = np.zeros(len(x))
        theta[movable] = lsq_linear(C, d, (low, high), method="bvls").x
        return theta

    if not movable.any():
        return {}
    step = coupled if view.limits.couplings else step
    return follow(view, step, intermediate, spacing, corrections, iterations)
