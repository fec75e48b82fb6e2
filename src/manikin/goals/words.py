"""Lengths, angles and misses as people say them, and what a goal's sentence in an explanation is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.residuals.block import Block

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def length(metres: float) -> str:
    """A length as people say it: 1.25 m, 12.4 cm, 3.1 mm, 40 µm."""
    size = abs(metres)
    if size >= 1.0:
        return f"{metres:.2f} m"
    if size >= 0.01:
        return f"{metres * 100:.1f} cm"
    if size >= 0.0001:
        return f"{metres * 1000:.1f} mm"
    return f"{metres * 1e6:.2g} µm"


def angle(radians: float) -> str:
    """An angle as people say it, in degrees."""
    degrees = math.degrees(radians)
    return f"{degrees:.1f}°" if abs(degrees) >= 0.1 else f"{degrees:.2g}°"


def amount(value: float, unit: str) -> str:
    """A miss in its unit."""
    if unit == "m":
        return length(value)
    return angle(value) if unit == "rad" else f"{value:.3g}"


def near(value: float, unit: str) -> str:
    """A miss too small to matter, without digits that say nothing."""
    if unit == "m" and 0.0 < value < 1e-6:
        return "under 1 µm"
    if unit == "rad" and 0.0 < value < math.radians(0.001):
        return "under 0.001°"
    return amount(value, unit)


def duration(seconds: float) -> str:
    """A time as people say it: 35 µs, 1.2 ms, 3.4 s."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.3g} µs"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1.0 else f"{seconds:.3g} s"


def ordinal(place: int) -> str:
    """The word for a place from 0: first, second, …, 11th."""
    if place < len(_ORDINALS):
        return _ORDINALS[place]
    number = place + 1
    last = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{last}"


def listed(words: Sequence[str]) -> str:
    """Words with commas and an "and"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


class Missed(Protocol):
    """How far a goal is from met: `result.reports.Measured`."""

    @property
    def amount(self) -> float:
        """In its unit."""

    @property
    def unit(self) -> str:
        """``"m"``, ``"rad"`` or ``""``."""

    @property
    def reached(self) -> bool:
        """Whether it is within the tolerance."""


@dataclass(frozen=True, eq=False)
class Told:
    """What a goal's sentence may tell of a solution.

    misses: all of the goal, or one of them. pose: of the solution. anchor: what "where it is" means.
    blocks, values: what of the goal was measured, and the value of every row, where `Goal.told_as_one`.
    choice: which of the goal's alternatives was taken, from 0.
    """

    misses: Sequence[Missed]
    pose: Pose
    anchor: Pose
    blocks: Sequence[Block] = ()
    values: Sequence[np.ndarray] = ()
    choice: int = 0

    @property
    def off(self) -> str:
        """The largest miss of each unit: ``"2.0 cm and 3.0°"``."""
        worst: dict[str, float] = {}
        for miss in self.misses:
            worst[miss.unit] = max(worst.get(miss.unit, 0.0), miss.amount)
        say = near if self.met else amount
        return " and ".join(say(value, unit) for unit, value in worst.items())

    @property
    def met(self) -> bool:
        """Whether all of it is met."""
        return all(miss.reached for miss in self.misses)

    def least(self) -> tuple[Block, float] | None:
        """The block with the smallest value, and that value."""
        found = [(float(values.min()), k) for k, values in enumerate(self.values) if len(values)]
        if not found:
            return None
        value, k = min(found)
        return self.blocks[k], value
