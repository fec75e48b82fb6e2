"""Build hook: a wheel with compiled kernels.

MANIKIN_LEVELS   which levels of CPU, comma-separated: "v4,v3,v2" on x86-64, "arm64" for Arm (cross-built on x86-64
                 where aarch64-linux-gnu-gcc is there). Unset: this machine's own level. "none": a plain wheel, whose
                 kernels Numba compiles where they are used (the extra `jit`); so it is too without a C compiler.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The front end leans on Numba's inside, so its version is pinned; llvmlite comes with it.
NUMBA = "numba==0.68.1"


class PrebuiltKernels(BuildHookInterface):
    """Compiles the kernels ahead and puts them into the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs besides hatchling."""
        return [] if self._plain() else [NUMBA, "numpy>=2"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the files are collected. An editable installation builds nothing: `make` does."""
        if version == "editable" or self._plain():
            return
        root = Path(self.root)
        out = root / "build" / "wheel"
        # Behind the sources whatever pip's isolated environment has there, NumPy and Numba among it.
        path = os.pathsep.join(filter(None, [str(root / "src"), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path}
        levels = os.environ.get("MANIKIN_LEVELS", "")
        command = [sys.executable, "-m", "manikin.toolchain", "--wheel", "--into", str(out)]
        command += ["--keep", str(root / "build" / "kernels")] + (
            ["--levels", levels] if levels else ["--if-possible"]
        )
        done = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True)
        tag, *modules = done.stdout.split()
        if tag == "any":
            self.app.display_warning(
                "the kernels could not be compiled, as said above: the wheel has none and needs the extra `jit`"
            )
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{tag}"
        for module in modules:
            build_data["force_include"][module] = f"manikin/kernels/{Path(module).name}"

    def _plain(self) -> bool:
        return os.environ.get("MANIKIN_LEVELS") == "none" or sys.platform != "linux"
