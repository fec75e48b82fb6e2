"""H, the approximate inverse Hessian within the active constraints: what steps teach it, and what constraints take."""

from __future__ import annotations

import numpy as np

UPDATES = ("bfgs", "dfp", "bfgs_only")


def without(H: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(27): H − H a aᵀ H / (aᵀ H a), for a constraint that becomes active."""
    h = H @ a
    size = float(a @ h)
    return H - np.outer(h, h) / size if size > 0.0 else H


def regained(H: np.ndarray, u: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(25): H + P a aᵀ P / (aᵀ P a), u = P a, for a constraint that is dropped."""
    return H + np.outer(u, u) / float(a @ u)


def learned(H: np.ndarray, sigma: np.ndarray, y: np.ndarray, update: str) -> np.ndarray:
    """(28), BFGS, where σᵀy ≥ yᵀH y, and (29), DFP, elsewhere; or one of the two always. σᵀy is positive."""
    hy = H @ y
    sy, yhy = float(sigma @ y), float(y @ hy)
    if update == "bfgs_only" or (update == "bfgs" and sy >= yhy):
        across = np.outer(sigma, hy)
        return H + ((1.0 + yhy / sy) * np.outer(sigma, sigma) - across - across.T) / sy
    if yhy <= 0.0:
        return H
    return H + np.outer(sigma, sigma) / sy - np.outer(hy, hy) / yhy
