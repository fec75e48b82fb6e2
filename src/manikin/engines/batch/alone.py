"""Problems of a batch one by one, each as `Problem.solve` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.work import Work
from manikin.errors import ManikinError

if TYPE_CHECKING:
    from manikin.engines.batch.answers import Answers
    from manikin.engines.batch.inputs import Batch
    from manikin.plan.options import Options
    from manikin.plan.specification import Specification


class Worker:
    """One thread's memory, for one figure."""

    def __init__(self, spec: Specification, asked: Options) -> None:
        self.work, self.asked = Work(spec), asked

    def solve(self, batch: Batch, problems: slice | np.ndarray, into: Answers) -> None:
        """Solve problems of this figure, by their numbers."""
        work, goals = self.work, self.work.goals
        starts = batch.starts_of(problems)
        for start, k in zip(starts, np.arange(batch.count)[problems].tolist(), strict=True):
            targets = batch.target_of(goals, k) if batch.targets else None
            try:
                found = work.solve(start, targets, self.asked)
            except ManikinError:
                batch.check(goals, k)
                raise
            into.take_one(k, found, work.verdict(found))
