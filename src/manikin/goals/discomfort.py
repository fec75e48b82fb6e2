"""As near to rest as possible."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from manikin.goals.objective import Objective
from manikin.goals.registry import register
from manikin.residuals.block import Block


@register
@dataclass(frozen=True, eq=False)
class Discomfort(Objective):
    """As near to rest as possible, in units of each joint's range: Σ ((q − rest)ⱼ / (upper − lower)ⱼ)².

    Degrees of freedom without limits at both ends have no such unit and do not count.
    """

    _: KW_ONLY
    weight: float = 1.0
    noun = "comfort"

    def parts(self) -> tuple[Block, ...]:
        """A row for every coordinate with a range."""
        figure = self.pose.figure
        spread = figure.upper - figure.lower
        places = np.flatnonzero(np.isfinite(spread) & (spread > 0.0))
        return self._linear(
            places, np.ones(len(places)), 1.0 / spread[places], figure.rest[places], moves=True
        )
