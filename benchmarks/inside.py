"""Loops inside compiled code: by Numba where it compiles the kernels, in Python where they came compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manikin.kernels import jit

#: Why a measurement that calls kernels which are no entries cannot be made; empty where it can.
REASON = (
    "" if jit.PREBUILT is None else "needs the kernels compiled by Numba: MANIKIN_JIT=1 python -m benchmarks"
)


def inside(function: Callable | None = None, **options: Any) -> Any:
    """``numba.njit`` where Numba compiles the kernels, else the function itself, which then may call entries only."""
    if function is None:
        return lambda f: inside(f, **options)
    if REASON:
        return function
    import numba

    return numba.njit(**options)(function)
