"""The way from the start that takes the least time."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from manikin.errors import GoalError
from manikin.goals.objective import Objective
from manikin.goals.registry import register
from manikin.residuals.block import Block, equal

# The p of the norm that stands for the largest share of a speed limit.
_LARGEST = 8.0


@register
@dataclass(frozen=True, eq=False)
class LeastTime(Objective):
    """The way from the start that takes the least time: the largest share \\|Δqⱼ\\| / velocityⱼ, in seconds, squared.

    The largest is taken as the norm of order 8 of the shares, which is smooth, and at most n^(1/8) times as large.
    Degrees of freedom without a speed limit do not count. People have none of their own:
    ``body.with_velocity(joint_speeds(body))`` gives them those of the literature (`manikin.figure.human.joint_speeds`).
    """

    _: KW_ONLY
    weight: float = 1.0
    means_start: ClassVar[bool] = True
    noun = "time"

    def parts(self) -> tuple[Block, ...]:
        """A row for every coordinate with a speed limit."""
        figure = self.pose.figure
        places = np.flatnonzero(np.isfinite(figure.velocity) & (figure.velocity > 0.0))
        if len(places) == 0:
            raise GoalError(
                f"{self.label()}: figure {figure.name!r} has no speed limits to measure time by; give it some with "
                "figure.with_velocity"
            )
        table = np.column_stack([places, 1.0 / figure.velocity[places], self.pose.q[places]])
        numbers = np.concatenate([[_LARGEST], table.ravel()])
        return (Block("share", **equal(self._weight(), len(places)), unit="", last=True, numbers=numbers),)
