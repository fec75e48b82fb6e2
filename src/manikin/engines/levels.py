"""Goals by level of priority: each level as low as it gets, those above it held.

Level −1 are the figure's cones, level 0 the hard goals and the figure's loops, then the levels that were asked for,
then the objectives that choose among equals (`Posture` and its like). A level that is done keeps what it reached: a
measure inside its range stays inside, one outside gets no worse. `kernels.levels.descent` has the method.

A goal with alternatives (`AnyOf`, a union of regions) is solved once for each, nearest first, until all goals are
reached; otherwise the best is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines import functions
from manikin.engines.allowance import Allowance
from manikin.engines.mixed import anchored
from manikin.engines.model_descent import ModelDescent
from manikin.engines.packed_levels import FIRST, HARD, HARD_TOLERANCE, Levels
from manikin.engines.starts.choices import in_order
from manikin.kernels.levels.descent import descend
from manikin.kernels.levels.layout import (
    AT_END,
    EVALUATIONS,
    ITERATIONS,
    POTENTIAL,
)
from manikin.kernels.memory.path import ANCHORED, T_RUN, T_START
from manikin.kernels.memory.state import DONE, INFEASIBLE, MET, STOPPED
from manikin.kernels.pose.report import OUT_EVALUATIONS, OUT_ITERATIONS
from manikin.kernels.search.layout import LAST
from manikin.kernels.search.state import FLAT, SLOW, SPENT

if TYPE_CHECKING:
    from manikin.engines.mixed import Mixed

# The nearest alternatives are tried to the end. Of the others, if there are many, each is tried for a few steps first,
# and only the best of them to the end.
_NEAREST, _MANY, _QUICK_STEPS, _KEPT = 3, 8, 8, 4
# By how much of it two potentials may differ and be the same.
_AS_LOW = 1e-3
# What a level that was missed weighs in those below it.
_HEAVY = 1e5

# Steps of a descent in one compiled call: with many variables, and where there is a clock to look at.
_LARGE, _STEPS_A_CALL, _TIMED, _TIMED_IF_LARGE = 40, 40, 10, 4


def _late(deadline: float | None) -> bool:
    """Whether the time is over."""
    return deadline is not None and perf_counter() > deadline


@dataclass
class Outcome:
    """What one run over all levels found: a potential and a status a level, and who held the first that fell short."""

    q: np.ndarray
    potentials: list[float] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    iterations: int = 0
    evaluations: int = 0
    at_end: np.ndarray | None = None
    linear: np.ndarray | None = None
    misses: np.ndarray = field(default_factory=lambda: np.zeros(0))
    reached: bool = False
    hard_miss: float = 0.0
    choice: tuple[int, ...] = ()
    levels: list[int] = field(default_factory=list)
    used_up: bool = False

    def better_than(self, other: Outcome | None) -> bool:
        """Whether this one is better, level by level, the first difference that counts deciding."""
        if other is None:
            return True
        if self.reached != other.reached:
            return self.reached
        mine_by, theirs_by = (dict(zip(o.levels, o.potentials, strict=False)) for o in (self, other))
        for level in sorted({*mine_by, *theirs_by}):  # a choice without a hard goal has no such level
            mine, theirs = mine_by.get(level, 0.0), theirs_by.get(level, 0.0)
            if abs(mine - theirs) > 1e-9 * (1.0 + abs(theirs)):
                return mine < theirs
        return False


class Descent:
    """Goals in levels, solved from one start or several, by whichever alternatives serve.

    allowance: the work that may be done, if it is bounded. quick: whether alternatives are only compared. ends: where
    the quick search ended, by the alternatives.
    held: of functions of levels that are done, the least value and the most that each may have.
    """

    def __init__(
        self, levels: Levels, deadline: float | None = None, allowance: Allowance | None = None
    ) -> None:
        self.levels, self.deadline, self.allowance, self.quick = levels, deadline, allowance, False
        self.ends: dict[tuple[int, ...], np.ndarray] = {}
        self.held: dict[int, tuple[float, float]] = {}

    def run(
        self,
        q: np.ndarray,
        most: int | None = None,
        *,
        quick_failed: bool = False,
        end: np.ndarray | None = None,
        beside: Outcome | None = None,
    ) -> Outcome | None:
        """Solve from q, within the linear constraints already; the best over the alternatives, ``most`` of them.

        quick_failed: whether the quick search has, from here; end: where it ended. beside: what there is already; None
        is returned where nothing promises to be better.
        """
        if self.levels.functions:
            functions.check_gradients(self.levels, q)
        choices = in_order(self.levels, q)[:most]
        self.ends = {} if end is None else {tuple(choices[0]): end}
        if not (quick_failed or self.levels.functions):  # the quick search knows none
            found = self._quickly(q, choices[:_NEAREST])
            if found is not None:
                return found
        if beside is not None:
            choices = [choice for choice in choices if self._promises(choice, beside)]
            if not choices:
                return None
        best = self._best_of(q, choices[:_NEAREST], None)
        others = choices[_NEAREST:]
        if best.reached or not others or self._over:
            return best
        if len(others) > _MANY:
            others = self._promising(q, others)
        return self._best_of(q, others, best)

    @property
    def _over(self) -> bool:
        """Whether the time is over, or the work that may be done is."""
        return _late(self.deadline) or (self.allowance is not None and self.allowance.used_up)

    def _promises(self, choice: Sequence[int], best: Outcome) -> bool:
        """Whether a descent from where the quick search ended may be better than the best so far.

        The quick search lets what is hard give way a little for the rest, so that it ends lower than what a descent
        from there comes to: most that end as high as the best or higher are on their way to the same point.
        """
        levels, end = self.levels, self.ends.get(tuple(choice))
        if end is None:
            return True
        levels.choose(choice)
        levels.measure(end)
        if best.hard_miss > HARD_TOLERANCE:
            return levels.hard_miss() < best.hard_miss
        M, theirs = levels.M, dict(zip(best.levels, best.potentials, strict=False))
        square = M.weight * levels.outside() ** 2
        for level in levels.levels():
            if not HARD < level < levels.last:
                continue
            mine, least = float(square[M.level == level].sum()), theirs.get(level, 0.0)
            if abs(mine - least) > _AS_LOW * least:
                return mine < least
        return False

    def _best_of(self, q: np.ndarray, choices: Sequence[tuple[int, ...]], best: Outcome | None) -> Outcome:
        """The best of these choices and of what there is, or the first that meets every goal."""
        for choice in choices:
            self.levels.choose(choice)
            found = self.down(self._beginning(q, choice))
            found.choice = tuple(choice)
            if best is not None:
                found.iterations += best.iterations
                found.evaluations += best.evaluations
            if found.better_than(best):
                best = found
            else:
                assert best is not None
                best.iterations, best.evaluations = found.iterations, found.evaluations
            if best.reached or self._over:
                break
        assert best is not None
        return best

    def _anchored(self) -> Mixed:
        """The quick search, from starts that mean what `Levels.mean_start` was told."""
        mixed = self.levels.mixed
        objectives, kept = self.levels.meant
        anchored(mixed, kept)
        mixed.table[T_RUN], mixed.table[T_START] = ANCHORED, objectives.ctypes.data
        return mixed

    def _beginning(self, q: np.ndarray, choice: Sequence[int]) -> np.ndarray:
        """Where the descent of this choice begins: where the quick search ends, from q, for its first level alone.

        What lower levels want makes no difference to what the first one reaches.
        """
        levels, end = self.levels, self.ends.get(tuple(choice))
        asked = [level for level in levels.levels() if HARD < level < levels.last]
        if len(asked) > 1 and not levels.functions:
            mixed = self._anchored()
            mixed.settle(levels)
            block = np.empty(mixed.size)
            mixed.ints[LAST] = asked[1]
            task = mixed.search(mixed.table, q, block, mixed.patience, np.inf)
            self._count(mixed.ended(block)[1])
            mixed.ints[LAST] = levels.last
            end = mixed.ended(block)[0] if task in (DONE, SLOW, FLAT, SPENT) else None
        return (q if end is None else end).copy()

    def _count(self, out: np.ndarray) -> None:
        """Count what a quick search did, by its report."""
        if self.allowance is not None:
            self.allowance.take_quick(self.levels, float(out[OUT_ITERATIONS]))

    def _promising(self, q: np.ndarray, choices: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Of many choices those that a few steps bring farthest; the first that they meet, if there is one."""
        ends = []
        self.quick = True
        for place, choice in enumerate(choices):
            self.levels.choose(choice)
            found = self.down(q.copy())
            ends.append((found.potentials, place))
            if found.reached or self._over:
                break
        self.quick = False
        if found.reached:
            return [choices[ends[-1][1]]]
        return [choices[place] for _, place in sorted(ends)[:_KEPT]]

    def _quickly(self, q: np.ndarray, choices: Sequence[tuple[int, ...]]) -> Outcome | None:
        """What the quick search finds for the first of these choices that it reaches; objectives that a step cannot
        follow are left to the careful descent from there.
        """
        mixed, levels = self._anchored(), self.levels
        for choice in choices:
            levels.choose(choice)
            mixed.settle(levels)
            block = np.empty(mixed.size)
            task = mixed.search(mixed.table, q, block, mixed.patience, np.inf)
            end, out = mixed.ended(block)
            self._count(out)
            if task != DONE:
                if task in (SLOW, FLAT, SPENT):
                    self.ends[tuple(choice)] = end.copy()
                continue
            if mixed.pull.complete:
                met = len(levels.levels())
                outcome = Outcome(end.copy(), [0.0] * met, [MET] * met, levels=levels.levels())
            else:
                outcome = self.down(end.copy())
            outcome.choice = tuple(choice)
            outcome.iterations += int(out[OUT_ITERATIONS])
            outcome.evaluations += int(out[OUT_EVALUATIONS])
            levels.measure(outcome.q)
            judge(levels, outcome)
            if outcome.reached:
                return outcome
        return None

    def down(self, q: np.ndarray) -> Outcome:
        """The descent alone from q, which it moves, from level to level, with the alternatives that are chosen."""
        D, M = self.levels.D, self.levels.M
        levels = self.levels.levels()
        outcome = Outcome(q, levels=levels)
        D.held_lower[:], D.held_upper[:], D.heavy[:] = M.lower, M.upper, 0.0
        self.held = {}
        for level in levels:
            status = (
                self._with_functions(outcome, level)
                if self.levels.functions
                else self._one_level(outcome, level)
            )
            if level == HARD:
                outcome.hard_miss = self.levels.hard_miss()
                status = MET if outcome.hard_miss <= HARD_TOLERANCE else status
            outcome.statuses.append(status)
            outcome.potentials.append(float(D.state[POTENTIAL]))
            if status != MET and outcome.at_end is None and level < self.levels.last:
                outcome.at_end, outcome.linear = D.vector[AT_END].copy(), D.linear.copy()
            if level == levels[-1]:
                break
            if level > HARD:
                self._hold(M.level == level, status)
            elif status != MET:
                break
            if self._over:
                outcome.statuses.append(STOPPED)  # of the level that comes next, if one does
                break
        outcome.potentials += [np.inf] * (len(levels) - len(outcome.potentials))
        judge(self.levels, outcome)
        return outcome

    def _hold(self, mine: np.ndarray, status: int) -> None:
        """Hold the measures of a level that is done for those below it: where they are, or by a large weight."""
        D, M = self.levels.D, self.levels.M
        if status == MET:
            one = M.lower == M.upper
            D.held_lower[mine] = np.where(one, M.value, np.minimum(M.lower, M.value))[mine]
            D.held_upper[mine] = np.where(one, M.value, np.maximum(M.upper, M.value))[mine]
        else:
            D.heavy[mine] = _HEAVY

    def _one_level(self, outcome: Outcome, level: int) -> int:
        """Descend on one level."""
        levels, state = self.levels, self.levels.D.state
        budget = _QUICK_STEPS if self.quick else levels.budget
        large = len(levels.packed.variables) > _LARGE
        # Between calls Python sees Ctrl-C, and the clock.
        chunk = min(budget, _STEPS_A_CALL if large else budget)
        if self.deadline is not None:
            chunk = min(budget, _TIMED_IF_LARGE if large else _TIMED)
        used = 0
        while True:
            if self.allowance is not None:
                chunk = min(chunk, self.allowance.steps(levels))
            status = int(descend(*levels.arrays, outcome.q, level, chunk, float(used > 0)))
            outcome.iterations += int(state[ITERATIONS])
            outcome.evaluations += int(state[EVALUATIONS])
            if self.allowance is not None:
                self.allowance.take(levels, state[ITERATIONS], state[EVALUATIONS])
            used += chunk
            if status != STOPPED or state[ITERATIONS] < chunk or used >= budget or self._over:
                return status

    def _with_functions(self, outcome: Outcome, level: int) -> int:
        """Descend on one level, models renewed while that helps, with the functions of higher levels held."""
        levels = self.levels
        on = functions.switched_on(levels)
        at = {number: int(levels.M.level[levels.measuring.rows(number).start]) for number in on}
        own = [number for number in on if at[number] == level]
        above = {number: self.held[number] for number in on if at[number] < level}
        if not own and not above:
            return self._one_level(outcome, level)
        try:
            status = ModelDescent(levels, outcome, level, own, above, self.deadline, self.quick).run()
        finally:
            for number in on:
                functions.write_rows(levels, number, levels.parts[number], levels.level(number))
        levels.D.state[POTENTIAL] = functions.total(levels, level, own)
        for number in own:
            value, tolerance = functions.value(levels, number), levels.allowed(number)
            slack = 1e-9 * (1.0 + value) if value > tolerance else 0.1 * tolerance
            most = max(value, min(value + slack, tolerance if value <= tolerance else np.inf))
            self.held[number] = value, most
        return status


def softened(
    levels: Levels, q: np.ndarray, deadline: float | None = None, allowance: Allowance | None = None
) -> np.ndarray | None:
    """Where a solve from q ends that may pass through what hard regions forbid; None where there is nothing such.

    A start beyond an obstacle that the descent cannot get around.
    """
    zones = levels.M.lower < levels.M.upper
    hard = zones & (levels.M.level == HARD) & (levels.M.weight > 0.0)
    if not hard.any():
        return None
    levels.M.level[hard] = FIRST
    found = Descent(levels, deadline, allowance).down(q.copy())
    levels.M.level[hard] = HARD
    return found.q


def infeasible(levels: Levels, q: np.ndarray) -> Outcome:
    """What is said of a start that no linear constraint lets begin."""
    found = ended_at(levels, q, tuple(levels.chosen))
    found.potentials, found.statuses, found.reached = [0.0], [INFEASIBLE], False
    return found


def ended_at(levels: Levels, q: np.ndarray, choice: tuple[int, ...]) -> Outcome:
    """What there is to say of a pose by these alternatives, whoever found it."""
    outcome = Outcome(q, choice=choice, levels=levels.levels())
    levels.choose(choice)
    levels.measure(q)
    judge(levels, outcome)
    return outcome


def judge(levels: Levels, outcome: Outcome) -> None:
    """Misses of the chosen parts, and whether all that counts is reached."""
    misses = levels.part_misses()
    kept, reached = [], True
    for place, alternatives in enumerate(levels.choices):
        for number in alternatives[levels.chosen[place]]:
            miss = float(misses[number])
            kept.append(miss)
            if levels.active[place]:
                reached = reached and miss <= levels.allowed(number)
    for number, level in levels.always:  # a loop that stays open; cones are never left
        if level == HARD:
            outcome.hard_miss = max(outcome.hard_miss, float(misses[number]))
            reached = reached and misses[number] <= HARD_TOLERANCE
    outcome.misses = np.array(kept)
    outcome.reached = reached
