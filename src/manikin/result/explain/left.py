"""What a method of the papers left on its way, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manikin.goals.words import amount
from manikin.plan.methods import methods

if TYPE_CHECKING:
    from manikin.result.solution import Solution

# Limits that are named, those exceeded most first.
_MOST = 3


def left_limits(solution: Solution) -> bool:
    """Whether the method ended outside the limits, and the last point of its way inside them is returned."""
    return bool(solution.details.get("left_limits"))


def why(solution: Solution) -> str:
    """The reason that stands behind a missed goal."""
    knows = methods()[solution.details["method"]].keeps_limits
    return "the method ended outside the limits" if knows else "the method knows no limits and left them"


def outside(solution: Solution) -> str:
    """What the reach hierarchy has proved."""
    bound = amount(solution.details["bound"], "m")
    where = f"it is {solution.details['verdict']}, at least {bound} from every point that the site reaches"
    return f"{where}, which is proved"


def sentence(solution: Solution) -> str:
    """Which limits were left, by how much, and what is returned instead."""
    figure, left = solution.figure, dict(solution.details["left"])
    named = sorted(left.items(), key=lambda entry: -abs(entry[1]))
    said = []
    for name, excess in named[:_MOST]:
        if name in figure.dofs:
            side = "above" if excess > 0.0 else "below"
            said.append(f"{name}, {amount(abs(excess), figure.dof(name).unit)} {side} its range")
        else:
            unit = "rad" if name.endswith("°") else ""
            said.append(f"the constraint {name}, by {amount(abs(excess), unit)}")
    if len(named) > _MOST:
        said.append(f"and {len(named) - _MOST} more")
    kept = "The last pose on its way inside all limits was kept."
    return f"Method {solution.details['method']!r} left {'; '.join(said)}. {kept}"
