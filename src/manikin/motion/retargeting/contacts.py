"""When feet stand: contacts of a clip, from how low and how still the feet are."""

from __future__ import annotations

import numpy as np


def still(times: np.ndarray, points: np.ndarray, low: float, slow: float) -> np.ndarray:
    """(T,): where a point (T, 3) is within `low` of its lowest height, metres, and slower than `slow`, m/s.

    Pauses and breaks shorter than 40 ms do not count; one frame alone stands.
    """
    if len(times) == 1:
        return np.ones(1, bool)
    speed = np.linalg.norm(np.gradient(points, times, axis=0), axis=1)
    floor = float(np.quantile(points[:, 2], 0.02))
    found = (points[:, 2] < floor + low) & (speed < slow)
    return _lasting(times, _lasting(times, found, False), True)


def _lasting(times: np.ndarray, found: np.ndarray, what: bool) -> np.ndarray:
    """Spans of `what` shorter than 40 ms turned round, but those at the ends."""
    result = found.copy()
    for low, high in spans(found == what):
        inner = low > 0 and high < len(found)
        if inner and times[high - 1] - times[low] < 0.04:
            result[low:high] = not what
    return result


def spans(found: np.ndarray) -> list[tuple[int, int]]:
    """The spans [low, high) in which something holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], found, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
