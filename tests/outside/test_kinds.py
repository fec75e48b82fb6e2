"""Kinds from outside of the package, each in a process where what the registries say is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.long
@pytest.mark.parametrize("kind", ["distance", "screw"])
def test_a_kind_from_outside_is_solved_for_and_verified(kind):
    pytest.importorskip("numba")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", f"tests.outside.{kind}", str(HERE / f"with_{kind}.py")],
        cwd=HERE.parents[1],
        env={**os.environ, "MANIKIN_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
