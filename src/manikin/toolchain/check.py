"""Which machines a built library runs on: its platform tag, from the symbols it asks for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from manikin.toolchain.elf import read
from manikin.toolchain.levels import BuildError

# The oldest that pip's tags name for both kinds of machine.
_OLDEST = (2, 17)


def check(path: Path) -> None:
    """That the library asks for nothing but Python's and the C library's functions, and shows Python's way in alone."""
    library = read(path)
    strange = [
        symbol.name
        for symbol in library.needed
        if not symbol.version and not symbol.weak and not symbol.name.startswith(("Py", "_Py"))
    ]
    if strange:
        raise BuildError(f"{path.name} asks for what no machine has: {', '.join(strange)}")
    extra = [name for name in library.shown if not name.startswith("PyInit_")]
    if extra:
        raise BuildError(f"{path.name} shows what is its own: {', '.join(extra)}")


def platform_tag(paths: Iterable[Path]) -> str:
    """The tag of a wheel with these libraries, by the newest version of the C library that any of them asks for."""
    newest: tuple[int, ...] = _OLDEST
    machines = set()
    for path in paths:
        library = read(path)
        machines.add(library.machine)
        for symbol in library.needed:
            if symbol.version.startswith("GLIBC_"):
                major, minor, *_ = map(int, f"{symbol.version.removeprefix('GLIBC_')}.0".split("."))
                newest = max(newest, (major, minor))
    if len(machines) != 1:
        raise BuildError(f"libraries of several kinds of machine in one wheel: {', '.join(sorted(machines))}")
    return f"manylinux_{newest[0]}_{newest[1]}_{machines.pop()}"
