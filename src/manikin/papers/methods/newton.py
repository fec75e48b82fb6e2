"""Newton–Raphson with intermediate goals chosen recursively (Korein and Badler, *Numerical solutions*)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.papers.asked import Ends
from manikin.papers.follow import counts
from manikin.papers.inverse import pseudo_inverse
from manikin.papers.view import View


def run(view: View, iterations: int = 12, depth: int = 6) -> dict[str, Any]:
    """Solve f(θ) = X by θ ← θ + J⁻¹ (X − f(θ)) from the start; the limits are not known to it.

    Where J is not square, J⁺ takes the place of J⁻¹: the least change. If the iteration does not converge, a goal
    halfway is reached first, and so on recursively.

    iterations: steps to a goal before it counts as too far. depth: how often the way may be halved.
    """
    counts(view, iterations=iterations, depth=depth)
    middles: list[float] = []
    x, converged = _reach(view, view.start.copy(), 0.0, 1.0, iterations, depth, middles)
    if not converged:
        x = _newton(view, x, view.targets, iterations)[0]
        view.way.append(x)
    return {"intermediate": np.array(middles)}


def _reach(
    view: View, x: np.ndarray, begin: float, end: float, iterations: int, depth: int, middles: list[float]
) -> tuple[np.ndarray, bool]:
    """From the share ``begin`` of the way to ``end``, both as seen from the start."""
    found, converged = _newton(view, x, view.between(view.start, end), iterations)
    if converged or depth == 0:
        return (found, True) if converged else (x, False)
    middle = 0.5 * (begin + end)
    middles.append(middle)
    x, converged = _reach(view, x, begin, middle, iterations, depth - 1, middles)
    if not converged:
        return x, False
    return _reach(view, x, middle, end, iterations, depth - 1, middles)


def _newton(view: View, x: np.ndarray, Y: list[Ends], iterations: int) -> tuple[np.ndarray, bool]:
    """The iteration itself; it has failed when a step does not halve the rows four times running."""
    best, slow = np.inf, 0
    passed = []
    for _ in range(iterations):
        dX = view.rows(x, Y)
        if view.near(dX):
            break
        size = float(np.linalg.norm(dX))
        slow = 0 if size < 0.5 * best else slow + 1
        best = min(best, size)
        if slow > 3:
            break
        step = pseudo_inverse(view.jacobian(x)) @ dX
        if not np.isfinite(step).all() or np.abs(step).max() > 1e3:
            break
        view.iterations += 1
        x = x + step
        passed.append(x)
    converged = view.near(view.rows(x, Y))
    if converged:
        view.way.extend(passed)
    return x, converged
