"""Which level this machine's CPU has."""

from __future__ import annotations

import llvmlite.binding as llvm

from manikin.kernels.prebuild.link import BuildError
from manikin.kernels.prebuild.names import levels_of

# What each level asks for beyond the one below, in LLVM's words.
_FEATURES = {
    "v2": {"cx16", "sahf", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"},
    "v3": {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"},
    "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "arm64": set[str](),
}


def best_level() -> str:
    """The best level of this CPU."""
    has = {name for name, there in llvm.get_host_cpu_features().items() if there}
    best, levels = "", levels_of()
    for level in reversed(levels):
        if not _FEATURES[level] <= has:
            break
        best = level
    if not best:
        raise BuildError(
            f"there is no level for this CPU ({llvm.get_host_cpu_name()}) among {levels or 'none'}"
        )
    return best
