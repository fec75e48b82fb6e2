"""The levels of CPU that kernels are compiled for."""

from __future__ import annotations

import platform
import sys
from typing import NamedTuple

from manikin.errors import ManikinError


class BuildError(ManikinError, RuntimeError):
    """Kernels cannot be compiled; the message says what is missing."""


class Level(NamedTuple):
    """A level of CPU, as LLVM calls it, and the features that it has beyond the one below."""

    triple: str
    cpu: str
    features: frozenset[str]


_X86, _ARM = "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"
#: Every level, best first. The names are those of the psABI for x86-64; every 64-bit Arm has what arm64 needs.
LEVELS = {
    "v4": Level(_X86, "x86-64-v4", frozenset(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"])),
    "v3": Level(
        _X86, "x86-64-v3", frozenset(["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"])
    ),
    "v2": Level(
        _X86, "x86-64-v2", frozenset(["cx16", "sahf", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"])
    ),
    "arm64": Level(_ARM, "generic", frozenset()),
}


def level(name: str) -> Level:
    """The level of this name; else a CPU of this name in a machine like this one."""
    import llvmlite.binding as llvm

    suffix = "-elf" if sys.platform == "win32" else ""
    return LEVELS.get(name) or Level(llvm.get_process_triple() + suffix, name, frozenset())


def own_level() -> str:
    """What code for this process is compiled for: a level if there is one, else the very CPU."""
    import llvmlite.binding as llvm

    try:
        return best_level() if sys.platform == "linux" else str(llvm.get_host_cpu_name())
    except BuildError:
        return str(llvm.get_host_cpu_name())


def levels_of(machine: str = platform.machine()) -> list[str]:
    """The levels of this kind of machine, best first; none where there is no build for it."""
    usual = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine.lower(), machine.lower())
    return [name for name, level in LEVELS.items() if level.triple.startswith(f"{usual}-")]


def best_level() -> str:
    """The best level of this CPU."""
    import llvmlite.binding as llvm

    has = {name for name, there in llvm.get_host_cpu_features().items() if there}
    best, levels = "", levels_of()
    for level in reversed(levels):
        if not LEVELS[level].features <= has:
            break
        best = level
    if not best:
        raise BuildError(
            f"there is no level for this CPU ({llvm.get_host_cpu_name()}) among {levels or 'none'}"
        )
    return best
