"""What is compiled for graphics cards: arms of up to ten axes, trees and bodies by the room that a thread has.

`source` gives a kernel as a Python function of plain code, for the card or for the CPU (which is how its mathematics
is tested where there is no card), `arrays` and `spread` what it is called with.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from manikin.kernels.gpu import arm, body, body_layout
from manikin.kernels.gpu.unroll import unrolled

#: Axes of an arm at most.
MOST_AXES = 10
#: Numbers that a thread has room for, of the bodies that are compiled.
ROOMS = (2048, 6144, 16384)

#: The same of trees whose variables move one axis each, which take far less.
TREE_ROOMS = (1024, 4096)

ARM, BODY, TREE = "arm", "body", "tree"
_ON_CARD = {"take": "cuda.atomic.add({0}, 0, 1)", "room": "cuda.local.array({0}, _f)"}


def names() -> list[str]:
    """All kernels: ``arm_1`` …, ``tree_1024`` … and ``body_2048`` …"""
    return [
        *(f"{ARM}_{n}" for n in range(1, MOST_AXES + 1)),
        *(f"{TREE}_{size}" for size in TREE_ROOMS),
        *(f"{BODY}_{size}" for size in ROOMS),
    ]


def spread(name: str) -> dict[str, int]:
    """What a kernel takes as scalars behind its arrays, and how many each."""
    kind, number = name.split("_")
    if kind != ARM:
        return {"setting": body_layout.SETTINGS}
    n = int(number)
    return {"chain": arm.PLACEMENT * (n + 1), **dict.fromkeys(arm.PER_AXIS, n), "setting": arm.SETTINGS}


def arrays(name: str) -> dict[str, str]:
    """The arrays that a kernel takes, in this order, and their types as NumPy abbreviates them."""
    return arm.ARRAYS if name.startswith(ARM) else body_layout.ARRAYS


def source(name: str, scope: dict[str, Any], on_card: bool = True) -> tuple[Callable[..., Any], str]:
    """The function to compile, and its source. scope: ``cuda`` for a card; ``take`` and ``room`` otherwise."""
    kind, number = name.split("_")
    sizes = {"N": int(number)} if kind == ARM else {"SIZE": int(number), "TREE": int(kind == TREE)}
    scalars = spread(name)
    return unrolled(
        arm.search if kind == ARM else body.search,
        sizes,
        scalars,
        scope,
        calls=_ON_CARD if on_card else None,
        unsigned=on_card,
        records={"data": [*arrays(name), *scalars]},
    )


def files() -> list[Path]:
    """The files that all of it is made from."""
    here = Path(__file__).parent
    return [
        *(path for kind in (ARM, BODY, TREE) for path in here.glob(f"{kind}*.py")),
        here / "queue.py",
        here / "unroll.py",
        *(here.parent / "tree" / "joints").glob("*.py"),  # of which the numbers of kinds are
        Path(__file__),
    ]
