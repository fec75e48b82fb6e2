"""A slide along the frame's z axis. The walk (`tree.sweep`) does it, in registers."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.tree.motion import Motion


@kernel
def _twist(frames, spins, i, c):
    return frames[i, 2], frames[i, 5], frames[i, 8], 0.0, 0.0, 0.0


MOTION = Motion(1, twist=_twist)
