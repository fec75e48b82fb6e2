"""Limits as equalities with slack variables (Korein and Badler, *Extensions for inequality constraints*)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.papers.follow import counts, positive
from manikin.papers.view import View


def run(view: View, weight: float = 30.0, iterations: int = 300) -> dict[str, Any]:
    """Solve X − f(θ) = 0 together with θⱼ − lⱼ − sⱼ² = 0 and uⱼ − θⱼ − tⱼ² = 0, in θ, s and t.

    Each limit is an equality with a variable more; a square is never negative, so where the equalities hold the limits
    do. The whole system is solved by Levenberg–Marquardt steps dz = (CᵀC + λI)⁻¹ Cᵀ c, with the limits' rows weighted.

    Where the goals cannot be met, the rows of the limits give way a little with the rest; such an end is outside,
    and the last point inside is returned.

    weight: of the limits' rows. iterations: steps at most.
    """
    positive(weight, "weight", view.method)
    counts(view, iterations=iterations)
    movable = np.flatnonzero(view.lower < view.upper)
    low = movable[np.isfinite(view.lower[movable])]
    high = movable[np.isfinite(view.upper[movable])]
    n, a, b = len(movable), len(low), len(high)
    column = {int(i): k for k, i in enumerate(movable)}
    x = view.start.copy()
    s = np.sqrt(np.maximum(x[low] - view.lower[low], 1e-4))
    t = np.sqrt(np.maximum(view.upper[high] - x[high], 1e-4))

    def rows(x: np.ndarray, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        limits = np.concatenate([x[low] - view.lower[low] - s**2, view.upper[high] - x[high] - t**2])
        return np.concatenate([-view.rows(x), weight * limits])

    def derivatives(x: np.ndarray, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        J = view.jacobian(x)[:, movable]
        C = np.zeros((len(J) + a + b, n + a + b))
        C[: len(J), :n] = J
        for k, i in enumerate(low):
            C[len(J) + k, [column[int(i)], n + k]] = weight, -2.0 * weight * s[k]
        for k, i in enumerate(high):
            C[len(J) + a + k, [column[int(i)], n + a + k]] = -weight, -2.0 * weight * t[k]
        return C

    c, damping = rows(x, s, t), 1e-3
    for _ in range(iterations):
        broken = np.abs(c[3 * len(view.parts) :]).max(initial=0.0)
        if (view.near(view.rows(x)) and broken < 1e-10 * weight) or damping > 1e12:
            break
        C = derivatives(x, s, t)
        z = -np.linalg.solve(C.T @ C + damping * np.eye(n + a + b), C.T @ c)
        new = x.copy()
        new[movable] += z[:n]
        slack = s + z[n : n + a], t + z[n + a :]
        trial = rows(new, *slack)
        if trial @ trial < c @ c:
            x, (s, t), c, damping = view.moved(new), slack, trial, max(0.2 * damping, 1e-15)
        else:
            damping *= 5.0
    return {"lower_slack": s**2, "upper_slack": t**2}
