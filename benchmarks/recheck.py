"""Whether a pose meets its goals and limits, by the NumPy forward kinematics of Pose, not by the solver's word."""

from __future__ import annotations

import numpy as np

from benchmarks.figures import Body, Wish

METRES, RADIANS = 1e-4, 1e-3
_LIMIT = 1e-9


def _angle(u: np.ndarray, v: np.ndarray) -> float:
    return 2.0 * float(np.arctan2(np.linalg.norm(u - v), np.linalg.norm(u + v)))


def _turned(first: np.ndarray, second: np.ndarray) -> float:
    """Angle of the rotation between two frames."""
    return 2.0 * float(np.arcsin(min(1.0, np.linalg.norm(first - second) / np.sqrt(8.0))))


def meets(wish: Wish, frame: np.ndarray, target: np.ndarray) -> bool:
    """Whether a site at ``frame`` meets its wish within 0.1 mm and 1 mrad."""
    away = frame[:3, 3] - target[:3, 3]
    if wish.kind == "direction":
        return _angle(frame[:3, 0], target[:3, 0]) <= RADIANS
    if wish.kind == "plane":
        return abs(away @ target[:3, 2]) <= METRES
    near = float(np.linalg.norm(away)) <= METRES
    return near and (wish.kind == "position" or _turned(frame[:3, :3], target[:3, :3]) <= RADIANS)


def reached(body: Body, q: np.ndarray, targets: np.ndarray) -> bool:
    """Whether every wish is met, and every limit kept."""
    inside = (q >= body.figure.lower - _LIMIT).all() and (q <= body.figure.upper + _LIMIT).all()
    sites = zip(body.wishes, body.frames(q), targets, strict=True)
    return bool(inside) and all(meets(wish, frame, target) for wish, frame, target in sites)
