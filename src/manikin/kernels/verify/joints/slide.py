"""A slide along z."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.joint import Joint


@kernel(exact=True)
def _move(W, k, a, s, c, s2, c2, turn, place):
    v = W[k]
    return turn, (place[0] + v * turn[2], place[1] + v * turn[5], place[2] + v * turn[8])


JOINT = Joint(_move)
