"""Everything compiled now, so that no call waits for it: what `manikin warmup` does."""

from __future__ import annotations

import os
import subprocess
import sys

from manikin.toolchain.digest import KERNELS
from manikin.toolchain.levels import BuildError, own_level
from manikin.toolchain.link import can_link


def compile_all(as_library: bool = True) -> None:
    """Make the library for this machine, with a line of progress on stderr; a `BuildError` if that fails.

    Without a C compiler or Python's headers, or if the package's folder cannot be written to, it makes the object
    files alone, which Python loads when an entry is first called.
    """
    command = [sys.executable, "-m", __package__]
    if not as_library or not os.access(KERNELS, os.W_OK) or can_link(own_level()):
        command.append("--objects")
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode:
        raise BuildError("the kernels could not be compiled")
