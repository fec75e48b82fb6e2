"""A swing by the vector of the first two values, then a twist about z by the third."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import chained
from manikin.kernels.verify.joint import Joint
from manikin.kernels.verify.turning import by_half, half_length, turned


@kernel(exact=True)
def swing_angles(W, k):
    """Half the angle of the swing, and the twist."""
    return half_length(W[k], W[k + 1], 0.0 * W[k]), W[k + 2]


@kernel(exact=True)
def _move(W, k, a, s, c, s2, c2, turn, place):
    swing = by_half(W[k], W[k + 1], 0.0 * W[k], a, c, s)
    return turned(chained(turn, swing), c2, s2), place


JOINT = Joint(_move, swing_angles, twists=True)
