"""Goals: what one can ask of a figure, one small frozen dataclass each."""

from manikin.goals.any_of import AnyOf
from manikin.goals.balance import Balance, CenterOfMass
from manikin.goals.clearance import SelfClearance
from manikin.goals.goal import FigureGoal, Goal
from manikin.goals.hold import held_box, hold
from manikin.goals.inside import Inside
from manikin.goals.natural import Natural
from manikin.goals.objective import (
    Discomfort,
    Effort,
    KineticEnergy,
    LeastChange,
    LeastTime,
    LimitSpring,
    Objective,
    Posture,
)
from manikin.goals.orientation import Aim, Orientation, Placement
from manikin.goals.outside import Outside
from manikin.goals.pin import Pin
from manikin.goals.position import OnLine, OnPlane, Position
from manikin.goals.potential import Potential
from manikin.goals.range import Range
from manikin.goals.region import Ball, Box, Capsule, Circle, HalfSpace, Region
from manikin.goals.relative import Relative
from manikin.goals.swivel import Swivel

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
        Outside,
        SelfClearance,
        Range,
        Relative,
        CenterOfMass,
        Balance,
        AnyOf,
        Swivel,
        Posture,
        Natural,
        LeastChange,
        Discomfort,
        KineticEnergy,
        LeastTime,
        Effort,
        LimitSpring,
    )
}

__all__ = [
    "KINDS",
    "Aim",
    "AnyOf",
    "Balance",
    "Ball",
    "Box",
    "Capsule",
    "CenterOfMass",
    "Circle",
    "Discomfort",
    "Effort",
    "FigureGoal",
    "Goal",
    "HalfSpace",
    "Inside",
    "KineticEnergy",
    "LeastChange",
    "LeastTime",
    "LimitSpring",
    "Natural",
    "Objective",
    "OnLine",
    "OnPlane",
    "Orientation",
    "Outside",
    "Pin",
    "Placement",
    "Position",
    "Posture",
    "Potential",
    "Range",
    "Region",
    "Relative",
    "SelfClearance",
    "Swivel",
    "held_box",
    "hold",
]
