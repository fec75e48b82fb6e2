"""Where OpenSim and the data to compare with are; tests that need one that is missing are skipped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DATA = HERE / "data"
SHARED = Path(__file__).parents[4] / "shared" / "data" / "markers"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs the captures of ../shared/data/markers")


def opensim_python() -> str | None:
    """A Python that has opensim: the one that OPENSIM_PYTHON names, or this one."""
    for python in (os.environ.get("OPENSIM_PYTHON"), sys.executable):
        if python and subprocess.run([python, "-c", "import opensim"], capture_output=True).returncode == 0:
            return python
    return None


def opensim(*arguments: object) -> None:
    """Let OpenSim compute; skips the test where there is none."""
    python = opensim_python()
    if python is None:
        pytest.skip("needs OpenSim: pip install opensim, in this environment or in that of OPENSIM_PYTHON")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run(
        [python, str(HERE / "oracle.py"), *map(str, arguments)],
        check=True,
        env=environment,
        capture_output=True,
    )
