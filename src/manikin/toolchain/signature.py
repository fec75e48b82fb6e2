"""What an entry takes and gives, as its decorator says: ``"i8[:], f8[:,:], i8, f8, b1 -> i8, f8"``.

The types are NumPy's short names. Arrays are in C order. Numbers are i8, f8 or b1, and only numbers are returned.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

#: Items of arrays, and numbers.
ITEMS = ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "b1")
NUMBERS = {"f8": "a number", "i8": "a whole number", "b1": "true or false"}
_ARGUMENT = re.compile(r"(\w+)(?:\[(:(?:,:)*)\])?")


class Argument(NamedTuple):
    """An array of so many axes; a number has none."""

    item: str
    axes: int

    def said(self) -> str:
        """In words."""
        if self.axes == 0:
            return NUMBERS[self.item]
        return f"an array of {np.dtype(self.item)} with {self.axes} axes, in C order"


class Signature(NamedTuple):
    """Arguments, and the types of what is returned."""

    takes: tuple[Argument, ...]
    gives: tuple[str, ...]


def signature(text: str) -> Signature:
    """A signature from its text. A ValueError if it is none."""
    takes, _, gives = text.partition("->")
    arguments = []
    for part in re.split(r",\s*(?!:)", takes.strip()):
        match = _ARGUMENT.fullmatch(part)
        if match is None or match[1] not in (ITEMS if match[2] else NUMBERS):
            raise ValueError(
                f"{part!r} in {text!r} is no argument of an entry: {', '.join(ITEMS)}, with [:] or [:,:]"
            )
        arguments.append(Argument(match[1], len((match[2] or "").replace(",", ""))))
    results = tuple(filter(None, gives.replace(" ", "").split(",")))
    if not set(results) <= NUMBERS.keys():
        raise ValueError(f"{gives.strip()!r} in {text!r} is not what an entry returns: {', '.join(NUMBERS)}")
    return Signature(tuple(arguments), results)


def symbol(key: str) -> str:
    """The name in C of an entry: ``search.damped.lm`` → ``mk_search__damped__lm``."""
    return "mk_" + key.replace(".", "__")
