"""Limits as a penalty in the objective (Korein and Badler, *Extensions for inequality constraints*)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.papers.follow import counts, positive
from manikin.papers.view import View


def run(
    view: View, first: float = 1e-2, last: float = 1e-11, factor: float = 0.1, iterations: int = 30
) -> dict[str, Any]:
    """Minimise ‖X − f(θ)‖² + μ B(θ), B = −Σ ln((θ − l)/w) − Σ ln((u − θ)/w), for μ from ``first`` down to ``last``.

    B grows without bound towards a limit, so no step crosses one; w is the width of the range, or 1. As μ falls the
    minimum goes where the limits allow it. Each minimisation is Gauss–Newton with B's own second derivatives, the
    step cut to stay inside and halved until the sum falls. A start on a limit is first moved off it by a thousandth
    of the width.

    factor: what μ is multiplied by. iterations: steps at most for each μ.
    """
    counts(view, iterations=iterations)
    for name, value in (("first", first), ("last", last), ("factor", factor)):
        positive(value, name, view.method)
    movable = view.lower < view.upper
    width = np.where(np.isfinite(view.upper - view.lower), view.upper - view.lower, 1.0)
    room = 1e-3 * width
    inner = np.clip(view.start, view.lower + room, view.upper - room)
    x = view.moved(np.where(movable, inner, view.start))
    mu, used = first, []
    while mu >= last and factor < 1.0:
        used.append(mu)
        for _ in range(iterations):
            if view.near(view.rows(x)):
                return {"mu": np.array(used)}
            moved = _step(view, x, mu, movable)
            if moved is None:
                break
            x = view.moved(moved)
        mu *= factor
    return {"mu": np.array(used)}


def _barrier(view: View, x: np.ndarray, movable: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """B, B′ and B″ but for the constants; limits that are not there give nothing."""
    down, up = x - view.lower, view.upper - x
    has_down, has_up = np.isfinite(down) & movable, np.isfinite(up) & movable
    a = np.divide(1.0, down, out=np.zeros_like(x), where=has_down)
    b = np.divide(1.0, up, out=np.zeros_like(x), where=has_up)
    return -float(np.log(down[has_down]).sum() + np.log(up[has_up]).sum()), b - a, a**2 + b**2


def _step(view: View, x: np.ndarray, mu: float, movable: np.ndarray) -> np.ndarray | None:
    """The point after one step, or None when nothing falls any more."""
    dX, J = view.rows(x), view.jacobian(x)
    value, slope, curve = _barrier(view, x, movable)
    g = mu * slope - 2.0 * J.T @ dX
    H = 2.0 * J.T @ J + np.diag(mu * curve + 1e-9)
    step = np.zeros(len(x))
    step[movable] = -np.linalg.solve(H[np.ix_(movable, movable)], g[movable])
    fall = float(g @ step)
    total = float(dX @ dX) + mu * value
    if -fall < 1e-14 * (abs(total) + 1e-14):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.where(
            step < 0.0, (view.lower - x) / step, np.where(step > 0.0, (view.upper - x) / step, np.inf)
        )
    length = min(1.0, 0.95 * float(reach.min()), 1.0 / max(float(np.abs(step).max()), 1e-300))
    for _ in range(40):
        moved = x + length * step
        rows = view.rows(moved)
        if float(rows @ rows) + mu * _barrier(view, moved, movable)[0] <= total + 1e-4 * length * fall:
            return moved
        length *= 0.5
    return None
