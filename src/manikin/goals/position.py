"""A site at a point, on a line, on a plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from manikin.goals.goal import Goal, direction, vector
from manikin.goals.term import Term


@dataclass(frozen=True, eq=False)
class Position(Goal):
    """The site at a point of the world: P = ‖r − target‖², metres (8)."""

    target: ArrayLike
    weight: float = 1.0
    hard: bool = False

    def _check(self) -> None:
        vector(self, "target")

    def terms(self) -> tuple[Term, ...]:
        """One point term."""
        return (Term("point", self.site, self.weight, np.asarray(self.target)),)


@dataclass(frozen=True, eq=False)
class OnLine(Goal):
    """The site anywhere on the line through ``point`` along ``direction``: P = its squared distance (18)."""

    point: ArrayLike
    direction: ArrayLike
    weight: float = 1.0
    hard: bool = False
    noun = "line"

    def _check(self) -> None:
        vector(self, "point")
        direction(self, "direction")

    def terms(self) -> tuple[Term, ...]:
        """One line term."""
        directions = np.vstack([np.asarray(self.direction)] * 3)
        return (Term("line", self.site, self.weight, np.asarray(self.point), directions),)


@dataclass(frozen=True, eq=False)
class OnPlane(Goal):
    """The site anywhere on the plane through ``point`` with ``normal``: P = its squared distance (20)."""

    point: ArrayLike
    normal: ArrayLike
    weight: float = 1.0
    hard: bool = False
    noun = "plane"

    def _check(self) -> None:
        vector(self, "point")
        direction(self, "normal")

    def terms(self) -> tuple[Term, ...]:
        """One plane term."""
        directions = np.vstack([np.asarray(self.normal)] * 3)
        return (Term("plane", self.site, self.weight, np.asarray(self.point), directions),)
