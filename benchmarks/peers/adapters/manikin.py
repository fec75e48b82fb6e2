"""Ours: a Problem prepared once, ``solve(start)`` by the default method."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import manikin as mk
from benchmarks.peers.protocol import Work, serve


class Manikin:
    """One Problem for all problems of a work."""

    settings = 'Problem.solve(start, method="auto"), all defaults'

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
        self.start, self.found = np.empty(0), self.problem.solve()

    def aim(self, start: np.ndarray, targets: np.ndarray, number: int) -> None:
        """Set the targets; put the start in our order, its base as a rotation vector."""
        for place, (kind, target) in enumerate(zip(self.kinds, targets, strict=True)):
            if kind == "position":
                self.problem.set(place, target=target[:3, 3])
            else:
                self.problem.set(place, position=target[:3, 3], orientation=target[:3, :3])
        joints = start[7 if self.free else 0 :][self.to_ours]
        base = [start[:3], Rotation.from_quat(start[3:7]).as_rotvec()] if self.free else []
        self.start = np.concatenate([*base, joints])

    def solve(self) -> None:
        """One call."""
        self.found = self.problem.solve(self.start)

    def answer(self) -> tuple[np.ndarray, bool]:
        """Back in Pinocchio's order."""
        q = np.asarray(self.found.q)
        first = 6 if self.free else 0
        joints = np.empty(len(self.to_ours))
        joints[self.to_ours] = q[first:]
        base = [q[:3], Rotation.from_rotvec(np.array(q[3:6])).as_quat()] if self.free else []
        return np.concatenate([*base, joints]), self.found.reached


if __name__ == "__main__":
    serve(Manikin)
