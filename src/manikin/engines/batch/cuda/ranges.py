"""Limits and seeds of a problem in single precision."""

from __future__ import annotations

import numpy as np

from manikin.kernels.search.layout import Bounds
from manikin.kernels.search.seeds import FITTED, INNER

#: Where there is no limit, and what says that seeds are drawn about the start.
NONE = np.float32(1e30)
ABOUT_START = np.float32(-2e30)
_TURN = 2.0 * np.pi


def single_limits(lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Limits as float32, rounded to the inside, so that what keeps them keeps the true ones."""
    low, high = (np.clip(end, -NONE, NONE).astype(np.float32) for end in (lower, upper))
    low = np.where(low < lower, np.nextafter(low, NONE), low)
    high = np.where(high > upper, np.nextafter(high, -NONE), high)
    return low, np.maximum(low, high)


def limits_of(bounds: Bounds) -> tuple[np.ndarray, np.ndarray]:
    """Limits that a search keeps: none where a whole turn fits."""
    wraps = bounds.wraps > 0.0
    return single_limits(
        np.where(wraps, -np.inf, bounds.true_lower), np.where(wraps, np.inf, bounds.true_upper)
    )


def seeds_from(bounds: Bounds) -> tuple[np.ndarray, np.ndarray]:
    """Where seeds are drawn from, as float32: the low end, or `ABOUT_START`, and the width."""
    low = np.where(bounds.low > -np.inf, bounds.low, ABOUT_START).astype(np.float32)
    return low, bounds.width.astype(np.float32)


def shares(bounds: Bounds, count: int) -> np.ndarray:
    """Of further starts, where in the ranges they lie, (count, variables): those of the CPU
    (`kernels.batch.plain`)."""
    number = np.arange(count)[:, None]
    u = (bounds.shift + number * bounds.alpha) % 1.0
    inner = ((number - 1 < FITTED) & ((number - 1) % 2 == 0)) & (bounds.low > -np.inf)
    u = np.where(inner, 0.5 + INNER * (u - 0.5), u)
    u[:1] = 0.5
    return u.astype(np.float32)


def spread_starts(bounds: Bounds, shares: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Points at these shares (count, variables) of the ranges, for each start in turn, (starts · count, variables)."""
    low = np.where(bounds.low > -np.inf, bounds.low, starts - 0.5 * bounds.width)
    made = low[:, None] + shares * bounds.width
    return np.clip(made, bounds.true_lower, bounds.true_upper).reshape(-1, starts.shape[1])


def unwind(q: np.ndarray, starts: np.ndarray, variables: np.ndarray, bounds: Bounds) -> None:
    """Turns that may go round end inside their range, or, without one, nearest to where they began."""
    for i in np.flatnonzero(bounds.wraps > 0.0):
        j, low, high = variables[i], bounds.true_lower[i], bounds.true_upper[i]
        if high - low < 1e8:
            outside = (q[:, j] < low) | (q[:, j] > high)
            q[outside, j] = np.minimum(low + (q[outside, j] - low) % _TURN, high)
        else:
            away = q[:, j] - starts[:, j]
            q[:, j] -= _TURN * np.round(away / _TURN)
