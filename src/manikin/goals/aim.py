"""A site pointing at something."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from manikin.goals.checks import angle_weight, check_degrees_per_metre, direction, vector
from manikin.goals.goal import Goal
from manikin.goals.registry import register
from manikin.goals.target import Target
from manikin.residuals.block import Block, pointing

if TYPE_CHECKING:
    from manikin.goals.words import Told

# Metres: nearer to the point that it aims at, a site has no direction to aim in.
_NO_DIRECTION = 1e-7


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

    def words(self, told: Told) -> str:
        """By its angle; where the site is at the point itself, that."""
        away = np.asarray(self.at) - told.pose.position(self.site)
        if not told.met and float(np.linalg.norm(away)) < _NO_DIRECTION:
            return (
                f"{self.subject()} is at the very point that it should aim at, where no direction is defined"
            )
        return super().words(told)
