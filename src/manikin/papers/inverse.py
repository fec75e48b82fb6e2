"""Generalized inverses (section 4), and how damping trades the condition number for the residual (7.1, 7.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# Singular values below this share of the largest count as zero. From a UR5 at its singular rest, ten goals near by,
# resolved rate reaches 8 with 1e-7 and 4 with 1e-9, where a step may be 1e5 rad.
SMALL = 1e-7


def rank(size: np.ndarray, scale: float | None = None) -> int:
    """How many of these singular values count, beside the largest or beside ``scale``."""
    largest = size.max(initial=0.0) if scale is None else scale
    return int(np.count_nonzero(size > SMALL * largest)) if largest > 0.0 else 0


def pseudo_inverse(A: np.ndarray, scale: float | None = None) -> np.ndarray:
    """A⁺ of Moore and Penrose by the singular value decomposition (4.5, 4.6): Σ vᵢ uᵢᵀ / σᵢ over σᵢ > 0.

    scale: what singular values are small beside; the largest by default. A product such as J F, which may be nothing
        but rounding, is measured against J.
    """
    U, size, Vt = np.linalg.svd(A, full_matrices=False)
    k = rank(size, scale)
    return (Vt[:k].T / size[:k]) @ U[:, :k].T


def is_general_inverse(G: np.ndarray, J: np.ndarray) -> bool:
    """Whether J G J = J, to rounding."""
    return bool(np.abs(J @ G @ J - J).max(initial=0.0) <= 1e-7 * np.abs(J).max(initial=0.0))


def damped_step(J: np.ndarray, dX: np.ndarray, damping: float) -> np.ndarray:
    """dθ = (JᵀJ + λ²I)⁻¹ Jᵀ dX, the least of ‖J dθ − dX‖² + λ²‖dθ‖² (7.1), from the singular values of J."""
    U, size, Vt = np.linalg.svd(J, full_matrices=False)
    if damping == 0.0:
        return pseudo_inverse(J) @ dX
    return Vt.T @ (size / (size**2 + damping**2) * (U.T @ dX))


@dataclass(frozen=True, eq=False)
class DampingCurve:
    """What each damping factor λ costs: arrays of one number a factor."""

    damping: np.ndarray
    condition: np.ndarray
    residual: np.ndarray


def damping_curve(J: np.ndarray, dX: np.ndarray, dampings: Sequence[float] | np.ndarray) -> DampingCurve:
    """Condition number and residual against damping.

    Lemma 7.1: κ(JᵀJ + λ²I) = (σ₁² + λ²) / (σₙ² + λ²), σₙ = 0 when there are more joints than rows; a large λ
    brings it to 1. Lemma 7.2: r = {I − J (JᵀJ + λ²I)⁻¹ Jᵀ} dX, so ‖r‖² = Σ (λ² / (σᵢ² + λ²) uᵢ·dX)², which grows
    with λ.
    """
    U, size, _ = np.linalg.svd(J, full_matrices=True)
    factors = np.asarray(dampings, dtype=float)
    m, n = J.shape
    rows = np.concatenate([size, np.zeros(m - len(size))])
    least = size[-1] if len(size) == n else 0.0
    square = factors[:, None] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = (size[0] ** 2 + square[:, 0]) / (least**2 + square[:, 0])
        share = np.where(square + rows**2 > 0.0, square / (rows**2 + square), 1.0)
    return DampingCurve(factors, condition, np.linalg.norm(share * (U.T @ dX), axis=1))
