"""Views, lanes and the stack for kernels that run as plain Python, which is how their inside is tested.

Compiled code has its own of these (`intrinsics`). Here a view is a NumPy array on the same memory, a number of four
lanes a `Four`.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

#: Lanes of a number.
WIDTH = 4


class Four(np.ndarray):
    """Four numbers, or four truth values: a value, which nothing changes."""

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return self + other

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        return self - other

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        return self * other


class LaneView:
    """A view whose items are `Four`."""

    def __init__(self, numbers: np.ndarray) -> None:
        self.numbers = numbers
        self.shape = numbers.shape[:-1]

    def __getitem__(self, place: Any) -> Any:
        found = self.numbers[place]
        return found.copy().view(Four) if found.ndim == 1 else LaneView(found)

    def __setitem__(self, place: Any, value: Any) -> None:
        self.numbers[place] = value


def _from(array: Any, offset: int, *shape: int) -> np.ndarray:
    """So many items of an array or view from an offset on, behind its end too if memory goes on there."""
    first = array.reshape(-1)[offset:]
    return np.lib.stride_tricks.as_strided(first, shape, np.zeros(shape, array.dtype).strides)


def view1(array: Any, offset: int, n0: int) -> Any:
    """``array[offset : offset + n0]`` as a view."""
    return _from(array, offset, n0)


def view2(array: Any, offset: int, n0: int, n1: int) -> Any:
    """The ``n0 × n1`` items of ``array`` from ``offset`` on, row by row, as a view."""
    return _from(array, offset, n0, n1)


def view3(array: Any, offset: int, n0: int, n1: int, n2: int) -> Any:
    """The ``n0 × n1 × n2`` items of ``array`` from ``offset`` on, as a view."""
    return _from(array, offset, n0, n1, n2)


def whole_view1(array: Any, offset: int, n0: int) -> Any:
    """``n0`` whole numbers that lie where ``array[offset : offset + n0]``, of floats, does."""
    return _from(array.view(np.int64), offset, n0)


def integers_at(address: int, size: int) -> Any:
    """The int64 numbers at an address, which whoever calls keeps alive."""
    return np.ctypeslib.as_array((ctypes.c_int64 * size).from_address(int(address)))


def reals_at(address: int, size: int) -> Any:
    """The float64 numbers at an address, which whoever calls keeps alive."""
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(int(address)))


def lane_view1(array: Any, offset: int, n0: int) -> Any:
    """``n0`` items of four lanes from ``array[offset]`` on."""
    return LaneView(_from(array, offset, n0, WIDTH))


def lane_view2(array: Any, offset: int, n0: int, n1: int) -> Any:
    """``n0 × n1`` items of four lanes from ``array[offset]`` on, row by row."""
    return LaneView(_from(array, offset, n0, n1, WIDTH))


def lane_view3(array: Any, offset: int, n0: int, n1: int, n2: int) -> Any:
    """``n0 × n1 × n2`` items of four lanes from ``array[offset]`` on."""
    return LaneView(_from(array, offset, n0, n1, n2, WIDTH))


def lanes(array: Any) -> Any:
    """An array whose last axis is the lanes as an array of lanes, one axis less."""
    return LaneView(array)


def widen(x: float) -> Any:
    """The same number in every lane."""
    return np.full(WIDTH, x).view(Four)


def stack1(n0: int) -> Any:
    """``n0`` numbers that live as long as the call, not set to anything."""
    return np.full(n0, np.nan)


def stack2(n0: int, n1: int) -> Any:
    """``n0 × n1`` numbers that live as long as the call, not set to anything."""
    return np.full((n0, n1), np.nan)


def select(mask: Any, yes: Any, no: Any) -> Any:
    """``yes`` where ``mask`` holds, else ``no``; never a branch, lane by lane for lanes."""
    if isinstance(mask, Four):
        return np.where(mask, yes, no).view(Four)
    return yes if mask else no


def quadrant(k: Any) -> Any:
    """Parities (k mod 2 ≠ 0, k mod 4 ≥ 2, (k + 1) mod 4 ≥ 2) of a whole number held as a float."""
    q = k.astype(np.int64) if isinstance(k, Four) else int(k) if math.isfinite(k) else 0
    return (q & 1) != 0, (q & 2) != 0, ((q + 1) & 2) != 0


def round_down(x: Any) -> Any:
    """Largest whole number not above ``x``, as a float."""
    return np.floor(x) if isinstance(x, Four) else float(np.floor(x))


def any_of(mask: Any) -> bool:
    """Whether the mask holds, in any lane."""
    return bool(np.any(mask))


def both(mask: Any, other: Any) -> Any:
    """Where both masks hold."""
    return mask & other
