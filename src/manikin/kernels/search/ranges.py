"""Ranges of the variables: what a search may reach, and those that a whole turn fits into."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lanes import round_down, select

_TURN = 2.0 * math.pi


@kernel
def limit_speed(bounds, x, seconds):
    """Ranges of this search: what each variable can reach from x in so many seconds; with none, all of its own.

    In time nothing wraps: from one end of a range to the same pose at its other end is a way of its own.
    """
    for i in range(x.shape[0]):
        low = bounds.true_lower[i]
        high = bounds.true_upper[i]
        if bounds.wraps[i] != 0.0 and seconds == 0.0:
            low = -math.inf
            high = math.inf
        if seconds > 0.0:
            low = max(low, x[i] - seconds * bounds.speed[i])
            high = min(high, x[i] + seconds * bounds.speed[i])
        bounds.lower[i] = low
        bounds.upper[i] = high


@kernel
def wrap(bounds, x):
    """Bring the variables that wrap back into their ranges by whole turns."""
    for i in range(x.shape[0]):
        if bounds.wraps[i] == 0.0:
            continue
        high = bounds.true_upper[i]
        low = bounds.true_lower[i]
        y = x[i]
        y = select(y > high, y + _TURN * round_down((high - y) / _TURN), y)
        y = select(y < low, y - _TURN * round_down((y - low) / _TURN), y)
        y = select(y > high, high, y)
        x[i] = select(y < low, low, y)
