"""A site turned a given way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from manikin.goals.checks import angle_weight, check_degrees_per_metre, rotation
from manikin.goals.goal import Goal
from manikin.goals.registry import register
from manikin.goals.target import Target
from manikin.goals.turned import ALIKE, axis_weights, one_of, turned
from manikin.residuals.block import Block


@register
@dataclass(frozen=True, eq=False, init=False)
class Orientation(Goal):
    """The site's axes along those of ``target`` (columns): P = c² Σ ½ aₖ ‖vₖ − gₖ‖² (11).

    ``axes`` are the aₖ: a direction is suppressed by 0, so ``axes=(0, 0, 1)`` minds only where the site's z points
    (a cup held level). With (1, 1, 1), P is c² (2 sin θ/2)² for an angle θ between the frames.
    ``degrees_per_metre``: the angle that matters as much as one metre; c = 180/(π degrees_per_metre) (10).
    The miss is the angle between the frames, or between the axes where only one is minded.

    The rotation is a 3×3 matrix, a 4×4 transform or a SciPy ``Rotation``; or ``wxyz=``, a quaternion, w first.
    """

    target: ArrayLike
    _: KW_ONLY
    axes: Sequence[float] = ALIKE
    degrees_per_metre: float = 57.3
    weight: float = 1.0
    hard: bool = False
    noun = "orientation"
    unit = "rad"
    takes = Target(("target",), (3, 3))
    plain = True

    def __init__(
        self,
        site: str,
        target: ArrayLike | None = None,
        *,
        axes: Sequence[float] = ALIKE,
        degrees_per_metre: float = 57.3,
        weight: float = 1.0,
        hard: bool = False,
        wxyz: ArrayLike | None = None,
    ) -> None:
        self._set("site", site)
        self._set("target", one_of(self, "target", target, wxyz))
        for name, value in (("axes", axes), ("degrees_per_metre", degrees_per_metre), ("weight", weight)):
            self._set(name, value)
        self._set("hard", hard)
        self.__post_init__()

    def changed(self, **changes: Any) -> Self:
        """The same goal with other arguments, ``wxyz=`` among them."""
        if "wxyz" in changes:
            changes["target"] = one_of(self, "target", changes.get("target"), changes.pop("wxyz"))
        return super().changed(**changes)

    def _check(self) -> None:
        rotation(self, "target")
        axis_weights(self, self.axes)
        check_degrees_per_metre(self)

    def parts(self) -> tuple[Block, ...]:
        """The rotation between the frames, or what of it is minded."""
        return (
            turned(
                self.site,
                np.asarray(self.target),
                self.axes,
                angle_weight(self.weight, self.degrees_per_metre),
                hard=self.hard,
            ),
        )
