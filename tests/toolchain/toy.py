"""A package of kernels of its own, with this one's build: small enough to be compiled in a few seconds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import manikin

PACKAGE = Path(manikin.__file__).parent

INNER = """
import math

from manikin.kernels.jit import kernel

@kernel
def inner(x):
    return 2.0 * math.hypot(x, 0.0)
"""
OUTER = """
from manikin.kernels.jit import kernel
from manikin.kernels.small.inner import inner

@kernel(entry="f8 -> f8")
def outer(x):
    return inner(x) + 1.0

@kernel(entry="f8[:], i8[:], i2[:,:], i8, f8, b1 -> i8, f8, b1")
def fill(out, whole, few, k, x, yes):
    total = 0
    for i in range(whole.shape[0]):
        total += whole[i] * few[0, i]
        out[i] = x if yes else inner(x)
    return total + k, out[0], not yes

@kernel(entry="f8[:]")
def nothing(out):
    out[0] = 7.0

@kernel(entry="f4[:], i4[:], i1[:], u8[:], u4[:], u2[:], u1[:], b1[:] -> f8")
def kinds(a, b, c, d, e, f, g, h):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + (1.0 if h[i] else 0.0)
    return total
"""
OTHER = """
from manikin.kernels.jit import kernel
from manikin.kernels.small.inner import inner

@kernel(entry="f8 -> f8")
def other(x):
    return inner(x) ** 0.3
"""


def make(root: Path) -> Path:
    """The package, under this folder."""
    kernels = root / "manikin" / "kernels"
    for room in ("small", "large"):
        (kernels / room).mkdir(parents=True)
        (kernels / room / "__init__.py").touch()
    (root / "manikin" / "__init__.py").touch()
    (kernels / "__init__.py").touch()
    shutil.copy(PACKAGE / "errors.py", root / "manikin")
    shutil.copy(PACKAGE / "kernels" / "jit.py", kernels)
    toolchain = root / "manikin" / "toolchain"
    shutil.copytree(PACKAGE / "toolchain", toolchain, ignore=shutil.ignore_patterns("__pycache__"))
    (kernels / "small" / "inner.py").write_text(INNER)
    (kernels / "small" / "outer.py").write_text(OUTER)
    (kernels / "large" / "other.py").write_text(OTHER)
    return root


def run(root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Python in a process of its own, with this package."""
    base = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "MANIKIN_"))}
    base |= {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run([sys.executable, *arguments], env=base, cwd=root, capture_output=True, text=True)


def build(root: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The build of this package's library, its parts kept beside it."""
    keep = str(root / "keep")
    return run(root, "-m", "manikin.toolchain", "--keep", keep, *options, **environment)
