"""Going over to values that are too far for one sample: within speed and acceleration, C².

While its target moves no faster than the limits allow, a follower is at the target. When it jumps, as a limb's solution
does at an unavoidable flip, or runs away, the follower plans a passage: in every value the quintic from where it is, at
the velocity and acceleration that it has, to where the target will be, T from now, at its velocity; T is the least
found for which no value goes beyond its speed or acceleration. With every sample it plans anew, for what is left of
T, so that a target that moves on is met; it is C², whatever the target does.
"""

from __future__ import annotations

import numpy as np

#: Shares of a passage where speed and acceleration are looked at.
_SHARES = np.linspace(0.0, 1.0, 21)[1:]
#: Of the limits, what a plan may use: between samples, and while it is planned anew, it uses a little more.
_USED = 0.9
_LONGEST = 100_000.0
#: Samples in which a target's velocity fades, as far as plans are concerned.
_FADES = 10.0


class Follower:
    """Follows targets, one a sample, with every value's speed and acceleration limited; `x` is where it is.

    speed, acceleration: the most, (n,) or one number, a sample and a sample²; infinite for no limit.
    wraps: which values take the shorter way round, (n,), by default none.
    """

    def __init__(
        self,
        start: np.ndarray,
        speed: np.ndarray | float,
        acceleration: np.ndarray | float,
        wraps: np.ndarray | None = None,
    ) -> None:
        n = len(start)
        self._speed = np.broadcast_to(np.asarray(speed, dtype=np.float64), (n,))
        self._acceleration = np.broadcast_to(np.asarray(acceleration, dtype=np.float64), (n,))
        self._wraps = np.zeros(n, bool) if wraps is None else wraps
        self.restart(start)

    def restart(self, start: np.ndarray) -> None:
        """Be at rest at other values."""
        self.x = np.array(start, dtype=np.float64)
        self._v, self._a = np.zeros_like(self.x), np.zeros_like(self.x)
        self._step = np.zeros_like(self.x)
        """The last sample's way: what accelerations of samples are measured by."""
        self._last: np.ndarray | None = None
        self._moved = np.zeros_like(self.x)
        self.left = 0.0
        """How many samples the passage still takes; 0 where it follows."""

    @property
    def passing(self) -> bool:
        """Whether it is on its way to a target that was too far."""
        return self.left > 0.0

    def step(self, target: np.ndarray) -> np.ndarray:
        """The next values, for the next target."""
        goal = np.array(target, dtype=np.float64)
        turns = np.round((goal - self.x) / (2.0 * np.pi))
        goal = np.where(self._wraps, goal - 2.0 * np.pi * turns, goal)
        speed = np.zeros_like(goal) if self._last is None else goal - self._last
        speed = np.where(self._wraps, speed - 2.0 * np.pi * np.round(speed / (2.0 * np.pi)), speed)
        jumped = (np.abs(speed) > self._speed).any() or (
            np.abs(speed - self._moved) > self._acceleration
        ).any()
        self._last = goal
        steady = np.zeros_like(speed) if jumped else speed  # a jump is no velocity
        self._moved = steady
        if self.left <= 1.0 and self.fits(goal):
            v = goal - self.x
            self._a, self._v, self._step, self.x, self.left = v - self._step, v, v, goal, 0.0
            return self.x
        self._pass_on(goal, steady)
        return self.x

    @property
    def ahead(self) -> np.ndarray:
        """Where the next sample would be without any acceleration."""
        return self.x + self._v

    def fits(self, target: np.ndarray) -> bool:
        """Whether a target can be had at once."""
        v = target - self.x
        v = np.where(self._wraps, v - 2.0 * np.pi * np.round(v / (2.0 * np.pi)), v)
        a = v - self._step
        return bool((np.abs(v) <= self._speed).all() and (np.abs(a) <= self._acceleration).all())

    def _pass_on(self, goal: np.ndarray, speed: np.ndarray) -> None:
        """One sample of the passage."""
        time = max(self.left, 2.0)
        while time < _LONGEST and self._beyond(goal, speed, time) > 1.0:
            time = max(time * 1.15, time + 1.0)
        c = _quintic(self.x, self._v, self._a, *_ahead(goal, speed, time), time)
        v = c[1] + 2.0 * c[2] + 3.0 * c[3] + 4.0 * c[4] + 5.0 * c[5]
        a = 2.0 * c[2] + 6.0 * c[3] + 12.0 * c[4] + 20.0 * c[5]
        moved = c[1:].sum(axis=0)
        # What no plan could keep, a start beyond the limits or a target that runs away, is kept here.
        held = np.clip(moved, self._step - self._acceleration, self._step + self._acceleration)
        held = np.clip(held, -self._speed, self._speed)
        cut = held != moved
        self._a = np.where(cut, held - self._step, a)
        self._v = np.where(cut, held, v)
        self._step, self.x = held, self.x + held
        self.left = time - 1.0

    def _beyond(self, goal: np.ndarray, speed: np.ndarray, time: float) -> float:
        """The greatest share of its limits that a plan uses, of those it may use."""
        c = _quintic(self.x, self._v, self._a, *_ahead(goal, speed, time), time)
        t = (_SHARES * time)[:, None]
        v = np.abs(c[1] + t * (2.0 * c[2] + t * (3.0 * c[3] + t * (4.0 * c[4] + t * 5.0 * c[5]))))
        a = np.abs(2.0 * c[2] + t * (6.0 * c[3] + t * (12.0 * c[4] + t * 20.0 * c[5])))
        with np.errstate(invalid="ignore"):
            share = max(
                float(np.max(v / self._speed, initial=0.0)),
                float(np.max(a / self._acceleration, initial=0.0)),
            )
        return share / _USED


def _ahead(goal: np.ndarray, speed: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Where a target will be, and how fast, `time` after the sample before this: its speed fades as e^(−t/10)."""
    fade = float(np.exp(-(time - 1.0) / _FADES))
    return goal + _FADES * (1.0 - fade) * speed, fade * speed


def _quintic(
    x: np.ndarray, v: np.ndarray, a: np.ndarray, goal: np.ndarray, speed: np.ndarray, time: float
) -> np.ndarray:
    """Coefficients (6, n), lowest first, of the quintic from x, v, a to a goal at a speed, without acceleration."""
    return quintic_between((x, v, a), (goal, speed, np.zeros_like(goal)), time)


State = tuple[np.ndarray, np.ndarray, np.ndarray]


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
