"""The projection method with potentials that Python computes.

The solver proposes a point; the compiled parts and the caller's functions answer together with value and gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from manikin.figure import Pose
from manikin.goals import Goal, Potential
from manikin.kernels.memory.state import CURVE, DONE, EVALUATE
from manikin.kernels.projection import python_potential as by_hand
from manikin.kernels.projection.active_set import G_NEW, LOWER, UPPER, X_NEW, X
from manikin.kernels.projection.solve import OUT_ERRORS, OUT_REACHED, REFUSED, REPAIR, TIDY
from manikin.solvers.methods.escape import set_out, ways_out
from manikin.solvers.methods.projection import mend, tidy
from manikin.solvers.pack.packing import Packed
from manikin.solvers.starts.inside import not_finite

_DIFFERENCE = 1e-6


class _Answer:
    """Value and wrenches of all goals at the point that the workspace holds."""

    def __init__(self, packed: Packed, goals: Sequence[Goal]) -> None:
        self.packed = packed
        self.arrays = packed.structure, packed.parameters, packed.workspace
        self.potentials = [
            (place, goal, *packed.frames[goal.site])
            for place, goal in enumerate(goals)
            if isinstance(goal, Potential) and goal.weight > 0.0
        ]
        self.weight = sum(goal.weight for _, goal, *_ in self.potentials)
        self.values: dict[int, float] = {}

    def check_gradients(self, q: np.ndarray) -> None:
        """Compare every function's gradient with differences where its site is at q; a GoalError names a wrong one."""
        pose = Pose(self.packed.origin[0], q)
        for _, goal, *_ in self.potentials:
            frame = pose.matrix(goal.site)
            goal.check_gradient(frame[:3, 3], frame[:3, :3])

    def push(self, current: bool = False) -> tuple[float, bool]:
        """Potential, and whether every goal is met; the wrenches are left in the workspace."""
        total, met = by_hand.push(*self.arrays, current)
        sweep = self.packed.sections.sweep
        for place, goal, row, placement in self.potentials:
            frame = sweep.frames[row]
            turn = frame[:9].reshape(3, 3)
            position = turn @ placement[:3, 3] + frame[9:]
            axes = turn @ placement[:3, :3]
            value, force, by_axes = goal.evaluate(position.copy(), axes.copy())
            moment = np.cross(position, force) + np.cross(axes.T, by_axes.T).sum(axis=0)
            sweep.wrenches[row, :3] += goal.weight * force
            sweep.wrenches[row, 3:] += goal.weight * moment
            total += goal.weight * value
            met = met and value <= goal.tolerance
            self.values[place] = value
        return total, met

    def curvature(self) -> None:
        """Second derivatives at X by differences of the gradient, into the workspace."""
        vector = self.packed.sections.work.vector
        curve = self.packed.sections.work.curve[0]
        x = vector[X].copy()
        for j in range(len(x)):
            ends = []
            for side in (_DIFFERENCE, -_DIFFERENCE):
                vector[X_NEW] = x
                vector[X_NEW, j] = min(max(x[j] + side, vector[LOWER, j]), vector[UPPER, j])
                self.push()
                by_hand.gradient_by_hand(*self.arrays)
                ends.append((vector[X_NEW, j], vector[G_NEW].copy()))
            span = ends[0][0] - ends[1][0]
            curve[j] = (ends[0][1] - ends[1][1]) / span if span > 0.0 else 0.0
        curve[:] = 0.5 * (curve + curve.T)


def gradient_with_potentials(packed: Packed, q: np.ndarray, goals: Sequence[Goal]) -> np.ndarray:
    """Gradient of the whole potential by the variables at q."""
    answer = _Answer(packed, goals)
    vector = packed.sections.work.vector
    packed.sections.sweep.q[:] = q
    vector[X_NEW] = q[packed.variables]
    answer.push()
    by_hand.gradient_by_hand(*answer.arrays)
    return vector[G_NEW].copy()


def run_with_potentials(
    packed: Packed, q: np.ndarray, goals: Sequence[Goal], deadline: float | None
) -> tuple[np.ndarray, dict[int, float]]:
    """Solve from q, in place; returns what the method reports, and the value of each Potential by its index."""
    answer = _Answer(packed, goals)
    structure, _, workspace = answer.arrays
    task = by_hand.begin_by_hand(*answer.arrays, q, packed.budget, answer.weight)
    if task == REFUSED:
        raise not_finite(packed, q)
    answer.check_gradients(q)
    if task == TIDY:
        task = (
            by_hand.begin_by_hand(*answer.arrays, q, packed.budget, answer.weight)
            if tidy(packed, q)
            else DONE
        )
    if task in (TIDY, REPAIR):  # TIDY once more: what is left after the nearest point is rounding
        mend(packed, q)
        task = by_hand.resume_by_hand(structure, workspace)
    while task != DONE and (deadline is None or perf_counter() < deadline):
        if task == CURVE:
            answer.curvature()
            if by_hand.look_by_hand(structure, workspace):
                for way in ways_out(packed)[:1]:
                    set_out(packed, way)
            task = by_hand.resume_by_hand(structure, workspace)
        else:
            assert task == EVALUATE
            task = by_hand.tell(*answer.arrays, *answer.push())
    out = np.empty(OUT_ERRORS + packed.parts)
    total, _ = answer.push(current=True)
    by_hand.finish_by_hand(*answer.arrays, q, out, total)
    for place, goal, *_ in answer.potentials:
        if answer.values[place] > goal.tolerance:
            out[OUT_REACHED] = 0.0
    return out, answer.values
