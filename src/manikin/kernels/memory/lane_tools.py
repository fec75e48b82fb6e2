"""What code for one number or four lanes needs besides arithmetic: views of lanes, masks together, and any of them.

`lane_view1` and `lane_view2` see a stretch of a plain float array as lanes, four numbers an item; the address of the
first must be a multiple of 32 bytes (`aligned_zeros`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from manikin.kernels.jit import LOWERING
from manikin.toolchain.plain import any_of, both

__all__ = ["aligned_copy", "aligned_zeros", "any_of", "both", "lane_view1", "lane_view2", "lane_view3"]

#: Bytes of a line of the cache: what begins on one is loaded without crossing to the next.
_LINE = 64


def aligned_zeros(size: int, dtype: npt.DTypeLike = np.float64) -> np.ndarray:
    """Zeros at an address that loads and stores of lanes accept, at the beginning of a line of the cache."""
    raw = np.zeros(size * np.dtype(dtype).itemsize + _LINE, np.uint8)
    first = -raw.ctypes.data % _LINE
    return raw[first : first + size * np.dtype(dtype).itemsize].view(dtype)


def aligned_copy(array: np.ndarray) -> np.ndarray:
    """A copy of a flat array at such an address."""
    copy = aligned_zeros(len(array), array.dtype)
    copy[:] = array
    return copy


if LOWERING:
    from manikin.toolchain.intrinsics.lane_tools import lane_view1, lane_view2, lane_view3
else:
    from manikin.toolchain.plain import lane_view1, lane_view2, lane_view3
