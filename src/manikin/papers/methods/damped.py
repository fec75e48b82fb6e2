"""Damped least squares near singular poses (7.1 to 7.3), with a fixed or an adaptive damping factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.papers.follow import follow, positive
from manikin.papers.inverse import damped_step, damping_curve
from manikin.papers.view import View


def run(
    view: View,
    damping: float | str = 0.1,
    threshold: float = 0.2,
    largest: float = 0.2,
    intermediate: int = 10,
    spacing: str = "even",
    corrections: int = 1,
    iterations: int = 200,
) -> dict[str, Any]:
    """dθ = (JᵀJ + λ²I)⁻¹ Jᵀ dX, which minimises ‖J dθ − dX‖² + λ²‖dθ‖² (7.1); the limits are not known to it.

    damping: λ; or ``"adaptive"``: zero while the least singular value σ of J (of those that are not always zero) is
        above ``threshold`` ε, then λ² = (1 − (σ/ε)²) λ₁² with λ₁ = ``largest``, after Nakamura and Hanafusa.
    intermediate, spacing, corrections, iterations: as for `pseudoinverse`.

    Records at every step the damping, the condition number of JᵀJ + λ²I (7.1) and the residual of the linear
    equations that the damping leaves (7.2); `inverse.damping_curve` gives them for any λ.
    """
    if isinstance(damping, str) and damping != "adaptive":
        raise SolveError(f"method {view.method!r}: damping must be a number or 'adaptive', got {damping!r}")
    fixed = None if damping == "adaptive" else positive(damping, "damping", view.method)
    positive(threshold, "threshold", view.method)
    positive(largest, "largest", view.method)
    trace: list[tuple[float, float, float]] = []

    def step(x: np.ndarray, dX: np.ndarray, share: float) -> np.ndarray:
        J = view.jacobian(x)
        factor = adaptive(J, view.usual_rank, threshold, largest) if fixed is None else fixed
        curve = damping_curve(J, dX, [factor])
        trace.append((factor, float(curve.condition[0]), float(curve.residual[0])))
        return damped_step(J, dX, factor)

    details = follow(view, step, intermediate, spacing, corrections, iterations)
    columns = np.array(trace).reshape(-1, 3).T
    return {**details, "damping": columns[0], "condition": columns[1], "residual": columns[2]}


def adaptive(J: np.ndarray, usual_rank: int, threshold: float, largest: float) -> float:
    """λ from the least singular value that is not always zero."""
    size = np.linalg.svd(J, compute_uv=False)
    least = size[usual_rank - 1] if usual_rank else 0.0
    return largest * float(np.sqrt(max(0.0, 1.0 - (least / threshold) ** 2)))
