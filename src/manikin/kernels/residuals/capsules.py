"""Tapered capsules of a segment: two points in the frame of their motion, and a radius at each; eight numbers."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.residuals.errors import world_point
from manikin.kernels.residuals.frames import into

CAPSULE = 8


@kernel
def to_base(frames, a, b, x):
    """The point x of motion a in the frame of motion b."""
    return into(frames, b, world_point(frames, a, x))


@kernel
def to_world(frames, b, x):
    """The point x of motion b in the world."""
    if b == 0:
        return x
    return world_point(frames, b, x)
