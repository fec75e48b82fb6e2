"""What can be drawn: figures, poses and solutions, each with its goals."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from manikin.errors import PoseError
from manikin.figure import Figure, Pose
from manikin.pictures.body import Body
from manikin.pictures.scene import Scene
from manikin.pictures.surface import Surface, bounds

if TYPE_CHECKING:
    from manikin.goals import Goal
    from manikin.pictures.marks import Marks
    from manikin.result import Solution

# Of the extent: things this near to the figure and its goals are not cut off.
CLOSE = 0.15
#: Linear colour of the ghosts of other frames.
GHOST = (0.30, 0.42, 0.55)


@dataclass(frozen=True, eq=False)
class Subject:
    """A pose with its goals; whether each is reached, by unit, and which choice was taken, where a solution says so."""

    pose: Pose
    goals: tuple[Goal, ...] = ()
    reached: Mapping[int, Mapping[str, bool]] | None = None
    chosen: Mapping[int, int] = field(default_factory=dict)


def is_solution(given: Any) -> TypeGuard[Solution]:
    """Whether it is a Solution. Where nothing has been solved yet nothing is, and the solvers need not be loaded."""
    solvers = sys.modules.get("manikin.result.solution")
    return solvers is not None and isinstance(given, solvers.Solution)


def subject_of(given: Any, goals: Iterable[Goal] = ()) -> Subject:
    """The subject of a Figure (at rest), a Pose or a Solution, which brings goals of its own."""
    more = tuple(goals)
    if more:
        _check_goals(more)
    if is_solution(given):
        reached: dict[int, dict[str, bool]] = {}
        for miss in given.measured:
            units = reached.setdefault(id(miss.goal), {})
            units[miss.unit] = miss.reached and units.get(miss.unit, True)
        from manikin.goals import AnyOf

        own = given.goals
        chosen = {id(goal): place for goal, place in given.choices.items() if isinstance(goal, AnyOf)}
        return Subject(given.pose, (*own, *(goal for goal in more if goal not in own)), reached, chosen)
    if isinstance(given, Figure):
        given = given.pose()
    if not isinstance(given, Pose):
        raise PoseError(f"picture: expected a Figure, a Pose or a Solution, got {given!r}")
    return Subject(given, more)


def _check_goals(goals: Iterable[Any]) -> None:
    from manikin.goals import Goal

    for goal in goals:
        if not isinstance(goal, Goal):
            raise PoseError(f"picture: goals must be goals, got {goal!r}")


class Bodies:
    """The bodies of figures, each made once."""

    def __init__(self, color: Any, meshes: str, look: str = "shapes", off: float = 0.1) -> None:
        self._options: dict[str, Any] = {"color": color, "meshes": meshes, "look": look, "off": off}
        self._known: dict[int, Body] = {}

    def of(self, figure: Figure) -> Body:
        """The body of a figure."""
        if id(figure) not in self._known:
            self._known[id(figure)] = Body(figure, **self._options)
        return self._known[id(figure)]


@dataclass(frozen=True, eq=False)
class Parts:
    """The surfaces of a subject in the world, and its greatest extent in metres.

    things: obstacles and what else stands in the picture; like the figure's own they are solid.
    ghosts: figures that one sees through.
    """

    solid: list[Surface]
    marks: list[Surface]
    clear: list[Surface]
    extent: float
    things: list[Surface] = field(default_factory=list)
    ghosts: list[Surface] = field(default_factory=list)

    def points(self) -> np.ndarray:
        """What has to be seen: all corners of the figure and the marks, (p, 3), and what stands close to them."""
        found = [part.corners.reshape(-1, 3) for part in (*self.solid, *self.marks, *self.ghosts)]
        if not found:
            return np.zeros((0, 3), np.float32)
        own = np.concatenate(found)
        near = [part.corners.reshape(-1, 3) for part in self.things]
        if not near:
            return own
        low, high = bounds(own)
        low, high = low - CLOSE * self.extent, high + CLOSE * self.extent
        return np.concatenate([own, *(p[((p >= low) & (p <= high)).all(axis=1)] for p in near)])

    def lowest(self) -> float:
        """The height of the figure's lowest point."""
        return min((float(part.corners[..., 2].min()) for part in self.solid if len(part)), default=0.0)

    def scene(self, ground: float | None, size: float, framed: bool = False) -> Scene:
        """The scene of these surfaces."""
        solid = [*self.solid, *self.things]
        return Scene(solid, self.marks, [*self.clear, *self.ghosts], ground=ground, size=size, framed=framed)


def parts_of(
    subject: Subject,
    bodies: Bodies,
    sites: Sequence[str] = (),
    things: Iterable[Any] = (),
    ghosts: Iterable[Pose] = (),
) -> Parts:
    """The surfaces of a subject: the figure's, its goals' in a size that suits the figure's, and of what is about."""
    solid = bodies.of(subject.pose.figure).surfaces(subject.pose)
    if not any(len(part) for part in solid):
        raise PoseError(f"figure {subject.pose.figure.name!r}: there is nothing to draw")
    low, high = bounds(np.concatenate([part.corners.reshape(-1, 3) for part in solid]))
    extent = max(float((high - low).max()), 1e-6)
    faint = [part.painted(GHOST) for pose in ghosts for part in bodies.of(pose.figure).surfaces(pose)]
    shown = list(things)
    if not (subject.goals or sites or shown):
        return Parts(solid, [], [], extent, [], faint)
    marks, standing = _about(subject, sites, shown, low, high, extent)
    return Parts(solid, marks.solid, marks.clear, extent, standing, faint)


def _about(
    subject: Subject,
    sites: Sequence[str],
    things: list[Any],
    low: np.ndarray,
    high: np.ndarray,
    extent: float,
) -> tuple[Marks, list[Surface]]:
    """The marks of goals and sites about a figure between two corners, and what stands there."""
    from manikin.pictures.regions import obstacles, things_of

    marks = _marks(subject, sites, extent)
    if marks.solid:
        low, high = bounds(
            np.concatenate([[low, high], *(part.corners.reshape(-1, 3) for part in marks.solid)])
        )
        # Seen from far enough for a distant goal, marks made for the figure would be too small.
        marks = _marks(subject, sites, max(extent, float((high - low).max()) / 1.5))
    known = [entry[0] if isinstance(entry, tuple) else entry for entry in things]
    shown = things + [region for region in obstacles(subject.goals) if region not in known]
    return marks, things_of(shown, extent)


def _marks(subject: Subject, sites: Sequence[str], size: float) -> Marks:
    from manikin.pictures.marks import Marks, draw_site
    from manikin.pictures.more_marks import draw

    marks = Marks(size)
    for goal in subject.goals:
        draw(marks, subject.pose, goal, (subject.reached or {}).get(id(goal)), subject.chosen.get(id(goal)))
    for site in sites:
        draw_site(marks, subject.pose, site)
    return marks
