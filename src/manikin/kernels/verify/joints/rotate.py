"""A turn about z."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.joint import Joint
from manikin.kernels.verify.turning import turned


@kernel(exact=True)
def _move(W, k, a, s, c, s2, c2, turn, place):
    return turned(turn, c, s), place


JOINT = Joint(_move)
