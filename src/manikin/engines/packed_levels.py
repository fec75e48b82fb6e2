"""Goals by level of priority, packed as rows: what the search over rows of every kind and the careful descent read.

Level −1 are the figure's cones, level 0 the hard goals and the figure's loops, then the levels that were asked for,
then the objectives that choose among equals (`Posture` and its like).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from manikin.engines.functions import value
from manikin.figure import Pose
from manikin.goals import Goal, Objective
from manikin.kernels.levels.layout import allocate_descent, descent_sections
from manikin.kernels.residuals import layout as measure_layout
from manikin.kernels.residuals.entries import measure_at
from manikin.plan.figure_rows import loop_parts, swing_part
from manikin.plan.measuring import Measuring, pack_measures
from manikin.plan.strips import STOP_SHARE
from manikin.residuals import Block

if TYPE_CHECKING:
    from manikin.engines.mixed import Mixed
    from manikin.plan.specification import Specification

HELD, HARD, FIRST = -1, 0, 1
# A hard goal is met to this before the next level begins, and counts as met below what is promised.
HARD_STOP, HARD_TOLERANCE = 1e-10, 1e-8


class Levels:
    """Goals and their ranks as rows in levels: what is written, chosen, switched and measured.

    ranks: a level for each goal: HARD, FIRST and on.
    last: the level of the objectives, which are never part of what is reached.
    functions: the parts that are functions in Python, which only the careful descent knows.
    """

    def __init__(self, spec: Specification, pose: Pose, goals: Sequence[Goal], ranks: Sequence[int]) -> None:
        figure, last = spec.figure, spec.last
        self.figure = figure
        self.tolerance = spec.tolerance
        self.pose = pose
        self.meant = pose.q, pose.q
        self.ranks = list(ranks)
        self.last = last
        self.goals = list(goals)
        self.parts: list[Block] = []
        self.owner: list[int] = []
        self.choices: list[list[list[int]]] = []
        for place, goal in enumerate(goals):
            self.choices.append([])
            for parts in goal.settle(pose).alternatives():
                self.choices[-1].append(list(range(len(self.parts), len(self.parts) + len(parts))))
                self.parts += parts
                self.owner += [place] * len(parts)
        self.functions = [number for number, part in enumerate(self.parts) if part.potential is not None]
        self.always: list[tuple[int, int]] = []
        for loop in figure.loops:
            self._add(loop_parts(loop, pose), HARD)
        for cone in figure.cones:
            self._add((swing_part(cone),), HELD)
        self.measuring: Measuring = pack_measures(
            figure, None, self.parts, spec.tolerance, free=spec.free, couplings=spec.couplings
        )
        self.active = [True] * len(goals)
        self.chosen = [0] * len(goals)
        self._make_room()

    def _add(self, parts: Sequence[Block], level: int) -> None:
        """Parts that belong to the figure, not to a goal."""
        self.always += [(len(self.parts) + k, level) for k in range(len(parts))]
        self.parts += parts
        self.owner += [-1] * len(parts)

    def _make_room(self) -> None:
        packed = self.measuring.packed
        self.packed = packed
        self.M = measure_layout.sections(self.measuring.ms, self.measuring.mr, self.measuring.mw)
        self.header, self.numbers = allocate_descent(
            len(packed.variables),
            len(packed.sections.sweep.values),
            len(self.M.value),
            len(packed.couplings),
            self.figure.n,
        )
        self.D = descent_sections(self.header, self.numbers)
        m = self.measuring
        #: What the kernels take.
        self.arrays = (
            packed.structure,
            packed.parameters,
            packed.workspace,
            m.ms,
            m.mr,
            m.mw,
            self.header,
            self.numbers,
        )
        for number, level in self.always:
            rows = self.measuring.rows(number)
            self.M.level[rows] = level
            self.D.stop[rows] = HARD_STOP
        for place in range(len(self.choices)):
            self._settle(place)
        self.budget = 200 + 2 * len(packed.variables)

    @cached_property
    def mixed(self) -> Mixed:
        """The quick search over the same rows."""
        from manikin.engines.mixed import Mixed, pull_of

        found = Mixed(self, pull_of(self.figure, self.objectives, self.parts))
        found.settle(self)
        return found

    @property
    def objectives(self) -> list[Block]:
        """The parts that choose among equals, of goals that are switched on."""
        return [
            part
            for place, part in zip(self.owner, self.parts, strict=True)
            if part.last and self.active[place]
        ]

    def mean_start(self, q: np.ndarray, kept: np.ndarray | None = None) -> None:
        """Let the goals that say "where it is" mean the coordinates q; those that keep something, not objectives, mean
        ``kept`` where that is given.
        """
        self.meant = q, q if kept is None else kept
        begun, held = (
            Pose(self.figure, np.clip(x, self.figure.lower, self.figure.upper))
            for x in (q, q if kept is None else kept)
        )
        for place, goal in enumerate(self.goals):
            if goal.means_start:
                self.pose = begun if isinstance(goal, Objective) else held
                self.write(place, goal, active=self.active[place])
        self.pose = held

    def copy(self) -> Self:
        """The same problem with parameters and workspace of its own."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__.pop("mixed", None)
        other.measuring = self.measuring.copy(workspace=True)
        other.parts = list(self.parts)
        other.ranks, other.active, other.chosen = list(self.ranks), list(self.active), list(self.chosen)
        other._make_room()
        return other

    def write(self, place: int, goal: Goal, *, active: bool) -> bool:
        """Put a goal in the place of another; False, and nothing done, when that takes packing anew."""
        alternatives = goal.settle(self.pose).alternatives()
        old = [[self.parts[number].structure for number in numbers] for numbers in self.choices[place]]
        if old != [[part.structure for part in parts] for parts in alternatives]:
            return False
        for numbers, parts in zip(self.choices[place], alternatives, strict=True):
            for number, part in zip(numbers, parts, strict=True):
                self.parts[number] = part
        self.goals[place] = goal
        self.active[place] = active
        self._settle(place)
        if "mixed" in self.__dict__:
            self.mixed.settle(self)
        return True

    def level(self, number: int) -> int:
        """The level of a part."""
        part = self.parts[number]
        return HARD if part.hard else self.last if part.last else self.ranks[self.owner[number]]

    def _settle(self, place: int) -> None:
        """Levels, weights and stops of a goal's rows, as it is switched and chosen."""
        for which, numbers in enumerate(self.choices[place]):
            on = self.active[place] and which == self.chosen[place]
            for number in numbers:
                part = self.parts[number]
                self.measuring.write(number, part, active=on)
                rows = self.measuring.rows(number)
                self.M.level[rows] = self.level(number)
                allowed = self.tolerance[1] if part.unit == "rad" else self.tolerance[0]
                stop = HARD_STOP if part.hard else STOP_SHARE * allowed / np.sqrt(max(part.rows, 1))
                self.D.stop[rows] = stop

    def choose(self, choice: Sequence[int]) -> None:
        """Take these alternatives."""
        for place, which in enumerate(choice):
            if self.chosen[place] != which:
                self.chosen[place] = which
                self._settle(place)

    def levels(self) -> list[int]:
        """The levels that have something to do, in order."""
        M = self.M
        return sorted({int(level) for level in M.level[M.weight > 0.0] if level > HELD})

    def measured(self, choice: Sequence[int]) -> list[tuple[int, str, float]]:
        """(goal, unit, what counts as reached) of every part of the chosen alternatives, in the order of the misses."""
        return [
            (place, self.parts[number].unit, self.allowed(number))
            for place, alternatives in enumerate(self.choices)
            for number in alternatives[choice[place]]
        ]

    def measure(self, q: np.ndarray) -> None:
        """All measures at the coordinates q."""
        measure_at(*self.arrays[:6], q)

    def outside(self) -> np.ndarray:
        """How far each measure is outside its range, as last measured; of a function's rows the first is √P."""
        M = self.M
        result = np.maximum(M.value - M.upper, 0.0) + np.minimum(M.value - M.lower, 0.0)
        for number in self.functions:
            rows = self.measuring.rows(number)
            result[rows] = 0.0
            result[rows.start] = np.sqrt(self._asked_value(number))
        return result

    def part_misses(self) -> np.ndarray:
        """The miss of every part in its unit, as last measured; of a function its value."""
        misses = self.measuring.misses()
        for number in self.functions:
            misses[number] = self._asked_value(number)
        return misses

    def _asked_value(self, number: int) -> float:
        """P of a function as last measured; 0 of a goal that is switched off, whose function is not called."""
        return value(self, number) if self.active[self.owner[number]] else 0.0

    def hard_miss(self) -> float:
        """By how much what is hard is missed, as last measured."""
        mine = (self.M.level == HARD) & (self.M.weight > 0.0)
        return float(np.abs(self.outside()[mine]).max(initial=0.0))

    def allowed(self, number: int) -> float:
        """The miss of a part below which it counts as reached; none of an objective is too much."""
        part = self.parts[number]
        if part.potential is not None:
            return part.potential.tolerance
        if part.last:
            return np.inf
        if part.hard:
            return HARD_TOLERANCE
        return self.tolerance[1] if part.unit == "rad" else self.tolerance[0]
