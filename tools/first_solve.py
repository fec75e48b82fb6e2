"""Import every module that needs no extra, solve the README's first problem and ask the command for its version.

python tools/first_solve.py

For machines that have no compiled kernels: there Numba compiles what a solve calls.
"""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import manikin
from manikin.errors import MissingExtraError


def modules() -> list[str]:
    """All modules of the package by name, but those that a compiler or a graphics card reads."""
    found = [entry.name for entry in pkgutil.walk_packages(manikin.__path__, "manikin.")]
    return [
        name for name in found if not name.startswith(("manikin.toolchain.intrinsics", "manikin.kernels.gpu"))
    ]


def main() -> int:
    """Import, solve, ask."""
    absent = 0
    for name in modules():
        if name == "manikin.__main__" or "._prebuilt" in name:
            continue
        try:
            importlib.import_module(name)
        except (MissingExtraError, ModuleNotFoundError) as problem:
            if isinstance(problem, ModuleNotFoundError) and str(problem.name).startswith("manikin"):
                raise
            absent += 1
            print(f"{name}: {problem}")
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    exec(readme.partition("```python\n")[2].partition("```")[0], {})
    return subprocess.run([sys.executable, "-m", "manikin", "--version"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
