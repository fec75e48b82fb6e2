"""Swings as directions, and swings as another swing's direction sees them.

A swing s = (s1, s2) leans the twist's axis z over by θ = |s| radians, to

    d(s) = exp([s1, s2, 0]) z = (s2 sin θ/θ, −s1 sin θ/θ, cos θ).

Seen from the direction of a swing c, it is σ with d(σ) = exp([c1, c2, 0])ᵀ d(s), |σ| ≤ π: the angle between the two
directions, and which way. From c = 0 it is s itself. Opposite to c, where no way is nearer than another, σ = (π, 0).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin.figure import transforms

Pair = Sequence[float] | np.ndarray


def direction(swing: Pair) -> np.ndarray:
    """d(s), unit vectors (…, 3) of swings (…, 2)."""
    s = np.asarray(swing, dtype=np.float64)
    angle = np.linalg.norm(s, axis=-1)
    k = np.sinc(angle / np.pi)
    return np.stack([s[..., 1] * k, -s[..., 0] * k, np.cos(angle)], axis=-1)


def swing_towards(d: np.ndarray) -> np.ndarray:
    """The swing (…, 2), at most π long, that leans z over to unit vectors (…, 3)."""
    h = np.hypot(d[..., 0], d[..., 1])
    angle = np.arctan2(h, d[..., 2])
    with np.errstate(divide="ignore", invalid="ignore"):
        f = np.where(h > 0.0, angle / h, 1.0)
    found = np.stack([-d[..., 1] * f, d[..., 0] * f], axis=-1)
    opposite = (h == 0.0) & (d[..., 2] < 0.0)
    return np.where(opposite[..., None], [np.pi, 0.0], found)


def seen_from(center: Pair, swing: Pair) -> np.ndarray:
    """σ of swings (…, 2) as the swing ``center`` sees them."""
    s = np.asarray(swing, dtype=np.float64)
    if not np.any(center):
        return s.copy()
    return swing_towards(direction(s) @ _turn(center))


def leaning(center: Pair, seen: Pair) -> np.ndarray:
    """The swings s (…, 2) that ``center`` sees as σ: the inverse of `seen_from`, |s| ≤ π."""
    sigma = np.asarray(seen, dtype=np.float64)
    if not np.any(center):
        return sigma.copy()
    return swing_towards(direction(sigma) @ _turn(center).T)


def _turn(center: Pair) -> np.ndarray:
    return transforms.exp([float(center[0]), float(center[1]), 0.0])
