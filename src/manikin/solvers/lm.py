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
from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels import layout, lm_layout
from manikin.kernels import terms as kernel_terms
from manikin.kernels.lane_tools import aligned_copy
from manikin.kernels.lm import lm
from manikin.kernels.lm_lanes import END_X
from manikin.kernels.lm_newton import newton
from manikin.kernels.solve import (
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_REACHED,
    REFUSED,
    REPAIR,
    TIDY,
)
from manikin.kernels.state import DONE

if TYPE_CHECKING:
    from manikin.solvers.packing import Packed

#: No variables given: the search begins at the coordinates themselves.
NOWHERE = np.zeros(0)
#: Slow steps running after which it turns to Newton's.
PATIENCE = 2
#: With more variables than this, among linear rows, it turns to `projection` instead: Newton's steps cost their cube.
MANY = 20
#: With no more variables than this a round of four lanes takes no longer than one step alone.
FEW = 10
#: Of the sum of weights: with few variables, some of them with limits, a start with a potential above this fails more
#: often than not, and has seeds beside it from the beginning. (Without limits to run into it mostly gets there.)
ELSEWHERE = 0.5
#: Seeds in a round of `auto`.
ROUND = 64
_NEWTON_BUDGET = 200
_COUNTS = [OUT_ITERATIONS, OUT_EVALUATIONS]
# Rows of a term at most, by its kind.
_ROWS = {kernel_terms.PLANE: 1, kernel_terms.AXES: 9}


def suits(packed: Packed) -> bool:
    """Whether least squares serve this problem: it has variables, and goals of known kinds."""
    kinds = packed.sections.terms.kind
    return len(packed.variables) > 0 and packed.terms > 0 and bool((kinds <= kernel_terms.AIM).all())


def prepare(packed: Packed) -> tuple[np.ndarray, np.ndarray]:
    """N and V of `kernels.lm_layout` for a problem that suits."""
    from manikin.solvers.seeds import spread

    tree, space = packed.sections.tree, packed.sections.space
    place = np.full(len(space.lower), -1)
    place[packed.variables] = np.arange(len(packed.variables))
    drives = np.flatnonzero(place[tree.drive_dof] >= 0)
    drives = drives[np.argsort(tree.drive_axis[drives], kind="stable")]
    count = np.bincount(tree.drive_axis[drives], minlength=len(tree.offset))
    first = np.concatenate(([0], np.cumsum(count)))
    which = place[tree.drive_dof[drives]]
    rows = sum(_ROWS.get(int(kind), 3) for kind in packed.sections.terms.kind)
    ints, reals = lm_layout.allocate(
        first, which, len(packed.variables), rows, int(packed.structure[layout.MOTIONS])
    )
    bounds = lm_layout.bounds(ints, reals)
    bounds.true_lower[:] = space.lower[packed.variables]
    bounds.true_upper[:] = space.upper[packed.variables]
    wraps = (space.periodic != 0) & (bounds.true_upper - bounds.true_lower >= 2.0 * np.pi)
    bounds.lower[:] = np.where(wraps, -np.inf, bounds.true_lower)
    bounds.upper[:] = np.where(wraps, np.inf, bounds.true_upper)
    bounds.wraps[:] = wraps
    bounds.scale[:] = np.sqrt(space.metric[packed.variables])
    coefficient = tree.drive_coefficient[drives]
    reals[: len(drives)] = coefficient
    reals[len(drives) : 2 * len(drives)] = coefficient * bounds.scale[which]
    spread(packed.origin[0], packed.variables, bounds)
    return ints, reals


class Fast:
    """What the least-squares methods keep of a prepared problem: its arrays, and the seeds chosen last."""

    def __init__(self, packed: Packed) -> None:
        ints, reals = packed.kept.get("lm") or prepare(packed)
        packed.kept["lm"] = ints, reals
        self.ints = ints
        self.structure = packed.structure
        figure, variables = packed.origin[0], packed.variables
        self.rest = figure.rest[variables][None, :]
        self.rest_bytes = self.rest.tobytes()
        self.all_vary = np.array_equal(variables, np.arange(figure.n))
        self.reals = aligned_copy(reals)
        self.has_rows = int(packed.structure[layout.ROWS]) > 0
        self.together = len(packed.variables) <= FEW and not self.has_rows
        # Among linear rows what follows costs more than a few steps, the more so the more variables there are.
        self.patience = 3 + len(variables) // 5 if self.has_rows else PATIENCE
        self.elsewhere = np.inf if self.bounds.wraps.all() else ELSEWHERE
        self.seed: int | None = None
        self.closed_forms: Callable[[np.ndarray], list[np.ndarray]] | None = None
        self.has_limb: Callable[[], bool] | None = None

    @cached_property
    def limbs(self) -> bool:
        """Whether closed forms of limbs apply; looked for when it is first asked."""
        return self.has_limb is not None and self.has_limb()

    @cached_property
    def lanes(self) -> np.ndarray:
        """Workspace of the lanes; made when it is first needed."""
        return lm_layout.lane_workspace(self.ints)

    @cached_property
    def linear(self) -> np.ndarray:
        """Workspace of the step among linear rows; made when it is first needed."""
        from manikin.kernels.linear_layout import allocate_linear

        return allocate_linear(self.structure, self.ints)

    @cached_property
    def ends(self) -> np.ndarray:
        """Where the start and the seeds of a round end."""
        return np.empty((1 + ROUND, END_X + self.rest.shape[1]))

    def twin(self) -> Fast:
        """The same with arrays of its own, for another thread."""
        other = copy(self)
        other.reals = aligned_copy(self.reals)
        for name in ("lanes", "linear", "ends", "bounds"):
            other.__dict__.pop(name, None)
        return other

    @cached_property
    def bounds(self) -> lm_layout.Bounds:
        """Ranges and seeds, one number a variable."""
        return lm_layout.bounds(self.ints, self.reals)


def begin(packed: Packed, fast: Fast, q: np.ndarray, patience: int) -> tuple[int, np.ndarray]:
    """Search from q, in place, until slow: what it ended with, and what `kernels.solve` reports."""
    if fast.has_rows:
        from manikin.solvers.lm_linear import begin as begin_among_rows

        return begin_among_rows(packed, fast, q, patience)
    out = np.zeros(OUT_ERRORS + packed.terms)
    task = lm(
        packed.structure,
        packed.parameters,
        packed.workspace,
        fast.ints,
        fast.reals,
        q,
        NOWHERE,
        out,
        packed.budget,
        patience,
        np.inf,
    )
    return task, out


def run(packed: Packed, fast: Fast, q: np.ndarray, deadline: float | None = None) -> np.ndarray:
    """Solve from q, in place; returns what `kernels.solve` reports."""
    start = q.copy()
    task, out = begin(packed, fast, q, fast.patience)
    if task in (TIDY, REPAIR) and brought_in(packed, start):
        q[:] = start
        task, out = begin(packed, fast, q, fast.patience)
    if task != DONE and not out[OUT_REACHED]:
        go_on(packed, fast, start, q, out, task, deadline)
    return out


def brought_in(packed: Packed, q: np.ndarray) -> bool:
    """Whether q could be moved into all linear constraints, in place."""
    loading = perf_counter()
    from manikin.solvers import projection

    packed.note().loading += perf_counter() - loading
    return projection.bring_in(packed, q)


def go_on(
    packed: Packed,
    fast: Fast,
    start: np.ndarray,
    q: np.ndarray,
    out: np.ndarray,
    task: int,
    deadline: float | None = None,
) -> None:
    """From where the search was slow: Newton's steps, then the verdict of `projection`, which knows a saddle."""
    if task in (REFUSED, TIDY, REPAIR):
        q[:] = start
        out[:] = general(packed, q, deadline)
        return
    if deadline is not None and perf_counter() >= deadline:
        return
    if not fast.has_rows or len(packed.variables) <= MANY:
        polish(packed, fast, start, q[packed.variables], q, out)
    if not out[OUT_REACHED] and (deadline is None or perf_counter() < deadline):
        judge(packed, q, out, deadline)


def polish(
    packed: Packed, fast: Fast, start: np.ndarray, x: np.ndarray, q: np.ndarray, out: np.ndarray
) -> None:
    """Newton's steps from the variables x to a point without slope, into q and out; the counts in out go on."""
    spent = out[_COUNTS].copy()
    q[:] = start
    if fast.has_rows:
        from manikin.solvers.lm_linear import polish as polish_among_rows

        polish_among_rows(packed, fast, x, q, out, _NEWTON_BUDGET)
        out[_COUNTS] += spent
        return
    load_newton(packed)
    newton(
        packed.structure,
        packed.parameters,
        packed.workspace,
        fast.ints,
        fast.reals,
        q,
        x,
        out,
        _NEWTON_BUDGET,
    )
    out[_COUNTS] += spent


def judge(packed: Packed, q: np.ndarray, out: np.ndarray, deadline: float | None = None) -> None:
    """Let `projection` go on from q: it ends there if nothing nearby is better, to first and second order."""
    spent = out[_COUNTS].copy()
    out[:] = general(packed, q, deadline)
    out[_COUNTS] += spent


def general(packed: Packed, q: np.ndarray, deadline: float | None = None) -> np.ndarray:
    """The method ``"projection"`` from q, in place."""
    begin = perf_counter()
    from manikin.solvers import projection

    packed.note().loading += perf_counter() - begin
    if deadline is None:
        return projection.run(packed, q)
    return projection.run_until(packed, q, deadline)


@cache
def _load_newton() -> None:
    ints, reals = _nothing()
    newton(*layout.empty(), ints, reals, np.zeros(0), NOWHERE, np.zeros(OUT_ERRORS), 1)


def load_newton(packed: Packed) -> None:
    """Load, or compile, Newton's steps, and note how long it took."""
    if not _load_newton.cache_info().currsize:
        begin = perf_counter()
        _load_newton()
        packed.note().loading += perf_counter() - begin


def load_polish(packed: Packed, fast: Fast) -> None:
    """Load, or compile, what `polish` calls."""
    if fast.has_rows:
        from manikin.solvers.lm_linear import load_polish as load_polish_among_rows

        load_polish_among_rows(packed)
    else:
        load_newton(packed)


def _nothing() -> tuple[np.ndarray, np.ndarray]:
    """N and V of a problem without variables."""
    return lm_layout.allocate(np.zeros(1, np.int64), np.zeros(0, np.int64), 0, 0, 0)


# Load the method, or compile it, before anyone looks at the clock.
lm(*layout.empty(), *_nothing(), np.zeros(0), NOWHERE, np.zeros(OUT_ERRORS), 1, 1, np.inf)
