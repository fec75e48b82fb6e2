"""Nonlinear programming with a Tikhonov term (section 3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.papers.asked import Ends
from manikin.papers.elimination import Elimination, Function
from manikin.papers.follow import counts, positive, shares
from manikin.papers.numerics import minimize
from manikin.papers.view import View


def run(
    view: View,
    alpha: float = 1e-4,
    intermediate: int = 4,
    spacing: str = "even",
    iterations: int = 20,
) -> dict[str, Any]:
    """Minimise F(θ) = ½‖f(θ) − Y‖² + ½ α‖θ − θ⁰‖² inside l ≤ θ ≤ u by L-BFGS-B, for one target Y after the other.

    The gradient is ∇F = Jᵀ(f − Y) + α (θ − θ⁰), and θ⁰ is where the last minimisation ended. For the last target
    that is repeated, which takes the pull of the Tikhonov term away.

    L-BFGS-B knows ranges only. Couplings that are equalities are eliminated; inequalities are kept by multipliers, in
    minimisations inside the ranges (`elimination`), and each point found is moved to the nearest inside.

    alpha: α, the Tikhonov parameter. intermediate, spacing: the targets on the way.
    iterations: how often the last minimisation is repeated at most.
    """
    positive(alpha, "alpha", view.method, zero=True)
    counts(view, iterations=iterations)
    where = shares(intermediate, spacing, view.method)
    targets = [view.between(view.start, share) for share in where]
    rows = Elimination.of(view.limits) if view.limits.couplings else None
    x, passed = view.start.copy(), []
    for Y in targets:
        x = _minimum(view, x, Y, alpha, 1e-6, rows)
        passed.append(x)
    for _ in range(iterations):
        before = x
        if view.near(view.rows(x)):
            break
        x = _minimum(view, x, view.targets, alpha, 1e-9, rows)
        if np.abs(x - before).max() < 1e-12:
            break
    passed[-1] = x
    return {"trajectory": np.array(passed)}


def _minimum(
    view: View, x0: np.ndarray, Y: list[Ends], alpha: float, slope: float, rows: Elimination | None
) -> np.ndarray:
    def F(x: np.ndarray) -> tuple[float, np.ndarray]:
        dX, change = view.rows(x, Y), x - x0
        value = 0.5 * float(dX @ dX + alpha * change @ change)
        return value, alpha * change - view.jacobian(x).T @ dX

    if rows is None:
        return view.moved(_within(view, F, x0, view.lower, view.upper, slope))
    z = rows.minimise(
        F, x0[rows.kept], lambda total, z: _within(view, total, z, rows.lower, rows.upper, slope)
    )
    return view.moved(view.limits.nearest(rows.expand(z)))


def _within(
    view: View, F: Function, x0: np.ndarray, lower: np.ndarray, upper: np.ndarray, slope: float
) -> np.ndarray:
    """The least of F inside the ranges, by L-BFGS-B."""
    found = minimize(
        F,
        x0,
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(lower, upper, strict=True)),
        options={"maxiter": 200, "ftol": 0.0, "gtol": slope},
    )
    view.iterations += max(int(found.nit) - 1, 0)
    return np.clip(found.x, lower, upper)
