"""Which kernels the tests run: those compiled ahead, or Numba's.

`tests/kernels` calls what only compiled code can call, so it needs Numba's (``MANIKIN_JIT=1``): set where nothing else
is asked for, and skipped in a run that has other tests too. ``--without-numba`` puts Numba out of reach.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# No test depends on the clock.
settings.register_profile("manikin", deadline=None)
settings.load_profile("manikin")

KERNELS = Path(__file__).parent / "kernels"


class _Refuse:
    """An importer that has neither Numba nor llvmlite."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numba", "llvmlite"):
            raise ModuleNotFoundError(f"No module named {name!r} (out of reach in this run)", name=name)


def pytest_addoption(parser):
    parser.addoption("--without-numba", action="store_true", help="nothing can import Numba")


def pytest_configure(config):
    asked_for = [Path(str(arg).split("::")[0]).resolve() for arg in config.args]
    if asked_for and all(KERNELS in (path, *path.parents) for path in asked_for):
        os.environ.setdefault("MANIKIN_JIT", "1")
    if config.getoption("--without-numba"):
        sys.meta_path.insert(0, _Refuse())


def pytest_collection_modifyitems(items):
    needing = [item for item in items if KERNELS in item.path.parents]
    if not needing:
        return
    from manikin.kernels import jit

    if jit.PREBUILT is not None:
        skip = pytest.mark.skip(
            reason="calls kernels that are no entries: MANIKIN_JIT=1 pytest tests/kernels"
        )
        for item in needing:
            item.add_marker(skip)
