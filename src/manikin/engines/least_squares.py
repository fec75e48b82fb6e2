"""The method ``"lm"``: Levenberg–Marquardt inside the ranges, run by the kernels.

It begins with plain steps of Levenberg and Marquardt. Where two steps running cut P by less than 30 % it turns to
Newton's, with exact second derivatives; where these find no slope, `projection` looks at the curvature, and leaves
by it if that is a saddle. So ``"stationary"`` means what it means there.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cache, cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.levels import Descent, Outcome, infeasible
from manikin.engines.search_arrays import laid_out, write_ranges
from manikin.engines.starts.inside import bring_in, not_finite
from manikin.errors import PoseError, SolveError
from manikin.kernels.memory import layout as memory
from manikin.kernels.memory.lane_tools import aligned_copy, aligned_zeros
from manikin.kernels.memory.state import DONE, MET, REFUSED, REPAIR, TIDY
from manikin.kernels.pose.report import (
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_REACHED,
    OUT_STATUS,
)
from manikin.kernels.residuals.errors import AXES, POINT
from manikin.kernels.residuals.layout import allocate as allocate_measures
from manikin.kernels.search import layout
from manikin.kernels.search.active_set import MOST as MOST_CHANGES
from manikin.kernels.search.poses import poses
from manikin.kernels.search.seeds import END_X
from manikin.plan.packing import FARTHEST

if TYPE_CHECKING:
    from manikin.engines.packed_levels import Levels
    from manikin.engines.starts.six_axis_seeds import SixHinges
    from manikin.plan.columns import Columns
    from manikin.plan.packing import Packed

_TURN = 2.0 * np.pi
#: No variables given: the search begins at the coordinates themselves.
NOWHERE = np.zeros(0)
#: Slow steps running after which it turns to Newton's.
PATIENCE = 2
#: Slow steps running after which ``"auto"`` looks elsewhere.
ALONE = 3
#: Of the sum of weights: a start with a potential above this fails as often as not where there are few variables, or
#: not many more than rows, and has seeds beside it from the beginning: four lanes take hardly longer than a step alone.
#: (Without limits to run into, or with freedom to spare, it mostly gets there.)
ELSEWHERE = 0.5
#: What are few variables, and how many there are for each row where there is freedom to spare.
FEW, SPARE = 10, 2
#: The same where six hinges have a closed form: it takes no longer than two steps, and its nearest solution is exact,
#: so that a path is followed as smoothly as can be.
ELSEWHERE_BY_SIX = 0.0
#: Seeds in a round of `auto`.
ROUND = 64
#: How much of the weak pull a search in strips takes, by the share of variables that goals leave free: where that is
#: little, what damping leaves of a strong pull across the goals costs a step (a Panda's pose along a path: 2 for 1).
PULLED = 0.7
# Slow steps running, where there is no time for another search.
_MOST_SLOW = 200
_COUNTS = [OUT_ITERATIONS, OUT_EVALUATIONS]
#: Plain goals measure nothing by rows; nothing is written to these.
_NO_MEASURES = tuple(allocate_measures({}))


def prepare(packed: Packed) -> tuple[np.ndarray, np.ndarray, Columns]:
    """G and H of `kernels.search.layout` for a problem that suits, and the columns of its parts."""
    from manikin.engines.mixed import towards_rest
    from manikin.engines.starts.seeds import spread

    space, variables, parts = packed.sections.space, packed.variables, packed.sections.parts
    figure, n = packed.origin[0], len(packed.variables)
    scale = np.sqrt(space.metric[variables])
    strips = sum(3 if kind == AXES else 1 for kind in parts.kind)
    counts = {layout.STRIPS: strips, layout.PARTS: packed.parts}
    if packed.couplings:
        counts[layout.STRIPS] += -(-len(packed.couplings) // 3)
        counts[layout.WIDE], counts[layout.LISTED] = n, len(packed.couplings)
        counts[layout.CHANGES] = MOST_CHANGES
    ints, reals, columns = laid_out(packed, np.arange(packed.parts), parts.kind, parts.motion, scale, counts)
    bounds, limits = (layout.sections(made, ints, reals) for made in (layout.Bounds, layout.Limits))
    write_ranges(bounds, packed, scale)
    pull = towards_rest(
        figure, len(np.unique(parts.motion[parts.kind == POINT])), bool((parts.kind == AXES).any())
    )
    bounds.pull_low[:] = bounds.pull_high[:] = pull.low[variables]
    freedom = max(n - 3 * packed.parts, 0) / max(n, 1)
    bounds.pull_share[:] = PULLED * freedom * pull.weight[variables]
    bounds.stays[:] = pull.stays[variables]
    spread(figure, variables, bounds, space.lower[variables], space.upper[variables])
    limits.option[layout.HARD_WEIGHT] = 1.0
    return ints, reals, columns


def _prepared(packed: Packed) -> tuple[np.ndarray, np.ndarray, Columns, int]:
    """G and H, the columns, and how many of H's numbers there are before its zeros."""
    ints, reals, columns = prepare(packed)
    return ints, reals, columns, int(np.flatnonzero(reals)[-1]) + 1 if reals.any() else 0


class LeastSquares:
    """What the least-squares methods keep of a prepared problem: its arrays, and the seeds chosen last.

    ``search(table, start, block, patience, elsewhere)`` is how ``"auto"`` begins; ``alone`` minds only the start.
    """

    def __init__(self, packed: Packed) -> None:
        ints, reals, columns, used = packed.kept.get("lm") or _prepared(packed)
        packed.kept["lm"] = ints, reals, columns, used
        self.ints, self.columns = ints, columns
        figure, variables = packed.origin[0], packed.variables
        self.variables = variables
        self.rest = figure.rest[variables][None, :]
        self.rest_bytes = self.rest.tobytes()
        self.all_vary = np.array_equal(variables, np.arange(figure.n))
        # Behind what is used nothing is written, and zeros cost nothing.
        self.reals = aligned_zeros(len(reals))
        self.reals[:used] = reals[:used]
        # Whether there is a base that the pull leads back to where it stood.
        self.anchors = bool(self.bounds.stays.any())
        self.has_rows = len(packed.couplings) > 0
        self.together = not self.has_rows
        tight = len(variables) <= max(FEW, SPARE * 3 * packed.parts)
        self.elsewhere = ELSEWHERE if self.together and tight and not self.bounds.wraps.all() else np.inf
        low, width = self.bounds.low, self.bounds.width
        self.limited = low > -np.inf
        self.limited_all = bool(self.limited.all())
        middle = np.where(self.limited, low + 0.5 * width, 0.0)
        self.general = np.ascontiguousarray(np.vstack([self.rest, middle]))
        self.six: SixHinges | None = None
        self.search: Callable[[np.ndarray, np.ndarray, np.ndarray, int, float], int] = poses
        self.patience = ALONE
        if self.has_rows:
            self.search = _load_rows()
            # What follows costs more than a few steps, the more so the more variables there are.
            self.patience = ALONE + len(variables) // 5
        self.alone = self.search
        self.reported = OUT_ERRORS + packed.parts
        self.size = self.reported + 2 * figure.n
        self.point(packed)
        self.seed: int | None = None
        #: The same goals as rows, for the descent where they are missed; whoever packed them says.
        self.rows: Callable[[], Levels] = _no_rows

    def begin_by(self, six: SixHinges, packed: Packed) -> None:
        """The start gives way to the nearest solution of six hinges that bring the site to its place."""
        self.six = six
        self.point(packed)
        self.mind_whole_place(True)

    def mind_whole_place(self, whole: bool) -> None:
        """Whether all axes of the place count: only then the closed form's solutions are those of the goal."""
        if self.six is not None:
            self.search, self.elsewhere = (_load_six(), ELSEWHERE_BY_SIX) if whole else (self.alone, np.inf)

    @property
    def pulled_to(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value that each variable is pulled to, for others to write."""
        return self.bounds.pull_low, self.bounds.pull_high

    def pull_base(self, pulled: bool) -> None:
        """Pull a base that moves freely too, what the variables are pulled to says where it stands; or not at all."""
        if pulled:
            self.bounds.pull_share[:] = 1.0
        else:
            self.bounds.pull_share[self.bounds.stays > 0.0] = 0.0
        self.bounds.stays[:] = 0.0
        self.anchors = False

    def twin(self, packed: Packed) -> LeastSquares:
        """The same with arrays of its own, for another thread that has this problem."""
        other = copy(self)
        other.reals = aligned_copy(self.reals)
        for name in ("lanes", "ends", "bounds", "limits"):
            other.__dict__.pop(name, None)
        rows = self.rows().copy()
        other.rows = lambda: rows
        other.point(packed)
        return other

    @property
    def plain(self) -> bool:
        """Whether its search is that in strips alone: no linear rows."""
        return not self.has_rows

    def solve_in_time(self, start: np.ndarray, seconds: float) -> tuple[int, np.ndarray]:
        """Search from the start with every variable within its velocity limit for so long: how it ended, a block."""
        block = np.empty(self.size)
        self.limits.option[layout.SECONDS] = seconds
        try:
            task = poses(self.table, start, block, _MOST_SLOW, np.inf)
        finally:
            self.limits.option[layout.SECONDS] = 0.0
        if task == REFUSED:
            raise PoseError("the start has values that are not finite, or beyond 1e9")
        return task, block

    def point(self, packed: Packed) -> None:
        """Let the table say where the problem's arrays are. They stay there; `Problem.set` writes into them."""
        self.arrays = (
            packed.structure,
            packed.parameters,
            packed.workspace,
            *_NO_MEASURES,
            self.ints,
            self.reals,
        )
        more = self.six.arrays if self.six is not None else ()
        self.table = layout.table(packed.budget, *self.arrays, *more)

    def ended(self, block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of what a search leaves, the coordinates and what `kernels.pose.report` tells."""
        n = (self.size - self.reported) // 2
        return block[self.reported : self.reported + n], block[: self.reported]

    def general_seeds(self, start: np.ndarray) -> np.ndarray:
        """Seeds for any goals, (count, variables): the rest pose, unless that is the start, and the middle of the
        ranges; what has no limits is there as in the start.

        In the middle joints have room to either side: four poses of a humanoid are found from there in 75 to 90 % of
        cases, from rest in half of them.
        """
        varying = start if self.all_vary else start[self.variables]
        if self.limited_all:
            return self.general if varying.tobytes() != self.rest_bytes else self.general[1:]
        made = self.general.copy()
        made[1, ~self.limited] = varying[~self.limited]
        return made[1:] if np.array_equal(made[0], varying) else made

    @cached_property
    def lanes(self) -> np.ndarray:
        """Workspace of the lanes; made when it is first needed."""
        return layout.lane_arrays(self.ints)[0]

    @cached_property
    def ends(self) -> np.ndarray:
        """Where the start and the seeds of a round end."""
        return np.empty((1 + ROUND, END_X + self.rest.shape[1]))

    @cached_property
    def bounds(self) -> Any:
        """Ranges, pull and seeds, one number a variable."""
        return layout.sections(layout.Bounds, self.ints, self.reals)

    @property
    def drives(self) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients of the drives, and the shares of the columns' entries."""
        drives, chains = (
            layout.sections(made, self.ints, self.reals) for made in (layout.Drives, layout.Chains)
        )
        return drives.coefficient, chains.share

    @cached_property
    def limits(self) -> Any:
        """Options of the search."""
        return layout.sections(layout.Limits, self.ints, self.reals)


def begin(
    packed: Packed, fast: LeastSquares, start: np.ndarray, patience: int, far: float = np.inf
) -> tuple[int, np.ndarray]:
    """Search from the start until slow: what it ended with, and a block: the report, the end, the start."""
    block = np.empty(fast.size)
    return fast.search(fast.table, start, block, patience, far), block


def run(packed: Packed, fast: LeastSquares, start: np.ndarray, deadline: float | None = None) -> np.ndarray:
    """Solve from the start; returns a block."""
    begun = start
    patience = fast.patience if fast.has_rows else PATIENCE
    task, block = begin(packed, fast, begun, patience)
    if task in (TIDY, REPAIR):
        begun = start.copy()
        if bring_in(packed, begun):
            task, block = begin(packed, fast, begun, patience)
    if task != DONE:
        q, out = fast.ended(block)
        go_on(packed, fast, begun, q, out, task, deadline)
    block[-len(start) :] = start
    return block


def go_on(
    packed: Packed,
    fast: LeastSquares,
    start: np.ndarray,
    q: np.ndarray,
    out: np.ndarray,
    task: int,
    deadline: float | None = None,
) -> None:
    """From where the search was slow: the descent, to a point that nothing nearby is better than."""
    if task == REFUSED:
        raise not_finite(packed, start)
    figure = packed.origin[0]
    if task in (TIDY, REPAIR):
        q[:] = np.clip(start, figure.lower, figure.upper)
        report(infeasible(fast.rows(), q), out)
    elif deadline is None or perf_counter() < deadline:
        descend(packed, fast, start, q[packed.variables], q, out, deadline)


def descend(
    packed: Packed,
    fast: LeastSquares,
    start: np.ndarray,
    x: np.ndarray,
    q: np.ndarray,
    out: np.ndarray,
    deadline: float | None = None,
) -> None:
    """From the variables x down to a point without slope that is no saddle, into q and out; the counts in out go on.

    A search that ran away along a slide without limits stays where it is, stopped.
    """
    figure = packed.origin[0]
    q[:] = np.clip(start, figure.lower, figure.upper)
    q[packed.variables] = inside(fast.bounds, x)
    if not (np.abs(q) < FARTHEST).all():
        return
    spent = out[_COUNTS].copy()
    found = Descent(fast.rows(), deadline).down(q.copy())
    q[:] = found.q
    report(found, out)
    out[_COUNTS] += spent


def inside(bounds: Any, x: np.ndarray) -> np.ndarray:
    """Variables in their ranges, those that wrap by whole turns."""
    low, high = bounds.true_lower, bounds.true_upper
    turns = np.ceil((x - high) / _TURN).clip(min=0.0) - np.ceil((low - x) / _TURN).clip(min=0.0)
    return np.clip(np.where(bounds.wraps > 0.0, x - _TURN * turns, x), low, high)


def report(found: Outcome, out: np.ndarray) -> None:
    """Write what the descent found as a search reports it."""
    out[OUT_POTENTIAL] = found.potentials[0]
    out[OUT_STATUS] = MET if found.reached else found.statuses[0]
    out[_COUNTS] = found.iterations, found.evaluations
    out[OUT_REACHED] = found.reached
    out[OUT_ERRORS:] = found.misses


@cache
def _load_six() -> Callable[..., int]:
    """The search that knows six hinges, loaded or compiled."""
    from manikin.kernels.search.six_axis_first import six_axis_first

    _try_on_nothing(six_axis_first)
    return six_axis_first


@cache
def _load_rows() -> Callable[..., int]:
    """The search among linear rows, loaded or compiled."""
    from manikin.kernels.search.poses import poses_among_rows

    _try_on_nothing(poses_among_rows)
    return poses_among_rows


def nothing() -> tuple[np.ndarray, ...]:
    """The arrays of a problem without variables."""
    return *memory.empty(), *_NO_MEASURES, *layout.allocate({})


def _try_on_nothing(search: Callable[..., int]) -> None:
    """Call a search on a problem without variables: the arrays live as long as the table that tells of them."""
    arrays = nothing()
    search(layout.table(1, *arrays), NOWHERE, np.zeros(OUT_ERRORS), 1, np.inf)


def _no_rows() -> Levels:
    raise SolveError("these goals were not packed as rows")


# Load the method, or compile it, before anyone looks at the clock.
_try_on_nothing(poses)
