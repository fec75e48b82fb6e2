"""The damped search for goals of every kind, prepared for one problem: what `kernels.search.general` reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.search_arrays import laid_out, write_ranges
from manikin.errors import PoseError
from manikin.kernels.memory.path import FRESH, T_BUDGET, T_RUN, T_START
from manikin.kernels.memory.state import REFUSED
from manikin.kernels.pose.report import OUT_ERRORS
from manikin.kernels.residuals.kinds import KINDS
from manikin.kernels.search import layout
from manikin.kernels.search.active_set import MOST as MOST_CHANGES
from manikin.kernels.search.general import general
from manikin.plan.columns import has_columns

if TYPE_CHECKING:
    from manikin.engines.least_squares import LeastSquares
    from manikin.engines.packed_levels import Levels
    from manikin.figure import Figure
    from manikin.plan.packing import Packed
    from manikin.residuals import Block

#: Steps after which it gives up.
BUDGET = 60
#: Slow steps running after which it gives up.
PATIENCE = 10
#: Single rows that matter to one step, at most; more are left to the descent.
MOST = 160
# Of the mean weight of an objective: what a coordinate that it does not mind weighs.
_UNMINDED = 1e-6


@dataclass
class Pull:
    """What is preferred among equals, as far as a step can follow it: a range for each coordinate, and a weight.

    to_the_end: whether it was asked for; otherwise it is the figure's rest, a little on the way to which a solve goes.
    stays: mask of the coordinates of a base that moves, which has no rest: it is pulled to where it stood when what is
        followed was begun.
    to_start: whether the range is where the start is.
    complete: whether these are all objectives; others need the careful descent.
    """

    low: np.ndarray
    high: np.ndarray
    weight: np.ndarray
    stays: np.ndarray
    to_the_end: bool = False
    to_start: bool = False
    complete: bool = True


def towards_rest(figure: Figure, points: int, turned: bool) -> Pull:
    """The weak pull towards the rest posture, a free or planar base's towards where it stood.

    Goals that tell of so many points where they are, or of one and of some rotation, tell where a figure that does not
    bend is: then rest tells where its base is, which is not pulled besides.
    """
    moves = figure.base != "fixed"
    base = np.array([moves and figure.dof(name).joint == "root" for name in figure.dofs], bool)
    told = points >= 3 or (points > 0 and turned)
    weight = np.where(base & told, 0.0, 1.0)
    return Pull(figure.rest, figure.rest, weight, base & (not told))


def _told(parts: list[Block]) -> tuple[int, bool]:
    """How many points goals tell the place of in the world, and whether they tell of a rotation."""
    parts = [part for part in parts if not part.base and not part.last and (part.lower == part.upper).all()]
    points = {part.site for part in parts if part.kind == "coordinates" and part.rows == 3}
    return len(points), any(part.kind in ("turn", "axes") for part in parts)


def pull_of(figure: Figure, objectives: list[Block], parts: list[Block]) -> Pull:
    """The objectives as a pull: those of the coordinates one by one. One range a coordinate, or one value.

    Where there are none, towards rest; parts: all that goals ask.
    """
    if not objectives:
        return towards_rest(figure, *_told(parts))
    starts = [part.follows for part in objectives if part.kind == "linear"]
    to_start = bool(starts) and all(starts)
    n = figure.n
    total, mean = np.zeros(n), np.zeros(n)
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    complete = True
    for part in objectives:
        if part.kind != "linear" or part.follows != to_start:  # the start beside a posture is no one value
            complete = False
            continue
        numbers = part.numbers.reshape(-1, 3)
        index, factor, origin = numbers[:, 0].astype(int), numbers[:, 1], numbers[:, 2]
        weight = part.weight * factor**2
        ends = np.sort([origin + part.lower / factor, origin + part.upper / factor], axis=0)
        ranged = bool((part.lower != part.upper).any())
        if ranged and total[index].any():
            complete = False
            continue
        if ranged:
            low[index], high[index] = ends
        else:
            mean[index] += weight * ends[0]
        total[index] += weight
        if not ranged:
            open_ = np.isinf(low[index]) & np.isinf(high[index])
            complete = complete and bool(open_.all())
    value = np.isinf(low) & np.isinf(high) & (total > 0.0)
    low[value] = high[value] = mean[value] / total[value]
    return Pull(low, high, total, np.zeros(n, bool), to_the_end=True, to_start=to_start, complete=complete)


def anchored(search: LeastSquares | Mixed, anchor: np.ndarray) -> bool:
    """Let what is kept mean where this pose has it, by a search that takes no step; whether the pose was accepted."""
    table, block = search.table.copy(), np.empty(search.size)
    table[T_BUDGET], table[T_RUN], table[T_START] = 0, FRESH, 0
    anchor = np.require(anchor, requirements=["C", "W"])
    return search.alone(table, anchor, block, search.patience, np.inf) != REFUSED


def _laid_out(levels: Levels, scale: np.ndarray, idle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """G and H of `kernels.search.layout`."""
    packed, m = levels.packed, levels.measuring.sections
    kinds = np.array([KINDS[part.kind].strip for part in levels.parts], np.int64)
    residuals = np.flatnonzero(
        (kinds >= 0) & (m.count == 3) & (m.base == 0) & has_columns(packed.sections.tree)[m.motion]
    )
    listed = len(packed.couplings) + min(len(m.value), MOST)
    counts = {
        layout.PARTS: len(levels.parts),
        layout.NUMBERED: len(residuals),
        layout.STRIPS: len(residuals) + -(-listed // 3),
        layout.WIDE: len(packed.variables),
        layout.ROWS: len(m.value),
        layout.LISTED: listed,
        layout.CHANGES: MOST_CHANGES,
        layout.IDLE: len(idle),
        layout.LAST: levels.last,
    }
    return laid_out(packed, residuals, kinds[residuals], m.motion[residuals], scale, counts)[:2]


class Mixed:
    """Arrays and table of the quick search of one problem with levels.

    tell: of each part, which of the ``told`` misses that are reported is its own, or −1; by default all, in order.
    Coordinates that the pull minds and no part moves are idle: they go where it leads without any step.
    """

    patience, elsewhere = PATIENCE, np.inf

    def __init__(
        self, levels: Levels, pull: Pull, tell: np.ndarray | None = None, told: int | None = None
    ) -> None:
        packed, measuring, figure = levels.packed, levels.measuring, levels.figure
        space = packed.sections.space
        variables = self.variables = packed.variables
        if tell is None or told is None:
            told = sum(len(alternative) for choice in levels.choices for alternative in choice)
            tell = np.where(np.arange(len(levels.parts)) < told, np.arange(len(levels.parts)), -1)
        scale = self._scale(pull, space.metric[variables], variables)
        idle = self._idle(pull, packed, figure.n)
        self.ints, self.reals = _laid_out(levels, scale, idle)
        bounds, limits, parts = (
            layout.sections(made, self.ints, self.reals)
            for made in (layout.Bounds, layout.Limits, layout.Parts)
        )
        parts.tell[:], parts.idle[:] = tell, idle
        parts.follows[:] = [part.follows for part in levels.parts]
        parts.idle_low[:] = np.clip(pull.low[idle], figure.lower[idle], figure.upper[idle])
        parts.idle_high[:] = np.clip(pull.high[idle], figure.lower[idle], figure.upper[idle])
        write_ranges(bounds, packed, scale)
        bounds.pull_low[:], bounds.pull_high[:] = pull.low[variables], pull.high[variables]
        share = pull.weight[variables]
        bounds.pull_share[:] = share > 0.0 if pull.to_the_end else share
        bounds.stays[:] = pull.stays[variables]
        # Whether anything means where it is: rows, a pull to the start, a base that is led back to where it stood.
        self.anchors = bool(bounds.stays.any() or parts.follows.any() or pull.to_start)
        limits.option[layout.PULL_TO_START] = pull.to_start
        limits.option[layout.PULL_TO_THE_END] = pull.to_the_end
        self.pull, self.limits, self.bounds, self.parts = pull, limits, bounds, parts
        self._idly = idle, figure.lower[idle], figure.upper[idle], figure.velocity[idle]
        self.reported = OUT_ERRORS + told
        self.size = self.reported + 2 * figure.n
        self.arrays = (
            packed.structure,
            packed.parameters,
            packed.workspace,
            measuring.ms,
            measuring.mr,
            measuring.mw,
            self.ints,
            self.reals,
        )
        self.table = layout.table(BUDGET, *self.arrays)
        self.search = self.alone = general

    @staticmethod
    def _idle(pull: Pull, packed: Packed, dofs: int) -> np.ndarray:
        """The free coordinates that only the pull moves, where that is all that is preferred."""
        if not pull.to_the_end or pull.to_start or not pull.complete:
            return np.zeros(0, np.int64)
        vary = np.isin(np.arange(dofs), packed.variables)
        return np.flatnonzero(packed.origin[1] & (pull.weight > 0.0) & ~vary)

    @staticmethod
    def _scale(pull: Pull, metric: np.ndarray, variables: np.ndarray) -> np.ndarray:
        """The root of the metric of a step: the figure's own, or where a posture is asked for that of its weights."""
        if not pull.to_the_end:
            return np.sqrt(metric)
        weight = pull.weight[variables]
        minded = weight > 0.0
        if not minded.any():
            return np.sqrt(metric)
        mean = float(weight[minded].mean())
        return 1.0 / np.sqrt(np.where(minded, weight / mean, _UNMINDED / metric))

    def settle(self, levels: Levels) -> None:
        """Take over what counts as met, after goals were written."""
        self.limits.stop[:] = levels.D.stop
        self.limits.allowed[:] = [levels.allowed(number) for number in range(len(levels.parts))]
        m = levels.measuring.sections
        soft = (m.level > 0) & (m.level < levels.last) & (m.weight > 0.0)
        self.limits.option[layout.HARD_WEIGHT] = float(m.weight[soft].mean()) if soft.any() else 1.0

    @property
    def pulled_to(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value that each variable is pulled to, for others to write."""
        return self.bounds.pull_low, self.bounds.pull_high

    def pull_base(self, pulled: bool) -> None:
        """Pull a base that moves freely too, what the variables are pulled to says where it stands; or not at all."""
        if not self.pull.to_the_end:
            if pulled:
                self.bounds.pull_share[:] = 1.0
            else:
                self.bounds.pull_share[self.bounds.stays > 0.0] = 0.0
            self.bounds.stays[:] = 0.0

    def solve_in_time(self, start: np.ndarray, seconds: float) -> tuple[int, np.ndarray]:
        """Search from the start with every variable within its velocity limit for so long: how it ended, a block."""
        block = np.empty(self.size)
        parts, (dofs, lower, upper, velocity) = self.parts, self._idly
        low, high = parts.idle_low.copy(), parts.idle_high.copy()
        begun = np.clip(start[dofs], lower, upper)
        parts.idle_low[:] = np.minimum(low, begun + velocity * seconds)
        parts.idle_high[:] = np.maximum(high, begun - velocity * seconds)
        self.limits.option[layout.SECONDS] = seconds
        try:
            task = self.search(self.table, start, block, self.patience, np.inf)
        finally:
            self.limits.option[layout.SECONDS] = 0.0
            parts.idle_low[:], parts.idle_high[:] = low, high
        if task == REFUSED:
            raise PoseError("the start has values that are not finite, or beyond 1e9")
        return task, block

    def ended(self, block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of what a search leaves, the coordinates and the report."""
        n = (self.size - self.reported) // 2
        return block[self.reported : self.reported + n], block[: self.reported]
