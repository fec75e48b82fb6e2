"""Following a target, one sample a call, with every coordinate's speed, acceleration and jerk limited.

Limits are on samples: with steps v_k = x_k − x_{k−1}, bends a_k = v_k − v_{k−1} and their changes j_k = a_k − a_{k−1},
|v_k| ≤ speed, |a_k| ≤ acceleration, |j_k| ≤ jerk for every coordinate.

At every sample the follower makes a plan: samples that lead to the target, and a stop after them. A plan is taken only
if all of its samples keep the limits and stay inside the region. So the stop is always possible: where no new plan is
found, the last one is carried out, to rest if need be. The first of these plans that is safe is taken:

1. the target at once;
2. the quintic from the present state to where the target will be T samples from now, at its velocity, for the least T
   found; a target that is faster than the limits is met at as much of its velocity as they allow;
3. the quintic that ends at rest at the target;
4. from rest, the region's own way to the target, in shares of 6u⁵ − 15u⁴ + 10u³.

Quintics of samples: over one sample the step is the mean of the velocity, so that what the polynomial keeps its samples
keep too; the samples themselves are what is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from manikin.closed_form.least_time import braking
from manikin.closed_form.passages import quintic_between
from manikin.motion.edit import smooth
from manikin.motion.limits import Limits

#: What rounding may add to a limit, as a part of it, and in radians or metres.
_ROUNDING, _TINY = 1e-12, 1e-15
#: No plan is longer, samples.
_LONGEST = 1 << 13
#: A plan is this many times as long as the last that was tried. With 1.15 arrivals are within a tenth of the soonest.
_GROWTH = 1.15
#: Lengths that keep the limits, but leave the region, which are tried before a kind of plan is given up.
_TRIES = 6
#: How much of the limit on speed a target is met at, at most: with all of it, no lag could be made good.
_MET_AT = 0.95


_DEGREES = np.arange(6)
_SHARES = np.linspace(0.0, 1.0, 13)[1:, None]
#: What the derivatives of u⁰ … u⁵ are at some shares u of a plan, (12, 6).
_FIRST = _DEGREES * _SHARES ** np.maximum(_DEGREES - 1, 0)
_SECOND = _DEGREES * (_DEGREES - 1) * _SHARES ** np.maximum(_DEGREES - 2, 0)


class Region(Protocol):
    """Where the follower may be."""

    def holds(self, path: np.ndarray) -> bool:
        """Whether every row of a path (N, n) is inside."""
        ...

    def between(self, start: np.ndarray, end: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Rows (N, n) inside on the way from one point to another, at shares of it."""
        ...


@dataclass(frozen=True, eq=False)
class SampleLimits:
    """The most that steps, their changes and the changes of these may be, (n,) each; infinite for no limit."""

    speed: np.ndarray
    acceleration: np.ndarray
    jerk: np.ndarray

    @classmethod
    def of(cls, limits: Limits, dt: float) -> SampleLimits:
        """Of samples that are dt seconds apart."""
        return cls(limits.velocity * dt, limits.acceleration * dt**2, limits.jerk * dt**3)

    def keep(self, steps: np.ndarray, before: np.ndarray, bend: np.ndarray) -> bool:
        """Whether steps (N, n) keep the limits after the step and the bend before them."""
        if not (np.abs(steps) <= self.speed * (1.0 + _ROUNDING) + _TINY).all():
            return False
        bends = np.diff(np.concatenate([before[None], steps]), axis=0)
        if not (np.abs(bends) <= self.acceleration * (1.0 + _ROUNDING) + _TINY).all():
            return False
        changes = np.diff(np.concatenate([bend[None], bends]), axis=0)
        return bool((np.abs(changes) <= self.jerk * (1.0 + _ROUNDING) + _TINY).all())


class Follower:
    """Follows targets, one a sample; `x` is where it is.

    region: where it may be; every plan is checked.
    """

    def __init__(self, start: np.ndarray, limits: SampleLimits, region: Region) -> None:
        self._limits, self._region = limits, region
        self.restart(start)

    def restart(self, start: np.ndarray) -> None:
        """Be at rest at other values, which must be inside the region."""
        self.x = np.array(start, dtype=np.float64)
        self._step, self._bend = np.zeros_like(self.x), np.zeros_like(self.x)
        self._v, self._a = self._step, self._bend
        """Velocity and acceleration where it is, a sample and a sample², as the last plan has them."""
        self._plan = np.zeros((0, len(self.x)))
        """The steps that are left of the last plan, ending at rest."""
        self._last: np.ndarray | None = None
        self._drift = np.zeros_like(self.x)
        self._length = 1
        self.lagging = False
        """Whether it is not at its target."""
        self.waiting = False
        """Whether no plan to the target is safe: the last one is carried out, to rest."""

    def step(self, target: np.ndarray) -> np.ndarray:
        """The next values, for the next target."""
        goal = np.array(target, dtype=np.float64)
        drift = self._drift_to(goal)
        self.lagging = not self._at_once(goal, drift)
        if self.lagging:
            self.waiting = not (
                (drift.any() and self._quintic(goal, self._attainable(drift)))
                or self._quintic(goal, np.zeros_like(goal))
                or self._region_way(goal)
            )
            if self.waiting:
                self._carry_on()
        return self.x

    @property
    def ahead(self) -> np.ndarray:
        """Where the next sample would be without any acceleration."""
        return self.x + self._step

    def fits(self, target: np.ndarray) -> bool:
        """Whether a target can be had at once."""
        return self._safe((target - self.x)[None]) is not None

    def _drift_to(self, goal: np.ndarray) -> np.ndarray:
        """How fast the target goes, (n,): its last step, seen to change by no more than the limit on acceleration, so
        that neither noise nor a jump is taken for a velocity."""
        moved = np.zeros_like(goal) if self._last is None else goal - self._last
        self._last = goal
        if (np.abs(moved) <= 2.0 * self._limits.speed).all():
            most = self._limits.acceleration
            self._drift = self._drift + np.clip(moved - self._drift, -most, most)
        return self._drift

    def _attainable(self, drift: np.ndarray) -> np.ndarray:
        """As much of a target's velocity as leaves some of the speed for making good what it is ahead."""
        with np.errstate(invalid="ignore"):
            share = float(np.max(np.abs(drift) / self._limits.speed, initial=0.0))
        return drift * (_MET_AT / share) if share > _MET_AT else drift

    def _safe(self, steps: np.ndarray) -> np.ndarray | None:
        """The steps (N, n) and those of a stop after them; None where these break a limit or leave the region."""
        if not self._limits.keep(steps, self._step, self._bend):
            return None
        before = self._step if len(steps) == 1 else steps[-2]
        stop = self._stop(steps[-1], steps[-1] - before)
        if stop is None:
            return None
        plan = np.concatenate([steps, stop])
        return plan if self._region.holds(self.x + np.cumsum(plan, axis=0)) else None

    def _stop(self, step: np.ndarray, bend: np.ndarray) -> np.ndarray | None:
        """Steps to rest: the soonest or, where jerk is limited, a cubic in velocity, for all coordinates together."""
        if not np.isfinite(self._limits.jerk).any():
            return braking(step, self._limits.acceleration)
        if not step.any() and not bend.any():
            return np.zeros((0, len(step)))
        v, count = step + 0.5 * bend, 1
        while count <= _LONGEST:
            steps = _fading(v, bend, count)
            if self._limits.keep(np.concatenate([steps, np.zeros((2, len(v)))]), step, bend):
                return steps
            count = max(count + 1, int(count * _GROWTH))
            if count > 4 and (np.abs(steps) > self._limits.speed * (1.0 + _ROUNDING) + _TINY).any():
                return None  # the longer, the faster
        return None

    def _at_once(self, goal: np.ndarray, drift: np.ndarray) -> bool:
        """Go to the target, if going on with it will keep the limits too."""
        step = goal - self.x
        if not self._limits.keep(np.stack([step, drift]), self._step, self._bend):
            return False
        plan = self._safe(step[None])
        if plan is None:
            return False
        bend = step - self._step
        self._take(plan, step + 0.5 * bend, bend)
        self.x, self._length = goal, 1  # to the last digit
        return True

    def _quintic(self, goal: np.ndarray, drift: np.ndarray) -> bool:
        """Begin the shortest safe plan found that meets the target at a velocity."""
        start, still = (self.x, self._v, self._a), np.zeros_like(goal)

        def polynomial(length: int) -> np.ndarray:
            return quintic_between(start, (goal + (length - 1.0) * drift, drift, still), float(length))

        def steps(length: int) -> np.ndarray | None:
            c = polynomial(length)
            return np.diff(_powers(length) @ c, axis=0) if self._seems_within(c, length) else None

        found = self._shortest(steps)
        if found is None:
            return False
        plan, length = found
        c = polynomial(length)
        self._take(plan, c[1:].T @ np.arange(1.0, 6.0), c[2:].T @ [2.0, 6.0, 12.0, 20.0])
        return True

    def _seems_within(self, c: np.ndarray, length: int) -> bool:
        """Whether a quintic (6, n) keeps speed and acceleration at some times: quicker than by its samples."""
        scaled = c * float(length) ** _DEGREES[:, None]
        v, a = _FIRST @ scaled / length, _SECOND @ scaled / length**2
        limits = self._limits
        return bool(
            (np.abs(v) <= limits.speed + _TINY).all() and (np.abs(a) <= limits.acceleration + _TINY).all()
        )

    def _region_way(self, goal: np.ndarray) -> bool:
        """From rest: begin the shortest safe plan found along the region's own way."""
        if self._step.any():
            return False

        def steps(length: int) -> np.ndarray:
            shares = smooth(np.arange(length + 1.0) / length)
            return np.diff(self._region.between(self.x, goal, shares), axis=0)

        found = self._shortest(steps)
        if found is None:
            return False
        self._take(found[0], found[0][0], found[0][0] - self._step)
        return True

    def _shortest(self, steps: Callable[[int], np.ndarray | None]) -> tuple[np.ndarray, int] | None:
        """The first safe plan, and its length without the stop, among lengths from a little below the last one on."""
        length, tries = max(int(0.8 * self._length) - 1, 1), 0
        while length <= _LONGEST:
            made = steps(length)
            if made is not None and self._limits.keep(made, self._step, self._bend):
                plan = self._safe(made)
                if plan is not None:
                    self._length = length
                    return plan, length
                tries += 1
                if tries == _TRIES:
                    break
            length = max(length + 1, int(length * _GROWTH))
        return None

    def _take(self, plan: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
        """Do the first step of a plan; v and a are the velocity and acceleration after it."""
        step = plan[0]
        self._bend = step - self._step
        self._step, self._plan = step, plan[1:]
        self._v, self._a = v, a
        self.x = self.x + step
        self.waiting = False

    def _carry_on(self) -> None:
        """The next step of the last plan."""
        plan = self._plan if len(self._plan) else np.zeros((1, len(self.x)))
        bend = plan[0] - self._step
        moving = float(plan[0].any())
        self._take(plan, plan[0] + moving * 0.5 * bend, moving * bend)
        self.waiting, self._length = True, 1


@lru_cache(maxsize=256)
def _powers(length: int) -> np.ndarray:
    """1, t … t⁵ at t = 0 … length, (length + 1, 6)."""
    return np.arange(length + 1.0)[:, None] ** _DEGREES


def _fading(v: np.ndarray, a: np.ndarray, count: int) -> np.ndarray:
    """Steps (count, n) in which a velocity v, changing by a, fades to rest: v(t) is the cubic with v(T) = v′(T) = 0."""
    u = np.arange(count + 1.0)[:, None] / count
    way = v * (u - u**3 + 0.5 * u**4) * count + a * (0.5 * u**2 - 2.0 / 3.0 * u**3 + 0.25 * u**4) * count**2
    return np.diff(way, axis=0)
