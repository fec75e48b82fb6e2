"""A turn about the frame's z axis. The walk (`tree.sweep`) applies it to the placement, in registers."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.tree.motion import Motion


@kernel
def _twist(frames, spins, i, c):
    return 0.0, 0.0, 0.0, frames[i, 2], frames[i, 5], frames[i, 8]


MOTION = Motion(1, twist=_twist)
