"""Goals: what one can ask of a figure, one small frozen dataclass each."""

from manikin.goals.goal import FigureGoal, Goal
from manikin.goals.inside import Inside
from manikin.goals.orientation import Aim, Orientation, Placement
from manikin.goals.part import Part
from manikin.goals.pin import Pin
from manikin.goals.position import OnLine, OnPlane, Position
from manikin.goals.potential import Potential
from manikin.goals.range import Range
from manikin.goals.region import Ball, Box, Capsule, Circle, HalfSpace, Region
from manikin.goals.relative import Relative
from manikin.goals.term import Term

#: The kinds of goal that a file can name, by their name there.
KINDS: dict[str, type[Goal]] = {
    goal.kind(): goal
    for goal in (
        Position,
        Orientation,
        Placement,
        Aim,
        OnLine,
        OnPlane,
        Pin,
        Inside,
        Range,
        Relative,
    )
}

__all__ = [
    "KINDS",
    "Aim",
    "Ball",
    "Box",
    "Capsule",
    "Circle",
    "FigureGoal",
    "Goal",
    "HalfSpace",
    "Inside",
    "OnLine",
    "OnPlane",
    "Orientation",
    "Part",
    "Pin",
    "Placement",
    "Position",
    "Potential",
    "Range",
    "Region",
    "Relative",
    "Term",
]
