"""One site on a chain of axes: what the kernel `arm` is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.batch.cuda.ranges import NONE, limits_of, seeds_from, shares, spread_starts, unwind
from manikin.engines.starts import seeds
from manikin.kernels.gpu import arm as kernel, queue, sources
from manikin.kernels.residuals.errors import (
    AXES,
    AXIS_WEIGHTS,
    POINT,
    SITE,
    TARGET,
    TARGET_AXES,
    TOLERANCE,
    WEIGHT,
)
from manikin.kernels.search import layout as search_layout
from manikin.kernels.tree.dispatch import ROTATE, SLIDE

if TYPE_CHECKING:
    from manikin.engines.batch.inputs import Batch
    from manikin.engines.work import Work
    from manikin.kernels.gpu.driver import Buffer, Device

#: Damping, its least, longest step, fall; steps of a search at most, patience. Tuned on a Panda from random starts,
#: where a search that does not fall fast is better given up.
SETTING = (0.1, 1e-7, 1.0, 0.5)
STEPS, PATIENCE = 30, 3
#: Further starts at most, where no number is given.
STARTS = 100
#: Threads of a block, blocks on a multiprocessor at most, and further starts that a thread tries in turn: fewer are
#: quicker on the card (by a tenth, at 6), but to go on with what is left costs the host twice what a call takes.
THREADS, MOST_BLOCKS, IN_TURN = 128, 4, STARTS
#: Of the tolerance: where single precision stops, so that double precision finds it met.
SHARE = 0.9


def suits(work: Work, batch: Batch) -> bool:
    """Whether the problem is one site of one figure, on a chain of axes with a coordinate each."""
    fast, packed = work.fast, work.packed
    assert fast is not None
    tree, terms = packed.sections.tree, packed.sections.parts
    motions = len(tree.parent) - 1
    kinds = terms.kind.tolist()
    if len(batch.figures) != 1 or len(work.goals) != 1 or kinds not in ([POINT], [AXES], [POINT, AXES]):
        return False
    axes = (
        terms.parameters[kinds.index(AXES), AXIS_WEIGHTS : AXIS_WEIGHTS + 3] if AXES in kinds else np.ones(3)
    )
    order = np.arange(motions)
    return bool(
        0 < motions <= sources.MOST_AXES
        and np.isin(tree.kind[1:], (ROTATE, SLIDE)).all()
        and np.array_equal(tree.parent[1:], order)
        and np.array_equal(tree.axis[1:], order)
        and (terms.motion == motions).all()
        and np.array_equal(np.sort(tree.drive_axis), order)
        and np.array_equal(np.sort(tree.drive_dof), np.sort(packed.variables))
        and (tree.drive_coefficient == 1.0).all()
        and (fast.bounds.scale == 1.0).all()
        and (axes == axes[0]).all()
        and axes[0] > 0.0
        and (terms.parameters[:, WEIGHT] > 0.0).all()
    )


class Tables:
    """The chain, its limits and the goal as the kernel takes them."""

    def __init__(self, work: Work, batch: Batch, restarts: int | None, seed: int) -> None:
        fast, packed = work.fast, work.packed
        assert fast is not None
        self.batch = batch
        tree = packed.sections.tree
        n = len(packed.variables)
        self.name = f"{sources.ARM}_{n}"
        self.threads, self.most_blocks, self.in_turn = THREADS, MOST_BLOCKS, IN_TURN
        # The kernel counts axes from the root; column a of its tables is coordinate dofs[a].
        dofs = tree.drive_dof[np.argsort(tree.drive_axis, kind="stable")]
        self.dofs = dofs
        self.whole_figure = np.array_equal(dofs, np.arange(len(batch.starts[0])))
        place = np.empty(len(batch.starts[0]), np.int64)
        place[packed.variables] = np.arange(n)
        own = place[dofs]
        bounds = search_layout.sections(search_layout.Bounds, fast.ints, fast.reals.copy())
        seeds.shift(bounds, seed)
        bounds = search_layout.Bounds(*(section[own] for section in bounds))
        self.bounds = bounds
        further = STARTS if restarts is None else restarts
        self.further = further
        self.seeds = shares(bounds, max(further, 1))
        slide = (tree.kind[1:] == SLIDE).astype(np.float32)
        lower, upper = limits_of(bounds)
        low, width = seeds_from(bounds)
        per_axis = [slide, lower, upper, low, width]
        setting = np.array([*SETTING, *self._goal(work)], np.float32)
        chain = self._chain(work).astype(np.float32)
        self.scalars = [*np.concatenate([chain.ravel(), *per_axis, setting])]
        self._numbers(work)

    def _chain(self, work: Work) -> np.ndarray:
        """Placements before each axis, what an axis value is off already put in, and the site's own."""
        sections = work.packed.sections
        tree, terms = sections.tree, sections.parts
        chain = np.vstack([tree.placement[1:], np.zeros((1, kernel.PLACEMENT))])
        for j, offset in enumerate(tree.offset.tolist()):
            rotation = chain[j, :9].reshape(3, 3)
            if tree.kind[1 + j] == SLIDE:
                chain[j, 9:] += offset * rotation[:, 2]
            else:
                c, s = np.cos(offset), np.sin(offset)
                chain[j, :9] = (rotation @ [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).ravel()
        chain[-1, :9] = np.eye(3).ravel()
        for t, kind in enumerate(terms.kind):
            if kind == AXES:
                chain[-1, :9] = terms.parameters[t, 3:12].reshape(3, 3).T.ravel()
            else:
                chain[-1, 9:] = terms.parameters[t, SITE : SITE + 3]
        return chain

    @staticmethod
    def _goal(work: Work) -> list[float]:
        """Weights, the larger being 1, and squares of misses to stop at, of position and rotation."""
        weights, stops = np.zeros(2), np.full(2, float(NONE))
        terms = work.packed.sections.parts
        for t, kind in enumerate(terms.kind.tolist()):
            row = terms.parameters[t]
            k = 1 if kind == AXES else 0
            weights[k] = row[WEIGHT] * (2.0 * row[AXIS_WEIGHTS] if k else 1.0)
            stops[k] = (2.0 * np.sin(0.5 * SHARE * row[TOLERANCE]) if k else SHARE * row[TOLERANCE]) ** 2
        weights = np.sqrt(weights / weights.max())
        return [*weights.tolist(), *stops.tolist()]

    def _numbers(self, work: Work) -> None:
        """Targets of the batch as they came, or the goal's own; and where in them point and rotation are."""
        kinds = work.packed.sections.parts.kind.tolist()
        if 0 in self.batch.targets:
            targets = self.batch.targets[0]
            width = {(4, 4): 4, (3, 3): 3, (3,): 0}[targets.shape[1:]]
            self.numbers = np.ascontiguousarray(targets.reshape(len(targets), -1))
            point = (3, 4) if width == 4 else (0, 1)
        else:
            self.numbers, width, point = np.zeros((1, 12)), 3, (9, 1)
            for t, kind in enumerate(kinds):
                row = work.packed.sections.parts.parameters[t]
                if kind == AXES:
                    axes = row[TARGET_AXES : TARGET_AXES + 9].reshape(3, 3)
                    self.numbers[0, :9] = axes.T.ravel()
                else:
                    self.numbers[0, 9:] = row[TARGET : TARGET + 3]
        rotation = (0, width) if AXES in kinds else (-1, 0)
        if POINT not in kinds:
            point = (0, 0)
        self.whole = np.array(
            [STEPS, PATIENCE, self.further, self.numbers.shape[1], *point, *rotation], np.int32
        )

    def columns(self) -> int:
        """Coordinates of an answer."""
        return len(self.dofs)

    def coordinates(self, starts: np.ndarray) -> np.ndarray:
        """Starts as the kernel takes them."""
        return starts if self.whole_figure else np.ascontiguousarray(starts[:, self.dofs])

    def further_starts(self, starts: np.ndarray, first: int, count: int) -> np.ndarray:
        """Further starts of some problems, (problems · count, columns), counted from ``first``."""
        return spread_starts(self.bounds, self.seeds[first : first + count], self.coordinates(starts))

    def arguments(
        self,
        card: Device,
        rows: np.ndarray | slice,
        starts: np.ndarray,
        further: int,
        found: Buffer,
        report: Buffer,
        counter: Buffer,
    ) -> list[Any]:
        """Arguments of the kernel for some problems of the batch, from these starts."""
        numbers = self.numbers if len(self.numbers) == 1 else self.numbers[rows]
        whole = self.whole.copy()
        whole[queue.FURTHER] = further
        given = [card.array(numbers.ravel()), card.array(starts.ravel())]
        given += [
            card.array(self.seeds[: max(further, 1)].ravel()),
            found,
            report,
            counter,
            card.array(whole),
        ]
        return [*given, *self.scalars]

    def write(self, found: np.ndarray, starts: np.ndarray, q: np.ndarray) -> None:
        """Answers of some problems as coordinates, into ``q``."""
        if self.whole_figure:
            q[:] = found
        else:
            q[:] = starts
            q[:, self.dofs] = found
        unwind(q, starts, self.dofs, self.bounds)
