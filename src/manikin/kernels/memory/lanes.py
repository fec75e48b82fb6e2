"""Four problems in one register: a ``<4 x double>`` number for Numba.

A kernel is plain scalar code over arrays. Handed arrays whose items are this type instead of ``float64``, the
same source compiles to SIMD code that runs four problems side by side. `lanes` makes such an array out of an
ordinary one whose last axis has length 4, without copying:

    frames = lanes(np.empty((m, 12, 4)))      # inside compiled code: frames[i, k] is four numbers

Arithmetic mixes with ``float64`` (which is broadcast). Comparisons give a mask that only `select` consumes:
code for lanes branches on structure and selects on data.
"""

from __future__ import annotations

import numpy as np

from manikin.kernels.jit import LOWERING
from manikin.toolchain.plain import WIDTH, quadrant, round_down, select

__all__ = ["WIDTH", "aligned", "lanes", "quadrant", "round_down", "select", "widen"]


def aligned(rows: int) -> np.ndarray:
    """An array (rows, 4) that begins where a register may be loaded from."""
    room = np.zeros(rows * WIDTH + WIDTH)
    skip = -room.ctypes.data // 8 % WIDTH
    return room[skip : skip + rows * WIDTH].reshape(rows, WIDTH)


if LOWERING:
    from manikin.toolchain.intrinsics.lanes import lanes, widen
else:
    from manikin.toolchain.plain import lanes, widen
