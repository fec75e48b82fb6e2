"""A site on a plane."""

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
from manikin.residuals.block import Block

if TYPE_CHECKING:
    from manikin.figure import Pose


@register
@dataclass(frozen=True, eq=False)
class OnPlane(Goal):
    """The site anywhere on the plane through ``point`` with ``normal``: P = its squared distance (20)."""

    point: ArrayLike
    normal: ArrayLike
    _: KW_ONLY
    weight: float = 1.0
    hard: bool = False
    noun = "plane"
    takes = Target(("point",), (3,))
    plain = True

    def _check(self) -> None:
        vector(self, "point")
        direction(self, "normal")

    def parts(self) -> tuple[Block, ...]:
        """One coordinate, along the normal."""
        normal = np.asarray(self.normal)[None]
        return (coordinates(self.site, self.weight, self.point, normal, hard=self.hard),)

    def nearest(self, x: np.ndarray, anchor: Pose) -> np.ndarray:
        """The foot of the perpendicular."""
        normal = np.asarray(self.normal)
        foot: np.ndarray = x - ((x - np.asarray(self.point)) @ normal) * normal
        return foot
