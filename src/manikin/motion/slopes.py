"""Velocities and accelerations at keys, from the splines that pass through them.

A cubic spline has the least ∫ẍ² of all curves through the keys, a quintic one the least ∫x⃛². Both are C²; between two
keys each is the one quintic that has their values, velocities and accelerations at both ends.
"""

from __future__ import annotations

import numpy as np

from manikin.figure import splines
from manikin.figure.splines import ENDS

__all__ = ["ENDS", "SPLINES", "slopes"]

SPLINES = ("cubic", "quintic")


def slopes(times: np.ndarray, x: np.ndarray, spline: str, ends: str) -> tuple[np.ndarray, np.ndarray]:
    """ẋ and ẍ at the keys, (T, m) each, of a spline through x, (T, m).

    ends: ``"natural"``: no acceleration at the first and last key (quintic: no third and fourth derivative);
        ``"clamped"``: at rest there (quintic: without acceleration too); ``"periodic"``: as if it went round, where the
        last key may differ from the first by a constant drift.

    One key stands still. Two keys have a straight line between them, unless clamped. Three keys are too few for a
    natural or periodic quintic, which is the cubic then.
    """
    count = len(times)
    if count == 1 or x.shape[1] == 0:
        return np.zeros_like(x), np.zeros_like(x)
    drift = np.zeros(x.shape[1])
    if ends == "periodic":
        drift = (x[-1] - x[0]) / (times[-1] - times[0])
        if count == 2:
            return np.broadcast_to(drift, x.shape).copy(), np.zeros_like(x)
        x = x - drift * (times - times[0])[:, None]
        x[-1] = x[0]
    few = {"natural": 4, "clamped": 2, "periodic": 7}[ends]
    if spline == "quintic" and count >= few:
        found = splines.derivatives(times, x, 3, ends)
        return found[:, 0] + drift, found[:, 1]
    v = splines.derivatives(times, x, 2, ends)[:, 0]
    bend = splines.pieces(times, np.stack([x, v], axis=1))
    h = times[-1] - times[-2]
    a = np.concatenate([2.0 * bend[:, 2], 2.0 * bend[-1:, 2] + 6.0 * h * bend[-1:, 3]])
    if ends == "natural":
        a[0] = a[-1] = 0.0
    elif ends == "periodic":
        a[-1] = a[0]
    return v + drift, a
