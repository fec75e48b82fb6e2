"""The method ``"auto"``: the given start alone, then others beside each other, until all goals are met.

1. `lm` from the start. Most problems end here.
2. If it is slow, seeds: the rest pose, closed forms (`given_seeds`), then points spread over the ranges (`seeds`),
   four side by side, with more patience after the first few. The first by number that meets every goal is the answer,
   whichever was quicker. With few variables and no closed forms the start goes on beside them as the first of all, and
   where it is far from the goals (`solvers.lm.ELSEWHERE`) it does so from the beginning.
3. If none of a round of seeds does: the start's own search to its end, so that the result is never less than the start
   gives alone; and the lowest ends of the seeds to a point without slope. Without a number of restarts further rounds
   follow, up to `MOST` seeds, until `AGREEING` ends have the same lowest potential; but when that
   is close to nothing (`CLOSE`), where a goal may well be within reach after all, all of them. The lowest is judged
   as in `lm`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels import layout, lm_layout
from manikin.kernels.lm import FAR, FLAT, SLOW
from manikin.kernels.lm_lanes import END_ITERATIONS, END_POTENTIAL, END_X, lm_lanes
from manikin.kernels.solve import (
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_REACHED,
    REFUSED,
    TIDY,
)
from manikin.kernels.state import DONE
from manikin.kernels.terms import WEIGHT
from manikin.solvers import seeds
from manikin.solvers.lm import ROUND, _nothing, begin, brought_in, go_on, judge, polish

if TYPE_CHECKING:
    from manikin.solvers.lm import Fast
    from manikin.solvers.packing import Packed

#: Slow steps running after which each seed is given up for others; steps of a seed at most.
PATIENCE, STEPS = 3, 30
#: The same after the first seeds, so many: the problem is a hard one.
MORE_PATIENCE, MORE_STEPS = 8, 80
QUICK = 16
#: Seeds at most, where no number is given.
MOST = 256
#: So many ends at the same lowest potential are taken for the lowest there is.
AGREEING = 3
#: Of the sum of weights (goals missed by a metre, or about a radian): a potential below this is close to nothing.
CLOSE = 1e-3
#: Of the ends of a round, how many are followed to a point without slope.
POLISHED = 8
# Seeds between two looks at the clock, where there is a time limit.
_CHUNK = 8
_BOTH = slice(OUT_ITERATIONS, OUT_EVALUATIONS + 1)


@dataclass
class End:
    """Where a search from many starts ended: coordinates, what `kernels.solve` reports, how many starts it took."""

    q: np.ndarray
    out: np.ndarray
    starts: int = 1


def search_on(
    packed: Packed,
    fast: Fast,
    start: np.ndarray,
    block: np.ndarray,
    task: int,
    restarts: int | None,
    seed: int,
    deadline: float | None,
) -> tuple[np.ndarray, int]:
    """What follows when the start's own search was slow, or was not begun for being far.

    block, task: what `lm` from the start left, and what it ended with.
    Returns a block as of `solvers.lm.begin`, and how many starts it took.
    """
    q, out = fast.parts(block)
    tried = 0
    if fast.together and restarts != 0 and task in (SLOW, FAR):
        if not _over(deadline):
            row, tried = _beside(packed, fast, start, q, out, restarts, seed)
            if row >= 0:
                return block, 1 + row
        task, block = begin(packed, fast, start, PATIENCE)
    begun = start
    if task == TIDY:
        begun = start.copy()
        if brought_in(packed, begun):
            task, block = begin(packed, fast, begun, PATIENCE)
    if task == DONE:
        starts = 1
    else:
        q, out = fast.parts(block)
        end = _go_on(packed, fast, begun, End(q, out), task, restarts, seed, deadline, tried)
        q[:], out[:], starts = end.q, end.out, end.starts
    block[-len(start) :] = start
    return block, starts


def _beside(
    packed: Packed,
    fast: Fast,
    start: np.ndarray,
    q: np.ndarray,
    out: np.ndarray,
    restarts: int | None,
    seed: int,
) -> tuple[int, int]:
    """Go on from where `lm` left the start, with the first seeds beside it: the row of the first that meets every goal,
    below 0 where none does, and how many seeds were tried.
    """
    if (
        fast.limbs
    ):  # closed forms are better seeds than any, but take too long to be computed beside every start
        fast.keep_alone()
        return -1, 0
    if fast.seed != seed:
        seeds.shift(fast.bounds, seed)
        fast.seed = seed
    if not _loaded:
        load_lanes(packed)
    count = QUICK if restarts is None else min(QUICK, restarts)
    q[:] = start
    row = lm_lanes(
        packed.structure,
        packed.parameters,
        packed.workspace,
        fast.ints,
        fast.reals,
        fast.lanes,
        q,
        out,
        _rest_unless(packed, fast, start),
        0,
        fast.ends[: 1 + count],
        STEPS,
        PATIENCE,
        False,
        1,
    )
    if row >= 0 and not out[OUT_REACHED]:
        row = -1
    return row, count if row == -1 else 0


def _go_on(
    packed: Packed,
    fast: Fast,
    start: np.ndarray,
    alone: End,
    task: int,
    restarts: int | None,
    seed: int,
    deadline: float | None,
    tried: int = 0,
) -> End:
    """What follows when the start was slow, alone and beside the first seeds, if so many of them were ``tried``."""
    if task in (REFUSED, TIDY) or restarts == 0 or _over(deadline):
        go_on(packed, fast, start, alone.q, alone.out, task, deadline)
        return alone
    if task == FLAT:  # perhaps a saddle: the way out ends nearer to the start than a seed
        go_on(packed, fast, start, alone.q, alone.out, task, deadline)
        if alone.out[OUT_REACHED]:
            return alone
        task = DONE
    search = _Search(packed, fast, start, seed, deadline)
    search.tried = tried
    ends, found = search.lanes(ROUND if restarts is None else min(ROUND, restarts), tried)
    if found is None:
        return search.go_on(ends, alone, task, restarts)
    found.out[_BOTH] += alone.out[_BOTH]
    found.starts = 1 + search.tried
    return found


def _over(deadline: float | None) -> bool:
    return deadline is not None and perf_counter() >= deadline


def given_seeds(packed: Packed, fast: Fast, start: np.ndarray) -> np.ndarray:
    """Seeds that come before those spread over the ranges, (count, variables): the closed forms of limbs, where they
    apply, and the rest pose, unless it is the start.
    """
    rest = _rest_unless(packed, fast, start)
    limbs = fast.closed_forms(start) if fast.closed_forms is not None and fast.limbs else []
    return np.vstack([*(seed[packed.variables] for seed in limbs), rest]) if limbs else rest


def _rest_unless(packed: Packed, fast: Fast, start: np.ndarray) -> np.ndarray:
    """The rest pose, (1, variables), unless it is the start: then none."""
    varying = start if fast.all_vary else start[packed.variables]
    return fast.rest[1:] if varying.tobytes() == fast.rest_bytes else fast.rest


def seed_starts(packed: Packed, fast: Fast, start: np.ndarray, count: int, seed: int) -> Iterator[np.ndarray]:
    """The seeds that belong to a start, one after the other, as coordinates."""
    bounds = fast.bounds
    if fast.seed != seed:
        seeds.shift(bounds, seed)
        fast.seed = seed
    given = given_seeds(packed, fast, start)
    for number in range(count):
        q = start.copy()
        if number < len(given):
            q[packed.variables] = given[number]
        else:
            q[packed.variables] = seeds.point(bounds, start[packed.variables], number - len(given) + 1)
        if packed.ties is not None:
            packed.ties.complete(q)
        yield q


class _Search:
    """The search from seeds, for one start."""

    def __init__(
        self, packed: Packed, fast: Fast, start: np.ndarray, seed: int, deadline: float | None
    ) -> None:
        self.packed, self.fast, self.start, self.deadline = packed, fast, start, deadline
        self.given = given_seeds(packed, fast, start)
        self.tried = 0
        self.steps = self.evaluations = 0.0
        if fast.seed != seed:
            seeds.shift(fast.bounds, seed)
            fast.seed = seed
        if not _loaded:
            load_lanes(packed)

    def go_on(self, ends: np.ndarray, alone: End, task: int, restarts: int | None) -> End:
        """After a round without success: the first seed that meets every goal, or else the lowest end of all."""
        most = MOST if restarts is None else restarts
        best = self.complete(alone, task)
        same = 0
        while not best.out[OUT_REACHED] and not _over(self.deadline):
            best, same = self.polish_lowest(ends, best, same)
            agreed = restarts is None and same >= AGREEING and self.far(best)
            if best.out[OUT_REACHED] or agreed or self.tried >= most:
                break
            ends, found = self.lanes(min(ROUND, most - self.tried))
            if found is not None:
                best = found
        if best is not alone and not best.out[OUT_REACHED] and not _over(self.deadline):
            judge(self.packed, best.q, best.out, self.deadline)
        return self.total(best, alone)

    def far(self, best: End) -> bool:
        """Whether the potential left is more than what a goal just out of reach leaves."""
        weights = self.packed.term_parameters[:, WEIGHT].sum()
        return bool(best.out[OUT_POTENTIAL] > CLOSE * weights)

    def complete(self, alone: End, task: int) -> End:
        """The start's own search to its end (``task`` DONE: it is there)."""
        if task != DONE:
            go_on(self.packed, self.fast, self.start, alone.q, alone.out, task, self.deadline)
        return alone

    def total(self, best: End, alone: End) -> End:
        """The result, with the counts of all searches."""
        if best is not alone:
            best.out[_BOTH] += alone.out[_BOTH]
        best.out[_BOTH] += self.steps, self.evaluations
        best.starts = 1 + self.tried
        return best

    def lanes(self, count: int, done: int = 0) -> tuple[np.ndarray, End | None]:
        """Search from the next seeds, some of which are ``done``: where each ended, and the first to meet all goals."""
        packed, fast = self.packed, self.fast
        ends = fast.ends[1 : 1 + count]
        self.steps += float(ends[:done, END_ITERATIONS].sum())
        self.evaluations += float(ends[:done, END_ITERATIONS].sum()) + 5.0 * done
        first = done
        while first < count:
            later = self.tried >= QUICK
            most = count if later else QUICK
            part = ends[first : first + (most if self.deadline is None else min(most, _CHUNK))]
            q, out = self.start.copy(), np.zeros(OUT_ERRORS + packed.terms)
            row = lm_lanes(
                packed.structure,
                packed.parameters,
                packed.workspace,
                fast.ints,
                fast.reals,
                fast.lanes,
                q,
                out,
                self.given,
                self.tried,
                part,
                MORE_STEPS if later else STEPS,
                MORE_PATIENCE if later else PATIENCE,
                False,
                0,
            )
            if row >= 0 and out[OUT_REACHED]:
                self.tried += row + 1
                return ends, End(q, out)
            if row >= 0:  # near enough to stop, yet not reached: those after it were dropped, and come again
                part = part[: row + 1]
            steps = float(part[:, END_ITERATIONS].sum())
            self.steps += steps
            self.evaluations += steps + 5.0 * len(part)
            self.tried += len(part)
            first += len(part)
            if _over(self.deadline):
                return ends[:first], None
        return ends, None

    def polish_lowest(self, ends: np.ndarray, best: End, same: int) -> tuple[End, int]:
        """Follow the lowest ends to points without slope: the lowest end so far, and how many ended there."""
        order = np.argsort(ends[:, END_POTENTIAL], kind="stable")[:POLISHED]
        for row in order:
            if _over(self.deadline):
                break
            q, out = self.start.copy(), np.zeros(len(best.out))
            polish(self.packed, self.fast, self.start, ends[row, END_X:], q, out)
            self.steps += out[OUT_ITERATIONS]
            self.evaluations += out[OUT_EVALUATIONS]
            out[_BOTH] = 0.0
            gain = best.out[OUT_POTENTIAL] - out[OUT_POTENTIAL]
            near = 1e-4 * best.out[OUT_POTENTIAL]
            if out[OUT_REACHED]:
                return End(q, out), same
            same = same + 1 if abs(gain) <= near else (1 if gain > 0.0 else same)
            if gain > 0.0:
                best = End(q, out)
        return best, same


_loaded: list[bool] = []


def load_lanes(packed: Packed) -> None:
    """Load, or compile, the search in lanes, and note how long it took."""
    begun = perf_counter()
    ints, reals = _nothing()
    lanes = lm_layout.lane_workspace(ints)
    nothing, out, none = np.zeros(0), np.zeros(OUT_ERRORS), np.zeros((0, END_X))
    lm_lanes(*layout.empty(), ints, reals, lanes, nothing, out, none, 0, none, 1, 1, False, 0)
    _loaded.append(True)
    packed.note().loading += perf_counter() - begun
