"""Which kernels the tests run: those compiled ahead, or with ``MANIKIN_JIT=1`` those compiled when they are called.

``--without-numba`` puts Numba out of reach.
"""

from __future__ import annotations

import sys

from hypothesis import settings

# No test depends on the clock.
settings.register_profile("manikin", deadline=None)
settings.load_profile("manikin")


class _Refuse:
    """An importer that has neither Numba nor llvmlite."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numba", "llvmlite"):
            raise ModuleNotFoundError(f"No module named {name!r} (out of reach in this run)", name=name)


def pytest_addoption(parser):
    parser.addoption("--without-numba", action="store_true", help="nothing can import Numba")


def pytest_configure(config):
    if config.getoption("--without-numba"):
        sys.meta_path.insert(0, _Refuse())
