"""Key frames: poses, or goals to solve for, at times; and the chapter's intermediate targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from manikin.errors import PoseError, SolveError
from manikin.figure import Figure, Pose
from manikin.figure.movable import pose_of
from manikin.goals import Goal
from manikin.goals.target import shape_of, target_of
from manikin.motion.motion import Motion
from manikin.motion.paths import Ease, between, eased
from manikin.motion.violations import judged, worst_of
from manikin.problem import Problem, solve
from manikin.result import Solution
from manikin.verify.judge import HARD
from manikin.verify.verdict import Violation


class KeyFrames(Motion):
    """A motion through key frames; `solutions` has, for each key, how it was found, or None where it was a pose."""

    solutions: tuple[Solution | None, ...] = ()

    @property
    def reached(self) -> bool:
        """Whether every goal of every key is met."""
        return all(found is None or found.reached for found in self.solutions)

    @cached_property
    def _verdict(self) -> tuple[np.ndarray, tuple[Violation, ...]]:
        """The figure's own promises, and the hard goals of each key."""
        kept, found = judged(self.figure, self.times, self.q)
        kept, told = kept.copy(), list(found)
        for k, solution in enumerate(self.solutions):
            if solution is None or solution.feasible:
                continue
            kept[k] = False
            for miss in solution.measured:
                if getattr(miss.goal, "hard", False) and miss.amount > HARD:
                    when = float(self.times[k])
                    told.append(Violation("hard goal", miss.goal.label(), miss.amount, miss.unit, when))
        return kept, worst_of(told)


def interpolate(
    keys: Sequence[Pose | Solution | Mapping[str, float] | Iterable[Goal]],
    times: Any,
    *,
    figure: Figure | Pose | None = None,
    spline: str = "cubic",
    ends: str = "clamped",
    limits: bool = True,
    name: str = "",
    **options: Any,
) -> KeyFrames:
    """The C² motion through key frames at times, inside ranges, cones and couplings between them too.

    keys: poses or solutions; values by name, which change the key before; or lists of goals, each solved from the key
        before, the first from `figure`.
    figure: the figure, or the pose that the first key starts from; by default the first key's.
    spline, ends, limits, name: those of `Motion`; key frames begin and end at rest by default.
    options: of `solve`, for keys that are goals.
    """
    if not isinstance(keys, Sequence) or isinstance(keys, str) or not keys:
        raise PoseError(f"interpolate: a list of keys is wanted, got {keys!r}")
    now = _begin(keys[0], figure)
    poses: list[Pose] = []
    solutions: list[Solution | None] = []
    for number, key in enumerate(keys):
        found: Solution | None = None
        if isinstance(key, Solution):
            found, now = key, key.pose
        elif isinstance(key, Pose):
            now = key
        elif isinstance(key, Mapping):
            now = now.with_values(key)
        elif isinstance(key, Iterable):
            found = solve(now, key, **options)
            now = found.pose
        else:
            raise PoseError(
                f"interpolate: key {number} must be a pose, a solution, values or goals, got {key!r}"
            )
        if now.figure is not (poses[0] if poses else now).figure:
            raise PoseError(f"interpolate: key {number} is of another figure, {now.figure.name!r}")
        poses.append(now)
        solutions.append(found)
    result = KeyFrames(
        poses[0].figure,
        times,
        np.array([pose.q for pose in poses]),
        spline=spline,
        ends=ends,
        limits=limits,
        name=name,
    )
    result.solutions = tuple(solutions)
    return result


def _begin(first: Any, figure: Figure | Pose | None) -> Pose:
    if figure is not None:
        return pose_of(figure, "interpolate")
    if isinstance(first, Solution):
        return first.pose
    if isinstance(first, Pose):
        return first
    raise PoseError("interpolate: say of which figure the keys are, figure=…, where the first is no pose")


_MOST_STEPS = 1_000_000


def approach(
    figure: Figure | Pose,
    goals: Iterable[Goal],
    *,
    steps: int = 20,
    ease: Ease = "even",
    duration: float = 1.0,
    method: str = "auto",
    free: str | Iterable[str] | None = None,
    fixed: str | Iterable[str] | None = None,
    tolerance: tuple[float, float] = (1e-4, 1e-3),
    name: str = "",
    **options: Any,
) -> KeyFrames:
    """From a pose to goals along straight lines, by any method: intermediate targets, each solved from the last.

    The segment from each end effector Y to its target X is divided at Y + s (X − Y), s in `steps` even steps, or with
    ``ease="smooth"`` in steps that begin and end slowly (the chapter's even and smooth interpolation); orientations
    turn by the shorter way. Goals without a target stand all the while.

    free, fixed: the degrees of freedom that may move, or may not.
    duration: seconds. method, options: of `Problem.solve`.
    """
    pose = pose_of(figure, "approach")
    if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 1:
        raise SolveError(f"approach: steps must be a whole number above zero, got {steps!r}")
    if steps > _MOST_STEPS:
        raise SolveError(f"approach: {_MOST_STEPS:,} steps at most, got {steps!r}")
    if not isinstance(duration, (int, float, np.number)) or not 0.0 < duration < np.inf:
        raise SolveError(f"approach: duration must be a positive number of seconds, got {duration!r}")
    problem = Problem(pose, goals, free=free, fixed=fixed, tolerance=tolerance)
    session = problem.session()
    ends = [target_of(goal) if shape_of(goal) else None for goal in problem.goals]
    starts = [
        None if end is None else where_now(pose, goal, end)
        for goal, end in zip(problem.goals, ends, strict=True)
    ]
    share = np.arange(steps + 1) / steps
    rows, found = [np.array(pose.q)], [None]
    for s in eased(share, ease)[1:]:
        targets = [
            None if start is None or end is None else between(start, end, np.asarray(s))
            for start, end in zip(starts, ends, strict=True)
        ]
        one = session.solve(targets, method=method, **options)
        rows.append(np.array(one.q))
        found.append(one)  # type: ignore[arg-type]
    result = KeyFrames(pose.figure, duration * share, np.array(rows), name=name)
    result.solutions = tuple(found)
    return result


def where_now(pose: Pose, goal: Goal, end: np.ndarray) -> np.ndarray:
    """Where a goal's target would be if the goal were met now."""
    if type(goal).__name__ == "CenterOfMass":
        return pose.center_of_mass()
    frame = pose.matrix(goal.site)
    if end.shape == (4, 4):
        return frame
    if end.shape == (3, 3):
        return frame[:3, :3]
    kind = type(goal).__name__
    if kind == "Aim":
        axis = np.asarray(goal.axis, dtype=np.float64)  # type: ignore[attr-defined]
        away = float(np.linalg.norm(end - frame[:3, 3]))
        return frame[:3, 3] + away * frame[:3, :3] @ (axis / np.linalg.norm(axis))
    return frame[:3, 3]
