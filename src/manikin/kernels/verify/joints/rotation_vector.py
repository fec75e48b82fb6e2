"""The rotation of a vector of three values."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import chained
from manikin.kernels.verify.joint import Joint
from manikin.kernels.verify.turning import by_half, half_length


@kernel(exact=True)
def _angles(W, k):
    return half_length(W[k], W[k + 1], W[k + 2]), 0.0 * W[k]


@kernel(exact=True)
def _move(W, k, a, s, c, s2, c2, turn, place):
    return chained(turn, by_half(W[k], W[k + 1], W[k + 2], a, c, s)), place


JOINT = Joint(_move, _angles)
