"""Levels with potentials that Python computes, beside pins, regions, balance, objectives and cones.

A Potential is six rows that are affine in its site's frame (`engines.frame_model`). The compiled descent takes
a few steps with the models of all potentials of the level, everything else exact; then the functions are asked again. A
point counts when the true total of the level fell, else the models are made stiffer. The gradient of a model is that of
its function, so where the descent ends at once there is no first-order way down for the functions either.

A Potential of a higher level is held: where the frame may not move without changing its value, it is kept, and the
value that a curved way has lost is brought back before the point counts. It gets no worse than it was when its level
was done, but for a tenth of its tolerance, or 1e-9 of what is missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.frame_model import FrameModel, frame_model
from manikin.engines.levels import Levels, Outcome
from manikin.engines.model_descent import ModelDescent
from manikin.goals import Goal, Potential
from manikin.kernels.levels.held import KEPT
from manikin.kernels.levels.layout import POTENTIAL
from manikin.residuals import Block

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.plan.specification import Specification


def levels_of(spec: Specification, pose: Pose, goals: Sequence[Goal], ranks: Sequence[int]) -> Levels:
    """The goals packed for the descent by levels (see `Levels`), with functions in Python where some have them."""
    kind = WithPotentials if any(goal.in_python for goal in goals) else Levels
    return kind(spec, pose, goals, ranks)


class WithPotentials(Levels):
    """Goals in levels, some of them potentials in Python."""

    has_functions = True

    def models(self, numbers: Sequence[int]) -> dict[int, FrameModel]:
        """Models of these parts at the frames that were measured last."""
        found = {}
        for number in numbers:
            position, axes = self._frame(number)
            found[number] = frame_model(self.function(number), position, axes)
        return found

    def function(self, number: int) -> Potential:
        """The goal whose function a part is."""
        goal = self.parts[number].potential
        assert goal is not None
        return goal

    def _frame(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Position and axes of a part's site as last measured, in the world or in the frame of its base."""
        part = self.parts[number]
        position, axes = self._site(part.site)
        if not part.base:
            return position, axes
        origin, base = self._site(part.base)
        return base.T @ (position - origin), base.T @ axes

    def _site(self, site: str) -> tuple[np.ndarray, np.ndarray]:
        row, placement = self.packed.frames[site]
        frame = self.packed.sections.sweep.frames[row]
        rotation = frame[:9].reshape(3, 3)
        return rotation @ placement[:3, 3] + frame[9:], rotation @ placement[:3, :3]

    def value(self, number: int) -> float:
        """P of a part as last measured."""
        return self.function(number).by_twist(*self._frame(number))[0]

    def _asked_value(self, number: int) -> float:
        """P of a part as last measured; 0 of a goal that is switched off, whose function is not called."""
        return self.value(number) if self.active[self.owner[number]] else 0.0

    def _functions(self) -> list[int]:
        """The parts of potentials, switched on or not."""
        return [number for number, part in enumerate(self.parts) if part.potential is not None]

    def _on(self) -> list[int]:
        """The parts of potentials that are switched on and chosen."""
        return [
            number
            for number in self._functions()
            if self.active[self.owner[number]]
            and number in self.choices[self.owner[number]][self.chosen[self.owner[number]]]
            and self.parts[number].weight[0] > 0.0
        ]

    def check_gradients(self, q: np.ndarray) -> None:
        """Compare every function's gradient with differences where its site is at q; a GoalError names a wrong one."""
        self.measure(q)
        for number in self._on():
            self.function(number).check_gradient(*self._frame(number))

    def run(
        self,
        q: np.ndarray,
        deadline: float | None = None,
        most: int | None = None,
        *,
        quick_failed: bool = False,
        end: np.ndarray | None = None,
    ) -> Outcome:
        """Solve from q as `Levels.run` does; the quick search knows no functions and is not asked."""
        self.check_gradients(q)
        return super().run(q, deadline, most, quick_failed=True)

    def outside(self) -> np.ndarray:
        """How far each row is outside its range, as last measured; of a Potential's rows the first is √P."""
        result = super().outside()
        for number in self._functions():
            rows = self.measuring.rows(number)
            result[rows] = 0.0
            result[rows.start] = np.sqrt(self._asked_value(number))
        return result

    def part_misses(self) -> np.ndarray:
        """The miss of every part in its unit, as last measured; of a Potential its value."""
        misses = super().part_misses()
        for number in self._functions():
            misses[number] = self._asked_value(number)
        return misses

    def allowed(self, number: int) -> float:
        """The miss of a part below which it counts as reached; of a Potential its own tolerance."""
        goal = self.parts[number].potential
        return super().allowed(number) if goal is None else goal.tolerance

    def _run(self, q: np.ndarray, deadline: float | None) -> Outcome:
        self.least: dict[int, float] = {}
        self.bounds: dict[int, float] = {}
        return super()._run(q, deadline)

    def _one_level(self, outcome: Outcome, level: int, deadline: float | None) -> int:
        """Descend on one level, models renewed while that helps, with the potentials of higher levels held."""
        on = self._on()
        own = [number for number in on if self.M.level[self.measuring.rows(number).start] == level]
        above = [number for number in on if self.M.level[self.measuring.rows(number).start] < level]
        if not own and not above:
            return super()._one_level(outcome, level, deadline)
        try:
            status = ModelDescent(self, outcome, level, own, above, deadline).run()
        finally:
            for number in on:
                self.write_rows(number, self.parts[number], self.level(number))
        self.D.state[POTENTIAL] = self.total(level, own)
        for number in own:
            value, tolerance = self.value(number), self.function(number).tolerance
            self.least[number] = value
            slack = 1e-9 * (1.0 + value) if value > tolerance else 0.1 * tolerance
            self.bounds[number] = max(value, min(value + slack, tolerance if value <= tolerance else np.inf))
        return status

    def _plain_rows(self) -> np.ndarray:
        """Mask of the rows that are no function's."""
        plain = np.ones(len(self.M.value), bool)
        for number in self._functions():
            plain[self.measuring.rows(number)] = False
        return plain

    def keeps(self, level: int) -> bool:
        """Whether the rows above a level are held, as last measured; `ModelDescent` sees to the functions."""
        M, D = self.M, self.D
        above = self._plain_rows() & (M.level < level) & (M.weight > 0.0) & (D.heavy == 0.0)
        off = np.maximum(M.value - D.held_upper, 0.0) + np.minimum(M.value - D.held_lower, 0.0)
        return bool((np.abs(off[above]) <= KEPT).all())

    def total(self, level: int, own: Sequence[int]) -> float:
        """The true potential of a level as last measured: Σ w ρ² over its rows, and w P of its functions."""
        M = self.M
        mine = self._plain_rows() & (M.level == level) & (M.weight > 0.0)
        outside = Levels.outside(self)
        total = float(M.weight[mine] @ outside[mine] ** 2)
        return total + sum(float(self.parts[number].weight[0]) * self.value(number) for number in own)

    def rows_met(self, level: int) -> bool:
        """Whether the level's rows that are no function's are near enough to stop, as last measured."""
        M = self.M
        mine = self._plain_rows() & (M.level == level) & (M.weight > 0.0)
        return bool((np.abs(Levels.outside(self)[mine]) <= self.D.stop[mine]).all())

    def write_rows(self, number: int, part: Block, level: int | np.ndarray) -> None:
        """Put a model in the place of a part's rows, held at 0 where their levels are above the one being solved."""
        rows = self.measuring.rows(number)
        self.measuring.write(number, part, active=True)
        self.M.level[rows] = level
        self.D.stop[rows] = -1.0  # a model is never met: it is followed to where it is least
        self.D.held_lower[rows] = self.D.held_upper[rows] = 0.0
