"""A site at a point."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from manikin.goals.checks import vector
from manikin.goals.goal import Goal
from manikin.goals.place import Place, coordinates
from manikin.goals.registry import register
from manikin.goals.target import Target
from manikin.residuals.block import EYE, Block

if TYPE_CHECKING:
    from manikin.figure import Pose


@register
@dataclass(frozen=True, eq=False)
class Position(Goal):
    """The site at a point of the world: P = ‖r − target‖², metres (8)."""

    target: ArrayLike
    _: KW_ONLY
    weight: float = 1.0
    hard: bool = False
    takes = Target(("target",), (3,))
    plain = True

    def _check(self) -> None:
        vector(self, "target")

    def parts(self) -> tuple[Block, ...]:
        """Three coordinates."""
        return (coordinates(self.site, self.weight, self.target, EYE, hard=self.hard),)

    def place(self, anchor: Pose) -> Place:
        """Its target."""
        return Place(np.asarray(self.target))
