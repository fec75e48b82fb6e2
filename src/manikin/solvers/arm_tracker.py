"""`ArmTracker`: a limb that follows a moving target, one sample a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import SolveError
from manikin.kernels import limb, limb_candidates, limb_track
from manikin.kernels.lanes import aligned

if TYPE_CHECKING:
    from manikin.solvers.arm import Arm

#: What `ArmTracker.status` says, by number; 4 more, and the target was beyond reach.
STATUSES = ("followed", "flipped", "position only", "held")


class ArmTracker:
    """Follows targets from seven start values; `q` is where the limb is.

    Each step takes, of all solutions with one angle of shoulder or wrist where it was, the nearest, moved along its
    swivel to the least Σ(θ − θ⁰)². `status` tells how the last target was met: ``"followed"``; ``"flipped"``, when no
    angle could stay and the nearest solution of all was taken; ``"position only"``, the wrist unmoved; ``"held"``, when
    even that had no solution; `projected` tells whether the target was beyond reach and its nearest reachable
    point was taken.
    """

    def __init__(self, arm: Arm, start: np.ndarray | Sequence[float]) -> None:
        self._spec = arm._spec.copy()
        self._rigid = np.empty_like(self._spec)
        self._space = np.empty(limb_track.SPACE)
        self._box = aligned(limb_candidates.BOX)
        limb_track.prepare(self._spec, self._box)
        self._out = np.empty((1, 7))
        self._statuses = np.zeros(1, dtype=np.int64)
        self.q = self._out[0]
        """The seven values now; the next step overwrites them."""
        self.restart(start)

    def restart(self, start: np.ndarray | Sequence[float]) -> None:
        """Begin again from seven values."""
        values = np.asarray(start, dtype=np.float64)
        if values.shape != (7,) or not np.isfinite(values).all():
            raise SolveError(f"arm: expected 7 finite start values, got {start!r}")
        spec = self._spec
        offset, factor = spec[limb.OFFSET : limb.OFFSET + 7], spec[limb.FACTOR : limb.FACTOR + 7]
        spec[limb.BEFORE : limb.BEFORE + 7] = values / factor + offset
        self._out[0] = values
        self._statuses[0] = 0

    def step(self, target: Any) -> np.ndarray:
        """The next seven values, for a target 4×4 in the world; the same array every time, nothing is allocated."""
        limb_track.track_one(
            self._spec, self._rigid, _single(target), self._box, self._space, self._out, self._statuses
        )
        return self.q

    @property
    def status(self) -> str:
        """How the last target was met."""
        return STATUSES[int(self._statuses[0]) % 4]

    @property
    def projected(self) -> bool:
        """Whether the last target was beyond reach."""
        return bool(self._statuses[0] >= limb_track.PROJECTED)

    def follow(self, targets: Any) -> tuple[np.ndarray, np.ndarray]:
        """The values (T, 7) for targets (T, 4, 4), and how each was met (T,), as numbers into `STATUSES`."""
        matrices = np.ascontiguousarray(targets, dtype=np.float64)
        if matrices.ndim != 3 or matrices.shape[1:] != (4, 4):
            raise SolveError(f"arm: expected targets of shape (T, 4, 4), got {matrices.shape}")
        if not np.isfinite(matrices).all():
            raise SolveError("arm: the targets must be finite")
        out = np.empty((len(matrices), 7))
        statuses = np.zeros(len(matrices), dtype=np.int64)
        limb_track.track(self._spec, self._rigid, matrices, self._box, self._space, out, statuses)
        if len(out):
            self._out[0], self._statuses[0] = out[-1], statuses[-1]
        return out, statuses


def _single(target: Any) -> np.ndarray:
    from manikin.solvers.arm import _matrix

    return _matrix(target)
