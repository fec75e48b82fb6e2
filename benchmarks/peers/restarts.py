"""The loop round a program that computes one step at a time, with restarts: its users have to write it, so it is here once.

Steps go on while they help. A try ends when every goal is met, after ``steps`` steps, or when five steps have
not brought the worst goal a fifth nearer; the next one begins at the next of the work's seeds. Where nothing is met,
the answer is the end of the best try.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from benchmarks.peers.protocol import Work

#: The programs' own kinematics round differently: stop just inside the tolerance.
INSIDE = 0.99
PATIENCE, GAIN = 5, 0.8


class Stepping(ABC):
    """A solver that steps from a configuration towards the goals."""

    settings = ""

    def __init__(self, work: Work, tries: int = 60, steps: int = 60) -> None:
        self.work = work
        # Out of reach no try can succeed, and the first that has come to rest is the program's answer.
        self.tries = tries if work.reachable else 1
        self.steps = steps
        self._best, self._miss = np.empty(0), np.inf
        self._number = 0
        self._start = np.empty(0)

    @abstractmethod
    def take(self, targets: np.ndarray) -> None:
        """Take the targets over in the program's own types."""

    @abstractmethod
    def place(self, q: np.ndarray) -> None:
        """Go to a configuration given in Pinocchio's order."""

    @abstractmethod
    def where(self) -> np.ndarray:
        """The present configuration in Pinocchio's order, as a copy."""

    @abstractmethod
    def miss(self) -> float:
        """The worst goal's miss as a multiple of its tolerance, by the program's own kinematics."""

    @abstractmethod
    def step(self) -> bool:
        """One step; False when the program cannot make one."""

    def aim(self, start: np.ndarray, targets: np.ndarray, number: int) -> None:
        """Take over the next problem."""
        self.take(targets)
        self._start, self._number = start, number

    def solve(self) -> None:
        """Try after try until one meets the goals."""
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
            if least < GAIN * milestone:
                milestone, waited = least, 0
            elif waited >= PATIENCE:
                break
        return miss

    def answer(self) -> tuple[np.ndarray, bool]:
        """The best try's end."""
        return self._best, self._miss <= INSIDE
