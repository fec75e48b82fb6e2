"""Following a target, one sample a call, with every joint's speed and acceleration limited and its ranges kept.

While the target moves no faster than the limits allow, the follower is at the target. When the target jumps, as a
limb's solution does at an unavoidable flip, the follower goes over to it in the fewest samples (`least_time`), planned
again at every sample. Who knows where the target is going says so, and it is met there.

Every plan ends at rest: its own steps, then braking. The first of these plans that stays inside the region is taken:
to the target at once; to where it will be; to where it is; braking, then the straight way to it. If none does, the last
plan is carried out to its end, and the follower waits there (`waiting`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from manikin.closed_form.joint_region import JointRegion
from manikin.closed_form.least_time import braking, coverable, even_steps

#: The targets that will follow the present one, so many (k, n) as are asked for.
Coming = Callable[[int], np.ndarray]

# No plan is longer, samples.
_LONGEST = 1 << 13
# Of the meetings that are possible with a target that moves, how many are tried: the first is mostly inside the region.
_TRIED = 3
# A plan of N samples leaves unused N + 1 times this part of the limits, so that what is left of it is possible at the
# next sample too, where targets come out a little other than foreseen: by 1e-11 rad a sample beside a girdle, by 1e-9
# where orientation was given up.
_SPARE = 1e-6
# How often a plan that breaks a coupling or a cone is leaned away from it.
_LEANS = 4
# What rounding may add to a limit, as a part of it.
_ROUNDING = 1e-12


class LimitedFollower:
    """Follows targets within a region; `x` is where it is.

    speed, acceleration: the most that a step may be, and differ from the last, radians; infinite for no limit.
    """

    def __init__(self, start: np.ndarray, speed: float, acceleration: float, region: JointRegion) -> None:
        self._region = region
        self._speed = np.full(len(start), speed)
        self._acceleration = np.full(len(start), acceleration)
        self.restart(start)

    def restart(self, start: np.ndarray) -> None:
        """Be at rest at other values."""
        self.x = np.array(start, dtype=np.float64)
        self._step = np.zeros_like(self.x)
        self._plan = np.zeros((0, len(self.x)))
        """The steps that are left of the last plan, ending at rest."""
        self._left = 0
        """The samples that are left to the meeting of the last plan, and how it leans."""
        self._lean: np.ndarray | None = None
        self.passing = False
        """Whether it is on its way to a target that was too far."""
        self.waiting = False
        """Whether no plan to the target stays inside: the last one is carried out to rest."""

    def step(self, target: np.ndarray, coming: Coming) -> np.ndarray:
        """The next values, for the next target; coming: where it will be after that."""
        goal = np.array(target, dtype=np.float64)
        self.passing, self.waiting = False, False
        plan = self._at_once(goal, coming)
        if plan is None:
            self.passing = True
            plan = self._soonest(goal, coming)
        else:
            self._left = 0
        if plan is None:
            plan = self._soonest(goal, partial(standing, goal))
        if plan is None:
            plan = self._checked(self._after_braking(goal))
        if plan is None:
            self.waiting = True
            plan = self._plan if len(self._plan) else np.zeros_like(goal)[None]
        # At once it is the target to the last digit.
        self.x = (
            goal if not self.passing else np.clip(self.x + plan[0], self._region.lower, self._region.upper)
        )
        self._step, self._plan = plan[0], plan[1:]
        return self.x

    def _at_once(self, goal: np.ndarray, coming: Coming) -> np.ndarray | None:
        """The step to the target, if it keeps the limits and the next one with the target will too."""
        step = goal - self.x
        most = self._acceleration * (1.0 + _ROUNDING) + 1e-15
        if (np.abs(step) > self._speed * (1.0 + _ROUNDING)).any() or (np.abs(step - self._step) > most).any():
            return None
        onward = coming(1)[0] - goal
        return self._checked(step[None]) if (np.abs(step - onward) <= most).all() else None

    def _soonest(self, goal: np.ndarray, coming: Coming) -> np.ndarray | None:
        """The plan of fewest samples that meets the target on its way."""
        most = 16
        while True:
            targets = np.concatenate([goal[None], coming(most)])
            onward = np.diff(targets, axis=0)
            counts = np.arange(1.0, len(targets))
            spare = 1.0 - _SPARE * (counts[:, None] + 1.0)
            possible = coverable(
                targets[:-1] - self.x,
                self._step,
                onward,
                counts,
                spare * self._speed,
                spare * self._acceleration,
            )
            for k in np.flatnonzero(possible)[:_TRIED]:
                plan = self._inside(targets[k] - self.x, onward[k], int(k) + 1)
                if plan is not None:
                    self._left = int(k) + 1
                    return plan
            if possible.any() or most >= (_LONGEST if (np.abs(onward[-1]) <= self._speed).all() else 64):
                return None
            most *= 4

    def _inside(self, distance: np.ndarray, after: np.ndarray, count: int) -> np.ndarray | None:
        """A plan to a meeting that is possible: joints go evenly, or lean to where a coupling or a cone is kept."""
        spare = 1.0 - _SPARE * (count + 1.0)
        lean = self._lean if count == self._left - 1 else None
        for _ in range(_LEANS):
            steps = even_steps(
                distance, self._step, after, count, spare * self._speed, spare * self._acceleration, lean
            )
            if steps is None:
                return None
            plan = self._checked(steps)
            if plan is not None:
                self._lean = lean
                return plan
            push = self._region.inward(self.x + np.cumsum(steps, axis=0))
            if push is None:
                return None
            lean = push if lean is None else 0.5 * (lean + push)
        return None

    def _after_braking(self, goal: np.ndarray) -> np.ndarray | None:
        """Braking, then the straight way to the target."""
        first = braking(self._step, self._acceleration)
        way = goal - self.x - first.sum(axis=0)
        far = float(np.abs(way).max())
        if not far > 0.0:
            return first if len(first) else None
        share = way / far
        speed, acceleration = self._speed[:1], self._acceleration[:1]
        none, whole = np.zeros(1), np.array([far])
        low, high = 0, 1
        while (steps := even_steps(whole, none, none, high, speed, acceleration)) is None:
            low, high = high, 2 * high
            if high > _LONGEST:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            found = even_steps(whole, none, none, middle, speed, acceleration)
            low, high, steps = (middle, high, steps) if found is None else (low, middle, found)
        return np.concatenate([first, steps * share])

    def _checked(self, plan: np.ndarray | None) -> np.ndarray | None:
        """A plan with the braking that ends it, or None where that leaves the region."""
        if plan is None:
            return None
        plan = np.concatenate([plan, braking(plan[-1], self._acceleration)])
        return plan if self._region.holds(self.x + np.cumsum(plan, axis=0)) else None


def standing(goal: np.ndarray, count: int) -> np.ndarray:
    """The targets that follow one that stays where it is."""
    return np.repeat(goal[None], count, axis=0)
