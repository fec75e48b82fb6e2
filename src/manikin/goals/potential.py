"""A potential of the caller's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from manikin.errors import GoalError
from manikin.goals.goal import Goal, number

#: Of a position (3) and axes (3×3, columns): the value, its slope by the position (3) and by the axes (3×3).
PotentialFunction = Callable[[np.ndarray, np.ndarray], tuple[float, ArrayLike, ArrayLike]]


@dataclass(frozen=True, eq=False)
class Potential(Goal):
    """Any smooth function of a site's position and axes, least (and not below 0) where the goal is met.

    ``function(position, axes)`` gets the position (3) and the axes as columns (3×3) in the world and returns
    the value, its slope by the position (3) and its slope by the axes (3×3, column by column). It runs in
    Python, once an evaluation, inside the same projection method as all other goals. The goal counts as met when the
    value is at most ``tolerance``; its reported miss is the value.
    """

    function: PotentialFunction
    tolerance: float = 1e-8
    weight: float = 1.0
    hard: bool = False
    noun = "potential"

    def _check(self) -> None:
        if not callable(self.function):
            raise GoalError(f"{self.label()}: the function must be callable, got {self.function!r}")
        if number(self, "tolerance") < 0.0:
            raise GoalError(f"{self.label()}: the tolerance must not be negative, got {self.tolerance:g}")

    def evaluate(self, position: np.ndarray, axes: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Call the function and check its answer."""
        answer = self.function(position, axes)
        try:
            value, by_position, by_axes = answer
            value = float(value)
            f = np.array(by_position, dtype=np.float64)
            m = np.array(by_axes, dtype=np.float64)
        except (TypeError, ValueError):
            raise GoalError(
                f"{self.label()}: the function must return a value, a slope by the position (3) and a slope by the "
                f"axes (3×3), got {answer!r}"
            ) from None
        if f.shape != (3,) or m.shape != (3, 3):
            raise GoalError(
                f"{self.label()}: the slopes must have shapes (3,) and (3, 3), got {f.shape} and {m.shape}"
            )
        if value < 0.0:
            raise GoalError(f"{self.label()}: the function must not be negative, it returned {value:g}")
        if not (np.isfinite(value) and np.isfinite(f).all() and np.isfinite(m).all()):
            raise GoalError(
                f"{self.label()}: the function returned a number that is not finite at {position.tolist()}"
            )
        return value, f, m
