"""Goals: what one can ask of a figure, one small frozen dataclass each."""

from manikin.goals.goal import Goal
from manikin.goals.orientation import Aim, Orientation, Placement
from manikin.goals.position import OnLine, OnPlane, Position
from manikin.goals.potential import Potential
from manikin.goals.term import Term

#: The kinds of goal that a file can name, by their name there.
KINDS: dict[str, type[Goal]] = {
    goal.kind(): goal for goal in (Position, Orientation, Placement, Aim, OnLine, OnPlane)
}

__all__ = [
    "KINDS",
    "Aim",
    "Goal",
    "OnLine",
    "OnPlane",
    "Orientation",
    "Placement",
    "Position",
    "Potential",
    "Term",
]
