"""Regions and capsules as rows of numbers, moved from one frame into another."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from manikin.kernels.residuals.regions import BALL, BOX, CIRCLE, HALF_SPACE, ROUND_CONE


def moved_primitives(primitives: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """Primitives (P, 16) given in ``frame`` (4×4), in the frame that it is placed in."""
    turn, place = frame[:3, :3], frame[:3, 3]
    moved = primitives.copy()
    for p in moved:
        p[1:4] = turn @ p[1:4] + place
        if p[0] in (HALF_SPACE, ROUND_CONE, CIRCLE):
            p[4:7] = turn @ p[4:7]
        if p[0] == CIRCLE:
            p[8:11] = turn @ p[8:11]
        if p[0] == BOX:
            p[7:16] = (p[7:16].reshape(3, 3) @ turn.T).ravel()
    return moved


def moved_capsules(capsules: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """Capsules (C, 8), two points and two radii each, moved likewise."""
    moved = capsules.copy()
    for first in (0, 3):
        moved[:, first : first + 3] = capsules[:, first : first + 3] @ frame[:3, :3].T + frame[:3, 3]
    return moved


def enclosing_ball(capsules: np.ndarray) -> np.ndarray:
    """A ball around capsules: centre and radius (4); not the least, but near it."""
    return np.array(_enclosing_ball(capsules.tobytes()))


@lru_cache(maxsize=1024)
def _enclosing_ball(data: bytes) -> tuple[float, ...]:
    """The centre begins in the middle of the box around them and walks towards the farthest (Bădoiu and Clarkson)."""
    capsules = np.frombuffer(data).reshape(-1, 8)
    ends = np.concatenate([capsules[:, [0, 1, 2, 6]], capsules[:, [3, 4, 5, 7]]])
    low, high = (ends[:, :3] - ends[:, 3:]).min(axis=0), (ends[:, :3] + ends[:, 3:]).max(axis=0)
    center = 0.5 * (low + high)
    best, least = center, np.inf
    for step in range(1, 40):
        reach = np.linalg.norm(ends[:, :3] - center, axis=1) + ends[:, 3]
        if reach.max() < least:
            best, least = center, float(reach.max())
        far = ends[int(np.argmax(reach)), :3]
        center = center + (far - center) / (step + 1.0)
    return (*best.tolist(), least * (1.0 + 1e-12))


def region_ball(primitives: np.ndarray) -> np.ndarray:
    """A ball around the intersection of primitives (P, 16): the smallest of those around each; infinite for planes."""
    best = np.array([0.0, 0.0, 0.0, np.inf])
    for p in primitives:
        center, radius = p[1:4], np.inf
        if p[0] == BALL:
            radius = p[4]
        elif p[0] == BOX:
            radius = float(np.linalg.norm(p[4:7]))
        elif p[0] == ROUND_CONE:
            center = p[1:4] + 0.5 * p[7] * p[4:7]
            radius = 0.5 * p[7] + max(p[8], p[9])
        if radius < best[3]:
            best = np.array([*center, radius])
    return best


def capsule_cones(capsules: np.ndarray) -> np.ndarray:
    """Capsules as primitives of the kind ROUND_CONE (C, 16)."""
    cones = np.zeros((len(capsules), 16))
    along = capsules[:, 3:6] - capsules[:, :3]
    length = np.linalg.norm(along, axis=1)
    cones[:, 0] = ROUND_CONE
    cones[:, 1:4] = capsules[:, :3]
    cones[:, 4:7] = np.where(
        length[:, None] > 0.0, along / np.maximum(length, 1e-300)[:, None], [0.0, 0.0, 1.0]
    )
    cones[:, 7] = length
    cones[:, 8:10] = capsules[:, 6:8]
    return cones
