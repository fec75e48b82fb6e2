"""A site on a line."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from manikin.goals.checks import direction, vector
from manikin.goals.goal import Goal
from manikin.goals.place import coordinates
from manikin.goals.registry import register
from manikin.goals.target import Target
from manikin.residuals.block import Block, across

if TYPE_CHECKING:
    from manikin.figure import Pose


@register
@dataclass(frozen=True, eq=False)
class OnLine(Goal):
    """The site anywhere on the line through ``point`` along ``direction``: P = its squared distance (18)."""

    point: ArrayLike
    direction: ArrayLike
    _: KW_ONLY
    weight: float = 1.0
    hard: bool = False
    noun = "line"
    takes = Target(("point",), (3,))
    plain = True

    def _check(self) -> None:
        vector(self, "point")
        direction(self, "direction")

    def parts(self) -> tuple[Block, ...]:
        """Two coordinates, across the line."""
        directions = across(np.asarray(self.direction))
        return (coordinates(self.site, self.weight, self.point, directions, hard=self.hard),)

    def nearest(self, x: np.ndarray, anchor: Pose) -> np.ndarray:
        """The foot of the perpendicular."""
        point, along = np.asarray(self.point), np.asarray(self.direction)
        foot: np.ndarray = point + ((x - point) @ along) * along
        return foot
