"""Springs that keep joints off their limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from manikin.errors import GoalError, PoseError
from manikin.goals.checks import number
from manikin.goals.objective import Objective
from manikin.goals.registry import register
from manikin.residuals.block import Block


@register
@dataclass(frozen=True, eq=False)
class LimitSpring(Objective):
    """Springs that keep joints off their limits, as a knee off full extension: Σ (how far within ``margin`` of
    a limit)².

    dofs: names or patterns of the degrees of freedom.
    margin: where the springs begin, radians or metres from either limit.
    """

    dofs: str | Sequence[str]
    _: KW_ONLY
    margin: float = 0.1
    weight: float = 1.0
    noun = "limit spring"

    def _check(self) -> None:
        names = (self.dofs,) if isinstance(self.dofs, str) else self.dofs
        try:
            listed = tuple(names)
        except TypeError:
            listed = ()
        if not listed or not all(isinstance(name, str) and name for name in listed):
            raise GoalError(f"{self.label()}: dofs must be names of degrees of freedom, got {self.dofs!r}")
        self._set("dofs", listed)
        if number(self, "margin") <= 0.0:
            raise GoalError(f"{self.label()}: margin must be positive, got {self.margin:g}")

    def parts(self) -> tuple[Block, ...]:
        """A row for every coordinate that has a limit, its range that of the joint less the margin."""
        figure = self.pose.figure
        try:
            places = figure.select(self.dofs)
        except PoseError as problem:
            raise GoalError(f"{self.label()}: {problem}") from None
        low, high = figure.lower[places] + self.margin, figure.upper[places] - self.margin
        for j in np.flatnonzero(low > high):
            raise GoalError(
                f"{self.label()}: the margin {self.margin:g} leaves {figure.dofs[places[j]]!r} no room: "
                f"its range is {figure.lower[places[j]]:g} to {figure.upper[places[j]]:g}"
            )
        count = len(places)
        (part,) = self._linear(places, np.ones(count), np.ones(count), np.zeros(count), moves=True)
        return (replace(part, lower=low, upper=high),)
