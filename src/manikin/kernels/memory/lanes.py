"""Four problems in one register: a ``<4 x double>`` number for Numba.

A kernel is plain scalar code over arrays. Handed arrays whose items are this type instead of ``float64``, the
same source compiles to SIMD code that runs four problems side by side. `lanes` makes such an array out of an
ordinary one whose last axis has length 4, without copying:

    frames = lanes(np.empty((m, 12, 4)))      # inside compiled code: frames[i, k] is four numbers

Arithmetic mixes with ``float64`` (which is broadcast). Comparisons give a mask that only `select` consumes:
code for lanes branches on structure and selects on data.
"""

from __future__ import annotations

import math

import numpy as np

from manikin.kernels.jit import PREBUILT, only_compiled

WIDTH = 4


def aligned(rows: int) -> np.ndarray:
    """An array (rows, 4) that begins where a register may be loaded from."""
    room = np.zeros(rows * WIDTH + WIDTH)
    skip = -room.ctypes.data // 8 % WIDTH
    return room[skip : skip + rows * WIDTH].reshape(rows, WIDTH)


def select(mask, yes, no):
    """``yes`` where ``mask`` holds, else ``no``; never a branch, lane by lane for lanes."""
    return yes if mask else no


def quadrant(k):
    """Parities (k mod 2 ≠ 0, k mod 4 ≥ 2, (k + 1) mod 4 ≥ 2) of a whole number held as a float."""
    q = int(k)
    return (q & 1) != 0, (q & 2) != 0, ((q + 1) & 2) != 0


def round_down(x):
    """Largest whole number not above ``x``, as a float."""
    return math.floor(x)


if PREBUILT is None:
    from manikin.kernels.intrinsics.lanes import lanes, widen
else:
    lanes = widen = only_compiled
