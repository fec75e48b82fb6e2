"""RESULTS.md: the last run of each benchmark, with where and when."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy
import scipy

import manikin
from benchmarks.tables import Section
from manikin.kernels import jit

PATH = Path(__file__).with_name("RESULTS.md")
_HEAD = """# Measured

Written by `python -m benchmarks --write`. Times depend on the machine and on what else it does: trust the ratios,
which are taken in turns in one run.
"""


def cpu() -> str:
    """The processor's name and how many of it there are."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*:\s*(.+)", info.read_text()) if info.is_file() else []
    return f"{names[0]}, {len(names)} cores" if names else platform.processor() or platform.machine()


def circumstances() -> str:
    """Versions, processor and date in one line."""
    versions = {
        "manikin": manikin.__version__,
        "Python": platform.python_version(),
        "kernels": f"level {jit.PREBUILT.LEVEL}" if jit.PREBUILT else f"Numba {version('numba')}",
        "NumPy": numpy.__version__,
        "SciPy": scipy.__version__,
    }
    named = ", ".join(f"{name} {number}" for name, number in versions.items())
    return f"{named}; {cpu()}; {date.today().isoformat()}"


def _kept(text: str) -> dict[str, str]:
    """The sections of an earlier file, by name."""
    parts = re.split(r"^## (\w+)\n", text, flags=re.MULTILINE)
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def write(sections: Sequence[Section], order: Sequence[str], path: Path = PATH) -> None:
    """Put these sections in the place of their earlier ones; those that were not run stay."""
    kept = _kept(path.read_text(encoding="utf-8")) if path.is_file() else {}
    for section in sections:
        kept[section.name] = f"{circumstances()}\n\n{section.markdown()}"
    chosen = [f"## {name}\n\n{kept[name]}\n" for name in order if name in kept]
    path.write_text("\n".join([_HEAD, *chosen]), encoding="utf-8")
