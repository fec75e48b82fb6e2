"""The loop round a program that computes one step at a time, with restarts, which its users have to write.

Steps go on while they help. A try ends when every goal is met, after ``steps`` steps, or when five steps have
not brought the worst goal a fifth nearer; the next one begins at the next of the work's seeds. Where nothing is met,
the answer is the end of the best try.

Out of reach no try can succeed: there is one, of five times as many steps, which ends when ten of them have not made
the sum of squares a thousandth less.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from benchmarks.peers.protocol import Work

#: The programs' own kinematics round differently: stop just inside the tolerance.
INSIDE = 0.99
PATIENCE, GAIN = 5, 0.8
FAR_STEPS, FAR_PATIENCE, FAR_GAIN = 300, 10, 0.9995


class Stepping(ABC):
    """A solver that steps from a configuration towards the goals."""

    settings = ""

    def __init__(self, work: Work, tries: int = 60, steps: int = 60) -> None:
        self.work = work
        self.tries, self.steps = (tries, steps) if work.reachable else (1, FAR_STEPS)
        self.patience, self.gain = (PATIENCE, GAIN) if work.reachable else (FAR_PATIENCE, FAR_GAIN)
        self._best, self._miss = np.empty(0), np.inf
        self._number = 0
        self._start, self._targets = np.empty(0), np.empty(0)

    @abstractmethod
    def take(self, targets: np.ndarray) -> None:
        """Set the targets, 4×4 of every goal, in the program's own types."""

    @abstractmethod
    def place(self, q: np.ndarray) -> None:
        """Go to a configuration given in Pinocchio's order."""

    @abstractmethod
    def where(self) -> np.ndarray:
        """The present configuration in Pinocchio's order, as a copy."""

    @abstractmethod
    def misses(self) -> list[float]:
        """The goals' misses as multiples of their tolerances, by the program's own kinematics."""

    @abstractmethod
    def step(self) -> bool:
        """One step; False when the program cannot make one."""

    def miss(self) -> float:
        """The worst goal's, or out of reach the root of the sum of squares."""
        values = self.misses()
        return max(values) if self.work.reachable else math.hypot(*values)

    def ready(self, start: np.ndarray, targets: np.ndarray, number: int) -> None:
        """The next problem."""
        self._start, self._targets, self._number = start, targets, number

    def solve(self) -> None:
        """Set the targets; then try after try until one meets the goals."""
        self.take(self._targets)
        self._best, self._miss = self._start, np.inf
        seeds = self.work.seeds
        for attempt in range(self.tries):
            self.place(self._start if attempt == 0 else seeds[(self._number + attempt) % len(seeds)])
            miss = self._try()
            if miss < self._miss:
                self._best, self._miss = self.where(), miss
            if self._miss <= INSIDE:
                return

    def _try(self) -> float:
        least, waited, milestone = self.miss(), 0, np.inf
        miss = least
        for _ in range(self.steps):
            if miss <= INSIDE or not self.step():
                break
            miss = self.miss()
            least = min(least, miss)
            waited += 1
            if least < self.gain * milestone:
                milestone, waited = least, 0
            elif waited >= self.patience:
                break
        return miss

    def answer(self) -> tuple[np.ndarray, bool]:
        """The best try's end."""
        return self._best, self._miss <= INSIDE
