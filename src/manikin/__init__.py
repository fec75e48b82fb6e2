"""Manikin poses articulated figures, people and robots, by goals.

>>> import manikin as mk
>>> arm = mk.load("panda.urdf")                                        # doctest: +SKIP
>>> result = mk.solve(arm, [mk.Position("panda_hand", [0.4, 0.2, 0.5])])  # doctest: +SKIP
>>> result.reached                                                     # doctest: +SKIP
True
"""

from typing import TYPE_CHECKING, Any

from manikin.errors import (
    FigureError,
    FormatError,
    GoalError,
    ManikinError,
    MissingExtraError,
    PoseError,
    SolveError,
)
from manikin.figure import Coupling, Dof, Figure, Follow, Joint, Loop, Pose, Segment, Shape, Site
from manikin.figure.human import human
from manikin.formats import load
from manikin.goals import (
    Aim,
    AnyOf,
    Balance,
    Ball,
    Box,
    Capsule,
    CenterOfMass,
    Circle,
    Discomfort,
    Effort,
    Goal,
    HalfSpace,
    Inside,
    KineticEnergy,
    LeastChange,
    LeastTime,
    LimitSpring,
    Natural,
    Objective,
    OnLine,
    OnPlane,
    Orientation,
    Outside,
    Pin,
    Placement,
    Position,
    Posture,
    Potential,
    Range,
    Region,
    Relative,
    SelfClearance,
    Swivel,
)
from manikin.solvers import Limit, Miss, Problem, Solution, solve

if TYPE_CHECKING:
    from manikin.closed_form.arm import Arm
    from manikin.closed_form.arm_tracker import ArmTracker
    from manikin.closed_form.planar import three_links, two_links
    from manikin.closed_form.six_axis import SixAxis
    from manikin.closed_form.swivel_table import SwivelTable

__version__ = "0.1.0"

__all__ = [
    "Aim",
    "AnyOf",
    "Arm",
    "ArmTracker",
    "Balance",
    "Ball",
    "Box",
    "Capsule",
    "CenterOfMass",
    "Circle",
    "Coupling",
    "Discomfort",
    "Dof",
    "Effort",
    "Figure",
    "FigureError",
    "Follow",
    "FormatError",
    "Goal",
    "GoalError",
    "HalfSpace",
    "Inside",
    "Joint",
    "KineticEnergy",
    "LeastChange",
    "LeastTime",
    "Limit",
    "LimitSpring",
    "Loop",
    "ManikinError",
    "Miss",
    "MissingExtraError",
    "Natural",
    "Objective",
    "OnLine",
    "OnPlane",
    "Orientation",
    "Outside",
    "Pin",
    "Placement",
    "Pose",
    "PoseError",
    "Position",
    "Posture",
    "Potential",
    "Problem",
    "Range",
    "Region",
    "Relative",
    "Segment",
    "SelfClearance",
    "Shape",
    "Site",
    "SixAxis",
    "Solution",
    "SolveError",
    "Swivel",
    "SwivelTable",
    "human",
    "load",
    "solve",
    "three_links",
    "two_links",
]


def __getattr__(name: str) -> Any:
    """The closed forms come with the compiled kernels, so they are imported when first asked for."""
    if name == "Arm":
        from manikin.closed_form.arm import Arm

        return Arm
    if name == "SwivelTable":
        from manikin.closed_form.swivel_table import SwivelTable

        return SwivelTable
    if name == "SixAxis":
        from manikin.closed_form.six_axis import SixAxis

        return SixAxis
    if name == "ArmTracker":
        from manikin.closed_form.arm_tracker import ArmTracker

        return ArmTracker
    if name in ("two_links", "three_links"):
        from manikin.closed_form import planar

        return getattr(planar, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
