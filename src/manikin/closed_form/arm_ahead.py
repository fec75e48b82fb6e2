"""Where a limb's solution will be if its target moves on as it did last: by the same turn and the same way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manikin.kernels.limb import track

# Where a limb cannot follow exactly, a step searches all solutions, up to some milliseconds: so many such steps are
# foreseen, and the values move on steadily from there.
_SEARCHED = 4
# What is foreseen is kept for the next sample if target and solution are as foreseen to this, metres and radians: a
# tenth of what plans take for rounding, so that what is left of a plan is still possible.
_SAME = 1e-13

#: One step of a tracker towards a target (4, 4) with the numbers of a limb, into a row (1, 7) and a status (1,).
Advance = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], None]


class ArmAhead:
    """The solutions of a tracker's next targets, found one after the other by its own steps on a copy of its state."""

    def __init__(self, spec: np.ndarray, real: slice, advance: Advance) -> None:
        self._spec, self._real, self._advance = np.empty_like(spec), real, advance
        self._row, self._status = np.empty((1, 7)), np.zeros(1, dtype=np.int64)
        self.restart()

    def restart(self) -> None:
        """Forget all targets."""
        self._targets: list[np.ndarray] = []
        """The last target, and those foreseen …"""
        self._rows: list[np.ndarray] = []
        """… the values there …"""
        self._searched: list[bool] = []
        """… and whether they were searched for."""

    def begin(self, spec: np.ndarray, row: np.ndarray, target: np.ndarray) -> None:
        """A target has been followed to these seven values, which left these numbers."""
        known = self._targets
        if len(known) > 1 and self._is_same(known[1], target) and self._is_same(self._rows[1], row):
            del known[0], self._rows[0], self._searched[0]
            return
        self._spec[:] = spec
        self._turn, self._way = np.eye(3), np.zeros(3)
        if known:
            self._turn = target[:3, :3] @ known[0][:3, :3].T
            self._way = target[:3, 3] - known[0][:3, 3]
        self._targets, self._rows, self._searched = [target.copy()], [row.copy()], [False]

    @staticmethod
    def _is_same(one: np.ndarray, other: np.ndarray) -> bool:
        return bool(np.abs(one - other).max() < _SAME)

    def __call__(self, count: int) -> np.ndarray:
        """The values (count, n) at the next targets."""
        rows = self._rows
        while len(rows) <= count and sum(self._searched) < _SEARCHED:
            target = self._targets[-1].copy()
            target[:3, :3] = self._turn @ target[:3, :3]
            target[:3, 3] += self._way
            self._advance(self._spec, target, self._row, self._status)
            self._targets.append(target)
            rows.append(self._row[0].copy())
            self._searched.append(bool(self._status[0] % track.PROJECTED != track.FOLLOWED))
        found = np.array(rows[1 : count + 1])
        more = np.arange(1.0, count - len(found) + 1.0)[:, None]
        return np.concatenate([found, rows[-1] + more * (rows[-1] - rows[-2])])[:, self._real]
