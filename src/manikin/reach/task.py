"""What is asked of every body of a study, and how some bodies are asked: the unit of work, wherever it runs."""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from manikin.engines.batch.repeated import Repeated
from manikin.engines.raw import POSITION
from manikin.errors import SolveError
from manikin.figure import Figure, Pose
from manikin.figure.human.crowd import Population
from manikin.figure.human.presets import PRESETS, preset
from manikin.goals import Goal, Position
from manikin.plan.options import checked_tolerance
from manikin.problem.problem import Problem
from manikin.reach.again import Again
from manikin.reach.grid import MISSED, REACHED

#: Further starts of the mean body for each point.
RESTARTS = 3


@dataclass(frozen=True, eq=False)
class Task:
    """Points that a site is brought to by every body of a population, one after the other.

    posture: ``"rest"`` or a preset to start from; pins mean that pose. seat: where the site ``seat`` is put, metres;
    None
    leaves it. goals: what has to hold besides. reference: starts found on the mean body, a row of coordinates a point.
    """

    people: Population
    points: np.ndarray
    site: str
    goals: tuple[Goal, ...] = ()
    posture: str = "stand"
    seat: tuple[float, float, float] | None = None
    free: tuple[str, ...] | None = None
    tolerance: tuple[float, float] = (1e-3, 1e-2)
    reference: np.ndarray | None = None

    def __post_init__(self) -> None:
        points = np.array(self.points, dtype=float)
        if points.ndim != 2 or points.shape[1:] != (3,) or not np.isfinite(points).all() or not len(points):
            raise SolveError(f"study: points are wanted, (count, 3) finite numbers, got shape {points.shape}")
        if self.posture != "rest" and self.posture not in PRESETS:
            raise SolveError(
                f"study: unknown posture {self.posture!r}; expected one of: rest, {', '.join(PRESETS)}"
            )
        object.__setattr__(self, "tolerance", checked_tolerance(self.tolerance))
        object.__setattr__(self, "points", points)

    def start(self, figure: Figure) -> Pose:
        """Where a body begins."""
        pose = figure.pose() if self.posture == "rest" else preset(figure, self.posture)
        if self.seat is None:
            return pose
        if figure.base != "free":
            raise SolveError("study: a seat needs bodies with a free base")
        away = np.asarray(self.seat, dtype=float) - pose.position("seat")
        now = pose.values()
        return pose.with_values(
            {f"root_{axis}": now[f"root_{axis}"] + away[k] for k, axis in enumerate("xyz")}
        )

    def problem(self, figure: Figure) -> Problem:
        """What is asked of one body; the point is the first goal's target."""
        return Problem(
            self.start(figure),
            [Position(self.site, self.points[0]), *self.goals],
            free=self.free,
            tolerance=self.tolerance,
        )

    def digest(self) -> str:
        """What tells one task from another, whoever runs it."""
        told = hashlib.sha256()
        parts: list[Any] = [
            self.people.sexes,
            self.people.measures.tobytes(),
            None if self.people.ages is None else self.people.ages.tobytes(),
            sorted(self.people.options.items()),
            self.points.tobytes(),
            self.site,
            [
                repr(sorted((name, repr(value)) for name, value in _stated(goal).items()))
                for goal in self.goals
            ],
            [type(goal).__name__ for goal in self.goals],
            self.posture,
            self.seat,
            self.free,
            self.tolerance,
        ]
        told.update(
            pickle.dumps([str(part) if not isinstance(part, bytes) else part for part in parts], protocol=4)
        )
        return told.hexdigest()[:16]


def _stated(goal: Goal) -> dict[str, Any]:
    """A goal's arguments, arrays as lists."""
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in goal.arguments().items()
    }


def with_reference(task: Task) -> Task:
    """The task with starts for every point: poses of the mean body, or of its start where it misses."""
    people = task.people
    mean = Population(
        people.sexes[:1],
        np.exp(np.log(people.measures).mean(axis=0))[None],
        None if people.ages is None else people.ages[:1],
        people.options,
    )
    figure = mean.figures[0]
    problem = task.problem(figure)
    start = np.array(problem.q0)
    with Repeated(problem.spec, restarts=RESTARTS, threads=1) as repeated:
        found = repeated.solve(task.points, np.repeat(start[None], len(task.points), axis=0))
    # Roots are measured from each body's own start, so only what differs from the mean body's is kept.
    return replace(task, reference=np.where(found.reached[:, None], found.q - start, 0.0))


def solve_bodies(task: Task, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Of bodies first … last what becomes of every point, `REACHED`, `PROVED` or `MISSED`, and by how much it is
    missed, (bodies, points).

    The same wherever it runs: it depends on the task and these numbers alone, and of a point on no other point.
    """
    count = len(task.points)
    state = np.zeros((last - first, count), np.uint8)
    miss = np.zeros((last - first, count), np.float32)
    for row, place in enumerate(range(first, last)):
        figure = task.people.build(place)
        problem = task.problem(figure)
        start = np.array(problem.q0)
        with Repeated(problem.spec, threads=1) as repeated:
            begun = start if task.reference is None else start + task.reference
            begun = np.clip(np.broadcast_to(begun, (count, len(start))), figure.lower, figure.upper)
            found = repeated.solve(task.points, np.ascontiguousarray(begun))
        state[row], miss[row] = np.where(found.reached, REACHED, MISSED), found.errors[:, 0, POSITION]
        left = np.flatnonzero(~found.reached)
        if len(left):
            state[row, left], _, more = Again(problem, task.site, threads=1).outcome(task.points[left])
            won = state[row, left] == REACHED
            miss[row, left] = np.where(won, more, np.minimum(miss[row, left], more))
    return state, miss


def part_of(task: Task, first: int, last: int) -> Task:
    """The same asked of some bodies alone."""
    return replace(task, people=task.people.part(first, last))


def chunks_of(people: int, size: int) -> list[tuple[int, int]]:
    """The stretches of bodies that are done together."""
    return [(first, min(first + size, people)) for first in range(0, people, size)]
