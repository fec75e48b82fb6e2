"""The least work against gravity."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from manikin.goals.objective import Objective
from manikin.goals.registry import register
from manikin.residuals.block import Block, rows


@register
@dataclass(frozen=True, eq=False)
class Effort(Objective):
    """The least work against gravity: how far the centre of mass rises above where it starts, in metres, squared.

    The work is that height times the figure's weight. Going down costs nothing.
    """

    _: KW_ONLY
    weight: float = 1.0
    means_start: ClassVar[bool] = True
    noun = "effort"

    def parts(self) -> tuple[Block, ...]:
        """The height of the centre of mass, at most that of the start."""
        return (
            Block(
                "center",
                **rows(self._weight(), [-math.inf], [0.0]),
                unit="",
                last=True,
                point=self.pose.center_of_mass(),
                directions=np.array([[0.0, 0.0, 1.0]]),
            ),
        )
