"""Where the figure's centre of mass is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from manikin.errors import GoalError
from manikin.goals.checks import vector
from manikin.goals.goal import FigureGoal
from manikin.goals.registry import register
from manikin.goals.target import Target
from manikin.residuals.block import Block, equal

if TYPE_CHECKING:
    from manikin.goals.words import Told


@register
@dataclass(frozen=True, eq=False)
class CenterOfMass(FigureGoal):
    """The figure's centre of mass at a point of the world: P = Σ aₖ (cₖ − targetₖ)², metres.

    ``axes`` are the aₖ, along x, y and z: ``axes=(1, 1, 0)`` leaves its height free.
    """

    target: ArrayLike
    _: KW_ONLY
    axes: Sequence[float] = (1.0, 1.0, 1.0)
    weight: float = 1.0
    hard: bool = False
    noun = "centre of mass"
    told_as_one = True
    takes = Target(("target",), (3,))

    def _check(self) -> None:
        vector(self, "target")
        try:
            values = tuple(float(a) for a in self.axes)
        except (TypeError, ValueError):
            values = ()
        if len(values) != 3 or not all(0.0 <= a < math.inf for a in values) or max(values) == 0.0:
            raise GoalError(
                f"{self.label()}: axes must be three weights, none negative and not all 0, got {self.axes!r}"
            )
        self._set("axes", values)

    def parts(self) -> tuple[Block, ...]:
        """A coordinate of the centre for every axis that is minded."""
        minded = [k for k in range(3) if self.axes[k] > 0.0]
        ranges = equal(1.0, len(minded))
        ranges["weight"] = self.weight * np.array([self.axes[k] for k in minded])
        point = np.asarray(self.target)
        return (
            Block(
                "center", **ranges, hard=self.hard, target="point", point=point, directions=np.eye(3)[minded]
            ),
        )

    def words(self, told: Told) -> str:
        """How far the centre is from its target."""
        if told.met:
            return f"the centre of mass reaches its target ({told.off} off)"
        return f"the centre of mass misses its target by {told.off}"
