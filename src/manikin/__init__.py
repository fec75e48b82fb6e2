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
from manikin.formats import load, load_motion, save
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
    held_box,
    hold,
)
from manikin.solvers import Limit, Miss, Problem, Solution, solve

if TYPE_CHECKING:
    from manikin.closed_form.arm import Arm
    from manikin.closed_form.arm_tracker import ArmTracker
    from manikin.closed_form.planar import three_links, two_links
    from manikin.closed_form.six_axis import SixAxis
    from manikin.closed_form.swivel_table import SwivelTable
    from manikin.figure.human.crowd import Population, population
    from manikin.figure.human.hands.grip import grip
    from manikin.motion import (
        Along,
        Arc,
        During,
        Line,
        Motion,
        Recorded,
        Spline,
        Tracker,
        approach,
        interpolate,
        refined,
        track,
    )
    from manikin.retargeting import retarget, roles_of
    from manikin.solvers.batch.many import solve_many

    __version__: str
    from manikin.studio.open import open_studio as studio

__all__ = [
    "Aim",
    "Along",
    "AnyOf",
    "Arc",
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
    "During",
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
    "Line",
    "Loop",
    "ManikinError",
    "Miss",
    "MissingExtraError",
    "Motion",
    "Natural",
    "Objective",
    "OnLine",
    "OnPlane",
    "Orientation",
    "Outside",
    "Pin",
    "Placement",
    "Population",
    "Pose",
    "PoseError",
    "Position",
    "Posture",
    "Potential",
    "Problem",
    "Range",
    "Recorded",
    "Region",
    "Relative",
    "Segment",
    "SelfClearance",
    "Shape",
    "Site",
    "SixAxis",
    "Solution",
    "SolveError",
    "Spline",
    "Swivel",
    "SwivelTable",
    "Tracker",
    "approach",
    "grip",
    "held_box",
    "hold",
    "human",
    "interpolate",
    "load",
    "load_motion",
    "population",
    "refined",
    "retarget",
    "roles_of",
    "save",
    "solve",
    "solve_many",
    "studio",
    "three_links",
    "track",
    "two_links",
]

# What comes with compiled kernels or other heavy parts, and the module that has it: imported when first asked for.
_LATER = {
    "Arm": "closed_form.arm",
    "ArmTracker": "closed_form.arm_tracker",
    "Population": "figure.human.crowd",
    "SixAxis": "closed_form.six_axis",
    "grip": "figure.human.hands.grip",
    "SwivelTable": "closed_form.swivel_table",
    "population": "figure.human.crowd",
    "solve_many": "solvers.batch.many",
    "three_links": "closed_form.planar",
    "retarget": "retargeting",
    "roles_of": "retargeting",
    "two_links": "closed_form.planar",
} | dict.fromkeys(
    (
        "Along",
        "Arc",
        "During",
        "Line",
        "Motion",
        "Recorded",
        "Spline",
        "Tracker",
        "approach",
        "interpolate",
        "refined",
        "track",
    ),
    "motion",
)


def __getattr__(name: str) -> Any:
    """Import what is light to name and heavy to load."""
    from importlib import import_module

    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("manikin")
        except PackageNotFoundError:  # a checkout that was not installed
            return "0+unknown"
    if name == "studio":
        return import_module("manikin.studio")
    if name in _LATER:
        return getattr(import_module(f"manikin.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Everything that there is, loaded or not."""
    return sorted({*globals(), *__all__})
