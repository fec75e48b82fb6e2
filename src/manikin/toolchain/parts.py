"""The entries in two parts, which are compiled side by side.

In a part every function is compiled once. What both need is compiled in both, so entries that share much lie together:
the rooms of the kernels are dealt out so that the larger part is as small as can be. The split depends on the kernels
alone, never on the machine: the same source gives the same code.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

from manikin.toolchain.catalogue import entries
from manikin.toolchain.digest import needed


def parts() -> list[list[str]]:
    """The keys of each part, the larger part first; one part where there is one room."""
    rooms: dict[str, list[str]] = {}
    for key in sorted(entries()):
        rooms.setdefault(key.split(".")[0], []).append(key)
    files = {
        name: frozenset().union(*(needed(entries()[key].file) for key in keys))
        for name, keys in rooms.items()
    }
    names = sorted(rooms)
    halves = [
        (taken, tuple(name for name in names if name not in taken))
        for count in range(1, len(names) // 2 + 1)
        for taken in combinations(names, count)
    ] or [(tuple(names), ())]

    def sizes(pair: tuple[tuple[str, ...], tuple[str, ...]]) -> list[int]:
        """How much source each half is made of."""
        return sorted(
            (_bytes(frozenset().union(*(files[name] for name in half))) for half in pair), reverse=True
        )

    # The larger half counts, then both together.
    best = min(halves, key=lambda pair: (sizes(pair)[0], sum(sizes(pair))))
    found = [sorted(key for name in half for key in rooms[name]) for half in best if half]
    return sorted(
        found, key=lambda keys: -_bytes(frozenset().union(*(needed(entries()[key].file) for key in keys)))
    )


def _bytes(files: frozenset[Path]) -> int:
    return sum(map(_size, files))


@cache
def _size(file: Path) -> int:
    return file.stat().st_size
