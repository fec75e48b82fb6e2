"""The same kernels for the GPU, in single precision: one source for all targets.

`device(kernel)` compiles the Python source of a kernel again as a CUDA device function, and with it every kernel that
it calls. Its literals become ``float32`` (a bare 0.5 would make a ``float64`` of everything it touches), and the few
functions that choose between numbers by machine-dependent means (`lanes`) get their plain counterparts.

Needs the extra: ``pip install "manikin[cuda]"``.
"""

from __future__ import annotations

import math
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from manikin.errors import MissingExtraError
from manikin.kernels.memory import lanes

try:
    from numba import cuda
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise MissingExtraError('solving on the GPU needs an extra: pip install "manikin[cuda]"') from error


def _single(value: Any) -> Any:
    """A literal in single precision; anything but a float as it is."""
    if isinstance(value, CodeType):
        return _in_single(value)
    return np.float32(value) if type(value) is float else value


def _in_single(code: CodeType) -> CodeType:
    return code.replace(co_consts=tuple(_single(value) for value in code.co_consts))


def _select(mask, yes, no):
    return yes if mask else no


def _quadrant(k):
    q = int(k)
    return (q & 1) != 0, (q & 2) != 0, ((q + 1) & 2) != 0


def _round_down(x):
    return np.float32(math.floor(x))


_PLAIN = {lanes.select: _select, lanes.quadrant: _quadrant, lanes.round_down: _round_down}
_made: dict[Any, Any] = {}


def device(function: Any) -> Any:
    """The CUDA device function of a kernel, in single precision."""
    if function in _made:
        return _made[function]
    source = function.py_func if isinstance(function, Dispatcher) else _PLAIN[function]
    scope = {}
    for name, value in source.__globals__.items():
        if name in source.__code__.co_names:
            known = isinstance(value, Dispatcher) or (isinstance(value, FunctionType) and value in _PLAIN)
            scope[name] = device(value) if known else _single(value)
    copy = FunctionType(_in_single(source.__code__), scope, source.__name__, source.__defaults__)
    _made[function] = cuda.jit(device=True)(copy)
    return _made[function]
