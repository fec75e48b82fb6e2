"""A site at a point, on a line, on a plane."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from manikin.goals.goal import Goal, direction, vector
from manikin.residuals.block import EYE, Block, across, equal


@dataclass(frozen=True, eq=False)
class Position(Goal):
    """The site at a point of the world: P = ‖r − target‖², metres (8)."""

    target: ArrayLike
    _: KW_ONLY
    weight: float = 1.0
    hard: bool = False

    def _check(self) -> None:
        vector(self, "target")

    def parts(self) -> tuple[Block, ...]:
        """Three coordinates."""
        return (_coordinates(self, self.target, EYE),)


@dataclass(frozen=True, eq=False)
class OnLine(Goal):
    """The site anywhere on the line through ``point`` along ``direction``: P = its squared distance (18)."""

    point: ArrayLike
    direction: ArrayLike
    _: KW_ONLY
    weight: float = 1.0
    hard: bool = False
    noun = "line"

    def _check(self) -> None:
        vector(self, "point")
        direction(self, "direction")

    def parts(self) -> tuple[Block, ...]:
        """Two coordinates, across the line."""
        return (_coordinates(self, self.point, across(np.asarray(self.direction))),)


@dataclass(frozen=True, eq=False)
class OnPlane(Goal):
    """The site anywhere on the plane through ``point`` with ``normal``: P = its squared distance (20)."""

    point: ArrayLike
    normal: ArrayLike
    _: KW_ONLY
    weight: float = 1.0
    hard: bool = False
    noun = "plane"

    def _check(self) -> None:
        vector(self, "point")
        direction(self, "normal")

    def parts(self) -> tuple[Block, ...]:
        """One coordinate, along the normal."""
        return (_coordinates(self, self.point, np.asarray(self.normal)[None]),)


def _coordinates(goal: Position | OnLine | OnPlane, point: ArrayLike, directions: np.ndarray) -> Block:
    return Block(
        "coordinates",
        **equal(goal.weight, len(directions)),
        site=goal.site,
        hard=goal.hard,
        point=np.asarray(point),
        directions=directions,
    )
