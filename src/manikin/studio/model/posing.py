"""The solver behind the mouse: a run of solves that begins with a gesture, each well under a millisecond.

A gesture is one `manikin.problem.Session`: each event is solved from where the last one ended, by the quick search
and, where something is missed, by the descent from there, without other starts. So closed paths come back, nothing
jumps, and a target out of reach is approached by the nearest pose. A command's step is one quick search from where the
figure is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import ManikinError
from manikin.figure import Figure, Pose
from manikin.goals import (
    Aim,
    CenterOfMass,
    Goal,
    OnLine,
    OnPlane,
    Orientation,
    Outside,
    Pin,
    Placement,
    Position,
)
from manikin.goals.target import shape_of
from manikin.problem import Problem, Session
from manikin.result import Solution
from manikin.studio.model.document import Document, Entry
from manikin.studio.model.gestures import AS_IS, GRAB, Follow, Gesture, floor, settled
from manikin.studio.model.groups import idle

# Seconds so long that no velocity limit matters: of `dt` only that it goes by one quick search is wanted here.
AGES = 1e9
# A hard goal counts as kept within these; the quick search restores them to 1e-9 where it can.
KEPT = {"m": 2e-4, "rad": 2e-3, "": 1e-6}


@dataclass(frozen=True, eq=False)
class Grab:
    """A point of a segment that is being dragged, in the segment's frame."""

    segment: str
    offset: np.ndarray


@dataclass(frozen=True, eq=False)
class Found:
    """Where a step ended.

    misses: by the entry's number: the largest miss of its goal, its unit, and whether it is reached.
    """

    q: np.ndarray
    misses: dict[int, tuple[float, str, bool]]
    reached: bool
    feasible: bool


def _ranks(listed: list[tuple[int, Goal, int | Follow | None]]) -> list[int]:
    return sorted({level for level, _, _ in listed})


def _held(goal: Goal, pose: Pose) -> Goal:
    """A pin as one to where this pose has its site."""
    return goal.changed(at=pose.matrix(goal.site)) if isinstance(goal, Pin) and goal.at is None else goal


class Poser:
    """A document's goals, with those of a gesture, prepared.

    held_at: the pose that pins mean, of this figure or of another with the same sites; by default the document's.
    fixed: degrees of freedom that stay as they are besides the locked ones.
    gesture: further goals, of which some follow the hand. grab: a point of a segment that they may be on.
    follow: the number of the document's goal that moves.
    """

    def __init__(
        self,
        document: Document,
        *,
        held_at: Pose | None = None,
        fixed: Iterable[str] = (),
        gesture: Gesture | None = None,
        grab: Grab | None = None,
        follow: int | None = None,
    ) -> None:
        self.document = document
        self.gesture = gesture
        reference = document.pose if held_at is None else held_at
        figure = document.figure
        if grab is not None:
            figure = figure.with_site(GRAB, grab.segment, grab.offset)
        self.figure: Figure = figure
        listed = self._listed(reference)
        if reference.figure is not document.figure:
            reference = document.pose
        # In the order of the problem: by level, then as listed.
        listed.sort(key=lambda one: one[0])
        self.goals = [goal for _, goal, _ in listed]
        self._keys = [key if isinstance(key, int) else None for _, _, key in listed]
        self._follows: dict[int, Follow] = {k: key for k, (_, _, key) in enumerate(listed) if callable(key)}
        self._moving = None if follow is None else self._index_of(follow)
        self._pose = Pose(figure, document.q)
        self._session: Session | None = None
        self._frame: np.ndarray | None = None
        if self.goals:
            levels = [[goal for level, goal, _ in listed if level == each] for each in _ranks(listed)]
            problem = Problem(
                self._pose,
                levels if len(levels) > 1 else self.goals,
                free=self._free(fixed),
                constraints=document.constraints,
                tolerance=document.tolerance,
            )
            self._session = problem.session(anchor=reference.q)

    def _listed(self, reference: Pose) -> list[tuple[int, Goal, int | Follow | None]]:
        """Level, goal, and the number of its entry or what makes its target."""
        document, drop = self.document, None if self.gesture is None else self.gesture.drop
        listed: list[tuple[int, Goal, int | Follow | None]] = []
        for level, entry in document.active_goals():
            goal = settled(document, entry.goal)
            if goal is None or (drop is not None and drop(entry.goal)):
                continue
            if reference.figure is not document.figure:
                # Its coordinates say something else here: pins mean its frames.
                goal = _held(goal, reference)
            listed.append((level, goal, entry.key))
        first = min((level for level, _, _ in listed), default=1)
        for thing in document.things:
            if thing.role == "obstacle":
                listed.append((1, Outside("*", thing.region(), hard=True), None))
        if self.gesture is not None:
            listed += [(first, goal, follow) for goal, follow in self.gesture.goals]
        if listed:
            listed += [(first, goal, None) for goal in floor(document)]
        return listed

    def _free(self, fixed: Iterable[str]) -> list[str] | None:
        still = set(fixed) | self.document.locked
        if self.gesture is not None or self._moving is not None:
            still |= idle(self.figure, (goal.site for goal in self.goals if not isinstance(goal, Outside)))
        asked = None if self.gesture is None else self.gesture.free
        if not still and asked is None:
            return None
        return [name for name in self.figure.dofs if name not in still and (asked is None or name in asked)]

    def _index_of(self, follow: int) -> int:
        """The place of an entry's goal."""
        if follow not in self._keys:
            raise ManikinError("the goal that is being moved is switched off")
        return self._keys.index(follow)

    @property
    def can_follow(self) -> bool:
        """Whether the goal that moves takes its target with the call."""
        return self._moving is not None and shape_of(self.goals[self._moving]) is not None

    def step(self, q: np.ndarray, target: Any = None) -> Found:
        """One quick step from q, towards a target for the goal that moves; where it would break what is hard, the
        figure stays."""
        if self._session is None:
            return Found(np.array(q), {}, True, True)
        found = self._read(self._session.solve(self._targets(target), start=q, dt=AGES))
        return found if found.feasible else Found(np.array(q), found.misses, False, False)

    def follow(self, q: np.ndarray, frame: np.ndarray) -> Found:
        """On with the gesture: its goals, or the goal that moves, at a frame of the handle, or as near as can be.

        q: where the figure is, the end of the last event unless somebody else moved it.
        """
        assert self._session is not None
        if not np.array_equal(self._session.q, q):
            self._session.q = q
        self._frame = frame
        found = self._read(self._session.solve(self._targets_at(frame), restarts=0))
        if not found.feasible:
            self._session.q = q
            return Found(np.array(q), found.misses, False, False)
        return found

    def reasons(self, q: np.ndarray) -> Solution | None:
        """The last event once more, from q, with its reasons; None before the first one."""
        if self._session is None or self._frame is None:
            return None
        return self._session.problem.session(q, anchor=self._session.anchor).solve(
            self._targets_at(self._frame), restarts=0
        )

    def told(self, solution: Solution) -> list[Goal]:
        """The document's goals, as a solution has them: what the floor and a gesture ask besides is nobody's wish."""
        return [solution.goals[k] for k, key in enumerate(self._keys) if key is not None]

    def led(self, solution: Solution) -> list[Goal]:
        """The gesture's goals that follow the hand itself, as a solution has them."""
        return [solution.goals[k] for k, follow in self._follows.items() if follow in AS_IS]

    def _targets_at(self, frame: np.ndarray) -> list[Any]:
        targets: list[Any] = [None] * len(self.goals)
        for k, follow in self._follows.items():
            targets[k] = follow(frame)
        if self._moving is not None:
            targets[self._moving] = moved_target(self.goals[self._moving], frame)
        return targets

    def _targets(self, target: Any) -> list[Any] | None:
        if target is None or self._moving is None:
            return None
        targets: list[Any] = [None] * len(self.goals)
        targets[self._moving] = np.asarray(target, dtype=np.float64)
        return targets

    def look(self, q: np.ndarray) -> Found:
        """How the goals are met at q, which stays as it is."""
        if self._session is None:
            return Found(np.array(q), {}, True, True)
        still = self._session.replace(free=[], constraints=())
        return self._read(still.solve(start=q, restarts=0))

    def settle(self, q: np.ndarray, target: Any = None, *, restarts: int = 0) -> Solution | None:
        """The careful answer from q, with its reasons; None where nothing is asked for."""
        if self._session is None:
            return None
        return self._session.solve(self._targets(target), start=q, restarts=restarts)

    def read(self, solution: Solution) -> Found:
        """A solution as a step's end."""
        return self._read(solution)

    def _read(self, solution: Solution) -> Found:
        goals = solution.goals
        places = {id(goal): k for k, goal in enumerate(goals)}
        misses: dict[int, tuple[float, str, bool]] = {}
        kept = True
        for miss in solution.measured:
            place = places[id(miss.goal)]
            if getattr(miss.goal, "hard", False) and miss.amount > KEPT.get(miss.unit, 1e-6):
                kept = False
            key = self._keys[place]
            if key is None:
                continue
            old = misses.get(key)
            if (
                old is None
                or (old[2] and not miss.reached)
                or (old[2] == miss.reached and old[1] == miss.unit and miss.amount > old[0])
            ):
                misses[key] = (miss.amount, miss.unit, miss.reached)
        return Found(np.array(solution.q), misses, solution.reached, kept)


def target_of(goal: Goal) -> np.ndarray | None:
    """Where a goal's handle is, as a frame 4×4: its target, or the point of its line or plane; None where there is
    none."""
    frame = np.eye(4)
    if isinstance(goal, Placement):
        frame[:3, :3], frame[:3, 3] = goal.orientation, goal.position
    elif isinstance(goal, (Position, CenterOfMass)):
        frame[:3, 3] = goal.target
    elif isinstance(goal, Orientation):
        frame[:3, :3] = goal.target
    elif isinstance(goal, Aim):
        frame[:3, 3] = goal.at
    elif isinstance(goal, (OnLine, OnPlane)):
        frame[:3, 3] = goal.point
    else:
        return None
    return frame


def moved_target(goal: Goal, frame: np.ndarray) -> Any:
    """The target that puts a goal's handle at a frame, in the form of the call."""
    shape = shape_of(goal)
    if shape == (4, 4):
        return frame
    return frame[:3, :3] if shape == (3, 3) else frame[:3, 3]


def entries_on(document: Document, segment: str) -> list[Entry]:
    """Active goals that place a site of this segment."""
    return [
        entry
        for entry in document.goals
        if entry.active
        and isinstance(entry.goal, (Position, Placement))
        and entry.goal.site in document.figure.sites
        and document.figure.sites[entry.goal.site].segment == segment
    ]
