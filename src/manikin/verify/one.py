"""One pose verified as part of the call that found it: what `kernels.verify.one` is told."""

from __future__ import annotations

import numpy as np

from manikin.goals.target import shape_of, target_of
from manikin.kernels.memory.targets import NUMBERS
from manikin.kernels.verify import one as kernel, rows
from manikin.verify.judge import Judge
from manikin.verify.rows import RowJudge

_NOTHING = np.zeros(0)


class Checked:
    """A judge's arrays with room of their own, and the goals' own targets beside them."""

    def __init__(self, judge: Judge) -> None:
        goals, figure = judge.goals, judge.figure
        self._judge = judge
        slots, own = [], np.zeros((len(goals), NUMBERS))
        for k in sorted(judge.movable):
            shape = shape_of(goals[k])
            if shape is None:
                continue
            target = target_of(goals[k]).ravel()
            own[k, : len(target)] = target
            slots += [(k, form, at, shape[-1]) for form, at in judge.slots[k]]
        atoms = [(atom.goal, atom.alternative, int(atom.hard)) for atom in judge.atoms]
        choices = [judge.alternatives.get(k, 0) for k in range(len(goals))]
        ints, reals, work = judge.arrays
        self._given = np.zeros(len(goals), np.int64)
        self._arrays = (
            ints,
            reals.copy(),
            work.copy(),
            np.array(slots, np.int64).reshape(-1),
            self._given,
            own.ravel(),
            np.array(atoms, np.int64).reshape(-1),
            np.array(choices, np.int64),
            np.zeros(figure.n),
            np.zeros(len(atoms) + 2),
        )
        pairs = [number for array in self._arrays for number in (array.ctypes.data, array.size)]
        self._table = np.array([*pairs, int(judge.follows)], np.int64)
        assert len(self._table) == kernel.T_ITEMS and rows.SLOT == 4
        self._targets: list[np.ndarray] = []

    def takes(self, given: list[int]) -> bool:
        """Whether the targets of these goals can be told."""
        return RowJudge.takes(self._judge, given)

    def table_for(self, given: np.ndarray | None) -> np.ndarray:
        """The table for calls that bring the targets that ``given`` marks."""
        if given is None:
            return self._table
        table = self._table.copy()
        table[kernel.T_GIVEN : kernel.T_GIVEN + 2] = given.ctypes.data, given.size
        self._targets.append(given)
        return table

    def place(self, anchor: np.ndarray) -> None:
        """Have the frames of a pose that what is kept means."""
        kernel.check_pose(self._table, anchor, anchor, _NOTHING, 0)
