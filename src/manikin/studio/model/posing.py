"""The solver behind the mouse: a session that begins with a gesture, solved at every event in well under a
millisecond.

A step is one quick search from where the figure is (`Session.solve` with ``dt``, without the careful descent or other
starts), so that the figure follows and never jumps. Where it would break what is hard, feet slipping, balance lost, the
target is drawn half the way back, a few times at most; then the figure stays where it is. When the gesture ends the
careful descent has the last word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
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

GRAB = "studio:grab"
# Seconds so long that no velocity limit matters: of `dt` only that it goes by one quick search is wanted here.
AGES = 1e9
HALVINGS = 4
# A step that leaves more than this, metres, and hardly moved, may stand at a saddle; what joints are bent by to leave
# it, radians or metres.
STUCK = 0.002
BEND = 0.05
# Beside goals of weight 1 the hand of the user wins.
PULL = 25.0
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
    kept: bool


def _held(goal: Goal, pose: Pose) -> Goal:
    """A pin as one to where this pose has its site."""
    return goal.changed(at=pose.matrix(goal.site)) if isinstance(goal, Pin) and goal.at is None else goal


class Poser:
    """A document's goals, with what is dragged, prepared.

    held_at: the pose that pins mean, of this figure or of another with the same sites; by default the document's.
    fixed: degrees of freedom that stay as they are besides the locked ones.
    grab: what is dragged; its target comes with every step.
    """

    def __init__(
        self,
        document: Document,
        *,
        held_at: Pose | None = None,
        fixed: Iterable[str] = (),
        grab: Grab | None = None,
        follow: int | None = None,
    ) -> None:
        self.document = document
        self.grab = grab
        reference = document.pose if held_at is None else held_at
        figure = document.figure
        if grab is not None:
            figure = figure.with_site(GRAB, grab.segment, grab.offset)
        self.figure: Figure = figure
        levels: dict[int, list[Goal]] = {}
        self._keys: list[int | None] = []
        listed: list[tuple[int, Goal, int | None]] = [
            (level, entry.goal, entry.key) for level, entry in document.active_goals()
        ]
        if (
            reference.figure is not document.figure
        ):  # its coordinates say something else here: pins mean its frames
            listed = [(level, _held(goal, reference), key) for level, goal, key in listed]
            reference = document.pose
        for thing in document.things:
            if thing.role == "obstacle":
                listed.append((1, Outside("*", thing.region(), hard=True), None))
        first = min((level for level, _, _ in listed), default=1)
        if grab is not None:
            listed.append((first, Position(GRAB, self._grab_start(), weight=PULL), None))
        for level, goal, _ in listed:
            levels.setdefault(level, []).append(goal)
        # In the order of the problem: by level, then as listed.
        ordered = sorted(range(len(listed)), key=lambda k: listed[k][0])
        self.goals = [listed[k][1] for k in ordered]
        self._keys = [listed[k][2] for k in ordered]
        self._moving = self._index_of(follow)
        still = set(fixed) | document.locked
        free = [name for name in figure.dofs if name not in still]
        self._given: Any = [levels[level] for level in sorted(levels)] if len(levels) > 1 else self.goals
        self._pose = Pose(figure, document.q)
        self._session: Session | None = None
        if self.goals:
            problem = Problem(
                self._pose,
                self._given,
                free=free if still else None,
                constraints=document.constraints,
                tolerance=document.tolerance,
            )
            self._session = problem.session(anchor=reference.q)

    def _grab_start(self) -> np.ndarray:
        return Pose(self.figure, self.document.q).position(GRAB)

    def _index_of(self, follow: int | None) -> int | None:
        """The place of what moves: the grabbed point, or the goal of an entry."""
        if self.grab is not None:
            return next(k for k, goal in enumerate(self.goals) if goal.site == GRAB)
        if follow is None:
            return None
        if follow not in self._keys:
            raise ManikinError("the goal that is being moved is switched off")
        return self._keys.index(follow)

    @property
    def can_follow(self) -> bool:
        """Whether the goal that moves takes its target with the call."""
        return self._moving is not None and shape_of(self.goals[self._moving]) is not None

    def point(self, q: np.ndarray) -> np.ndarray:
        """Where the grabbed point is."""
        return Pose(self.figure, q).position(GRAB)

    def step(self, q: np.ndarray, target: Any = None) -> Found:
        """One quick step from q, towards a target for what moves."""
        if self._session is None:
            return Found(np.array(q), {}, True, True)
        found = self._quick(q, target)
        if target is None or self.grab is None:
            return found if found.kept else Found(np.array(q), found.misses, False, False)
        here = self.point(q)
        goal = np.asarray(target, dtype=np.float64)
        if found.kept:
            return self._unstuck(q, found, here, goal)
        share = 1.0
        for _ in range(HALVINGS):
            share *= 0.5
            nearer = self._quick(q, here + share * (goal - here))
            if nearer.kept:
                return replace(nearer, reached=False)
        return Found(np.array(q), found.misses, False, False)

    def _unstuck(self, q: np.ndarray, found: Found, here: np.ndarray, goal: np.ndarray) -> Found:
        """Where a step hardly moved, another one with the joints between hand and pins bent a little off their ends.

        A straight leg is a saddle: to first order no bending of the knee lowers the hips.
        """
        asked = float(np.linalg.norm(goal - here))
        left = float(np.linalg.norm(goal - self.point(found.q)))
        if left < STUCK or left < 0.7 * asked or not len(self._between):
            return found
        figure = self.figure
        bent = np.array(q)
        for k in self._between:
            if q[k] - figure.lower[k] < BEND:
                bent[k] = min(figure.lower[k] + BEND, figure.upper[k])
            elif figure.upper[k] - q[k] < BEND:
                bent[k] = max(figure.upper[k] - BEND, figure.lower[k])
        other = self._quick(bent, goal)
        if other.kept and float(np.linalg.norm(goal - self.point(other.q))) < 0.9 * left:
            return other
        return found

    @cached_property
    def _between(self) -> np.ndarray:
        """The degrees of freedom between what is grabbed and what is pinned, those that may move and have ends."""
        assert self.grab is not None
        document = self.document
        names: set[str] = set()
        for entry in document.goals:
            if entry.active and isinstance(entry.goal, Pin):
                names.update(document.figure.chain(self.grab.segment, entry.goal.site))
        figure = document.figure
        return np.array(
            [
                k
                for k, name in enumerate(figure.dofs)
                if name in names and name not in document.locked and figure.dof(name).joint != "root"
            ],
            dtype=int,
        )

    def _quick(self, q: np.ndarray, target: Any) -> Found:
        assert self._session is not None
        return self._read(self._session.solve(self._targets(target), start=q, dt=AGES))

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
        for miss in solution.misses:
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
