"""A limb's closed form that follows targets, sample after sample."""

from __future__ import annotations

import numpy as np

from manikin.kernels.limb import candidates, carried, carried_track, limb, track
from manikin.kernels.memory.lanes import aligned


class LimbTrack:
    """Seven values, and what their next step begins with.

    spec: the limb's numbers (`kernels.limb.limb`). rail: how its angles move what carries it, None if they do not.
    out, statuses: the values now, (1, 7), and how the last target was met, (1,).
    """

    def __init__(self, spec: np.ndarray, rail: np.ndarray | None) -> None:
        self.spec, self.rail = spec.copy(), rail
        self.rigid = np.empty_like(self.spec)
        self.space = np.empty(track.SPACE)
        self.out, self.statuses = np.empty((1, 7)), np.zeros(1, dtype=np.int64)
        self._room, self._box = np.empty(carried.ROOM), aligned(candidates.BOX)
        track.prepare(self.spec, self._box)

    def resume(self, row: np.ndarray) -> None:
        """Be at the closed form's seven values."""
        spec = self.spec
        offset, factor = spec[limb.OFFSET : limb.OFFSET + 7], spec[limb.FACTOR : limb.FACTOR + 7]
        spec[limb.BEFORE : limb.BEFORE + 7] = row / factor + offset
        spec[limb.SWIVEL : limb.ROW] = 0.0
        self.out[0] = row
        self.statuses[0] = 0

    def step(self, matrix: np.ndarray) -> None:
        """The next values."""
        self.step_with(self.spec, matrix, self.out, self.statuses)

    def step_with(self, spec: np.ndarray, matrix: np.ndarray, out: np.ndarray, statuses: np.ndarray) -> None:
        """The next values with the numbers of a limb, as seven values in row 0 of `out`."""
        if self.rail is not None:
            self._carried(spec, matrix[None], out, statuses)
        else:
            track.track_one(spec, self.rigid, matrix, self._box, self.space, out, statuses)

    def run(self, matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Many steps, as seven values each, and how each target was met."""
        out = np.empty((len(matrices), 7))
        statuses = np.zeros(len(matrices), dtype=np.int64)
        if self.rail is not None:
            self._carried(self.spec, matrices, out, statuses)
        else:
            track.track(self.spec, self.rigid, matrices, self._box, self.space, out, statuses)
        if len(out):
            self.out[0], self.statuses[0] = out[-1], statuses[-1]
        return out, statuses

    def _carried(self, spec: np.ndarray, matrices: np.ndarray, out: np.ndarray, statuses: np.ndarray) -> None:
        """Follow with what carries the limb moving too."""
        matrices = np.ascontiguousarray(matrices)
        carried_track.track_carried(
            spec, self.rail, self.rigid, matrices, self._box, self.space, self._room, out, statuses
        )
