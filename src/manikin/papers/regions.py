"""Signed distances of a point to the pieces of a region, with their gradients.

A piece is its numbers, as `goals.region` packs them: the kind, then of a half-space point and normal; of a ball
centre and radius; of a box centre, half edges and axes as rows; of a capsule start, direction, length and radius; of
a circle centre, normal, radius and a direction across.
"""

from __future__ import annotations

import numpy as np

HALF_SPACE, BALL, BOX, CAPSULE, CIRCLE = range(5)


def distance(piece: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray]:
    """How far x is outside a piece, negative inside, and its gradient; where that is not unique, one of them."""
    kind, first = int(piece[0]), piece[1:4]
    if kind == HALF_SPACE:
        return float((x - first) @ piece[4:7]), piece[4:7]
    if kind == BALL:
        return _from_point(x - first, float(piece[4]))
    if kind == BOX:
        return _from_box(piece, x)
    if kind == CAPSULE:
        along = min(max(float((x - first) @ piece[4:7]), 0.0), float(piece[7]))
        return _from_point(x - first - along * piece[4:7], float(piece[8]))
    (height, off), slopes = from_ring(piece, x)
    away = float(np.hypot(height, off))
    return away, (height * slopes[0] + off * slopes[1]) / away if away > 0.0 else slopes[1]


def _from_point(e: np.ndarray, radius: float) -> tuple[float, np.ndarray]:
    away = float(np.linalg.norm(e))
    return away - radius, e / away if away > 0.0 else np.array([0.0, 0.0, 1.0])


def _from_box(piece: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray]:
    """Outside the distance to the nearest point of the box; inside the depth below the nearest face."""
    axes = piece[7:16].reshape(3, 3)
    e = axes @ (x - piece[1:4])
    d, side = np.abs(e) - piece[4:7], np.where(e < 0.0, -1.0, 1.0)
    if d.max() > 0.0:
        out = np.maximum(d, 0.0)
        away = float(np.linalg.norm(out))
        return away, (side * out / away) @ axes
    k = int(np.argmax(d))
    return float(d[k]), side[k] * axes[k]


def from_ring(piece: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(2,) and (2, 3): height over a circle's plane and distance from its axis less its radius (2), with gradients."""
    normal = piece[4:7]
    e = x - piece[1:4]
    height = float(e @ normal)
    across = e - height * normal
    away = float(np.linalg.norm(across))
    outward = across / away if away > 1e-12 else piece[8:11]
    return np.array([height, away - piece[7]]), np.vstack([normal, outward])


def largest(pieces: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray]:
    """The largest of the distances to several pieces, which is that to what lies in all of them, with its gradient."""
    found = [distance(piece, x) for piece in pieces]
    return max(found, key=lambda each: each[0])
