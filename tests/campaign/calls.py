"""Starts, targets and the calls that are made with them: every way in which a prepared problem is solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tests.campaign.figures import scale_of
from tests.campaign.judge import NOT_FEASIBLE, Answers, first_errors, said_of
from tests.campaign.poses import Poses, angle_of, exp
from tests.campaign.timed import timed

import manikin as mk
from manikin.goals.target import shape_of

#: Solves in a chunk: what is random in a chunk depends on its own number alone.
CHUNK = 32
#: Seconds that a costly problem is given.
LIMIT = 0.2


@dataclass
class Log:
    """What solves of one call gave, gathered while they run."""

    q: list[np.ndarray] = field(default_factory=list)
    meant: list[np.ndarray] = field(default_factory=list)
    status: list[str] = field(default_factory=list)
    reached: list[bool] = field(default_factory=list)
    feasible: list[bool] = field(default_factory=list)
    errors: list[np.ndarray] = field(default_factory=list)
    targets: dict[int, list[np.ndarray]] = field(default_factory=dict)
    found: list[tuple[int, str]] = field(default_factory=list)
    slowest: float = 0.0

    def take(self, solution: mk.Solution, meant: np.ndarray, targets: Any = None) -> None:
        """Note a solution, and what was asked for."""
        status, reached, index = solution.status, solution.reached, len(self.q)
        told = (
            first_errors(solution.goals, solution)
            if index % 16 == 0
            else np.full(len(solution.goals), np.nan)
        )
        if index % 16 == 0 and not all(np.isfinite(each.amount) for each in solution.measured):
            self.found.append((index, f"misses are told that are not finite: {told}"))
        if index % 16 == 0 or status in NOT_FEASIBLE:
            self.found += [(index, words) for words in said_of(solution)]
        elif reached != (status == "reached"):
            self.found.append((index, f"reached is {reached}, and the status {status}"))
        if not np.isfinite(solution.cost):
            self.found.append((index, f"the potential is {solution.cost}"))
        self.q.append(solution.q)
        self.meant.append(meant)
        self.status.append(status)
        self.reached.append(reached)
        self.feasible.append(solution.feasible)
        self.errors.append(told)
        self.slowest = max(self.slowest, solution.seconds)
        if targets is not None:
            for k, target in enumerate(targets):
                if target is not None:
                    self.targets.setdefault(k, []).append(target)

    def answers(self, problem: mk.Problem, tolerance: tuple[float, float]) -> Answers:
        """All of them, to be judged."""
        return Answers(
            problem.figure,
            problem.goals,
            np.array(self.q),
            np.array(self.meant),
            np.array(self.reached),
            tolerance,
            np.array(self.feasible),
            {k: np.array(rows) for k, rows in self.targets.items()},
            # A tracker's own wish is no goal of ours.
            errors=np.array([told[: len(problem.goals)] for told in self.errors]),
        )


class Draw:
    """Random starts and targets for a problem, chunk by chunk.

    near: whether targets are where some pose has them. about: a pose that targets, and most starts, are near to.
    """

    def __init__(
        self,
        body: mk.Figure,
        goals: list[mk.Goal],
        seed: int,
        *,
        near: bool = False,
        about: np.ndarray | None = None,
    ) -> None:
        self.body, self.goals, self.seed, self.near, self.about = body, goals, seed, near, about
        self.shapes = [shape_of(goal) for goal in goals]
        scale = scale_of(body)
        self.scale = scale
        self.unit = np.array([scale if body.dof(name).unit == "m" else 1.0 for name in body.dofs])
        reach = 0.5 * self.unit
        self.low = np.where(np.isfinite(body.lower), body.lower, np.minimum(-reach, body.upper))
        self.high = np.where(np.isfinite(body.upper), body.upper, np.maximum(reach, self.low))

    def rng(self, call: int, chunk: int) -> np.random.Generator:
        """Of one chunk of one call."""
        return np.random.default_rng([self.seed, call, chunk])

    def inside(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Poses within the ranges."""
        if self.about is None:
            return rng.uniform(self.low, self.high, (count, self.body.n))
        off = 0.1 * self.unit * rng.choice([0.0, 0.1, 1.0], count)[:, None]
        return np.clip(self.about + off * rng.normal(size=(count, self.body.n)), self.low, self.high)

    def starts(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Inside, at limits, at rest, and outside by a little or by much."""
        q = self.inside(rng, count)
        if self.about is not None:
            anywhere = rng.random(count) < 0.15
            q[anywhere] = rng.uniform(self.low, self.high, (int(anywhere.sum()), self.body.n))
        kind = rng.random(count)
        at = rng.random((count, self.body.n)) < 0.4
        edge = np.where(rng.random(q.shape) < 0.5, self.low, self.high)
        q = np.where((kind < 0.2)[:, None] & at, edge, q)
        q[kind > 0.95] = self.body.rest
        outside = (kind > 0.2) & (kind < 0.4)
        off = rng.choice([1e-12, 1e-10, 1e-9, 1e-7, 1e-3, 0.3, 3.0], count)
        q += (outside * off)[:, None] * rng.normal(size=q.shape) * self.unit
        return q

    def targets(self, rng: np.random.Generator, count: int) -> dict[int, np.ndarray]:
        """Targets of the goals that take some: where a pose inside has the site, and unless ``near`` elsewhere too."""
        poses = Poses(self.body, self.inside(rng, count))
        found = {}
        for k, (goal, shape) in enumerate(zip(self.goals, self.shapes, strict=True)):
            if shape is None:
                continue
            if isinstance(goal, mk.CenterOfMass):
                turn, place = np.broadcast_to(np.eye(3), (count, 3, 3)), poses.center
            else:
                turn, place = poses.site(goal.site)
            if not self.near:
                far = rng.choice([0.0, 0.0, 0.0, 0.01, 0.3, 30.0], count) * self.scale
                place = place + far[:, None] * rng.normal(size=(count, 3))
                odd = rng.random(count) < 0.2
                turn = np.where(odd[:, None, None], exp(2.0 * rng.normal(size=(count, 3))), turn)
            if shape == (3, 3):
                found[k] = turn
            elif shape == (4, 4):
                frame = np.zeros((count, 4, 4))
                frame[:, :3, :3], frame[:, :3, 3], frame[:, 3, 3] = turn, place, 1.0
                found[k] = frame
            elif isinstance(goal, mk.Aim):
                found[k] = place + 0.5 * self.scale * turn[:, :, 0]
            else:
                found[k] = place
        return found

    def listed(self, targets: dict[int, np.ndarray], i: int) -> list[np.ndarray | None]:
        """One sample's, as `solve` takes them."""
        return [targets[k][i] if k in targets else None for k in range(len(self.goals))]


Stop = Callable[[int], bool]
_Asked = tuple[np.random.Generator, np.ndarray, list[np.ndarray | None]]
_NAMES = {
    mk.Position: "target",
    mk.Orientation: "target",
    mk.Aim: "at",
    mk.OnLine: "point",
    mk.OnPlane: "point",
}
_NAMES[mk.CenterOfMass] = "target"


def _each(draw: Draw, log: Log, stop: Stop, call: int, *, targets: bool = False) -> Iterator[_Asked]:
    """Starts one by one, with targets or without, until it is enough."""
    chunk = 0
    while True:
        rng = draw.rng(call, chunk)
        starts = draw.starts(rng, CHUNK)
        drawn = draw.targets(rng, CHUNK) if targets else {}
        for i, start in enumerate(starts):
            if stop(len(log.q)):
                return
            yield rng, start, draw.listed(drawn, i)
        chunk += 1


def _timed(log: Log, limit: float | None, grace: float, work: Callable[[], mk.Solution]) -> mk.Solution:
    """What a solve gives that has so many seconds; noted where it takes more than twice as long."""
    found, late = timed(limit, grace, work)
    if late is not None:
        log.found.append((len(log.q), late))
    return found


def carefully(problem: mk.Problem, draw: Draw, log: Log, stop: Stop, call: int) -> None:
    """From random starts alone, within a time limit: what a costly problem is solved by."""
    for _, start, _ in _each(draw, log, stop, call):
        found = _timed(
            log, LIMIT, 0.0, lambda start=start: problem.solve(start, restarts=0, time_limit=LIMIT)
        )
        log.take(found, start)


def solve(problem: mk.Problem, draw: Draw, log: Log, stop: Stop, call: int) -> None:
    """From random starts, goals as they are."""
    for _, start, _ in _each(draw, log, stop, call):
        log.take(problem.solve(start), start)


def with_options(problem: mk.Problem, draw: Draw, log: Log, stop: Stop, call: int) -> None:
    """With restarts, seeds and time limits."""
    for rng, start, _ in _each(draw, log, stop, call):
        options = {"restarts": int(rng.integers(0, 4)), "seed": int(rng.integers(0, 1000))}
        limit = float(rng.choice([0.01, 0.1])) if rng.random() < 0.05 else None
        found = _timed(
            log,
            limit,
            0.1,
            lambda start=start, options=options, limit=limit: problem.solve(
                start, **options, time_limit=limit
            ),
        )
        log.take(found, start)


def with_targets(problem: mk.Problem, draw: Draw, log: Log, stop: Stop, call: int) -> None:
    """Targets that come with the call."""
    for _, start, given in _each(draw, log, stop, call, targets=True):
        log.take(problem.solve(start, targets=given), start, given)


def followed(problem: mk.Problem, draw: Draw, log: Log, stop: Stop, call: int) -> None:
    """In a session, targets moving a little; "where it is" stays what it was."""
    chunk = 0
    while True:
        rng = draw.rng(call, chunk)
        start = draw.starts(rng, 1)[0]
        session = problem.session(start)
        targets = draw.targets(rng, CHUNK)
        for target in targets.values():  # points that wander, rotations that stay
            if target.ndim == 2:
                target[:] = target[0] + 0.02 * draw.scale * rng.normal(size=target.shape).cumsum(axis=0)
            else:
                target[:] = target[0]
        for i in range(CHUNK):
            if stop(len(log.q)):
                return
            given = draw.listed(targets, i)
            log.take(session.solve(given), start, given)
        chunk += 1


def replaced(problem: mk.Problem, draw: Draw, log: Log, stop: Stop, call: int) -> None:
    """Problems with other targets, made from one."""
    for _, start, given in _each(draw, log, stop, call, targets=True):
        log.take(with_own_targets(problem, given).solve(start), start, given)


def with_own_targets(problem: mk.Problem, given: list[np.ndarray | None]) -> mk.Problem:
    """The problem with other targets of its goals, by their own arguments."""
    goals = list(problem.goals)
    for k, (goal, target) in enumerate(zip(goals, given, strict=True)):
        if target is None:
            continue
        if isinstance(goal, mk.Placement):
            goals[k] = goal.changed(position=target[:3, 3], orientation=target[:3, :3])
        else:
            goals[k] = goal.changed(**{_NAMES[type(goal)]: target})
    return problem.with_goals(tuple(goals))


def in_time(problem: mk.Problem, draw: Draw, log: Log, stop: Stop, call: int) -> None:
    """Within velocity limits."""
    body = problem.figure
    several = [joint for joint in body.joints.values() if len(joint.steps) != len(joint.axes)]
    of_balls = {axis.name for joint in several for axis in joint.axes if axis.unit == "rad"}
    plain = [name not in of_balls for name in body.dofs]
    balls = [joint for joint in several if not any(axis.follow for axis in joint.axes)]
    for rng, start, _ in _each(draw, log, stop, call):
        dt = float(rng.choice([1e-3, 0.1, 2.0]))
        found = problem.solve(start, dt=dt)
        index = len(log.q)
        log.take(found, start)
        inside = found.q0
        way = np.abs(found.q - inside)
        fast = way > body.velocity * dt * (1.0 + 1e-9) + 1e-9
        fast &= plain
        if found.status != "infeasible":
            if fast.any():
                log.found.append((index, f"too fast: {way[fast]} in {dt} s, {body.velocity[fast]}"))
            for joint in balls:
                turned, most = _turned(joint, body, np.array([inside, found.q])), _reach(joint, body) * dt
                if turned > most * (1.0 + 1e-9) + 1e-7:
                    log.found.append((index, f"{joint.name} turned by {turned} in {dt} s, {most} at most"))


def _turned(joint: mk.Joint, body: mk.Figure, ends: np.ndarray) -> float:
    """The angle that a joint of three values turned by between two poses: they may be others of the same rotation."""
    turn, _ = Poses(body, ends)._motion(joint)
    return float(angle_of(turn[:1].swapaxes(1, 2) @ turn[1:])[0])


def _reach(joint: mk.Joint, body: mk.Figure) -> float:
    """The greatest angle a second that limits on three values leave: ‖exp(w)ᵀ exp(w + d)‖ ≤ ‖d‖, and of a swing
    and a twist the sum of both.
    """
    turns = [axis.name for axis in joint.axes if axis.unit == "rad"]
    return float(sum(body.dof(name).velocity for name in turns))


def path(problem: mk.Problem, draw: Draw, size: int, call: int, rng: np.random.Generator) -> Answers:
    """A whole path in one call."""
    start = draw.starts(rng, 1)[0]
    targets = draw.targets(rng, size)
    if rng.random() < 0.7:
        for target in targets.values():
            if target.ndim == 2:
                target[:] = target[0] + 0.02 * draw.scale * rng.normal(size=target.shape).cumsum(axis=0)
    restarts = None if size < 50 else 0
    found = problem.solve_path([targets.get(k) for k in range(len(draw.goals))], start, restarts=restarts)
    return Answers(
        problem.figure,
        problem.goals,
        found.q,
        np.broadcast_to(start, found.q.shape),
        found.reached,
        problem.tolerance,
        found.feasible,
        targets=targets,
        errors=first_errors(problem.goals, found),
    )


def many(
    problem: mk.Problem, draw: Draw, size: int, free: Any, levels: Any, rng: np.random.Generator
) -> Answers:
    """A batch."""
    starts, targets = draw.starts(rng, size), draw.targets(rng, size)
    found = mk.solve_many(
        problem.figure,
        levels,
        q0=starts,
        targets=[targets.get(k) for k in range(len(draw.goals))] if targets else None,
        free=free,
        tolerance=problem.tolerance,
        multistart=size <= 64,
        threads=1,
        seed=int(rng.integers(100)),
    )
    return Answers(
        problem.figure,
        draw.goals,
        found.q,
        starts,
        found.reached,
        problem.tolerance,
        found.feasible,
        targets=targets,
        errors=first_errors(draw.goals, found),
    )


def tracked(
    pose: mk.Pose, draw: Draw, free: Any, tolerance: tuple[float, float], size: int, rng: np.random.Generator
) -> Answers:
    """A stream of targets; its solutions before speeds are held."""
    tracker = mk.Tracker(pose, draw.goals, rate=60.0, free=free, tolerance=tolerance, robust=False)
    targets = draw.targets(rng, size)
    log = Log()
    for i in range(size):
        given = draw.listed(targets, i)
        tracker.step(given)
        assert tracker.solution is not None
        log.take(tracker.solution, np.array(pose.q), given)
        q = tracker.pose.q
        body = pose.figure
        if (np.maximum(body.lower - q, q - body.upper) > 1e-9).any() or not np.isfinite(q).all():
            log.found.append((i, "the tracker left a range"))
    made = log.answers(tracker._problem, tolerance)
    made.extra = log.found  # type: ignore[attr-defined]
    return made
