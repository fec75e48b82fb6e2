"""The elbow of a limb about the line from its shoulder to its wrist."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from manikin.errors import GoalError
from manikin.goals.goal import FigureGoal
from manikin.goals.range import Span, span
from manikin.goals.registry import register
from manikin.residuals.block import Block, rows


@register
@dataclass(frozen=True, eq=False)
class Swivel(FigureGoal):
    """The elbow at an angle about the line from shoulder to wrist, the pole that animators know.

    limb: an `Arm`, or the names of three sites, shoulder, elbow and wrist.
    angle: radians, or a pair (low, high) not wider than a full turn: 0 where the elbow hangs lowest, positive
        right-handed about the direction to the wrist.

    A stretched limb has no such angle, nor one whose wrist is at its shoulder; there the goal is met. That is so where
    ρ L ≤ 1e-6 ℓ (L + x): ρ the elbow's distance from the line, L the line's length, x that of the upper bone, ℓ that of
    both; of a metre's arm, an elbow within about two micrometres of the line. A line within 1e-6 rad of upright has no
    lowest side: 0 is ahead, along the world's x. For an Arm whose wrist does not lie in the plane across its hinge, the
    angle is that of the elbow's centre.
    """

    limb: Any
    angle: Span
    _: KW_ONLY
    weight: float = 1.0
    hard: bool = False
    noun = "swivel"
    unit = "rad"
    settled_by: ClassVar[bool] = True

    def _check(self) -> None:
        ends = span(self, "angle")
        if ends is None or not (math.isfinite(ends[0]) and math.isfinite(ends[1])):
            raise GoalError(f"{self.label()}: angle must be a number or a range with both ends, got {ends!r}")
        if ends[1] - ends[0] > 2.0 * math.pi:
            raise GoalError(f"{self.label()}: the angle's range is wider than a full turn: {ends}")
        if hasattr(self.limb, "centers"):
            return
        listed = (
            tuple(self.limb) if isinstance(self.limb, Sequence) and not isinstance(self.limb, str) else ()
        )
        if len(listed) != 3 or not all(isinstance(name, str) and name for name in listed):
            raise GoalError(
                f"{self.label()}: limb must be an Arm or the sites of shoulder, elbow and wrist, got {self.limb!r}"
            )
        self._set("limb", listed)

    def subject(self) -> str:
        """What a sentence about this goal begins with: the elbow, by its name where it has one."""
        return "the elbow" if hasattr(self.limb, "centers") else str(self.limb[1])

    def parts(self) -> tuple[Block, ...]:
        """One angle."""
        ends = span(self, "angle")
        assert ends is not None
        if hasattr(self.limb, "centers"):
            points = tuple(self.limb.centers())
        else:
            points = tuple((name, np.zeros(3)) for name in self.limb)
        ranges = rows(self.weight, [ends[0]], [ends[1]])
        return (Block("swivel", **ranges, unit="rad", hard=self.hard, points=points),)
