"""Intervals of swivel angles on the circle: joining them, and choosing an angle of them."""

from __future__ import annotations

from math import pi

import numpy as np


def nearest(stretches: np.ndarray, wish: float) -> float:
    """The angle of some intervals nearest to another, round the circle."""
    best, least = float(stretches[0, 0]), np.inf
    for low, high in stretches:
        middle = 0.5 * (low + high)
        x = wish - 2.0 * pi * np.round((wish - middle) / (2.0 * pi))
        near = min(max(x, low), high)
        if abs(x - near) < least:
            best, least = float(near), abs(x - near)
    return best


def widest(stretches: np.ndarray) -> float:
    """The middle of the widest interval."""
    low, high = stretches[int(np.argmax(stretches[:, 1] - stretches[:, 0]))]
    return 0.5 * float(low + high)


def union(parts: list[np.ndarray]) -> np.ndarray:
    """The union of intervals on the circle."""
    pieces = []
    for low, high in np.concatenate(parts) if parts else []:
        if high - low >= 2.0 * pi - 1e-12:
            return np.array([[-pi, pi]])
        low, high = (low, high) if low >= -pi else (low + 2.0 * pi, high + 2.0 * pi)
        pieces += [(low, min(high, pi)), (-pi, high - 2.0 * pi)] if high > pi else [(low, high)]
    pieces.sort()
    joined: list[list[float]] = []
    for low, high in pieces:
        if joined and low <= joined[-1][1] + 1e-12:
            joined[-1][1] = max(joined[-1][1], high)
        else:
            joined.append([float(low), float(high)])
    if len(joined) > 1 and joined[0][0] <= -pi + 1e-12 and joined[-1][1] >= pi - 1e-12:
        joined[0][0] = joined.pop()[0] - 2.0 * pi
    return np.array(joined).reshape(-1, 2)
