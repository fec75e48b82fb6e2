"""What a solution says of its goals and of what holds it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manikin.goals import Goal


@dataclass(frozen=True, slots=True)
class Miss:
    """How far one goal, or one half of a Placement, is from met."""

    goal: Goal
    amount: float
    unit: str
    reached: bool


@dataclass(frozen=True, slots=True)
class Limit:
    """A constraint that holds the solution back.

    name: the degree of freedom, or the coupling in words, its constant in degrees if all that it couples turns.
    side: ``"lower"``, ``"upper"``, or ``"equal"`` for an equality.
    value: where it is, in ``unit`` (rad or m).
    multiplier: by how much the potential would fall if it gave way by one unit (a rate).
    row: which of the problem's couplings it is, if it is one.
    """

    name: str
    side: str
    value: float
    unit: str
    multiplier: float
    row: int | None = None
