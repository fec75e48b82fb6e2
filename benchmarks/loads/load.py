"""What is to be solved, in plain data that any version of the package can be given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: Metres and radians within which a goal counts as reached, as the package has it by default.
TOLERANCE = (1e-4, 1e-3)
#: The target of each goal of a call; None leaves a goal as it is.
Targets = list[np.ndarray | None]


@dataclass(frozen=True)
class Wanted:
    """A goal by its kind.

    kind: "position", "placement", "aim", "pin", "balance", "outside", "posture", "discomfort", "least_change".
    site: what it places; "" if it has none.
    level: 0 is the most important.
    options: hard, margin and, for "outside", a box (center, size) or a ball (center, radius).
    """

    kind: str
    site: str = ""
    level: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Load:
    """Problems of one figure and one list of goals, that differ by start and targets.

    family: its letter, A to E, R, X, S or H.
    figure: {"urdf": path, "base": "fixed" or "free"}, or {"human": options}.
    targets: for every problem its targets.
    starts: (problems, n), by the names in ``dofs``, a free base's six values first; None: every problem from rest.
    path: each problem starts from the answer to the one before, and the first from ``approach``, which is not timed.
    slow: a solve takes a second or so: fewer rounds.
    """

    family: str
    name: str
    figure: Mapping[str, Any]
    goals: tuple[Wanted, ...]
    targets: list[Targets]
    starts: np.ndarray | None = None
    dofs: tuple[str, ...] = ()
    tolerance: tuple[float, float] = TOLERANCE
    natural: bool = True
    free: tuple[str, ...] | None = None
    constraints: tuple[str, ...] = ()
    path: bool = False
    approach: tuple[Targets, ...] = ()
    slow: bool = False

    def cut(self, count: int) -> Load:
        """The first problems only."""
        starts = None if self.starts is None else self.starts[:count]
        return Load(**{**self.__dict__, "targets": self.targets[:count], "starts": starts})
