"""Any tree with plain goals: what the kernel `body` is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.batch.cuda.ranges import (
    ABOUT_START,
    NONE,
    limits_of,
    seeds_from,
    shares,
    spread_starts,
    unwind,
)
from manikin.engines.starts import seeds
from manikin.engines.work import Work
from manikin.errors import SolveError
from manikin.kernels.gpu import body_layout as kernel, queue, sources
from manikin.kernels.memory import layout
from manikin.kernels.residuals.errors import AXES, AXIS_WEIGHTS, PLANE, TARGET, TOLERANCE, WEIGHT
from manikin.kernels.search import layout as search_layout
from manikin.plan.columns import Columns
from manikin.plan.targets import plain_targets

if TYPE_CHECKING:
    from manikin.engines.batch.inputs import Batch
    from manikin.kernels.gpu.driver import Buffer, Device

#: Damping, its least, longest step, fall, share of the squares of the tolerances; steps of a search at most,
#: patience.
SETTING = (0.02, 1e-6, 1.0, 0.7, 0.81)
STEPS, PATIENCE = 40, 4
#: So far inside linear constraints the search keeps, for rounding; times that they are gone through after a step.
INSIDE = 1e-5
SWEEPS = 3
#: Further starts at most, where no number is given, and those that a thread tries in turn: the few problems that need
#: more get a thread for each start after that, or the last of them would keep the card waiting.
STARTS, IN_TURN = 48, 16
#: Threads of a block, and blocks on a multiprocessor at most (measured with the G1 and the human).
THREADS, MOST_BLOCKS = 64, 8


def suits(work: Work) -> bool:
    """Whether the card takes this problem: plain goals, linear constraints with some width."""
    fast = work.fast
    if fast is None:
        return False
    space = work.packed.sections.space
    return bool((space.row_upper - space.row_lower > 1e-3).all())


class Tables:
    """Tree, rows, limits and goals as the kernel takes them."""

    def __init__(
        self,
        work: Work,
        batch: Batch,
        restarts: int | None,
        seed: int,
    ) -> None:
        fast, packed = work.fast, work.packed
        assert fast is not None
        self.work, self.batch = work, batch
        self.n = len(batch.starts[0])
        self.variables = packed.variables
        self.threads, self.most_blocks, self.in_turn = THREADS, MOST_BLOCKS, IN_TURN
        bounds = search_layout.sections(search_layout.Bounds, fast.ints, fast.reals.copy())
        seeds.shift(bounds, seed)
        self.bounds = bounds
        self.further = STARTS if restarts is None else restarts
        own = np.full((max(self.further, 1), self.n), -1.0, np.float32)
        own[:, self.variables] = shares(bounds, len(own))
        self.seeds = own
        self._structure(work)
        figures = [self._row(work if f is work.figure else Work(work.spec.on(f))) for f in batch.figures]
        self.figures = np.concatenate(figures)
        self.setting = [*np.array(SETTING, np.float32)]
        self._targets()

    def _structure(self, work: Work) -> None:
        fast, packed = work.fast, work.packed
        assert fast is not None
        tree, terms = packed.sections.tree, packed.sections.parts
        part = fast.columns
        self.order = part.order
        motions, values = len(tree.parent) - 1, len(tree.offset)
        self.tree = np.stack([tree.parent, tree.kind, tree.axis], axis=1)
        drives = np.argsort(tree.drive_axis, kind="stable")
        count = np.bincount(tree.drive_axis, minlength=values)
        self.first = np.concatenate(([0], np.cumsum(count)))
        self.drives = tree.drive_dof[drives]
        self.coefficients = tree.drive_coefficient[drives]
        weights = terms.parameters[part.order, AXIS_WEIGHTS : AXIS_WEIGHTS + 3]
        alike = (weights == weights[:, :1]).all(axis=1)
        kinds = terms.kind[part.order]
        self.terms = np.stack([kinds, terms.motion[part.order], part.block, alike], axis=1)
        strips: list[tuple[int, int]] = []
        group = first = -1
        for p, kind in enumerate(kinds):
            if part.group[p] != group:
                group, first = part.group[p], len(strips)
            own = 1 if kind != AXES or alike[p] else int((weights[p] > 0.0).sum())
            strips += [(int(part.block[p]), first)] * own
        self.strips = np.array(strips)
        self.begin, self.lengths, self.shared = part.begin, part.length, part.shared
        self.entries = np.stack([part.motion, part.component, part.column], axis=1)
        self.columns_of = packed.variables[part.variable]
        width = part.variable.shape[1]
        self.shares = fast.drives[1]
        self.scale = np.ones(self.n)
        self.scale[packed.variables] = fast.bounds.scale
        charts = packed.sections.space.charts
        self.charts = (
            np.stack([packed.variables[charts[:, 0]], charts[:, 1]], axis=1) if len(charts) else charts
        )
        self._linear(work)
        rows = len(strips)
        self.counts = np.zeros(kernel.COUNTS, np.int32)
        for which, value in (
            (kernel.MOTIONS, motions),
            (kernel.DOFS, self.n),
            (kernel.TERMS, len(kinds)),
            (kernel.BLOCKS, len(part.length)),
            (kernel.WIDTH, width),
            (kernel.STRIPS, rows),
            (kernel.CHARTS, len(charts)),
            (kernel.VALUES, values),
            (queue.STEPS, STEPS),
            (queue.PATIENCE, PATIENCE),
            (queue.FURTHER, self.further),
            (kernel.LINEAR, len(self.linear_first) - 1),
            (kernel.SWEEPS, SWEEPS if len(self.linear_first) > 1 else 0),
        ):
            self.counts[which] = value
        self._fit(part)

    def _fit(self, part: Columns) -> None:
        """The smallest kernel that these problems fit into."""
        motions, terms, rows = (int(self.counts[k]) for k in (kernel.MOTIONS, kernel.TERMS, kernel.STRIPS))
        size = 2 * self.n + 21 * (motions + 1) + kernel.TARGET * terms
        size += 3 * rows * (1 + part.variable.shape[1]) + 9 * rows * (rows + 1) // 2
        self._take_room(sources.BODY, sources.ROOMS, size)
        self.junction = np.zeros(1, np.int32)

    def _take_room(self, kind: str, rooms: tuple[int, ...], size: int) -> None:
        """The name of the smallest kernel of a kind with so much room."""
        fitting = [room for room in rooms if room >= size]
        if not fitting:
            raise SolveError(
                f'device="cuda": this problem takes {size} numbers a thread where {rooms[-1]} is the most '
                f"({self.n} degrees of freedom, {3 * int(self.counts[kernel.STRIPS])} rows); leave "
                'device="cpu"'
            )
        self.name = f"{kind}_{fitting[0]}"

    def _linear(self, work: Work) -> None:
        """Linear constraints: the coordinates of each, those that the search moves, and their coefficients."""
        table = work.packed.sections.space.row
        rows, dofs = np.nonzero(table)
        self.linear_first = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(table)))))
        self.linear = np.stack([dofs, np.isin(dofs, self.variables)], axis=1)
        self.weights = table[rows, dofs]

    def _row(self, work: Work) -> np.ndarray:
        """A figure's own numbers."""
        fast, packed = work.fast, work.packed
        assert fast is not None
        tree, terms = packed.sections.tree, packed.sections.parts
        own = np.empty((4, self.n), np.float32)
        own[0], own[1], own[2], own[3] = -NONE, NONE, ABOUT_START, 0.0
        own[:2, self.variables] = limits_of(fast.bounds)
        ranges = fast.bounds
        own[2:, self.variables] = seeds_from(ranges)
        rows = terms.parameters[self.order].copy()
        kinds = terms.kind[self.order]
        miss = rows[:, TOLERANCE].copy()
        miss[kinds > PLANE] = 2.0 * np.sin(0.5 * miss[kinds > PLANE])
        stop = np.where(rows[:, WEIGHT] > 0.0, miss**2, float(NONE))
        rows[:, WEIGHT] /= max(rows[:, WEIGHT].max(), 1e-300)
        table = np.concatenate([rows[:, : kernel.P_STOP], stop[:, None]], axis=1)
        space = packed.sections.space
        ends = np.stack([space.row_lower + INSIDE, space.row_upper - INSIDE], axis=1)
        parts = [tree.placement, tree.offset, own, table, np.clip(ends, -NONE, NONE)]
        return np.concatenate([np.ravel(part) for part in parts]).astype(np.float32)

    def _targets(self) -> None:
        """The numbers of every problem's targets in a row, and where each goes."""
        work, packed, batch = self.work, self.work.packed, self.batch
        given = sorted(batch.targets)
        flat = {k: batch.targets[k].reshape(len(batch.targets[k]), -1) for k in given}
        at = dict(zip(given, np.cumsum([0, *(flat[k].shape[1] for k in given)])[:-1], strict=True))
        rows = max([1, *(len(part) for part in flat.values())])
        self.numbers = (
            np.concatenate([np.broadcast_to(flat[k], (rows, flat[k].shape[1])) for k in given], axis=1)
            if given
            else np.zeros((1, 1))
        )
        table = plain_targets(packed, work.goals, work.parts, work.first_part)
        begin = packed.part_parameters.ctypes.data
        place = np.argsort(self.order)
        slots = []
        for goal, form, width, address in table.slots.tolist():
            if goal in at:
                term, column = divmod((address - begin) // 8, layout.PART)
                slots.append((form, width, at[goal], kernel.TARGET * place[term] + column - TARGET))
        self.slots = np.array(slots, np.int64).reshape(-1, kernel.SLOT)
        self.counts[kernel.SLOTS], self.counts[queue.NUMBERS] = len(slots), self.numbers.shape[1]

    def columns(self) -> int:
        """Coordinates of an answer."""
        return self.n

    def coordinates(self, starts: np.ndarray) -> np.ndarray:
        """Starts as the kernel takes them."""
        return np.ascontiguousarray(starts)

    def further_starts(self, starts: np.ndarray, first: int, count: int) -> np.ndarray:
        """Further starts of some problems, (problems · count, n), counted from ``first``."""
        made = np.repeat(starts, count, axis=0)
        own = self.seeds[first : first + count, self.variables]
        made[:, self.variables] = spread_starts(self.bounds, own, starts[:, self.variables])
        return made

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
        which = np.zeros(1, np.int32) if self.batch.which is None else self.batch.which[rows].astype(np.int32)
        counts = self.counts.copy()
        counts[queue.FURTHER] = further

        def whole(values: Any) -> Buffer:
            return card.array(np.ravel(values).astype(np.int32))

        def real(values: Any) -> Buffer:
            return card.array(np.ravel(values).astype(np.float32))

        integers = (
            *(counts, self.tree, self.junction, self.first, self.drives, self.terms, self.slots, self.begin),
            *(self.entries, self.strips, self.lengths, self.columns_of, self.shared, self.charts),
            *(self.linear_first, self.linear),
        )
        reals = (self.coefficients, self.shares, self.scale, self.weights, self.figures)
        return [
            card.array(np.ascontiguousarray(numbers).ravel()),
            card.array(starts.ravel()),
            *(whole(which), real(self.seeds[: max(further, 1)]), found, report, counter),
            *map(whole, integers),
            *map(real, reals),
            *self.setting,
        ]

    def write(self, found: np.ndarray, starts: np.ndarray, q: np.ndarray) -> None:
        """Answers of some problems as coordinates, into ``q``."""
        q[:] = found
        fixed = np.setdiff1d(np.arange(self.n), self.variables)
        if len(fixed):
            q[:, fixed] = starts[:, fixed]
        unwind(q, starts, self.variables, self.bounds)
