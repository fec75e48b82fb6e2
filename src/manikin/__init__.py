"""Manikin poses articulated figures, people and robots, by goals.

>>> import manikin as mk
>>> arm = mk.load("panda.urdf")                                        # doctest: +SKIP
>>> result = mk.solve(arm, [mk.Position("panda_hand", [0.4, 0.2, 0.5])])  # doctest: +SKIP
>>> result.reached                                                     # doctest: +SKIP
True
"""

from typing import TYPE_CHECKING, Any

from manikin import shown
from manikin.errors import (
    FigureError,
    FormatError,
    GoalError,
    ManikinError,
    MissingExtraError,
    PoseError,
    SolveError,
)

if TYPE_CHECKING:
    from manikin import result as result
    from manikin.closed_form.arm import Arm
    from manikin.closed_form.arm_tracker import ArmTracker
    from manikin.closed_form.planar import three_links, two_links
    from manikin.closed_form.six_axis import SixAxis
    from manikin.closed_form.swivel_table import SwivelTable
    from manikin.figure import Coupling, Dof, Figure, Follow, Joint, Loop, Pose, Segment, Shape, Site
    from manikin.figure.human import human
    from manikin.figure.human.crowd import Population, population
    from manikin.figure.human.hands.grip import grip
    from manikin.figure.human.presets import preset
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
    from manikin.problem import Problem, Session, solve
    from manikin.problem.many import solve_many
    from manikin.result import Solution, Solutions
    from manikin.retargeting import retarget, roles_of

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
    "LimitSpring",
    "Line",
    "Loop",
    "ManikinError",
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
    "Session",
    "Shape",
    "Site",
    "SixAxis",
    "Solution",
    "Solutions",
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
    "preset",
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

# Where each name comes from: imported when it is first asked for, so that `import manikin` itself costs nothing.
_ROOMS = {
    "figure": "Coupling Dof Figure Follow Joint Loop Pose Segment Shape Site",
    "figure.human": "human",
    "figure.human.crowd": "Population population",
    "figure.human.hands.grip": "grip",
    "figure.human.presets": "preset",
    "formats": "load load_motion save",
    "goals": """
        Aim AnyOf Balance Ball Box Capsule CenterOfMass Circle Discomfort Effort Goal HalfSpace
        Inside KineticEnergy LeastChange LeastTime LimitSpring Natural Objective OnLine OnPlane
        Orientation Outside Pin Placement Position Posture Potential Range Region Relative
        SelfClearance Swivel held_box hold
    """,
    "retargeting": "retarget roles_of",
    "problem": "Problem Session solve",
    "result": "Solution Solutions",
    "problem.many": "solve_many",
    "closed_form.arm": "Arm",
    "closed_form.arm_tracker": "ArmTracker",
    "closed_form.planar": "three_links two_links",
    "closed_form.six_axis": "SixAxis",
    "closed_form.swivel_table": "SwivelTable",
    "motion": """
        Along Arc During Line Motion Recorded Spline Tracker
        approach interpolate refined track
    """,
}
_LATER = {name: room for room, names in _ROOMS.items() for name in names.split()}
shown.by = lambda: __getattr__("notebook")
# Rooms that may be named without being imported by themselves: mk.formats.read(…).
_OPEN = frozenset(
    [
        "closed_form",
        "figure",
        "formats",
        "goals",
        "markers",
        "motion",
        "notebook",
        "papers",
        "pictures",
        "reach",
        "retargeting",
        "problem",
        "result",
        "studio",
    ]
)


def __getattr__(name: str) -> Any:
    """Import what is asked for, once."""
    from importlib import import_module

    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("manikin")
        except PackageNotFoundError:  # a checkout that was not installed
            return "0+unknown"
    if name in _OPEN:
        return import_module(f"manikin.{name}")
    if name in _LATER:
        found = globals()[name] = getattr(import_module(f"manikin.{_LATER[name]}"), name)
        return found
    from manikin.hints import missing

    raise AttributeError(missing(name, __dir__()))


def __dir__() -> list[str]:
    """Everything that there is, loaded or not."""
    return sorted({*globals(), *__all__, *_OPEN})
