"""A twist about z by the third value, then a swing by the vector of the first two."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import chained
from manikin.kernels.verify.joint import Joint
from manikin.kernels.verify.joints.swing_twist import swing_angles
from manikin.kernels.verify.turning import by_half, turned


@kernel(exact=True)
def _move(W, k, a, s, c, s2, c2, turn, place):
    swing = by_half(W[k], W[k + 1], 0.0 * W[k], a, c, s)
    return chained(turned(turn, c2, s2), swing), place


JOINT = Joint(_move, swing_angles, twists=True)
