"""What a solution says of its goals, of what must hold, and of what holds it back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manikin.goals import Goal


class Status(StrEnum):
    """How a solve ended. Compares equal to its text.

    REACHED: every goal is met within its tolerance, and the pose is feasible.
    STATIONARY: feasible; a goal is missed, and no direction improves it, first and second order.
    ITERATION_LIMIT: feasible; a goal is missed, and the search ended before that was known.
    TIME_LIMIT: ``time_limit`` was over first.
    VELOCITY_LIMIT: velocity limits do not let the joints get there in ``dt``.
    INFEASIBLE: hard goals or constraints contradict each other, or no pose was found that meets them.
    OUT_OF_REACH: the method ``"hierarchy"`` has proved that the goal is out of reach.
    """

    REACHED = "reached"
    STATIONARY = "stationary"
    ITERATION_LIMIT = "iteration_limit"
    TIME_LIMIT = "time_limit"
    VELOCITY_LIMIT = "velocity_limit"
    INFEASIBLE = "infeasible"
    OUT_OF_REACH = "out_of_reach"


@dataclass(frozen=True, slots=True)
class Measured:
    """One measured error of a goal: a Placement has one of its position and one of its orientation."""

    goal: Goal
    amount: float
    unit: str
    reached: bool
    tolerance: float


@dataclass(frozen=True, slots=True)
class GoalReport:
    """One goal of a solution.

    reached: whether it is met within its tolerance. hard: whether it had to be.
    position_error: metres, None if it has none. orientation_error: radians, None if it has none.
    value: of a `Potential` or an objective. choice: of an `AnyOf` or a union of regions, which one was taken, from 0.
    """

    goal: Goal
    reached: bool
    hard: bool
    position_error: float | None = None
    orientation_error: float | None = None
    value: float | None = None
    choice: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        return {
            "kind": self.goal.kind(),
            "site": self.goal.site,
            "reached": self.reached,
            "hard": self.hard,
            "position_error": self.position_error,
            "orientation_error": self.orientation_error,
            "value": self.value,
            "choice": self.choice,
        }


@dataclass(frozen=True, slots=True)
class ActiveConstraint:
    """A constraint that holds the solution back.

    name: the degree of freedom, or the coupling in words, its constant in degrees if all that it couples turns.
    side: ``"lower"``, ``"upper"``, or ``"equal"`` for an equality.
    value: where it is, in ``unit`` (rad or m).
    multiplier: by how much the cost would fall if it gave way by one unit (a rate).
    row: which of the problem's couplings it is, if it is one.
    """

    name: str
    side: str
    value: float
    unit: str
    multiplier: float
    row: int | None = None


def reports_of(
    goals: tuple[Goal, ...], measured: tuple[Measured, ...], choices: dict[Goal, int]
) -> tuple[GoalReport, ...]:
    """A report of every goal: of several errors in one unit the largest."""
    found = []
    for goal in goals:
        own = [each for each in measured if each.goal is goal]
        largest = {
            unit: max((each.amount for each in own if each.unit == unit), default=None) for unit in _UNITS
        }
        hard = bool(getattr(goal, "hard", False))
        reached = all(each.reached for each in own)
        found.append(
            GoalReport(goal, reached, hard, largest["m"], largest["rad"], largest[""], choices.get(goal))
        )
    return tuple(found)


_UNITS = ("m", "rad", "")
