"""A site turned a given way, with or without a position, or pointing at something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from manikin.errors import GoalError
from manikin.goals.goal import Goal, direction, number, radians_per_metre, rotation, vector
from manikin.goals.term import Term

_ALIKE = (1.0, 1.0, 1.0)


def _axis_weights(goal: Goal, axes: ArrayLike) -> tuple[float, float, float]:
    """Three weights, none negative, not all zero; stored as a tuple."""
    if axes is _ALIKE:
        return _ALIKE
    try:
        values = tuple(float(a) for a in np.asarray(axes, dtype=np.float64).ravel())
    except (TypeError, ValueError):
        raise GoalError(f"{goal.label()}: axes must be three weights, got {axes!r}") from None
    if len(values) != 3 or not all(np.isfinite(values)) or min(values) < 0.0 or max(values) == 0.0:
        raise GoalError(
            f"{goal.label()}: axes must be three weights, none negative and not all 0, got {values}"
        )
    goal._set("axes", values)
    return (values[0], values[1], values[2])


@dataclass(frozen=True, eq=False)
class Orientation(Goal):
    """The site's axes along those of ``target`` (columns): P = c² Σ ½ aₖ ‖vₖ − gₖ‖² (11).

    ``axes`` are the aₖ: a direction is suppressed by 0, so ``axes=(0, 0, 1)`` minds only where the site's z points
    (a cup held level). With (1, 1, 1), P is c² (2 sin θ/2)² for an angle θ between the frames.
    ``degrees_per_metre``: the angle that matters as much as one metre; c = 180/(π degrees_per_metre) (10).
    The miss is the angle between the frames, or between the axes where only one is minded.
    """

    target: ArrayLike
    axes: Sequence[float] = _ALIKE
    degrees_per_metre: float = 57.3
    weight: float = 1.0
    hard: bool = False
    noun = "orientation"

    def _check(self) -> None:
        rotation(self, "target")
        _axis_weights(self, self.axes)
        radians_per_metre(self)

    def terms(self) -> tuple[Term, ...]:
        """One axes term."""
        return (_axes_term(self, np.asarray(self.target), self.weight, tuple(self.axes)),)


@dataclass(frozen=True, eq=False)
class Placement(Goal):
    """Position and orientation together: P = s ‖r − p‖² + (1 − s) c² Σ ½ aₖ ‖vₖ − gₖ‖² (14).

    ``position_share`` is s, between 0 and 1.
    """

    position: ArrayLike
    orientation: ArrayLike
    position_share: float = 0.5
    axes: Sequence[float] = _ALIKE
    degrees_per_metre: float = 57.3
    weight: float = 1.0
    hard: bool = False
    noun = "place"

    def _check(self) -> None:
        vector(self, "position")
        rotation(self, "orientation")
        share = number(self, "position_share")
        if not 0.0 < share < 1.0:
            raise GoalError(f"{self.label()}: position_share must lie between 0 and 1, got {share:g}")
        _axis_weights(self, self.axes)
        radians_per_metre(self)

    def terms(self) -> tuple[Term, ...]:
        """A point term and an axes term."""
        share = self.position_share
        axes = tuple(self.axes)
        return (
            Term("point", self.site, self.weight * share, np.asarray(self.position)),
            _axes_term(self, np.asarray(self.orientation), self.weight * (1.0 - share), axes),
        )


def _axes_term(goal: Goal, target: np.ndarray, weight: float, axes: tuple[float, ...]) -> Term:
    c = radians_per_metre(goal)
    return Term(
        "axes", goal.site, weight * c * c, directions=target.T, axis_weights=(axes[0], axes[1], axes[2])
    )


@dataclass(frozen=True, eq=False)
class Aim(Goal):
    """The site's ``axis`` pointing at the point ``at``: P = c² ‖v − d/‖d‖‖², d = at − r (15).

    The miss is the angle between the two directions. A site within 0.1 µm of the point points nowhere: its miss is 90°.
    """

    at: ArrayLike
    axis: ArrayLike = (1.0, 0.0, 0.0)
    degrees_per_metre: float = 57.3
    weight: float = 1.0
    hard: bool = False
    noun = "aim"

    def _check(self) -> None:
        vector(self, "at")
        direction(self, "axis")
        radians_per_metre(self)

    def terms(self) -> tuple[Term, ...]:
        """One aim term."""
        c = radians_per_metre(self)
        axes = np.vstack([np.asarray(self.axis)] * 3)
        return (Term("aim", self.site, self.weight * c * c, np.asarray(self.at), site_axes=axes),)
