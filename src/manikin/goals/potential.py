"""A potential of the caller's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from manikin.errors import GoalError
from manikin.figure import transforms
from manikin.goals.checks import number
from manikin.goals.goal import Goal
from manikin.goals.registry import register
from manikin.residuals.block import Block, equal

if TYPE_CHECKING:
    from manikin.goals.words import Told

#: Of a position (3) and axes (3×3, columns): the value, its gradient by the position (3) and by the axes (3×3).
PotentialFunction = Callable[[np.ndarray, np.ndarray], tuple[float, ArrayLike, ArrayLike]]

#: Degrees of freedom of a frame, and the numbers of one row of an affine model of it: constant, force, by the axes.
TWIST, AFFINE_ROW = 6, 13
# What rounding may leave below 0.
_BELOW = 1e-12
# Steps of the differences that a gradient is compared with, metres and radians: where some step agrees, it is right.
_STEPS = (1e-4, 1e-5, 1e-6)
# A disagreement beyond this share of the gradient is a mistake.
_WRONG = 1e-3
# A gradient below this share of 1 + P is too small to be told from rounding.
_NO_GRADIENT = 1e-6


@register
@dataclass(frozen=True, eq=False)
class Potential(Goal):
    """Any smooth function of a site's position and axes, least (and not below 0) where the goal is met.

    ``function(position, axes)`` gets the position (3) and the axes as columns (3×3) in the world and returns
    the value, its gradient by the position (3) and its gradient by the axes (3×3, column by column). It runs in
    Python: alone or beside the goals of the projection method once an evaluation of that method; beside hard goals,
    regions, levels, objectives and cones thirteen times a step, for a local model of it. The goal counts as met when
    the value is at most ``tolerance``; its reported miss is the value. The gradient is compared with differences when
    a solve begins, and a wrong one is refused.
    """

    function: PotentialFunction
    _: KW_ONLY
    tolerance: float = 1e-8
    weight: float = 1.0
    hard: bool = False
    noun = "potential"
    unit = ""
    in_python = True

    def _check(self) -> None:
        if not callable(self.function):
            raise GoalError(f"{self.label()}: the function must be callable, got {self.function!r}")
        if number(self, "tolerance") < 0.0:
            raise GoalError(f"{self.label()}: the tolerance must not be negative, got {self.tolerance:g}")

    def parts(self) -> tuple[Block, ...]:
        """Six rows that a solve fills with a local model of the function, one a degree of freedom of the frame."""
        if self.hard:
            raise GoalError(
                f"{self.label()}: a potential in Python cannot be hard; give it a level of its own above the other "
                "goals, or say what must hold with a region, a range or a pin"
            )
        numbers = np.zeros(TWIST * AFFINE_ROW)
        return (
            Block(
                "affine",
                **equal(self.weight, TWIST),
                site=self.site,
                unit="",
                numbers=numbers,
                potential=self,
            ),
        )

    def words(self, told: Told) -> str:
        """By its value."""
        if told.met:
            return super().words(told)
        return f"{self.site} has a potential of {told.misses[0].amount:.3g}"

    def evaluate(self, position: np.ndarray, axes: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Call the function and check its answer."""
        try:
            answer = self.function(position, axes)
        except TypeError as error:
            raise GoalError(
                f"{self.label()}: the function must take a position (3) and axes (3×3): {error}"
            ) from error
        try:
            value, by_position, by_axes = answer
            value = float(value)
            f = np.array(by_position, dtype=np.float64)
            m = np.array(by_axes, dtype=np.float64)
        except (TypeError, ValueError):
            raise GoalError(
                f"{self.label()}: the function must return a value, a gradient by the position (3) and one by the "
                f"axes (3×3), got {answer!r}"
            ) from None
        if f.shape != (3,) or m.shape != (3, 3):
            raise GoalError(
                f"{self.label()}: the gradients must have shapes (3,) and (3, 3), got {f.shape} and {m.shape}"
            )
        if -_BELOW <= value < 0.0:
            value = 0.0
        if value < 0.0:
            raise GoalError(f"{self.label()}: the function must not be negative, it returned {value:g}")
        if not (np.isfinite(value) and np.isfinite(f).all() and np.isfinite(m).all()):
            raise GoalError(
                f"{self.label()}: the function returned a number that is not finite at {position.tolist()}"
            )
        return value, f, m

    def by_twist(self, position: np.ndarray, axes: np.ndarray) -> tuple[float, np.ndarray]:
        """The value and its gradient by the twist (dr, dω) of the frame: the force f and the moment Σ vₖ × mₖ."""
        value, force, by_axes = self.evaluate(position.copy(), axes.copy())
        return value, np.concatenate([force, np.cross(axes.T, by_axes.T).sum(axis=0)])

    def check_gradient(self, position: np.ndarray, axes: np.ndarray) -> None:
        """Compare the gradient with central differences at a frame, once; a GoalError says which half is wrong.

        What changes a rotation into none is not compared: only the moment of the gradient by the axes counts. Where
        the gradient is zero nothing can be told, and the next call looks again.
        """
        if self.__dict__.get("_gradient_checked"):
            return
        value, given = self.by_twist(position, axes)
        # Of a figure that reaches a thousand kilometres a metre is nothing.
        unit = np.ones(TWIST)
        unit[:3] = max(1.0, float(np.linalg.norm(position)))
        given = given * unit
        found = np.empty((len(_STEPS), TWIST))
        for k, step in enumerate(_STEPS):
            for i in range(TWIST):
                sides = (step * unit[i], -step * unit[i])
                ends = [self.by_twist(*moved(position, axes, i, side))[0] for side in sides]
                found[k, i] = (ends[0] - ends[1]) / (2.0 * step)
        off = np.abs(found - given)
        scale = max(np.abs(given).max(), np.abs(found[1]).max())
        if scale <= _NO_GRADIENT * (1.0 + value):
            return
        wrong = off.min(axis=0) > _WRONG * scale
        for half, name in ((slice(0, 3), "position"), (slice(3, 6), "axes, as a moment Σ vₖ × mₖ,")):
            if wrong[half].any():
                best, given = found[1] / unit, given / unit
                raise GoalError(
                    f"{self.label()}: the gradient by the {name} is {_said(given[half])} at the start, but differences "
                    f"of the value give {_said(best[half])}; correct what the function returns"
                )
        self._set("_gradient_checked", True)


def _said(v: np.ndarray) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in v) + ")"


def moved(position: np.ndarray, axes: np.ndarray, i: int, step: float) -> tuple[np.ndarray, np.ndarray]:
    """A frame moved by a step along the axis i of the world, or for i ≥ 3 turned about the axis i − 3."""
    unit = np.zeros(3)
    unit[i % 3] = step
    return (position + unit, axes) if i < 3 else (position, transforms.exp(unit) @ axes)
