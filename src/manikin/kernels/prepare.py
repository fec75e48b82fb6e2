"""Everything compiled now, so that no call waits for it: what `manikin warmup` does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

from manikin.kernels import jit
from manikin.kernels.stamps import ROOM

#: Called after each entry with its name and the seconds it took.
Progress = Callable[[str, float], None]


def is_ready() -> bool:
    """Whether all entries come from the library that was compiled ahead."""
    return jit.PREBUILT is not None


def build_library() -> bool:
    """Make the library for this machine, with its own line of progress on stderr; whether it could be made.

    It can where Numba, a C compiler and Python's headers are, and the package's folder may be written to.
    """
    if not os.access(ROOM, os.W_OK):
        return False
    command = [sys.executable, "-m", "manikin.kernels.prebuild"]
    return (
        subprocess.run(command, stdout=subprocess.DEVNULL, env={**os.environ, "MANIKIN_JIT": "1"}).returncode
        == 0
    )


def call_all(progress: Progress | None = None) -> dict[str, float]:
    """Call every entry once: loads it, or compiles it by Numba. Returns seconds by name."""
    from manikin.kernels.warmup import calls

    taken = {}
    for name, call in calls().items():
        begin = perf_counter()
        call()
        taken[name] = perf_counter() - begin
        if progress is not None:
            progress(name, taken[name])
    return taken
