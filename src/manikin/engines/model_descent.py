"""The descent on one level with models of its potentials, those of higher levels held.

A Potential of a higher level is held: where the frame may not move without changing its value, it is kept, and the
value that a curved way has lost is brought back before the point counts. It gets no worse than it was when its level
was done, but for a tenth of its tolerance, or 1e-9 of what is missed.

One round: models at the point, a few compiled steps with them, the way back to what is held above, and the true total
of the level: lower, the point counts; else the point stays and the models are made stiffer (μ fourfold). At a point
where nothing is gained both kinds of saddle are looked at: the descent's own, of the kinematics, and directions in
which a function curves down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines import functions
from manikin.engines.frame_model import FrameModel
from manikin.kernels.levels.descent import descend
from manikin.kernels.levels.layout import AT_END, EVALUATIONS, ITERATIONS, POTENTIAL
from manikin.kernels.memory.state import MET, STATIONARY, STOPPED

if TYPE_CHECKING:
    from manikin.engines.levels import Outcome
    from manikin.engines.packed_levels import Levels

# What a round ends with.
GAINED, REFUSED, ENDED, STUCK = range(4)
# Rounds at most; while alternatives are only compared; steps of the compiled descent in each.
_MOST_ROUNDS, _QUICK_ROUNDS, _STEPS = 200, 6, 30
# Ways back to the potentials that are held, for one point.
_MOST_RETURNS = 6
# A gain below this share of 1 + the total is none.
_ROUNDING = 1e-14
# The stiffness μ after the first point that is refused, and the most, as shares of the largest curvature.
_FIRST_STIFFNESS, _MOST_STIFFNESS = 0.1, 1e9
# How far along a direction of negative curvature a frame is drawn off a saddle, metres and radians; below which share
# of the largest a curvature is negative; saddles left at most.
_OFF, _NEGATIVE, _MOST_ESCAPES = (0.3, 0.03), 1e-4, 3


class ModelDescent:
    """One level from the point in ``outcome.q``, which it moves.

    own, above: the parts of the level's potentials, and of those that are held, each with its least value and the most
    that it may have. quick: whether alternatives are only compared.
    """

    def __init__(
        self,
        levels: Levels,
        outcome: Outcome,
        level: int,
        own: list[int],
        above: Mapping[int, tuple[float, float]],
        deadline: float | None,
        quick: bool,
    ) -> None:
        self.levels, self.outcome, self.level = levels, outcome, level
        self.own, self.above, self.deadline, self.quick = own, above, deadline, quick
        self.stiffness = 0.0
        self.models: dict[int, FrameModel] = {}
        # What lower levels will have to hold is followed to where only rounding is left.
        self.fine = not own or level == max(levels.levels())

    def run(self) -> int:
        """Descend until nothing is gained; the point is left in the outcome, and measured."""
        levels, q = self.levels, self.outcome.q
        levels.measure(q)
        escapes = 0
        for _ in range(_QUICK_ROUNDS if self.quick else _MOST_ROUNDS):
            if self.deadline is not None and perf_counter() > self.deadline:
                break
            found = self._round()
            if self._met() and (self.fine or found != GAINED):
                return MET
            if found in (GAINED, REFUSED):
                continue
            if found == STUCK:
                return STOPPED
            if self.quick or escapes == _MOST_ESCAPES or not self._leave_saddle():
                return STATIONARY
            escapes += 1
        levels.measure(q)
        return STOPPED

    def _met(self) -> bool:
        """Whether everything on this level is met, as last measured."""
        levels = self.levels
        return functions.rows_met(levels, self.level) and all(
            functions.value(levels, number) <= levels.allowed(number) for number in self.own
        )

    def _total(self) -> float:
        return functions.total(self.levels, self.level, self.own)

    def _descend(self, steps: int) -> int:
        """The compiled descent with the rows as they are written."""
        levels, outcome = self.levels, self.outcome
        status = int(descend(*levels.arrays, outcome.q, self.level, steps, 0.0))
        outcome.iterations += int(levels.D.state[ITERATIONS])
        outcome.evaluations += int(levels.D.state[EVALUATIONS])
        return status

    def _round(self) -> int:
        """One round: GAINED, REFUSED, ENDED where no first-order step is left, or STUCK where none can be found."""
        levels, q = self.levels, self.outcome.q
        begin, before = q.copy(), self._total()
        self._write_models()
        levels.measure(q)
        expected = self._model_total()
        status = self._descend(_STEPS)
        state = levels.D.state
        ended = state[ITERATIONS] == 0.0 and status == STATIONARY
        expected -= float(state[POTENTIAL])
        kept = self._return() and functions.keeps(levels, self.level)
        gain = before - self._total()
        if kept and gain > _ROUNDING * (1.0 + before):
            if gain > 0.75 * expected:
                self.stiffness = 0.25 * self.stiffness if self.stiffness > 1e-6 * self._curvature() else 0.0
            elif gain < 0.25 * expected:
                self._stiffen()
            return GAINED
        q[:] = begin
        levels.measure(q)
        if ended or expected <= _ROUNDING * (1.0 + before):
            return ENDED
        self._stiffen()
        if self.stiffness > _MOST_STIFFNESS * self._curvature():
            return ENDED if status == STATIONARY else STUCK
        return REFUSED

    def _curvature(self) -> float:
        """The largest curvature of the models."""
        return max((float(np.abs(m.curvature).max()) for m in self.models.values()), default=0.0) or 1.0

    def _stiffen(self) -> None:
        self.stiffness = max(4.0 * self.stiffness, _FIRST_STIFFNESS * self._curvature())

    def _write_models(self) -> None:
        """Models of all potentials at the point as last measured: of its own as wishes, of those above as held."""
        self.models = functions.models(self.levels, [*self.own, *self.above])
        for number in self.own:
            rows, weight = self.models[number].rows(self.stiffness)
            self._write_own(number, rows, weight)
        for number in self.above:
            self._write_held(number)

    def _write_own(self, number: int, rows: np.ndarray, weight: np.ndarray) -> None:
        part = self.levels.parts[number]
        part = replace(part, numbers=rows.ravel(), weight=part.weight * weight)
        functions.write_rows(self.levels, number, part, self.level)

    def _write_held(self, number: int) -> None:
        """Held where the value would change; elsewhere the frame is kept near by the stiffness alone."""
        levels, least = self.levels, self.above[number][0]
        rows, bends = self.models[number].held(least, met=least <= levels.allowed(number))
        weight = np.where(bends, 1.0, 0.5 * self.stiffness)
        part = replace(levels.parts[number], numbers=rows.ravel(), weight=weight)
        functions.write_rows(levels, number, part, np.where(bends, levels.level(number), self.level))

    def _model_total(self) -> float:
        """Σ w ρ² over the level's rows, those of the models too, as last measured."""
        M = self.levels.M
        mine = (M.level == self.level) & (M.weight > 0.0)
        return float(M.weight[mine] @ self.levels.measuring.violations()[mine] ** 2)

    def _held(self) -> bool:
        """Whether the potentials above are no worse than they were."""
        return all(functions.value(self.levels, number) <= most for number, (_, most) in self.above.items())

    def _return(self) -> bool:
        """Bring the point back to where the potentials above are no worse than they were; False where it cannot be."""
        for _ in range(_MOST_RETURNS):
            if self._held():
                return True
            self.models |= functions.models(self.levels, list(self.above))
            for number in self.above:
                self._write_held(number)
            self._descend(0)
        return self._held()

    def _leave_saddle(self) -> bool:
        """Leave a point that no first-order step leaves; False, and the point as it was, where there is no way."""
        levels, q = self.levels, self.outcome.q
        begin, before = q.copy(), self._total()
        D = levels.D
        forces = D.vector[AT_END].copy(), D.linear.copy(), D.force.copy()
        self.stiffness = 0.0
        self._write_models()
        for _ in self._ways():
            kept = self._return() and functions.keeps(levels, self.level)
            if kept and before - self._total() > 1e-9 * before + _ROUNDING:
                return True
            q[:] = begin
            levels.measure(q)
            self._write_models()
        D.vector[AT_END], D.linear[:], D.force[:] = forces
        return False

    def _ways(self) -> Iterator[None]:
        """Each way off a saddle, followed: down where a function curves down, then where the kinematics do."""
        for number in self.own:
            model = self.models[number]
            for i in np.flatnonzero(model.curvature < -_NEGATIVE * np.abs(model.curvature).max()):
                for length in _OFF:
                    for side in (length, -length):
                        rows, weight = model.rows(0.0)
                        rows[i, 0] += side
                        self._write_own(number, rows, weight)
                        self._descend(_STEPS)
                        yield
        self._descend(_STEPS)
        yield
