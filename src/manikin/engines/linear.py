"""The least-squares method where some linear constraints are rows of the problem: calls of the kernels of its own.

Loaded, or compiled, when the first such problem is solved.
"""

from __future__ import annotations

from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.least_squares import NOWHERE, _nothing
from manikin.kernels.memory import layout
from manikin.kernels.pose.report import OUT_ERRORS
from manikin.kernels.search.linear import END_X, lm_linear
from manikin.kernels.search.linear_layout import allocate_linear

if TYPE_CHECKING:
    from manikin.engines.least_squares import LeastSquares
    from manikin.plan.packing import Packed

_NONE = np.zeros((0, 0))


def from_seeds(
    packed: Packed,
    fast: LeastSquares,
    q: np.ndarray,
    out: np.ndarray,
    given: np.ndarray,
    first: int,
    ends: np.ndarray,
    budget: int,
    patience: int,
) -> int:
    """Search from seed number ``first`` and those after it, a row of ``ends`` each: the row of the first that meets
    every goal, with its q and out, or −1.
    """
    return lm_linear(
        packed.structure,
        packed.parameters,
        packed.workspace,
        fast.ints,
        fast.reals,
        fast.linear,
        q,
        NOWHERE,
        out,
        given,
        first,
        ends,
        budget,
        patience,
    )


@cache
def _load() -> None:
    ints, reals = _nothing()
    arrays = layout.empty()
    room, out = allocate_linear(arrays[0], ints), np.zeros(OUT_ERRORS)
    ends = np.zeros((0, END_X))
    lm_linear(*arrays, ints, reals, room, np.zeros(0), NOWHERE, out, _NONE, 0, ends, 1, 1)


def load(packed: Packed) -> None:
    """Load, or compile, the search, and note how long it took."""
    if not _load.cache_info().currsize:
        begun = perf_counter()
        _load()
        packed.note().loading += perf_counter() - begun
