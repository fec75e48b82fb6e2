"""Methods from outside this package, by name.

A package that has some declares an entry point of the group ``manikin.engines``, which loads as a mapping of names to
`Method`. It is loaded when a name is asked for that is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from manikin.plan.specification import Specification

GROUP = "manikin.engines"


@dataclass(eq=False)
class Ended:
    """Where a method ended.

    status: as of a Solution. reached: whether every goal and constraint is met. misses: of every part of the goals
    that was chosen, potentials in Python left out. began: the start inside the linear couplings, if it was outside.
    choice: which alternative of each goal.
    """

    q: np.ndarray
    status: str = "stopped"
    reached: bool = False
    potential: float = 0.0
    iterations: int = 0
    evaluations: int = 0
    misses: tuple[float, ...] = ()
    began: np.ndarray | None = None
    choice: tuple[int, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)


#: A method solves a problem from q0, with its options, until a clock time, goals that keep what is meaning the anchor.
Run: TypeAlias = Callable[
    ["Specification", np.ndarray, Mapping[str, Any] | None, float | None, np.ndarray | None], Ended
]


@dataclass(frozen=True)
class Method:
    """How to run a method; and whether it keeps within ranges and linear couplings on its way."""

    run: Run
    keeps_limits: bool


@cache
def methods() -> dict[str, Method]:
    """Every method that an installed package declares, by name."""
    from importlib.metadata import entry_points

    return {name: method for entry in entry_points(group=GROUP) for name, method in entry.load().items()}
