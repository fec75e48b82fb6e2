"""The rigid motion between two clouds of points."""

from __future__ import annotations

import numpy as np


def fit_rigid(
    source: np.ndarray, target: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """R, t with Σ w ‖R s + t − x‖² least (Kabsch); points in rows. On a line, one of the rotations that fit."""
    w = np.ones(len(source)) if weights is None else np.asarray(weights, dtype=np.float64)
    a, b = w @ source / w.sum(), w @ target / w.sum()
    u, _, vt = np.linalg.svd((source - a).T @ (w[:, None] * (target - b)))
    flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T))])
    turn = vt.T @ flip @ u.T
    return turn, b - turn @ a
