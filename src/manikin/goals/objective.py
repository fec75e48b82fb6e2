"""What chooses among poses that meet the goals equally well: always last, never part of what counts as reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from manikin.goals.goal import FigureGoal
from manikin.residuals.block import Block, equal


@dataclass(frozen=True, eq=False)
class Objective(FigureGoal):
    """A wish of the last level: it decides only what the goals leave open."""

    settled_by: ClassVar[bool] = True
    noun = "objective"
    unit = ""

    def _linear(
        self,
        places: np.ndarray,
        weights: np.ndarray,
        scale: np.ndarray,
        origin: np.ndarray,
        *,
        moves: bool,
    ) -> tuple[Block, ...]:
        """Rows scale (q − origin) of some coordinates; ``moves``: they are worth moving for this alone."""
        if len(places) == 0:
            return ()
        numbers = np.column_stack([np.asarray(places, dtype=np.float64), scale, origin]).ravel()
        ranges = equal(1.0, len(places)) | {"weight": weights * self._weight()}
        dofs = tuple(int(j) for j in places) if moves else ()
        return (Block("linear", **ranges, unit="", last=True, numbers=numbers, dofs=dofs),)

    def _weight(self) -> float:
        return float(getattr(self, "weight", 1.0))
