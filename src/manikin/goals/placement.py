"""A site at a point and turned a given way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from manikin.errors import GoalError
from manikin.goals.checks import angle_weight, check_degrees_per_metre, number, rotation, vector
from manikin.goals.goal import Goal
from manikin.goals.place import Place, coordinates
from manikin.goals.registry import register
from manikin.goals.target import Target
from manikin.goals.turned import ALIKE, axis_weights, one_of, split, transform, turned
from manikin.residuals.block import EYE, Block

if TYPE_CHECKING:
    from manikin.figure import Pose


@register
@dataclass(frozen=True, eq=False, init=False)
class Placement(Goal):
    """Position and orientation together: P = s ‖r − p‖² + (1 − s) c² Σ ½ aₖ ‖vₖ − gₖ‖² (14).

    Both in one 4×4 transform, ``Placement(site, T)``, or each by itself, the orientation as of `Orientation`:
    ``Placement(site, p, R)``, ``Placement(site, p, wxyz=q)``. ``position_share`` is s, between 0 and 1.
    """

    position: ArrayLike
    orientation: ArrayLike
    _: KW_ONLY
    position_share: float = 0.5
    axes: Sequence[float] = ALIKE
    degrees_per_metre: float = 57.3
    weight: float = 1.0
    hard: bool = False
    noun = "place"
    takes = Target(("position", "orientation"), (4, 4))
    plain = True

    def __init__(
        self,
        site: str,
        position: ArrayLike,
        orientation: ArrayLike | None = None,
        *,
        position_share: float = 0.5,
        axes: Sequence[float] = ALIKE,
        degrees_per_metre: float = 57.3,
        weight: float = 1.0,
        hard: bool = False,
        wxyz: ArrayLike | None = None,
    ) -> None:
        self._set("site", site)
        whole = transform(position)
        if whole is not None and orientation is None and wxyz is None:
            position, orientation = split(self, whole)
        self._set("position", position)
        self._set("orientation", one_of(self, "orientation", orientation, wxyz))
        self._set("position_share", position_share)
        for name, value in (("axes", axes), ("degrees_per_metre", degrees_per_metre), ("weight", weight)):
            self._set(name, value)
        self._set("hard", hard)
        self.__post_init__()

    def changed(self, **changes: Any) -> Self:
        """The same goal with other arguments: ``position=`` may be one 4×4, the rotation come as ``wxyz=``."""
        whole = transform(changes.get("position"))
        if whole is not None and not {"orientation", "wxyz"} & set(changes):
            changes["position"], changes["orientation"] = split(self, whole)
        if "wxyz" in changes:
            changes["orientation"] = one_of(
                self, "orientation", changes.get("orientation"), changes.pop("wxyz")
            )
        return super().changed(**changes)

    def _check(self) -> None:
        vector(self, "position")
        rotation(self, "orientation")
        share = number(self, "position_share")
        if not 0.0 < share < 1.0:
            raise GoalError(f"{self.label()}: position_share must lie between 0 and 1, got {share:g}")
        axis_weights(self, self.axes)
        check_degrees_per_metre(self)

    def parts(self) -> tuple[Block, ...]:
        """Three coordinates, and what an Orientation has."""
        share = self.position_share
        by_angle = angle_weight(self.weight * (1.0 - share), self.degrees_per_metre)
        return (
            coordinates(self.site, self.weight * share, self.position, EYE, hard=self.hard),
            turned(self.site, np.asarray(self.orientation), self.axes, by_angle, hard=self.hard),
        )

    def place(self, anchor: Pose) -> Place:
        """Its position and orientation."""
        return Place(np.asarray(self.position), np.asarray(self.orientation))

    def noun_of(self, unit: str) -> str:
        """Its position, or its orientation."""
        return "position" if unit == "m" else "orientation"
