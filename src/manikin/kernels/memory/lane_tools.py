"""What code for one number or four lanes needs besides arithmetic: views of lanes, masks together, and any of them.

`lane_view1` and `lane_view2` see a stretch of a plain float array as lanes, four numbers an item; the address of the
first must be a multiple of 32 bytes (`aligned_zeros`).
"""

from __future__ import annotations

import numpy as np

from manikin.kernels.jit import PREBUILT, only_compiled
from manikin.kernels.memory.lanes import WIDTH


def aligned_zeros(size: int) -> np.ndarray:
    """Zeros at an address that loads and stores of lanes accept."""
    raw = np.zeros(size + WIDTH)
    first = (-raw.ctypes.data % (8 * WIDTH)) // 8
    return raw[first : first + size]


def aligned_copy(array: np.ndarray) -> np.ndarray:
    """A copy of a flat array at such an address."""
    copy = aligned_zeros(len(array))
    copy[:] = array
    return copy


def any_of(mask):
    """Whether the mask holds, in any lane."""
    return bool(mask)


def both(mask, other):
    """Where both masks hold."""
    return mask and other


if PREBUILT is None:
    from manikin.kernels.intrinsics.lane_tools import lane_view1, lane_view2, lane_view3
else:
    lane_view1 = lane_view2 = lane_view3 = only_compiled
