"""Steps 0 to 5 of the report, from a feasible point to a Kuhn-Tucker point.

Where they depart from what is printed, because that fails in everyday cases:

- a constraint that is touched and not active counts in step 3, λ = 0 included;
- γ may exceed 1 up to the first constraint (`line_search`), and while H is new a step is no longer than a radian;
- an update is skipped where σᵀy is not safely positive, and H begins anew where a search fails by rounding;
- constraints that depend on the active ones are not added (`active_set`);
- it ends where all goals are met to a hundredth of their tolerance, not only where the gradient is zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.papers.projection.active_set import ActiveSet, Constraints
from manikin.papers.projection.line_search import Trial, search
from manikin.papers.projection.metric import learned, regained, without
from manikin.papers.projection.potential import Total

MET, STATIONARY, STOPPED = "met", "stationary", "stopped"
# A slope that counts as none, of the sum of the weights and P (metres² by radians).
SLOPE = 1e-8
# Slopes of a constraint along a step below this, of the step's size, are rounding.
_PARALLEL = 1e-12
# Of a constraint: nearer than this it is touched.
TOUCH = 1e-12
# A way to the next constraint shorter than this is none; a step shorter than that teaches nothing but rounding.
_NO_STEP, _TOO_SHORT = 1e-13, 1e-10
# σᵀy of ‖σ‖‖y‖ that counts as positive.
_POSITIVE = 1e-10
# Steps that may fall by rounding only before the point counts as stationary.
_FLAT_STEPS = 3


@dataclass(frozen=True)
class Choices:
    """What the report leaves to choose: the formula, δ₁ and δ₂ of (26), and how many iterations at most."""

    update: str
    delta: tuple[float, float]
    iterations: int


class Descent:
    """One problem (3), for as many runs as are needed; ``iterations`` counts those of all."""

    def __init__(self, total: Total, constraints: Constraints, metric: np.ndarray, chosen: Choices) -> None:
        self.total, self.constraints, self.metric, self.chosen = total, constraints, metric, chosen
        self.iterations = 0

    def run(self, x: np.ndarray) -> tuple[np.ndarray, str]:
        """From a feasible x to where all goals are met, or no slope is left, or the iterations are used up."""
        self.stand(x)
        stalled = flat = 0
        while not self.total.met(self.x):
            if self.iterations >= self.chosen.iterations:
                return self.x, STOPPED
            step = self.active.projected(-self.H @ self.g)
            length, slope = float(np.linalg.norm(step)), float(self.g @ step)
            worst, place = self.active.worst(self.active.multipliers(self.g))
            left, small = float(np.abs(self.active.projected(self.g)).max(initial=0.0)), self.negligible()
            patience = 2 * len(self.constraints.ends) + 10
            if (left <= small and worst <= small) or stalled > patience or flat >= _FLAT_STEPS:
                return self.x, STATIONARY
            if worst > small and (length <= 0.5 * worst or left <= small):
                self._drop(place)
                stalled += 1
                continue
            if slope >= 0.0 or length <= 1e-15:
                if self.fresh:
                    return self.x, STATIONARY
                self._renew()
                continue
            longest, which = self.longest(step)
            if longest * length <= _NO_STEP:
                stalled += 1
                if not self._add(which):
                    self._renew()
                continue
            before = self.P
            good = self._step(step, slope, longest, which)
            stalled, flat = 0, (flat + 1 if before - self.P <= 1e-13 * self.P else 0)
            if not good:
                if before <= self.P and self.fresh:
                    return self.x, STATIONARY
                self._renew()
        return self.x, MET

    def negligible(self) -> float:
        """The slope that counts as none here."""
        return SLOPE * (self.total.weight + self.P)

    def stand(self, x: np.ndarray) -> None:
        """Step 0 at x: the equalities and whatever else is touched are active, and H is within them."""
        self.x, (self.P, self.g) = x, self.total(x)
        self.active = ActiveSet(self.constraints)
        touched = self.constraints.room(self.x) <= TOUCH
        touched[: self.constraints.equalities] = True
        for i in np.flatnonzero(touched):
            self.active.add(int(i))
        self._renew()

    def _renew(self) -> None:
        """H anew: the first metric within the active constraints, by (27) for each."""
        self.H, self.fresh = self.metric, True
        for i in self.active.which:
            self.H = without(self.H, self.constraints.normals[i])

    def _add(self, i: int) -> bool:
        """Step 4."""
        if not self.active.add(i):
            return False
        self.H = without(self.H, self.constraints.normals[i])
        return True

    def _drop(self, place: int) -> None:
        """Step 2."""
        a = self.constraints.normals[self.active.drop(place)]
        self.H = regained(self.H, self.active.projected(a), a)

    def longest(self, step: np.ndarray) -> tuple[float, int]:
        """λ, how far to the first constraint that is not active, and which; infinity and −1 if there is none."""
        slopes, room = self.constraints.normals @ step, self.constraints.room(self.x)
        ahead = slopes > _PARALLEL * float(np.abs(step).max())
        ahead[self.active.which] = False
        ahead[: self.constraints.equalities] = False
        if not ahead.any():
            return np.inf, -1
        lengths = np.where(ahead, np.maximum(room, 0.0) / np.where(ahead, slopes, 1.0), np.inf)
        which = int(np.argmin(lengths))
        return float(lengths[which]), which

    def _step(self, step: np.ndarray, slope: float, longest: float, which: int) -> bool:
        """Steps 3 to 5; False if the search did not come to an end: then H is not to be trusted."""
        view, x = self.total.view, self.x
        largest = float(np.abs(step).max())
        # Nothing is known of the scale yet: a first step is no longer than a radian, or a metre.
        first = min(1.0, 1.0 / largest) if self.fresh else 1.0

        def point(gamma: float) -> np.ndarray:
            return np.clip(x + gamma * step, view.lower, view.upper)

        begin = Trial(0.0, self.P, self.g, slope)
        found, good = search(self.total, point, begin, step, first, longest, self.chosen.delta)
        self.iterations += 1
        if not good and found.value >= self.P:
            return False
        self.x = view.moved(point(found.gamma))
        sigma, y = found.gamma * step, found.gradient - self.g
        self.P, self.g = found.value, found.gradient
        if found.gamma >= longest:
            self._add(which)
        else:
            self._learn(sigma, y)
        return good

    def _learn(self, sigma: np.ndarray, y: np.ndarray) -> None:
        """Step 5, where it is safe."""
        sy, yy, ss = float(sigma @ y), float(y @ y), float(sigma @ sigma)
        if not sy > _POSITIVE * np.sqrt(ss * yy) or ss < _TOO_SHORT**2:
            return
        self.fresh = False
        self.H = learned(self.H, sigma, y, self.chosen.update)
