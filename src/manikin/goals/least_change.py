"""As little as possible away from the start."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

import numpy as np

from manikin.goals.objective import Objective
from manikin.goals.registry import register
from manikin.residuals.block import Block


@register
@dataclass(frozen=True, eq=False)
class LeastChange(Objective):
    """As little as possible away from the start, the stiffer joints least: Σ sⱼ (q − start)ⱼ²."""

    _: KW_ONLY
    weight: float = 1.0
    means_start: ClassVar[bool] = True
    noun = "change"

    def parts(self) -> tuple[Block, ...]:
        """A row for every coordinate."""
        figure = self.pose.figure
        places = np.arange(figure.n)
        parts = self._linear(places, figure.stiffness, np.ones(figure.n), self.pose.q, moves=False)
        return tuple(replace(part, follows=True) for part in parts)
