"""Ours: a Problem prepared once, ``solve(start, targets=…)`` by the default method."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import manikin as mk
from benchmarks.peers.protocol import Work, serve
from manikin.goals.target import with_target


class Manikin:
    """One Problem for all problems of a work."""

    settings = "Problem.solve(start, targets=[…]), all defaults"

    def __init__(self, work: Work) -> None:
        self.free = work.free
        figure = mk.load(work.urdf, base="free" if work.free else "fixed")
        joints = list(figure.dofs)[6 if work.free else 0 :]
        self.to_ours = np.array([work.joints.index(name) for name in joints])
        self.kinds = work.kinds
        target = np.eye(4)
        goals = [
            mk.Position(tip, target[:3, 3])
            if kind == "position"
            else mk.Placement(tip, target[:3, 3], target[:3, :3])
            for tip, kind in zip(work.tips, work.kinds, strict=True)
        ]
        self.problem = mk.Problem(figure, goals, tolerance=(work.metres, work.radians))
        self.start, self.targets = np.empty(0), list(np.empty((len(goals), 0)))
        self.q, self.reached = np.empty(0), False

    def ready(self, start: np.ndarray, targets: np.ndarray, number: int) -> None:
        """A point for every position, else 4×4 numbers; the start in our order, its base as a rotation vector."""
        self.targets = [
            target[:3, 3].copy() if kind == "position" else target.copy()
            for kind, target in zip(self.kinds, targets, strict=True)
        ]
        joints = start[7 if self.free else 0 :][self.to_ours]
        base = [start[:3], Rotation.from_quat(start[3:7]).as_rotvec()] if self.free else []
        self.start = np.concatenate([*base, joints])

    def solve(self) -> None:
        """One call, and a look at what it found."""
        found = self.problem.solve(self.start, targets=self.targets)
        self.q, self.reached = found.q, found.reached

    def solve_from(self, start: np.ndarray, method: str) -> None:
        """From another start, in our order, by a method, for the goals' own targets (`keep_targets`)."""
        found = self.problem.solve(start, method=method)
        self.q, self.reached = found.q, found.reached

    def keep_targets(self) -> None:
        """Make the targets at hand the goals' own, so that many solves for them prepare nothing anew."""
        goals = [
            with_target(goal, target) for goal, target in zip(self.problem.goals, self.targets, strict=True)
        ]
        self.problem = self.problem.with_goals(tuple(goals))

    def answer(self) -> tuple[np.ndarray, bool]:
        """Back in Pinocchio's order."""
        first = 6 if self.free else 0
        joints = np.empty(len(self.to_ours))
        joints[self.to_ours] = self.q[first:]
        base = [self.q[:3], Rotation.from_rotvec(np.array(self.q[3:6])).as_quat()] if self.free else []
        return np.concatenate([*base, joints]), self.reached


if __name__ == "__main__":
    serve(Manikin)
