"""Whether a pose is one from which nothing improves, to first and second order, inside the limits."""

from __future__ import annotations

import numpy as np

from manikin.papers.least_squares import nonnegative, null_space
from manikin.papers.limits import Limits
from manikin.papers.projection.potential import Total
from manikin.papers.view import View

# What counts as on a limit, as zero slope beside 1 + P, and as curvature beside the largest.
_TOUCH, _SLOPE, _CURVED = 1e-9, 1e-6, 1e-7


def is_stationary(view: View, x: np.ndarray) -> bool:
    """Whether no direction inside the ranges and couplings improves, by gradient and by curvature.

    g = Nᵀν + what is left, over the limits that are touched, ν ≥ 0 but for equalities; what is held with ν = 0 counts
    as free for the curvature.
    """
    total = Total(view)
    P, g = total(x)
    small = _SLOPE * (1.0 + P)
    N, signed = _touched(view.limits, x)
    held = np.zeros(len(N), bool)
    if len(N):
        both = np.vstack([N, -N[~signed]])
        price = nonnegative(both.T, g)
        g = g - both.T @ price
        held = (price[: len(N)] > small) | ~signed
    if np.abs(g).max(initial=0.0) > small:
        return False
    H = total.hessian(x)
    free = null_space(N[held])
    H = free.T @ H @ free
    return bool(np.linalg.eigvalsh(H).min(initial=0.0) >= -_CURVED * np.abs(H).max(initial=0.0))


def _touched(limits: Limits, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normals of the limits that x touches, inwards, and which of them are inequalities."""
    eye, values = np.eye(len(x)), limits.A @ x
    low, high = x <= limits.lower + _TOUCH, x >= limits.upper - _TOUCH
    row_low, row_high = values <= limits.low + _TOUCH, values >= limits.high - _TOUCH
    both, equal = low & high, limits.equal
    parts = [
        (eye[both], False),
        (eye[low & ~both], True),
        (-eye[high & ~both], True),
        (limits.A[equal], False),
        (limits.A[row_low & ~equal], True),
        (-limits.A[row_high & ~equal], True),
    ]
    signed = np.concatenate([np.full(len(rows), sign) for rows, sign in parts])
    return np.vstack([rows for rows, _ in parts]), signed
