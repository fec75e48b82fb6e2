"""Where the answers to a batch are gathered, whatever order they come in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels.memory.state import REFUSED, REPAIR, TIDY

if TYPE_CHECKING:
    from manikin.engines.raw import Raw
    from manikin.verify.verdict import Verdict

#: Columns of a report, the same of both kernels.
TASK, ITERATIONS, STARTS = range(3)
#: How a problem ends that the batch's own searches leave to `Problem.solve`.
LEFT = (REFUSED, TIDY, REPAIR)


class Answers:
    """Arrays of the whole batch. ``task``: of each problem how it ended, as the kernels say; ``feasible``: what the
    judge says of what must hold, once it was asked. ``errors``: of each goal in metres and radians (`goal_errors`)."""

    def __init__(self, count: int, n: int, goals: int) -> None:
        self.q = np.zeros((count, n))
        self.reached = np.zeros(count, bool)
        self.feasible = np.zeros(count, bool)
        self.errors = np.full((count, goals, 2), np.nan)
        self.iterations = np.zeros(count, np.int64)
        self.starts = np.zeros(count, np.int64)
        self.task = np.zeros(count, np.int64)

    def take(
        self,
        where: slice | np.ndarray,
        q: np.ndarray,
        reached: np.ndarray,
        errors: np.ndarray,
        report: np.ndarray,
    ) -> None:
        """What a worker found for some problems."""
        task = report[:, TASK].astype(np.int64)
        self.q[where], self.errors[where], self.task[where] = q, errors, task
        self.reached[where] = reached & ~np.isin(task, LEFT)
        self.iterations[where], self.starts[where] = report[:, ITERATIONS], report[:, STARTS]

    def take_one(self, k: int, found: Raw, verdict: Verdict) -> None:
        """What was found for one problem by itself; steps and starts count beside those before."""
        self.q[k], self.errors[k] = found.q, found.errors
        self.reached[k], self.feasible[k] = found.claims and verdict.met, verdict.feasible
        self.iterations[k] += found.iterations
        self.starts[k] += found.starts
