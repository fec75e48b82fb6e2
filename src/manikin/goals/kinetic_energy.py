"""The way from the start that moves least mass."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from manikin.errors import GoalError
from manikin.goals.objective import Objective
from manikin.goals.registry import register
from manikin.residuals.block import Block, equal


@register
@dataclass(frozen=True, eq=False)
class KineticEnergy(Objective):
    """The way from the start that moves least mass: ½ Δqᵀ M Δq, M the mass matrix at the start.

    Segments without a known inertia count as points at their centres of mass.
    """

    _: KW_ONLY
    weight: float = 1.0
    means_start: ClassVar[bool] = True
    noun = "kinetic energy"

    def parts(self) -> tuple[Block, ...]:
        """Rows Lᵀ Δq with L Lᵀ = ½ M, those that are not zero; one that is where no mass moves at this start."""
        pose, figure = self.pose, self.pose.figure
        carried = [
            segment
            for name, segment in figure.segments.items()
            if name != figure.root or figure.base != "fixed"
        ]
        if not any(segment.mass > 0.0 for segment in carried):
            raise GoalError(f"{self.label()}: figure {figure.name!r} has no mass that moves")
        matrix = 0.5 * pose.mass_matrix()
        values, vectors = np.linalg.eigh(matrix)
        kept = values > 1e-12 * max(float(values.max(initial=0.0)), 1e-300)
        kept[-1:] |= not kept.any()
        a = (vectors[:, kept] * np.sqrt(np.maximum(values[kept], 0.0))).T
        return (
            Block(
                "dense",
                **equal(self._weight(), len(a)),
                unit="",
                last=True,
                columns=tuple(range(pose.figure.n)),
                numbers=np.concatenate([pose.q, a.ravel()]),
            ),
        )
