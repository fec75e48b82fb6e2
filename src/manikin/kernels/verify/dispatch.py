"""Which kernel checks an atom: branches over the kinds, written out from their registry when this is imported."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.sections import written
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.kinds import CHECKS

#: The number of each kind that is checked.
NUMBERS = {name: number for number, name in enumerate(CHECKS)}

_lines: list[str] = []
_kernels = {}
for _name, _check in CHECKS.items():
    if isinstance(_check, Checker):
        _lines += [f"if kind == {NUMBERS[_name]}:", f"    return {_name}(c)"]
        _kernels[_name] = _check.miss

#: How far an atom is from met, by the number of its kind.
miss_of = kernel(
    written("miss_of", ["kind", "c"], _lines, "inf", {**_kernels, "inf": float("inf")}), exact=True
)
