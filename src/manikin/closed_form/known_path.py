"""A known path within speed and acceleration: where it breaks a limit, it is left and met again in the fewest samples.

A *window* goes from sample i to sample j of the path. Between them the values go by steps of the least-time profile
(`least_time`), from the speed with which the path comes to i to that with which it goes on from j; a window at an end
of the path has no speed to keep there. Of all windows about a fault whose ways stay inside the region, one of the
fewest samples is taken, found by bisection. Windows that touch are looked for again as one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.closed_form.joint_region import JointRegion
from manikin.closed_form.least_time import steps_between

_ROUNDING = 1e-9


@dataclass(frozen=True)
class _Window:
    """The fault's first and last sample, the window about it, and the values at its samples."""

    faults: tuple[int, int]
    low: int
    high: int
    values: np.ndarray


class KnownPath:
    """Values (T, n) at increasing times (T,), within a region; speed and acceleration: numbers, infinite for none."""

    def __init__(
        self, rows: np.ndarray, clock: np.ndarray, speed: float, acceleration: float, region: JointRegion
    ) -> None:
        self.rows, self.clock, self.region = rows, clock, region
        n = rows.shape[1]
        self.speed, self.acceleration = np.full(n, speed), np.full(n, acceleration)
        self.dt = np.diff(clock)
        self.middle = 0.5 * (clock[1:] + clock[:-1])
        self.speeds = np.diff(rows, axis=0) / self.dt[:, None]

    def within_limits(self) -> np.ndarray | None:
        """The values with every limit kept, or None if the path as a whole is too fast."""
        windows: list[_Window] = []
        for faults in self._faults():
            window = self._least(faults)
            while window is not None and windows and window.low <= windows[-1].high:
                window = self._least((windows.pop().faults[0], window.faults[1]))
            if window is None:
                return None
            windows.append(window)
        out = self.rows.copy()
        for window in windows:
            out[window.low : window.high + 1] = window.values
        return out

    def _faults(self) -> list[tuple[int, int]]:
        """The first and last samples that windows must go between: of a step too fast its ends, of a change of speed
        too great the samples before and behind.
        """
        fast = (np.abs(self.speeds) > self.speed * (1.0 + _ROUNDING)).any(axis=1)
        change = np.abs(np.diff(self.speeds, axis=0)) / np.diff(self.middle)[:, None]
        sharp = (change > self.acceleration * (1.0 + _ROUNDING)).any(axis=1)
        found = [(int(k), int(k) + 1) for k in np.flatnonzero(fast)]
        found += [(int(k), int(k) + 2) for k in np.flatnonzero(sharp)]
        merged: list[tuple[int, int]] = []
        for low, high in sorted(found):
            if merged and low < merged[-1][1]:
                low, high = merged[-1][0], max(high, merged.pop()[1])
            merged.append((low, high))
        return merged

    def _least(self, faults: tuple[int, int]) -> _Window | None:
        """The window of fewest samples about some faults, or None."""
        last = len(self.rows) - 1
        count = low = faults[1] - faults[0]
        found = self._of_length(faults, count)
        while found is None and count < last:
            low, count = count, min(count + max(count // 2, 1), last)
            found = self._of_length(faults, count)
        if found is None:
            return None
        while count - low > 1:
            middle = (count + low) // 2
            shorter = self._of_length(faults, middle)
            low, count, found = (middle, count, found) if shorter is None else (low, middle, shorter)
        return found

    def _of_length(self, faults: tuple[int, int], count: int) -> _Window | None:
        """A window of so many steps, the nearer to the faults' middle the better."""
        first, last = faults[1] - count, faults[0]
        options = range(max(first, 0), min(last, len(self.rows) - 1 - count) + 1)
        for low in sorted(options, key=lambda at: abs(2 * at - first - last)):
            values = self._between(low, low + count)
            if values is not None:
                return _Window(faults, low, low + count, values)
        return None

    def _between(self, low: int, high: int) -> np.ndarray | None:
        """The values of a window, or None where none keep the limits and stay inside."""
        n = self.rows.shape[1]
        middle = self.middle[low:high]
        before, after = np.zeros(n), np.zeros(n)
        rise = fall = np.full(high - low, np.inf)
        if low > 0:
            before, rise = self.speeds[low - 1], middle - self.middle[low - 1]
        if high < len(self.rows) - 1:
            after, fall = self.speeds[high], self.middle[high] - middle
        distance = self.rows[high] - self.rows[low]
        dt = self.dt[low:high]
        speeds = steps_between(distance, before, after, rise, fall, dt, self.speed, self.acceleration)
        if speeds is None:
            return None
        values = self.rows[low] + np.concatenate([np.zeros((1, n)), np.cumsum(speeds * dt[:, None], axis=0)])
        values[-1] = self.rows[high]
        np.clip(values, self.region.lower, self.region.upper, out=values, where=self._nearly_inside(values))
        return values if self.region.holds(values) else None

    def _nearly_inside(self, values: np.ndarray) -> np.ndarray:
        """What only rounding has brought out of its range."""
        beyond = np.maximum(self.region.lower - values, values - self.region.upper)
        return np.asarray(beyond < 1e-12)
