"""What the steps of the build tell each other: names in C, signatures in letters, levels of CPU."""

from __future__ import annotations

import platform
from typing import NamedTuple

#: The letters of arrays, by the type of their items.
ARRAYS = {
    "float64": "d",
    "float32": "e",
    "int64": "q",
    "int32": "l",
    "int16": "h",
    "int8": "c",
    "uint64": "Q",
    "uint32": "L",
    "uint16": "H",
    "uint8": "B",
    "bool": "t",
}


class Signature(NamedTuple):
    """An entry's arguments and results, in letters.

    One of `ARRAYS` and the number of axes: an array; i f b: a whole number, a float, a truth value.
    """

    takes: str
    gives: str


def symbol(key: str) -> str:
    """The name in C of an entry: ``search.damped.lm`` → ``mk_search__damped__lm``."""
    return "mk_" + key.replace(".", "__")


class Level(NamedTuple):
    """A level of CPU, as LLVM calls it."""

    triple: str
    cpu: str


_X86, _ARM = "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"
#: Every level, best first. The names are those of the psABI for x86-64; every 64-bit Arm has what arm64 needs.
LEVELS = {
    "v4": Level(_X86, "x86-64-v4"),
    "v3": Level(_X86, "x86-64-v3"),
    "v2": Level(_X86, "x86-64-v2"),
    "arm64": Level(_ARM, "generic"),
}


def levels_of(machine: str = platform.machine()) -> list[str]:
    """The levels of this kind of machine, best first; none where there is no build for it."""
    usual = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine.lower(), machine.lower())
    return [name for name, level in LEVELS.items() if level.triple.startswith(f"{usual}-")]
