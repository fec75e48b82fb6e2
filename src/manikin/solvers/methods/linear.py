"""The least-squares method where some linear constraints are rows of the problem: calls of the kernels of its own.

Loaded, or compiled, when the first such problem is solved.
"""

from __future__ import annotations

from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.kernels.memory import layout
from manikin.kernels.projection.solve import OUT_ERRORS
from manikin.kernels.search.linear import END_X, lm_linear
from manikin.kernels.search.linear_layout import allocate_linear
from manikin.solvers.methods.least_squares import MANY, NOWHERE, _nothing, general

if TYPE_CHECKING:
    from manikin.solvers.methods.least_squares import LeastSquares
    from manikin.solvers.pack.packing import Notes, Packed

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


def polish(
    packed: Packed,
    fast: LeastSquares,
    x: np.ndarray,
    q: np.ndarray,
    out: np.ndarray,
    budget: int,
    deadline: float | None = None,
) -> None:
    """Newton's steps, or with many variables `projection`, from q with the variables x to a point without slope, into q
    and out.
    """
    if len(packed.variables) > MANY:
        q[packed.variables] = x
        if packed.ties is not None:
            packed.ties.complete(q)
        out[:] = general(packed, q, deadline)
        return
    from manikin.kernels.search.linear_newton import newton_linear

    load_newton(packed)
    newton_linear(
        packed.structure,
        packed.parameters,
        packed.workspace,
        fast.ints,
        fast.reals,
        fast.linear,
        q,
        x,
        out,
        budget,
    )


def load_polish(packed: Packed) -> None:
    """Load, or compile, what `polish` calls."""
    if len(packed.variables) <= MANY:
        load_newton(packed)
        return
    begun = perf_counter()
    from manikin.solvers.methods import projection

    projection.load()
    packed.note().loading += perf_counter() - begun


@cache
def _load() -> None:
    ints, reals = _nothing()
    arrays = layout.empty()
    room, out = allocate_linear(arrays[0], ints), np.zeros(OUT_ERRORS)
    ends = np.zeros((0, END_X))
    lm_linear(*arrays, ints, reals, room, np.zeros(0), NOWHERE, out, _NONE, 0, ends, 1, 1)


@cache
def _load_newton() -> None:
    from manikin.kernels.search.linear_newton import newton_linear

    ints, reals = _nothing()
    arrays = layout.empty()
    room, out = allocate_linear(arrays[0], ints), np.zeros(OUT_ERRORS)
    newton_linear(*arrays, ints, reals, room, np.zeros(0), NOWHERE, out, 1)


def _noted(notes: Notes, loader: Any) -> None:
    if not loader.cache_info().currsize:
        begun = perf_counter()
        loader()
        notes.loading += perf_counter() - begun


def load(packed: Packed) -> None:
    """Load, or compile, the search, and note how long it took."""
    _noted(packed.note(), _load)


def load_newton(packed: Packed) -> None:
    """Load, or compile, Newton's steps, and note how long it took."""
    _noted(packed.note(), _load_newton)
