"""Where the answers to a batch are gathered, whatever order they come in."""

from __future__ import annotations

import numpy as np

from manikin.kernels.projection.solve import REFUSED, REPAIR, TIDY

#: Columns of a report, the same of both kernels.
TASK, ITERATIONS, STARTS = range(3)


class Answers:
    """Arrays of the whole batch. ``task``: of each problem how it ended, as the kernels say."""

    def __init__(self, count: int, n: int, goals: int) -> None:
        self.q = np.zeros((count, n))
        self.reached = np.zeros(count, bool)
        self.errors = np.zeros((count, goals))
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
        self.reached[where] = reached & ~np.isin(task, (REFUSED, TIDY, REPAIR))
        self.iterations[where], self.starts[where] = report[:, ITERATIONS], report[:, STARTS]
