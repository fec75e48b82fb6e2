"""Batches of goals of every kind: the quick search over rows of every kind, chunks on threads
(`kernels.batch.mixed`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.mixed import anchored
from manikin.engines.packing import levels_for
from manikin.engines.raw import goal_errors
from manikin.engines.starts.restarts import random_start
from manikin.kernels.batch import mixed as kernel
from manikin.kernels.memory.path import T_BUDGET, T_PATH, T_SAMPLES, T_TARGETS
from manikin.kernels.pose.report import OUT_ERRORS, OUT_REACHED
from manikin.plan.targets import level_targets

if TYPE_CHECKING:
    from manikin.engines.batch.answers import Answers
    from manikin.engines.batch.inputs import Batch
    from manikin.engines.packed_levels import Levels
    from manikin.engines.work import Work

#: Further starts of a problem at most, where no number is given.
STARTS = 6


def simple(levels: Levels, moving: Iterable[int]) -> bool:
    """Whether the quick search says all there is to say: no functions in Python, no alternatives, plain objectives, and
    the targets of the goals that move can be written where it reads them (not of an orientation that minds two axes).
    """
    return (
        not levels.functions
        and all(len(choices) == 1 for choices in levels.choices)
        and levels.mixed.pull.complete
        and all(level_targets(levels).shapes[k] is not None for k in moving)
    )


def others(work: Work, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Further starts for all problems of a batch: values, and of which coordinates; a root stays with its start."""
    figure = work.figure
    moved = np.array(
        [j for j in work.packed.variables if figure.dof(figure.dofs[j]).joint != "root"], np.int64
    )
    rng = np.random.default_rng(seed)
    rows = np.empty((count, len(moved)))
    for s in range(count):
        start = figure.rest if s == 0 else random_start(work, np.array(work.q0), rng)
        rows[s] = start[moved]
    return rows, moved


class Worker:
    """One thread's memory, for one figure.

    own: whether what means the start means each problem's own; otherwise that of the problem's own start.
    """

    def __init__(
        self,
        work: Work,
        further: tuple[np.ndarray, np.ndarray],
        own: bool = True,
        budget: int | None = None,
    ) -> None:
        self.work, self.own = work, own
        self.levels = levels_for(work.spec, work.goals, work.q0)
        self.mixed = self.levels.mixed
        self.targets = level_targets(self.levels)
        self.rows, self.moved = further
        if self.mixed.pull.to_start:
            self.rows = self.rows[:0]  # a pull to the start would lead to another one's
        self.measured = self.levels.measured((0,) * len(self.levels.choices))
        self.spare, self.begun = np.empty(self.mixed.size), np.empty(work.figure.n)
        if not own:
            anchored(self.mixed, work.q0)
        if budget is not None:
            self.mixed.table[T_BUDGET] = budget

    def solve(self, batch: Batch, problems: slice | np.ndarray, into: Answers) -> None:
        """Solve problems of this figure, by their numbers."""
        goals, n = self.work.goals, self.work.figure.n
        numbers, starts = batch.numbers(problems, len(goals)), batch.starts_of(problems)
        count = len(numbers)
        if batch.meant is None:
            meant = np.empty((0, n)) if self.own else self.work.q0[None, :]
        else:
            meant = batch.meant if len(batch.meant) == 1 else batch.meant[problems]
        self.targets.given[:] = [k in batch.targets for k in range(len(goals))]
        numbers = np.ascontiguousarray(numbers)
        table = self.mixed.table.copy()
        table[T_TARGETS], table[T_SAMPLES] = self.targets.table.ctypes.data, count
        table[T_PATH] = numbers.ctypes.data
        blocks = np.zeros((count, self.mixed.size))
        report = np.zeros((count, kernel.REPORT))
        kernel.mixed_batch(
            table,
            starts,
            meant,
            self.rows,
            self.moved,
            self.begun,
            blocks,
            self.spare,
            report,
            self.mixed.patience,
            int(self.own),
        )
        size = self.mixed.size
        misses = blocks[:, OUT_ERRORS : OUT_ERRORS + len(self.measured)]
        errors = goal_errors(self.measured, misses, len(goals))
        reached = blocks[:, OUT_REACHED] != 0.0
        into.take(problems, blocks[:, size - 2 * n : size - n], reached, errors, report)
