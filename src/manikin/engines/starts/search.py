"""The search from other starts, for `auto`: seeds in rounds, until one meets all goals or several ends agree.

A round is cut into parts, always the same ones. From the second round on, if the first took its time, parts and ends to
be followed are handed to threads; they are looked at in order, and what comes after the first success does not count:
the answer and its counts are those of one thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.least_squares import ROUND, descend, go_on, nothing
from manikin.engines.starts import seeds
from manikin.engines.starts.threads import Team
from manikin.kernels.memory.state import DONE
from manikin.kernels.pose.report import (
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_REACHED,
)
from manikin.kernels.residuals.errors import WEIGHT
from manikin.kernels.search import layout
from manikin.kernels.search.lanes import poses_from_seeds
from manikin.kernels.search.seeds import END_ITERATIONS, END_POTENTIAL, END_X, FITTED
from manikin.plan.options import checked_threads

if TYPE_CHECKING:
    from manikin.engines.least_squares import LeastSquares
    from manikin.plan.options import Options
    from manikin.plan.packing import Packed

#: Slow steps running after which each seed is given up for others; steps of a seed at most.
PATIENCE, STEPS = 3, 30
#: The same after the first seeds, so many: the problem is a hard one.
MORE_PATIENCE, MORE_STEPS = 8, 80
QUICK = 16
#: Seeds at most, where no number is given.
MOST = 256
#: So many ends at the same lowest potential are taken for the lowest there is.
AGREEING = 3
#: What a solve may do by default: as `engines.allowance`, an evaluation of n variables being 0.6 n of its units.
MOST_WORK, _EVALUATION = 200_000.0, 0.6
#: Of the sum of weights (goals missed by a metre, or about a radian): a potential below this is close to nothing.
CLOSE = 1e-3
#: Of the ends of a round, how many are followed to a point without slope.
FOLLOWED = 8
# Seeds of a part: in lanes, after the first round; where there are linear rows, one by one.
_PART, _PART_AMONG_ROWS = 16, 4
# Seconds that a search has taken before it is worth starting threads, unless they were asked for.
_WORTH = 5e-3
# Seeds between two looks at the clock, where there is a time limit.
_CHUNK = 8
#: Iterations and evaluations in what `kernels.pose.report` tells.
COUNTS = slice(OUT_ITERATIONS, OUT_EVALUATIONS + 1)


@dataclass
class End:
    """Where a search from many starts ended: coordinates, what the method reports, how many starts it took, and whether
    it ended because the work that a solve may do by default was used up."""

    q: np.ndarray
    out: np.ndarray
    starts: int = 1
    used_up: bool = False


@dataclass(frozen=True, eq=False)
class Piece:
    """Seeds to search from: the number of the first, where they are (``given``, then the points of the sequence), and
    rows for their ends.
    """

    number: int
    given: np.ndarray
    ends: np.ndarray


@dataclass
class Part:
    """What became of some seeds: how many were tried, the steps and evaluations of those without success, the first
    success."""

    tried: int = 0
    steps: float = 0.0
    evaluations: float = 0.0
    found: End | None = None


def from_others(
    packed: Packed,
    fast: LeastSquares,
    start: np.ndarray,
    alone: End,
    task: int,
    asked: Options,
    deadline: float | None,
    tried: int,
) -> End:
    """What follows when the start was slow, alone and beside the first seeds, if so many of them were ``tried``."""
    search = Search(packed, fast, start, asked.seed, deadline, asked.threads)
    try:
        search.tried = tried
        first = QUICK if fast.has_rows else ROUND
        ends, found = search.round(first if asked.restarts is None else min(first, asked.restarts), tried)
        if found is None:
            return search.go_on(ends, alone, task, asked.restarts)
        return search.total(found, alone)
    finally:
        search.team.close()


def beside(
    packed: Packed, fast: LeastSquares, start: np.ndarray, block: np.ndarray, seed: int, count: int
) -> int:
    """Go on from where the search left the start, with the first seeds beside it: the row of the first that meets every
    goal, into the block; −1 where none does, less where they were not followed to their ends.
    """
    if fast.seed != seed:
        seeds.shift(fast.bounds, seed)
        fast.seed = seed
    if not loaded:
        load_lanes(packed)
    q, out = fast.ended(block)
    q[:] = start
    given, ends = fast.general_seeds(start), fast.ends[: 1 + count]
    row = poses_from_seeds(fast.table, fast.lanes, q, out, given, 0, ends, STEPS, PATIENCE, 1)
    return -1 if row >= 0 and not out[OUT_REACHED] else row


def over(deadline: float | None) -> bool:
    """Whether the time is up."""
    return deadline is not None and perf_counter() >= deadline


def seed_starts(
    packed: Packed, fast: LeastSquares, start: np.ndarray, count: int, seed: int
) -> Iterator[np.ndarray]:
    """The seeds that belong to a start, one after the other, as coordinates."""
    bounds = fast.bounds
    if fast.seed != seed:
        seeds.shift(bounds, seed)
        fast.seed = seed
    given = fast.general_seeds(start)
    for number in range(count):
        q = start.copy()
        if number < len(given):
            q[packed.variables] = given[number]
        else:
            q[packed.variables] = seeds.point(bounds, start[packed.variables], number - len(given) + 1)
        yield q


class Search:
    """The search from seeds, for one start."""

    def __init__(
        self,
        packed: Packed,
        fast: LeastSquares,
        start: np.ndarray,
        seed: int,
        deadline: float | None,
        threads: int | None = None,
    ) -> None:
        self.packed, self.fast, self.start, self.deadline = packed, fast, start, deadline
        self.given = fast.general_seeds(start)
        self.tried = self.rounds = self.first = 0
        self.steps = self.evaluations = 0.0
        if fast.seed != seed:
            seeds.shift(fast.bounds, seed)
            fast.seed = seed
        if fast.has_rows:
            load_among_rows(packed)
        elif not loaded:
            load_lanes(packed)
        self.team = Team(packed, fast, checked_threads(threads))
        self.asked, self.begun = threads is not None, perf_counter()
        self.most = np.inf

    @property
    def aside(self) -> bool:
        """Whether threads are to help: after the first round, where they were asked for or are worth their while."""
        return self.rounds > 1 and (self.asked or perf_counter() - self.begun > _WORTH)

    def go_on(self, ends: np.ndarray, alone: End, task: int, restarts: int | None) -> End:
        """After a round without success: the first seed that meets every goal, or else the lowest end of all."""
        most = MOST if restarts is None else restarts
        if restarts is None and self.deadline is None:
            self.most = MOST_WORK / (_EVALUATION * max(len(self.packed.variables), 1))
        best = self.complete(alone, task)
        same = 0
        while not best.out[OUT_REACHED] and not over(self.deadline):
            best, same = self.follow_lowest(ends, best, same, until_agreed=restarts is None)
            agreed = restarts is None and self.agree(best, same)
            if best.out[OUT_REACHED] or agreed or self.tried >= most:
                break
            if self.evaluations > self.most:
                best.used_up = True
                break
            ends, found = self.round(min(ROUND, most - self.tried))
            if found is not None:
                best = found
        return self.total(best, alone)

    def agree(self, best: End, same: int) -> bool:
        """Whether so many ends are taken for the lowest: where more is missed than of a goal just out of reach."""
        weights = self.packed.part_parameters[:, WEIGHT].sum()
        return same >= AGREEING and bool(best.out[OUT_POTENTIAL] > CLOSE * weights)

    def complete(self, alone: End, task: int) -> End:
        """The start's own search to its end (``task`` DONE: it is there)."""
        if task != DONE:
            go_on(self.packed, self.fast, self.start, alone.q, alone.out, task, self.deadline)
        return alone

    def total(self, best: End, alone: End) -> End:
        """The result, with the counts of all searches."""
        if best is not alone:
            best.out[COUNTS] += alone.out[COUNTS]
        best.out[COUNTS] += self.steps, self.evaluations
        best.starts = 1 + self.tried
        return best

    def round(self, count: int, done: int = 0) -> tuple[np.ndarray, End | None]:
        """Search from the next seeds, some of which are ``done``: where each ended, and the first to meet all goals."""
        ends = self.fast.ends[1 : 1 + count]
        self.steps += float(ends[:done, END_ITERATIONS].sum())
        self.evaluations += float(ends[:done, END_ITERATIONS].sum()) + 5.0 * done
        self.rounds += 1
        self.first = self.tried - done
        pieces = self.pieces(ends[done:])
        reached = done
        with self.team.each(self.part, pieces, aside=self.aside) as parts:
            for part in parts:
                self.tried += part.tried
                self.steps += part.steps
                self.evaluations += part.evaluations
                reached += part.tried
                if part.found is not None:
                    return ends, part.found
                if over(self.deadline):
                    break
        return ends[:reached], None

    def pieces(self, ends: np.ndarray) -> list[Piece]:
        """The parts of the round that ``ends`` are for."""
        pieces: list[Piece] = []
        first = 0
        while first < len(ends):
            number = self.tried + first
            if self.fast.has_rows:
                size = _PART_AMONG_ROWS
            elif self.rounds > 1:
                size = _PART
            else:
                size = QUICK if number < QUICK else len(ends)
            if self.deadline is not None:
                size = min(size, _CHUNK)
            pieces.append(Piece(number, self.given, ends[first : first + size]))
            first += size
        return pieces

    def part(self, packed: Packed, fast: LeastSquares, piece: Piece) -> Part:
        """Search from the seeds of one part, unless the time is up."""
        ends = piece.ends
        result = Part()
        later = piece.number >= QUICK
        budget, patience = (MORE_STEPS, MORE_PATIENCE) if later else (STEPS, PATIENCE)
        while result.tried < len(ends) and not over(self.deadline):
            rest = ends[result.tried :]
            q, out = self.start.copy(), np.zeros(OUT_ERRORS + packed.parts)
            row = from_seeds(fast, q, out, piece.given, piece.number + result.tried, rest, budget, patience)
            if row >= 0 and out[OUT_REACHED]:
                result.tried += row + 1
                result.found = End(q, out)
                return result
            if row >= 0:  # near enough to stop, yet not reached: those after it were dropped, and come again
                rest = rest[: row + 1]
            steps = float(rest[:, END_ITERATIONS].sum())
            result.steps += steps
            result.evaluations += steps + 5.0 * len(rest)
            result.tried += len(rest)
        return result

    def follow_lowest(self, ends: np.ndarray, best: End, same: int, *, until_agreed: bool) -> tuple[End, int]:
        """Follow the lowest ends to points without slope: the lowest end so far, and how many ended there."""
        order = np.argsort(ends[:, END_POTENTIAL], kind="stable")[:FOLLOWED]
        lowest = [row for row in order.tolist() if ends[row, END_POTENTIAL] < np.inf]
        points = [ends[row, END_X:] for row in lowest]
        with self.team.each(self.followed, points, aside=self.aside) as followed:
            for row, end in zip(lowest, followed, strict=False):
                if end is None:
                    break
                out = end.out
                self.steps += out[OUT_ITERATIONS]
                self.evaluations += out[OUT_EVALUATIONS]
                out[COUNTS] = 0.0
                gain = best.out[OUT_POTENTIAL] - out[OUT_POTENTIAL]
                near = 1e-4 * best.out[OUT_POTENTIAL]
                if out[OUT_REACHED]:
                    return end, same
                if abs(gain) <= near:
                    same += self.spread(self.first + row)
                elif gain > 0.0:
                    same = 1
                # Later seeds also move what misses no goal: not for next to nothing.
                if gain > (near if self.rounds > 1 else 0.0):
                    best = end
                if (until_agreed and self.agree(best, same)) or self.evaluations > self.most:
                    break
        return best, same

    def spread(self, index: int) -> bool:
        """Whether seed ``index`` was drawn from all of the ranges: only such ones agree on an end by no arrangement."""
        if self.fast.has_rows:
            return index >= len(self.given)
        number = index - len(self.given)
        return number >= FITTED or (number >= 0 and number % 2 == 1)

    def followed(self, packed: Packed, fast: LeastSquares, x: np.ndarray) -> End | None:
        """Where the descent from the variables x ends; None when the time is up."""
        if over(self.deadline):
            return None
        q, out = self.start.copy(), np.zeros(OUT_ERRORS + packed.parts)
        descend(packed, fast, self.start, x, q, out, self.deadline)
        return End(q, out)


def from_seeds(
    fast: LeastSquares,
    q: np.ndarray,
    out: np.ndarray,
    given: np.ndarray,
    first: int,
    ends: np.ndarray,
    budget: int,
    patience: int,
) -> int:
    """Search from seed number ``first`` and those after it, four side by side where there are no linear rows, a row of
    ``ends`` each: the row of the first that meets every goal, with its q and out, or −1.
    """
    if fast.has_rows:
        from manikin.kernels.search.seeds_among_rows import poses_from_seeds_among_rows

        return poses_from_seeds_among_rows(fast.table, q, out, given, first, ends, budget, patience)
    return poses_from_seeds(fast.table, fast.lanes, q, out, given, first, ends, budget, patience, 0)


loaded: list[bool] = []


def load_lanes(packed: Packed) -> None:
    """Load, or compile, the search in lanes, and note how long it took."""
    begun = perf_counter()
    arrays = nothing()
    lanes, table = layout.lane_arrays(arrays[-2])[0], layout.table(1, *arrays)
    empty, out, none = np.zeros(0), np.zeros(OUT_ERRORS), np.zeros((0, END_X))
    poses_from_seeds(table, lanes, empty, out, none, 0, none, 1, 1, 0)
    loaded.append(True)
    packed.note().loading += perf_counter() - begun


@cache
def _load_among_rows() -> None:
    from manikin.kernels.search.seeds_among_rows import poses_from_seeds_among_rows

    arrays = nothing()
    empty, out, none = np.zeros(0), np.zeros(OUT_ERRORS), np.zeros((0, END_X))
    poses_from_seeds_among_rows(layout.table(1, *arrays), empty, out, none, 0, none, 1, 1)


def load_among_rows(packed: Packed) -> None:
    """The same of the search among linear rows."""
    if not _load_among_rows.cache_info().currsize:
        begun = perf_counter()
        _load_among_rows()
        packed.note().loading += perf_counter() - begun
