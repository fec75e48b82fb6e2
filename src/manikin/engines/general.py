"""One solve of a problem with levels: the start brought in, the descent, further starts while something is missed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import perf_counter

import numpy as np

from manikin.engines.allowance import Allowance
from manikin.engines.levels import Descent, Outcome, infeasible, judge, softened
from manikin.engines.nonlinear import bring_in_fixed
from manikin.engines.packed_levels import HARD, HARD_TOLERANCE, Levels
from manikin.engines.starts.inside import bring_in
from manikin.kernels.levels.descent import descend
from manikin.kernels.levels.layout import allocate_descent
from manikin.kernels.memory import layout
from manikin.kernels.memory.state import INFEASIBLE, MET, STATIONARY, STOPPED
from manikin.kernels.pose.report import OUT_ERRORS
from manikin.kernels.residuals import layout as measure_layout

# Further starts where no number is given.
_STARTS_FOR_HARD = 12
_STARTS_FOR_SOFT = 3
# Alternatives that are tried again from each of them.
_CHOICES_AGAIN = 3
# What a linear constraint may be off after a descent.
_SLIPPED = 1e-10


def solve_levels(
    levels: Levels,
    q: np.ndarray,
    starts: Iterable[np.ndarray] = (),
    most: int | None = None,
    deadline: float | None = None,
    *,
    quick_failed: bool = False,
    end: np.ndarray | None = None,
    allowance: Allowance | None = None,
) -> tuple[np.ndarray, Outcome, int]:
    """Solve from q, in place, then from each of ``starts``, ``most`` at most, while some goal is missed.

    Without a number, more are tried where hard goals are missed than where soft ones are. Returns the numbers that a
    `Solution` reads (see `kernels.pose.report`), what the best run found, and how many starts were tried.
    ``quick_failed``: the quick search has, from q; ``end``: where it ended. ``allowance``: the work that may be done.
    """
    packed = levels.packed
    if not bring_in(packed, q):
        outcome = infeasible(levels, q)
        return _numbers(levels, outcome, INFEASIBLE), outcome, 1
    for begun in (q,) if end is None else (q, end):
        bring_in_fixed(packed, begun)
    descent = Descent(levels, deadline, allowance)
    best = descent.run(q, quick_failed=quick_failed, end=end)
    assert best is not None
    tried = 1
    further = _with_softened(levels, best, q, starts, deadline, allowance)
    while True:
        patience = most
        if patience is None:
            patience = _STARTS_FOR_HARD if best.hard_miss > HARD_TOLERANCE else _STARTS_FOR_SOFT
        if best.reached or tried > patience or (deadline is not None and perf_counter() > deadline):
            break
        if allowance is not None and not allowance.for_others:
            best.used_up = True
            break
        start = next(further, None)  # made only now: closed forms take longer than a search
        if start is None:
            break
        notes, packed.notes = packed.notes, None
        begun = start.copy()
        tried += 1
        if bring_in(packed, begun):
            bring_in_fixed(packed, begun)
            found = descent.run(begun, _CHOICES_AGAIN, beside=best)
            if found is not None:
                spent = best.iterations + found.iterations, best.evaluations + found.evaluations
                if found.better_than(best):
                    best = found
                best.iterations, best.evaluations = spent
        packed.notes = notes
    _mend(levels, best)
    q[:] = best.q
    return _numbers(levels, best, _status(levels, best, deadline)), best, tried


def _mend(levels: Levels, best: Outcome) -> None:
    """Bring the end back to the linear constraints where a descent among numbers of very different size has slipped off
    them, and measure it there.
    """
    packed = levels.packed
    space = packed.sections.space
    values = space.row @ best.q
    if not ((values < space.row_lower - _SLIPPED) | (values > space.row_upper + _SLIPPED)).any():
        return
    notes, packed.notes = packed.notes, None
    if bring_in(packed, best.q):
        levels.choose(best.choice)
        levels.measure(best.q)
        best.hard_miss = levels.hard_miss()
        judge(levels, best)
    packed.notes = notes


def _with_softened(
    levels: Levels,
    best: Outcome,
    q: np.ndarray,
    starts: Iterable[np.ndarray],
    deadline: float | None,
    allowance: Allowance | None,
) -> Iterator[np.ndarray]:
    """The further starts, first of them where a solve from q ends that may pass through hard regions."""
    levels.choose(best.choice)
    beyond = None if best.reached else softened(levels, q, deadline, allowance)
    if beyond is not None:
        yield beyond
    yield from starts


def load() -> None:
    """Load, or compile, the descent, so that the first solve's time is its own."""
    if not _loaded:
        arrays = *layout.empty(), *measure_layout.allocate({}), *allocate_descent(0, 0, 0, 0, 0)
        descend(*arrays, np.zeros(0), 0, 1, 0.0)
        _loaded.append(True)


_loaded: list[bool] = []


def _status(levels: Levels, outcome: Outcome, deadline: float | None) -> int:
    """A pose that misses a hard goal is never called anything but infeasible, unless time ran out on the way."""
    if outcome.reached:
        return MET
    if HARD in outcome.levels and outcome.hard_miss > HARD_TOLERANCE:
        late = deadline is not None and perf_counter() > deadline
        return STOPPED if late and outcome.statuses[0] == STOPPED else INFEASIBLE
    asked = [s for s, level in zip(outcome.statuses, outcome.levels, strict=False) if level < levels.last]
    return STOPPED if STOPPED in asked else STATIONARY


def _numbers(levels: Levels, outcome: Outcome, status: int) -> np.ndarray:
    out = np.zeros(OUT_ERRORS + len(outcome.misses))
    asked = [p for p, level in zip(outcome.potentials, outcome.levels, strict=False) if level < levels.last]
    out[:OUT_ERRORS] = (
        sum(p for p in asked if np.isfinite(p)),
        status,
        outcome.iterations,
        outcome.evaluations,
        float(outcome.reached),
    )
    out[OUT_ERRORS:] = outcome.misses
    return out
