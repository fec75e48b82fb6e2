"""Coordinates of a site held to values, to ranges, or left free."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import FigureError, GoalError
from manikin.figure.checks import placement
from manikin.goals.goal import Goal
from manikin.goals.pin import COORDINATES
from manikin.goals.registry import register
from manikin.residuals.block import Block, rows

if TYPE_CHECKING:
    from manikin.goals.words import Told

#: A value, or a pair (low, high) with None for an end that is open; None leaves it free.
Span = float | Sequence[float | None] | None


def span(goal: Goal, name: str) -> tuple[float, float] | None:
    """The range under ``name``, stored as (low, high); None where it is left free."""
    value = getattr(goal, name)
    if value is None:
        return None
    try:
        if np.ndim(value) == 0:
            low = high = float(value)
        else:
            first, last = value
            low = -math.inf if first is None else float(first)
            high = math.inf if last is None else float(last)
    except (TypeError, ValueError):
        raise GoalError(
            f"{goal.label()}: {name} must be a number, a pair (low, high) or None, got {value!r}"
        ) from None
    if not low <= high or low == math.inf or high == -math.inf:
        raise GoalError(f"{goal.label()}: {name} is an empty range, from {low:g} to {high:g}")
    object.__setattr__(goal, name, (low, high))
    return None if low == -math.inf and high == math.inf else (low, high)


@register
@dataclass(frozen=True, eq=False)
class Range(Goal):
    """Coordinates of the site's position and orientation, each held to a value, to a range, or left free.

    x, y, z: of the position along the axes of ``frame``, metres.
    turn_x, turn_y, turn_z: components, along the same axes, of the rotation vector that turns ``frame`` into the site's
        frame, radians. A foot flat on the floor is ``z=0, turn_x=0, turn_y=0``: it may be anywhere and point anywhere.
    frame: a 4×4 transform or a 3-vector; the world's frame by default.

    Each is a value, a pair (low, high) with None for an open end, or None. Angles beyond ±180° mean nothing.
    """

    _: KW_ONLY
    x: Span = None
    y: Span = None
    z: Span = None
    turn_x: Span = None
    turn_y: Span = None
    turn_z: Span = None
    frame: Any = None
    weight: float = 1.0
    hard: bool = False
    noun = "range"
    told_as_one = True

    def _check(self) -> None:
        if not any([span(self, name) for name in COORDINATES]):
            raise GoalError(f"{self.label()}: give a range for at least one of {', '.join(COORDINATES)}")
        try:
            self._set("frame", placement(self.frame, f"{self.label()}: frame"))
        except FigureError as problem:
            raise GoalError(str(problem)) from None

    def parts(self) -> tuple[Block, ...]:
        """Coordinates of the position, and components of the rotation vector."""
        places, turns = self._held(COORDINATES[:3]), self._held(COORDINATES[3:])
        found = []
        if places:
            axes = [k for k, _, _ in places]
            found.append(
                Block(
                    "coordinates",
                    **rows(self.weight, [low for _, low, _ in places], [high for _, _, high in places]),
                    site=self.site,
                    hard=self.hard,
                    point=self.frame[:3, 3],
                    directions=self.frame[:3, :3].T[axes],
                )
            )
        if turns:
            found.append(
                Block(
                    "rotation",
                    **rows(self.weight, [low for _, low, _ in turns], [high for _, _, high in turns]),
                    site=self.site,
                    unit="rad",
                    hard=self.hard,
                    turn=self.frame[:3, :3],
                    site_axes=np.eye(3),
                    components=tuple(k for k, _, _ in turns),
                )
            )
        return tuple(found)

    def _held(self, names: Sequence[str]) -> list[tuple[int, float, float]]:
        """(axis, low, high) of the coordinates of these names that are not free."""
        found = []
        for k, name in enumerate(names):
            ends = span(self, name)
            if ends is not None:
                found.append((k, *ends))
        return found

    def words(self, told: Told) -> str:
        """How far outside its ranges it is."""
        if told.met:
            return f"{self.subject()} is within its ranges"
        return f"{self.subject()} is outside its ranges by {told.off}"
