"""Kernels that are no entries run here as plain Python, their views and lanes by NumPy (`manikin.toolchain.plain`)."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from manikin.toolchain.plain import Four


class _CompiledMath:
    """`math` as compiled code knows it: of four lanes too, and no number where Python raises an exception."""

    def __getattr__(self, name):
        def of(*numbers):
            if any(isinstance(x, Four) for x in numbers):
                return getattr(np, name)(*numbers)
            try:
                return getattr(math, name)(*numbers)
            except ValueError:
                return math.nan

        return of if callable(getattr(math, name)) else getattr(math, name)


@pytest.fixture
def compiled_math(monkeypatch):
    """Kernels that run as plain Python call `_CompiledMath`."""
    for name, module in list(sys.modules.items()):
        if name.startswith("manikin.kernels.") and getattr(module, "math", None) is math:
            monkeypatch.setattr(module, "math", _CompiledMath())
