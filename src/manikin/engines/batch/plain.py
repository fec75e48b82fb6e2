"""Batches of plain goals: four problems in the lanes of a register, chunks on threads (`kernels.batch.plain`)."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.raw import goal_errors
from manikin.engines.starts import seeds
from manikin.engines.work import Work
from manikin.kernels.batch import layout, plain as kernel
from manikin.kernels.memory.lane_tools import aligned_copy
from manikin.kernels.residuals.errors import PLANE, TOLERANCE, WEIGHT
from manikin.kernels.search import layout as search_layout
from manikin.plan.targets import plain_targets

if TYPE_CHECKING:
    from manikin.engines.batch.answers import Answers
    from manikin.engines.batch.inputs import Batch
    from manikin.engines.least_squares import LeastSquares
    from manikin.plan.packing import Packed

#: Further starts of a problem at most, where no number is given.
STARTS = 48


def suits(work: Work) -> bool:
    """Whether lanes serve this problem: plain goals, no linear rows, no equalities taken out."""
    fast = work.fast
    return fast is not None and fast.plain


class Figures:
    """The numbers of the figures of a batch, a row each; none where there is one figure."""

    def __init__(self, work: Work, batch: Batch) -> None:
        fast = work.fast
        assert fast is not None
        self.alike = True
        self.rows = np.zeros((0, 0))
        if len(batch.figures) == 1:
            return
        rows = []
        for figure in batch.figures:
            own = work if figure is work.figure else Work(work.spec.on(figure))
            if own.fast is None or not _alike(fast, own.fast):
                self.alike = False
                return
            rows.append(figure_row(own.packed, own.fast))
        self.rows = np.array(rows)


def _alike(one: LeastSquares, other: LeastSquares) -> bool:
    """Whether drives, scales and what wraps are the same; these are no part of a figure's row."""
    if not np.array_equal(one.ints, other.ints):
        return False
    return all(np.array_equal(*pair) for pair in zip(one.drives, other.drives, strict=True)) and all(
        np.array_equal(getattr(one.bounds, name), getattr(other.bounds, name)) for name in ("scale", "wraps")
    )


def figure_row(packed: Packed, fast: LeastSquares) -> np.ndarray:
    """A row of F (`kernels.batch.layout`)."""
    tree, space = packed.sections.tree, packed.sections.space
    bounds = fast.bounds
    parts = [
        tree.placement,
        tree.offset,
        space.lower,
        space.upper,
        *(getattr(bounds, name) for name in layout.OWN_BOUNDS),
        packed.part_parameters[:, : layout.SITE_NUMBERS],
    ]
    return np.concatenate([np.ravel(part) for part in parts])


class Worker:
    """One thread's memory."""

    def __init__(self, work: Work, given: Collection[int], figures: Figures, seed: int, starts: int) -> None:
        fast = work.fast
        assert fast is not None
        self.work, self.figures, self.starts = work, figures, starts
        self.packed = work.packed.copy(workspace=True)
        self.ints, self.reals = fast.ints, aligned_copy(fast.reals)
        seeds.shift(search_layout.sections(search_layout.Bounds, self.ints, self.reals), seed)
        self.lanes, self.constants = search_layout.lane_arrays(self.ints)
        packed = self.packed
        self.arrays = (
            packed.structure,
            packed.parameters,
            packed.workspace,
            *fast.arrays[3:6],
            self.ints,
            self.reals,
        )
        self.table = search_layout.table(1, *self.arrays)
        goals = work.goals
        self.targets = plain_targets(self.packed, goals, work.parts, work.first_part)
        self.targets.given[:] = [k in given for k in range(len(goals))]

    def solve(self, batch: Batch, here: slice, into: Answers) -> None:
        """Solve a stretch of problems."""
        packed = self.packed
        count, parts = here.stop - here.start, packed.parts
        q = np.empty((count, self.work.figure.n))
        ends = np.zeros((count, parts + len(packed.variables)))
        report = np.zeros((count, kernel.REPORT))
        numbers = batch.numbers(here, len(self.work.goals))
        starts = batch.starts_of(here)
        head = self.table, self.lanes, self.constants, self.targets.table
        if len(self.figures.rows):
            assert batch.which is not None
            which = np.ascontiguousarray(batch.which[here])
            tail = self.figures.rows, which, starts, numbers, q, ends, report, self.starts
            kernel.plain_batch_figures(*head, *tail)
        else:
            kernel.plain_batch(*head, starts, numbers, q, ends, report, self.starts)
        misses = self.misses(ends[:, :parts])
        into.take(here, q, *self.judge(misses), report)

    def misses(self, squares: np.ndarray) -> np.ndarray:
        """The miss of each part from its square: metres, or the angle of a chord."""
        misses = np.sqrt(squares)
        turns = self.packed.sections.parts.kind > PLANE
        misses[:, turns] = 2.0 * np.arcsin(np.minimum(0.5 * misses[:, turns], 1.0))
        return misses

    def judge(self, misses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of each problem whether it is reached, and each goal's errors."""
        parameters = self.packed.part_parameters
        on = parameters[:, WEIGHT] > 0.0
        reached = (misses[:, on] <= parameters[on, TOLERANCE]).all(axis=1)
        return reached, goal_errors(self.work.told.measured, misses, len(self.work.goals))
