"""How each motion moves: branches over their kinds, written out from the registry when this is imported."""

from __future__ import annotations

from typing import Any

from manikin.kernels.jit import kernel
from manikin.kernels.memory.sections import written
from manikin.kernels.tree.joints import MOTIONS

#: The number of each kind.
NUMBERS = {name: number for number, name in enumerate(MOTIONS)}
#: Those that the walk does by itself, since nearly all motions are such.
ROTATE, SLIDE = NUMBERS["rotate"], NUMBERS["slide"]


def _branches(name: str, arguments: str, field: str, none: str = "") -> Any:
    """The kernel ``name`` of kinds that have something in a field; ``none``: what it returns of the others."""
    kernels = {NUMBERS[own]: getattr(each, field) for own, each in MOTIONS.items() if getattr(each, field)}
    lines: list[str] = []
    for number in kernels:
        lines.append(f"{'elif' if lines else 'if'} kind == {number}:")
        lines.append(f"    {'return ' if none else ''}kernel_{number}({arguments})")
    names = {f"kernel_{number}": function for number, function in kernels.items()}
    return kernel(written(name, ["kind", *arguments.split(", ")], lines, none, names))


#: Move frame i by the axis values from k on, of any kind but a turn about z and a slide along it.
move_frame = _branches("move_frame", "values, k, frames, spins, i", "place")
#: What the axis value c of motion i does: the velocity of its frame's origin, and the angular velocity.
twist_of = _branches(
    "twist_of",
    "frames, spins, i, c",
    "twist",
    none="(0.0, 0.0, 0.0, spins[i, 3 * c], spins[i, 3 * c + 1], spins[i, 3 * c + 2])",
)
#: Add what the twists of a motion change with its own axis values.
add_own = _branches("add_own", "values, k, force, moment, hessian", "curvature")
_last = " or ".join(f"kind == {NUMBERS[name]}" for name, each in MOTIONS.items() if each.last_first)
#: Whether the last of a motion's three axis values carries the others.
last_first = kernel(written("last_first", ["kind"], [], _last, {}))
