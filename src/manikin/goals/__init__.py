"""Goals: what one can ask of a figure, one small frozen dataclass each."""

from manikin.goals.aim import Aim
from manikin.goals.any_of import AnyOf
from manikin.goals.balance import Balance
from manikin.goals.center_of_mass import CenterOfMass
from manikin.goals.clearance import SelfClearance
from manikin.goals.discomfort import Discomfort
from manikin.goals.effort import Effort
from manikin.goals.goal import FigureGoal, Goal
from manikin.goals.hold import held_box, hold
from manikin.goals.inside import Inside
from manikin.goals.kinetic_energy import KineticEnergy
from manikin.goals.least_change import LeastChange
from manikin.goals.least_time import LeastTime
from manikin.goals.limit_spring import LimitSpring
from manikin.goals.natural import Natural
from manikin.goals.objective import Objective
from manikin.goals.on_line import OnLine
from manikin.goals.on_plane import OnPlane
from manikin.goals.orientation import Orientation
from manikin.goals.outside import Outside
from manikin.goals.pin import Pin
from manikin.goals.placement import Placement
from manikin.goals.position import Position
from manikin.goals.posture import Posture
from manikin.goals.potential import Potential
from manikin.goals.range import Range
from manikin.goals.region import Ball, Box, Capsule, Circle, HalfSpace, Region
from manikin.goals.registry import KINDS, kinds, register
from manikin.goals.relative import Relative
from manikin.goals.swivel import Swivel

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
    "kinds",
    "register",
]
