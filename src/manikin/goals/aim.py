"""A site pointing at something."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from manikin.goals.checks import angle_weight, check_degrees_per_metre, direction, vector
from manikin.goals.goal import Goal
from manikin.goals.registry import register
from manikin.goals.target import Target
from manikin.residuals.block import Block, pointing


@register
@dataclass(frozen=True, eq=False)
class Aim(Goal):
    """The site's ``axis`` pointing at the point ``at``: P = c² ‖v − d/‖d‖‖², d = at − r (15).

    The miss is the angle between the two directions. A site within 0.1 µm of the point points nowhere: its miss is 90°.
    """

    at: ArrayLike
    _: KW_ONLY
    axis: ArrayLike = (1.0, 0.0, 0.0)
    degrees_per_metre: float = 57.3
    weight: float = 1.0
    hard: bool = False
    noun = "aim"
    unit = "rad"
    takes = Target(("at",), (3,))
    plain = True

    def _check(self) -> None:
        vector(self, "at")
        direction(self, "axis")
        check_degrees_per_metre(self)

    def parts(self) -> tuple[Block, ...]:
        """The direction to the point, across the axis."""
        axis, at = np.asarray(self.axis), np.asarray(self.at)
        weight = angle_weight(self.weight, self.degrees_per_metre)
        return (pointing(self.site, axis, at, weight, hard=self.hard),)
