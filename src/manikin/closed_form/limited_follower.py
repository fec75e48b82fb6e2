"""Following a target, one sample a call, with every joint's speed and acceleration limited and its ranges kept.

While the target moves no faster than the limits allow, the follower is at the target. When the target jumps, as a
limb's solution does at an unavoidable flip, the follower goes over to it in the fewest samples (`least_time`), planned
again at every sample, so that a target that moves on is met where it will be.

Every plan ends at rest: its own steps, then braking. The first of these plans that stays inside the region is taken:
to the target at once; to where the target will be if it moves on as it does; to where it is; braking, then the straight
way to it. If none does, the last plan is carried out to its end, and the follower waits there (`waiting`).
"""

from __future__ import annotations

import numpy as np

from manikin.closed_form.joint_region import JointRegion
from manikin.closed_form.least_time import braking, even_steps

# No plan is longer, samples.
_LONGEST = 1 << 13
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
        self._last: np.ndarray | None = None
        self._moved = np.zeros_like(self.x)
        self._jumped = False
        self._count = 0
        self.passing = False
        """Whether it is on its way to a target that was too far."""
        self.waiting = False
        """Whether no plan to the target stays inside: the last one is carried out to rest."""

    def step(self, target: np.ndarray) -> np.ndarray:
        """The next values, for the next target."""
        goal = np.array(target, dtype=np.float64)
        speed = self._speed_of(goal)
        still = np.zeros_like(goal)
        plan = self._checked(self._at_once(goal, speed))
        self.passing = plan is None
        if plan is not None:
            self._count = 0
        elif speed.any():
            plan = self._soonest(goal, speed)
        if plan is None:
            plan = self._soonest(goal, still)
        if plan is None:
            plan = self._checked(self._after_braking(goal))
        self.waiting = plan is None
        if plan is None:
            plan = self._plan if len(self._plan) else still[None]
        # At once it is the target to the last digit.
        self.x = (
            goal if not self.passing else np.clip(self.x + plan[0], self._region.lower, self._region.upper)
        )
        self._step, self._plan = plan[0], plan[1:]
        return self.x

    def _speed_of(self, goal: np.ndarray) -> np.ndarray:
        """The target's step, zero if that is a jump: too fast, or too unlike the step before, which was none."""
        moved = np.zeros_like(goal) if self._last is None else goal - self._last
        jumped = bool((np.abs(moved) > self._speed).any())
        if not (jumped or self._jumped):
            jumped = bool((np.abs(moved - self._moved) > self._acceleration).any())
        self._last, self._moved, self._jumped = goal, moved, jumped
        return np.zeros_like(moved) if jumped else moved

    def _at_once(self, goal: np.ndarray, speed: np.ndarray) -> np.ndarray | None:
        """The step to the target, if it keeps the limits and the next one with the target's speed will too."""
        step = goal - self.x
        change = np.maximum(np.abs(step - self._step), np.abs(step - speed))
        most = self._acceleration * (1.0 + _ROUNDING) + 1e-15
        if (np.abs(step) <= self._speed * (1.0 + _ROUNDING)).all() and (change <= most).all():
            return step[None]
        return None

    def _soonest(self, goal: np.ndarray, speed: np.ndarray) -> np.ndarray | None:
        """The plan of fewest samples to a target that moves on with this speed."""

        def steps(count: int) -> np.ndarray | None:
            distance = goal + (count - 1.0) * speed - self.x
            return even_steps(distance, self._step, speed, count, self._speed, self._acceleration)

        # Once a target that moves steadily can be met it can be met later too.
        low = 0
        high = max(self._count - 1, 1)
        while steps(high) is None:
            low, high = high, 2 * high
            if high > _LONGEST:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            if steps(middle) is None:
                low = middle
            else:
                high = middle
        plan = self._checked(steps(high))
        if plan is not None:
            self._count = high
        return plan

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
