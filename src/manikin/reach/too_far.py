"""Proof that points are out of reach: they are farther from where the figure stands than its bones are long together.

What `result.explain.reach` proves of one goal it proves of all points beyond a ball: about the point where a fixed
figure's chain begins, or about each point that another goal holds. The balls' radii are found by bisection, with that
proof as the judge, so that a whole grid is answered at once.
"""

from __future__ import annotations

import numpy as np

from manikin.figure import Figure
from manikin.goals import Goal, Position
from manikin.problem.problem import Problem
from manikin.result.explain.reach import out_of_reach

#: Metres that the balls found are larger than those that can be proved, at most; and beyond which none is looked for.
_CLOSE, _FARTHEST = 1e-4, 1e4


class TooFar:
    """The balls outside of which a site has nothing to look for, under the goals of a problem but the first."""

    def __init__(self, problem: Problem, site: str) -> None:
        self.balls: list[tuple[np.ndarray, float]] = []
        start = _where_the_chain_begins(problem, site)
        if start is not None:
            self._add(problem, site, [], start)
            return
        for goal in problem.goals[1:]:
            at = _held_at(goal, problem)
            if at is not None:
                self._add(problem, site, [goal.changed(hard=True)], at)

    def _add(self, problem: Problem, site: str, goals: list[Goal], center: np.ndarray) -> None:
        """The ball about a point, if there is one."""
        length, angle = problem.tolerance
        here = Position(site, problem.figure.pose(problem.q0).position(site))
        # Each of two goals may be off by the tolerance.
        proof = problem.replace(goals=[here, *goals], tolerance=(2.0 * length, angle)).solve(restarts=0)

        def outside(radius: float) -> bool:
            return bool(out_of_reach(proof, Position(site, [center[0] + radius, center[1], center[2]])))

        low, high = 0.0, 1.0
        while not outside(high):
            low, high = high, 2.0 * high
            if high > _FARTHEST:
                return
        while high - low > _CLOSE:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if outside(middle) else (middle, high)
        self.balls.append((center, high))

    def proved(self, points: np.ndarray) -> np.ndarray:
        """Which points (N, 3) no pose reaches that meets the other goals, (N,)."""
        found = np.zeros(len(points), bool)
        for center, radius in self.balls:
            found |= np.linalg.norm(points - center, axis=1) > radius
        return found


def _held_at(goal: Goal, problem: Problem) -> np.ndarray | None:
    """Where a goal that is met holds its site; None of goals that hold none at a point."""
    place = goal.place(problem.figure.pose(problem.q0))
    return None if place is None else np.array(place.point)


def _where_the_chain_begins(problem: Problem, site: str) -> np.ndarray | None:
    """The origin of the first joint between the world and a site that may move; None where that is the base."""
    figure: Figure = problem.figure
    free = {name for name, yes in zip(figure.dofs, problem.free, strict=True) if yes}
    parents = {joint.child: joint for joint in figure.joints.values()}
    segment, first = figure.site(site).segment, None
    while segment in parents:
        joint = parents[segment]
        if any(_moves(figure, axis.name, free) for axis in joint.axes):
            first = joint
        segment = joint.parent
    if first is None or first.name == "root":
        return None
    frame = figure.pose(problem.q0).matrices()[first.parent] @ first.placement
    return np.array(frame[:3, 3])


def _moves(figure: Figure, axis: str, free: set[str]) -> bool:
    """Whether an axis, a follower too, may move."""
    driven = figure.followers.get(axis)
    names = [axis] if driven is None else list(driven.coefficients)
    return any(name in free for name in names)
