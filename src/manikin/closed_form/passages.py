"""A known path with its jumps passed within speed and acceleration, C²: from some sample before each to one after it.

The window about a jump grows, one sample more on the shorter side, until in every value the quintic between its ends,
with the velocities and accelerations that the path has there, keeps both limits, and all of its samples are inside the
ranges.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Holds = Callable[[np.ndarray], bool]
State = tuple[np.ndarray, np.ndarray, np.ndarray]

_SHARES = np.linspace(0.0, 1.0, 33)
_SLACK = 1.0 + 1e-9


def quintic_between(start: State, end: State, time: float) -> np.ndarray:
    """Coefficients (6, n), lowest first, of the quintic between two states x, v, a that are `time` apart."""
    x, v, a = start
    d = end[0] - x - time * (v + 0.5 * time * a)
    e = (end[1] - v - time * a) * time
    f = (end[2] - a) * time * time
    third = (10.0 * d - 4.0 * e + 0.5 * f) / time**3
    fourth = (-15.0 * d + 7.0 * e - f) / time**4
    fifth = (6.0 * d - 3.0 * e + 0.5 * f) / time**5
    return np.stack([x, v, 0.5 * a, third, fourth, fifth])


def _anywhere(rows: np.ndarray) -> bool:
    return True


def too_fast(
    rows: np.ndarray, clock: np.ndarray, speed: np.ndarray, acceleration: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which steps, (T − 1,), break the speed, and which samples between two steps, (T − 2,), the acceleration."""
    dt = np.diff(clock)[:, None]
    v = np.diff(rows, axis=0) / dt
    a = np.diff(v, axis=0) / (0.5 * (dt[1:] + dt[:-1]))
    fast: np.ndarray = np.any(np.abs(v) > speed * _SLACK, axis=1)
    sharp: np.ndarray = np.any(np.abs(a) > acceleration * _SLACK, axis=1)
    return fast, sharp


def passed(
    rows: np.ndarray,
    clock: np.ndarray,
    speed: np.ndarray | float,
    acceleration: np.ndarray | float,
    holds: Holds = _anywhere,
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Rows (T, n) within the limits, which samples were moved, (T,), and whether that succeeded everywhere.

    rows: finite values at the times `clock`, (T,). holds: whether rows (k, n) are inside the ranges. Where the path as
    a whole is too fast, the windows grow together and what is left over the limits stays: the third value is then
    False.
    """
    n = rows.shape[1]
    speed = np.broadcast_to(np.asarray(speed, dtype=np.float64), (n,))
    acceleration = np.broadcast_to(np.asarray(acceleration, dtype=np.float64), (n,))
    out, moved = rows.copy(), np.zeros(len(rows), bool)
    if len(rows) < 3:
        return out, moved, not too_fast(rows, clock, speed, acceleration)[0].any()
    windows: list[tuple[int, int]] = []
    for _ in range(64):
        steps, bends = too_fast(out, clock, speed, acceleration)
        wrong = np.flatnonzero(steps | np.append(bends, False) | np.insert(bends, 0, False))
        if len(wrong) == 0:
            return out, moved, holds(out[moved])
        grown = _clusters(wrong, windows, len(rows))
        if grown == windows:
            return out, moved, False
        windows = []
        out, moved = rows.copy(), np.zeros(len(rows), bool)
        for low, high in grown:
            low, high = fitting(rows, clock, low, high, speed, acceleration, holds)
            if windows and low <= windows[-1][1]:
                low = windows.pop()[0]
                low, high = fitting(rows, clock, low, high, speed, acceleration, holds)
            windows.append((low, high))
        for low, high in windows:
            out[low : high + 1] = window(rows, clock, low, high)
            moved[low + 1 : high] = True
    return out, moved, False


def _clusters(wrong: np.ndarray, windows: list[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """The windows with what is still wrong taken in, in order and apart from each other."""
    found = [*windows, *((int(k), int(k) + 1) for k in wrong)]
    found.sort()
    result: list[tuple[int, int]] = []
    for low, high in found:
        if result and low <= result[-1][1] + 2:
            low, high = min(low, result[-1][0]), max(high, result.pop()[1])
            if (low, high) in windows:  # it was not wide enough
                low, high = max(low - 2, 0), min(high + 2, count - 1)
        result.append((low, high))
    return result


def fitting(
    rows: np.ndarray,
    clock: np.ndarray,
    low: int,
    high: int,
    speed: np.ndarray,
    acceleration: np.ndarray,
    holds: Holds = _anywhere,
) -> tuple[int, int]:
    """The least window about `low` … `high` found in which the passage keeps limits and ranges; the whole path where
    none does."""
    last, extra = len(rows) - 1, 1
    while True:
        if low == 0 and high == last:
            return low, high
        if _keeps(rows, clock, low, high, speed, acceleration) and holds(window(rows, clock, low, high)):
            return low, high
        low, high = max(low - extra, 0), min(high + extra, last)
        extra = max(1, (high - low) // 12)


def _state(
    rows: np.ndarray, clock: np.ndarray, k: int, way: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, v and a at sample k from the samples on one side of it; at the path's end it is at rest there."""
    x = rows[k]
    one, two = k + way, k + 2 * way
    if not (0 <= two < len(rows)):
        return x, np.zeros_like(x), np.zeros_like(x)
    first, second = clock[one] - clock[k], clock[two] - clock[one]
    u, w = (rows[one] - x) / first, (rows[two] - rows[one]) / second
    a = 2.0 * (w - u) / (first + second)
    return x, u - 0.5 * first * a, a


def _plan(rows: np.ndarray, clock: np.ndarray, low: int, high: int) -> np.ndarray:
    return quintic_between(
        _state(rows, clock, low, -1), _state(rows, clock, high, 1), float(clock[high] - clock[low])
    )


def _keeps(
    rows: np.ndarray,
    clock: np.ndarray,
    low: int,
    high: int,
    speed: np.ndarray,
    acceleration: np.ndarray,
) -> bool:
    c = _plan(rows, clock, low, high)
    t = (_SHARES * (clock[high] - clock[low]))[:, None]
    v = np.abs(c[1] + t * (2.0 * c[2] + t * (3.0 * c[3] + t * (4.0 * c[4] + t * 5.0 * c[5]))))
    a = np.abs(2.0 * c[2] + t * (6.0 * c[3] + t * (12.0 * c[4] + t * 20.0 * c[5])))
    return bool((v <= 0.98 * speed).all() and (a <= 0.95 * acceleration).all())


def window(rows: np.ndarray, clock: np.ndarray, low: int, high: int) -> np.ndarray:
    """The passage at the samples of a window, whose ends stay."""
    c = _plan(rows, clock, low, high)
    t = (clock[low : high + 1] - clock[low])[:, None]
    x = c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))))
    x[0], x[-1] = rows[low], rows[high]
    return x
