"""Many answers to one problem judged at once: the same judge as of a solve, a row of coordinates and targets each."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from manikin.figure import Pose
from manikin.goals.target import shape_of
from manikin.kernels.memory.lane_tools import aligned_zeros
from manikin.kernels.memory.lanes import WIDTH
from manikin.kernels.memory.targets import NUMBERS
from manikin.kernels.verify import rows as kernel
from manikin.kernels.verify.layout import MOTIONS, VALUES
from manikin.kernels.verify.rows import BROKEN, HARD
from manikin.verify.judge import Judge

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.plan.specification import Specification

_NO_TARGETS, _NO_STARTS = np.zeros((0, 0, NUMBERS)), np.zeros((1, 0))


def judge_of(spec: Specification, figure: Figure) -> Judge:
    """A judge of a specification's goals for its own figure, or for another of that structure."""
    asked = spec if figure is spec.figure else spec.on(figure)
    return Judge(figure, Pose(figure, asked.q0), spec.goals, asked.couplings, spec.tolerance)


class RowJudge:
    """A judge's arrays with room of their own, so that each thread may have one.

    given: the goals whose targets come with every row; `takes` says whether they can.
    """

    def __init__(self, judge: Judge, given: Collection[int] = ()) -> None:
        judge.take({})
        self.judge = judge
        figure = judge.figure
        ints, reals, work = judge.arrays
        motions, values = ints[MOTIONS], ints[VALUES]
        four = aligned_zeros(WIDTH * int(figure.n + values + 18 * motions + 1))
        self._arrays = ints, reals.copy(), work.copy(), four
        slots = [
            (k, form, at, (shape_of(judge.goals[k]) or (0,))[-1])
            for k in given
            for form, at in judge.slots.get(k, ())
        ]
        self._slots = np.array(slots, np.int64).reshape(-1, kernel.SLOT)
        atoms = [(atom.goal, atom.alternative, int(atom.hard)) for atom in judge.atoms]
        self._atoms = np.array(atoms, np.int64).reshape(-1, kernel.OF_ATOM)
        choices = [judge.alternatives.get(k, 0) for k in range(len(judge.goals))]
        self._choices = np.array(choices, np.int64)
        self._room = np.zeros(figure.n), np.zeros(figure.n), np.zeros(len(atoms) + 2)
        self.follows = judge.follows

    @staticmethod
    def takes(judge: Judge, given: Collection[int]) -> bool:
        """Whether the targets of these goals can be told row by row."""
        return all(k in judge.movable or not _asks(judge, k) for k in given)

    def bits(
        self,
        q: np.ndarray,
        starts: np.ndarray | None = None,
        numbers: np.ndarray | None = None,
        misses: np.ndarray | None = None,
    ) -> np.ndarray:
        """What does not hold of each row of q, (rows, n): bits of `kernels.verify.rows`, 0 where all does.

        starts: what "where it is" means, a row each or one for all. numbers: targets, (rows, goals, 16). misses: (rows,
        atoms), receives what every atom misses by.
        """
        q = _own(q)
        verdicts = np.zeros(len(q), np.int64)
        numbers = _NO_TARGETS if numbers is None else _own(numbers)
        begun = _NO_STARTS if starts is None else _own(np.atleast_2d(starts))
        told = np.zeros((0, 0)) if misses is None else misses
        targets = self._slots if len(numbers) else self._slots[:0]
        follows = int(self.follows and starts is not None)
        tables = targets, self._atoms, self._choices
        kernel.judge_rows(*self._arrays, q, begun, numbers, *tables, *self._room, told, verdicts, follows)
        return verdicts


def _own(array: np.ndarray) -> np.ndarray:
    """As compiled code takes it: in C order, and such that it may be written to."""
    return np.require(array, np.float64, ["C", "W"])


def kept_by(figure: Figure, q: np.ndarray) -> np.ndarray:
    """Of each row of q, (rows, n), whether ranges, linear constraints, cones and loops of the figure hold."""
    judge = Judge(figure, figure.pose(), (), figure.couplings, (1.0, 1.0))
    return keeps(RowJudge(judge).bits(q))


def _asks(judge: Judge, goal: int) -> bool:
    """Whether something of a goal is measured."""
    return any(atom.goal == goal for atom in judge.atoms)


def keeps(bits: np.ndarray) -> np.ndarray:
    """Of each row whether the figure's own promises and everything hard hold."""
    return (bits & (BROKEN | HARD)) == 0
