"""Velocities and accelerations at keys, from the splines that pass through them.

A cubic spline has the least ∫ẍ² of all curves through the keys, a quintic one the least ∫x⃛². Both are C²; between two
keys each is the one quintic that has their values, velocities and accelerations at both ends.
"""

from __future__ import annotations

import warnings

import numpy as np

SPLINES = ("cubic", "quintic")
ENDS = ("natural", "clamped", "periodic")


def slopes(times: np.ndarray, x: np.ndarray, spline: str, ends: str) -> tuple[np.ndarray, np.ndarray]:
    """ẋ and ẍ at the keys, (T, m) each, of a spline through x, (T, m).

    ends: ``"natural"``: no acceleration at the first and last key (quintic: no third and fourth derivative);
        ``"clamped"``: at rest there (quintic: without acceleration too); ``"periodic"``: as if it went round, where the
        last key may differ from the first by a constant drift.

    One key stands still. Two keys have a straight line between them, unless clamped. Three keys are too few for a
    natural or periodic quintic, which is the cubic then.
    """
    from scipy.interpolate import CubicSpline, make_interp_spline

    count = len(times)
    if count == 1 or x.shape[1] == 0:
        return np.zeros_like(x), np.zeros_like(x)
    if ends == "periodic":
        drift = (x[-1] - x[0]) / (times[-1] - times[0])
        even = x - drift * (times - times[0])[:, None]
        even[-1] = even[0]
        if count == 2:
            return np.broadcast_to(drift, x.shape).copy(), np.zeros_like(x)
        if spline == "cubic" or count < 7:
            curve = CubicSpline(times, even, bc_type="periodic")
        else:
            curve = make_interp_spline(times, even, k=5, bc_type="periodic")
        return curve(times, 1) + drift, curve(times, 2)
    if spline == "quintic" and (ends == "clamped" or count > 3):
        zero = np.zeros(x.shape[1])
        orders = (1, 2) if ends == "clamped" else (3, 4)
        end = [(order, zero) for order in orders]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of long clips: that the system is large
            curve = make_interp_spline(times, x, k=5, bc_type=(end, end))
        return curve(times, 1), curve(times, 2)
    curve = CubicSpline(times, x, bc_type="natural" if ends == "natural" else "clamped")
    return curve(times, 1), curve(times, 2)
