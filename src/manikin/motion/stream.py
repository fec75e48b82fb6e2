"""`Tracker`: a figure that follows goals as a stream, one call a sample."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from manikin.errors import GoalError, SolveError
from manikin.figure import Figure, Pose
from manikin.figure.movable import pose_of
from manikin.goals import Goal, LeastChange
from manikin.goals.target import shape_of, with_target
from manikin.motion.follower import Follower, SampleLimits
from manikin.motion.limits import Limits
from manikin.motion.region import Region
from manikin.motion.tracking import unrolled
from manikin.motion.violations import told, worst_of
from manikin.problem import Problem, Session
from manikin.result import Solution
from manikin.verify.judge import Judge
from manikin.verify.rows import RowJudge, keeps
from manikin.verify.verdict import Violation

#: How many samples in a row may be doubted; after these, what was taken for outliers is where the target went.
_DOUBTED = 8


class Tracker:
    """Follows targets sample by sample; `pose` is where the figure is.

    figure: a Figure, which begins at rest, or a Pose of it to begin at, brought inside its ranges.
    goals: those of a `Problem`; the targets of some come with every step.
    rate: samples a second. velocity, acceleration, jerk: as of `track`; they hold from sample to sample.
    robust: whether a target that jumps is weighed down in what is followed: of a jump d away from where it was heading,
        with c six times the usual such distance (2 cm at least), the share 1/(1 + (d/c)²) is taken, for eight samples
        in a row at most. `solution` is of what is followed, `feasible` and `violations` are of the targets given.

    Pins mean where the figure began, at every sample.

    A sample without a target (None, or NaN) leaves that goal where it was heading, slowing down. A solution that is too
    far for one sample, after a gap or a flip or because the target is too fast, is gone over to within the limits
    (`lagging`). The figure can always stop before a range: a solution at which it could not is approached slower.
    """

    def __init__(
        self,
        figure: Figure | Pose,
        goals: Iterable[Goal],
        *,
        rate: float,
        free: str | Iterable[str] | None = None,
        fixed: str | Iterable[str] | None = None,
        velocity: Any = None,
        acceleration: Any = None,
        jerk: Any = None,
        tolerance: tuple[float, float] = (1e-4, 1e-3),
        robust: bool = True,
    ) -> None:
        if not (isinstance(rate, (int, float)) and 0.0 < rate < 1e9):
            raise SolveError(f"tracker: the rate must be a positive number of samples a second, got {rate!r}")
        pose = pose_of(figure, "tracker")
        self._figure = pose.figure
        self._problem = Problem(pose, goals, free=free, fixed=fixed, tolerance=tolerance)
        self._session = self._problem.session()
        self._steady: Session | None = None
        self._shapes = [shape_of(goal) for goal in self._problem.goals]
        limits = Limits.given(self._figure, velocity, acceleration, jerk, self._figure.velocity)
        self._limited, self._region = limits.any, Region(self._figure)
        self._follower = Follower(pose.q, SampleLimits.of(limits, 1.0 / float(rate)), self._region)
        if not isinstance(robust, (bool, np.bool_)):
            raise SolveError(f"tracker: robust must be true or false, got {robust!r}")
        self._robust, self._rate, self._steps = bool(robust), float(rate), 0
        self.restart(pose)

    def restart(self, pose: Pose) -> None:
        """Begin again at another pose, at rest."""
        if pose.figure is not self._figure:
            raise SolveError(f"tracker: the pose is of another figure, {pose.figure.name!r}")
        self._session.reset(pose)
        self._steady = None
        self._q = self._region.nearest(np.array(pose.q))
        self._follower.restart(self._q)
        self._heading: list[tuple[np.ndarray, np.ndarray] | None] = [None] * len(self._shapes)
        self._last: dict[int, np.ndarray] = {}
        self._usual = [0.0] * len(self._shapes)
        self._doubted = [0] * len(self._shapes)
        self._steps = 0
        self._asked: list[np.ndarray | None] = [None] * len(self._shapes)
        self._doubting = False
        self.solution: Solution | None = None
        """The solution of the last sample, before limits were held. Where the steadiest of equals was taken, that wish
        is its last goal, after those that were given."""

    @property
    def pose(self) -> Pose:
        """Where the figure is."""
        return Pose(self._figure, self._q)

    @property
    def feasible(self) -> bool:
        """Whether ranges, couplings, cones and loops of the figure hold where it is, and the hard goals of the last
        step, of the targets as they were given, outliers too."""
        solution = self.solution
        if solution is not None and not self._doubting and np.array_equal(self._q, solution.q):
            return solution.feasible
        return not self.violations

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What of these does not hold where the figure is."""
        problem, start = self._problem, self._session.anchor
        goals = tuple(
            goal if target is None else with_target(goal, target)
            for goal, target in zip(problem.goals, self._asked, strict=True)
        )
        judge = Judge(self._figure, start, goals, problem.couplings, problem.tolerance)
        misses = np.zeros((1, len(judge.atoms)))
        q, now = self._q[None], np.array([self._steps / self._rate])
        kept = keeps(RowJudge(judge).bits(q, start.q, misses=misses))
        return worst_of(told(judge, now, q, kept, misses))

    @property
    def lagging(self) -> bool:
        """Whether the figure is not at its last solution, but on its way to it within the limits."""
        return self._limited and self._follower.lagging

    @property
    def waiting(self) -> bool:
        """Whether it is `lagging` and no way to the solution is safe, so that it comes to rest, or is."""
        return self._limited and self._follower.waiting

    def step(self, targets: Sequence[Any] | None = None) -> np.ndarray:
        """The next values (n,), for targets one a goal, in their order; None for a goal that stands, or lost its
        target."""
        given: list[Any] = [None] * len(self._shapes) if targets is None else list(targets)
        if len(given) != len(self._shapes):
            raise SolveError(f"tracker: expected {len(self._shapes)} targets, one a goal, got {len(given)}")
        used = [self._target(k, target) for k, target in enumerate(given)]
        self._asked = [_given(target, one) for target, one in zip(given, used, strict=True)]
        self._doubting = any(one is not other for one, other in zip(self._asked, used, strict=True))
        self.solution = self._session.solve(used)
        if self._limited and not self.lagging and not self._follower.fits(self._near(self.solution.q)):
            steadier = self._steadier(self.solution, used)
            if steadier is not self.solution:
                self.solution = steadier
                self._session.q = np.array(steadier.q)
        wanted, self._steps = np.array(self.solution.q), self._steps + 1
        self._q = self._follower.step(self._near(wanted)) if self._limited else wanted
        return self._q.copy()

    def _near(self, q: np.ndarray) -> np.ndarray:
        """The same pose (n,), inside its ranges, with turns that go on from where the follower is."""
        return unrolled(self._figure, np.stack([self._follower.x, self._region.nearest(q)]))[1]

    def _steadier(self, found: Solution, targets: list[np.ndarray | None]) -> Solution:
        """Of the poses that do as well, the one nearest to going on without acceleration, if that is within the limits.

        What the solver prefers among equals may change abruptly; the goals do not ask for that.
        """
        if self._steady is None:
            self._steady = self._session.replace(goals=[*self._problem.goals, LeastChange()])
        ahead = self._region.nearest(self._follower.ahead)
        other = self._steady.solve([*targets, None], start=ahead, restarts=0)
        as_good = other.reached or not found.reached
        return other if as_good and self._follower.fits(self._near(other.q)) else found

    def _target(self, k: int, given: Any) -> np.ndarray | None:
        """The target to solve for: the one given, less of it where it is doubtful, or where it was heading."""
        shape = self._shapes[k]
        if given is None and self._heading[k] is None:
            return None
        if shape is None:
            raise GoalError(
                f"{self._problem.goals[k].label()}: a goal of this kind takes no target in a call"
            )
        last = self._heading[k]
        target = None
        if given is not None:
            target = np.array(given.as_matrix() if hasattr(given, "as_matrix") else given, dtype=np.float64)
            if target.shape != shape:
                raise GoalError(
                    f"{self._problem.goals[k].label()}: expected a target of shape {shape}, got {target.shape}"
                )
        if target is None or not np.isfinite(target).all():
            if last is None:
                return None
            place, speed = last[0] + last[1], 0.9 * last[1]  # lost: go on, slower and slower
            self._heading[k] = (place, speed)
            return self._moved_to(k, place)
        point = target[:3, 3] if shape == (4, 4) else target
        if shape == (3, 3) or not self._robust:
            self._heading[k] = (point.copy(), np.zeros_like(point))
            self._last[k] = target
            return target
        speed = np.zeros(3)
        if last is not None:
            point, speed = self._doubtful(k, point, last)
            if shape == (4, 4):
                target[:3, 3] = point
            else:
                target = point
        self._heading[k] = (point.copy(), speed)
        self._last[k] = target
        return target

    def _doubtful(
        self, k: int, point: np.ndarray, last: tuple[np.ndarray, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The point, or a share of the way to it from where the target was heading; and where it is heading now."""
        ahead = last[0] + last[1]
        away = float(np.linalg.norm(point - ahead))
        allowed = max(6.0 * self._usual[k], 0.02)
        self._usual[k] += 0.05 * (min(away, allowed) - self._usual[k])
        if away <= allowed:
            self._doubted[k] = 0
            return point, point - last[0]
        if self._doubted[k] >= _DOUBTED:  # that is where it went, and no velocity
            self._doubted[k] = 0
            return point, np.zeros(3)
        self._doubted[k] += 1
        return ahead + (point - ahead) / (1.0 + (away / allowed) ** 2), 0.9 * last[1]

    def _moved_to(self, k: int, place: np.ndarray) -> np.ndarray:
        """The last target of a goal moved to a place."""
        target = self._last[k].copy()
        if target.shape == (4, 4):
            target[:3, 3] = place
            return target
        return target if target.shape == (3, 3) else place


def _given(target: Any, used: np.ndarray | None) -> np.ndarray | None:
    """The target that a sample is judged by: the one given, or what was used if none was, or it is no other."""
    if target is None:
        return used
    array = np.array(target.as_matrix() if hasattr(target, "as_matrix") else target, dtype=np.float64)
    return used if not np.isfinite(array).all() or np.array_equal(array, used) else array  # type: ignore[arg-type]
