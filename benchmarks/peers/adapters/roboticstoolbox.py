"""Robotics Toolbox for Python: ``ik_LM``, the Levenberg–Marquardt method in C++, with its own restarts."""

from __future__ import annotations

import numpy as np
from roboticstoolbox import Robot
from roboticstoolbox.models.URDF.URDFRobot import URDF_file

from benchmarks.peers.protocol import Refused, Work, serve

#: Of Chan's damping. Its authors advise 1 to 0.01; of 1, 0.1 and 0.01 this is the fastest on both arms.
K = 0.1


class RoboticsToolbox:
    """Chan's damping, the default and the fastest of the three, with the limits checked.

    It stops at ½‖e‖² < tol, e in metres and radians together: half the square of the metres' tolerance is the loosest
    value that promises both.
    """

    def __init__(self, work: Work) -> None:
        if len(work.tips) > 1 or work.free:
            raise Refused("one chain on a fixed base only")
        links, name, *_ = URDF_file(work.urdf)
        robot = Robot(links, name=name)
        self.ets = robot.ets(start=work.root, end=work.tips[0])
        if self.ets.n != len(work.joints):
            raise Refused(f"it reads {self.ets.n} joints of {len(work.joints)}")
        if not np.allclose(self.ets.qlim, [work.lower, work.upper]):
            raise Refused(f"it reads other limits: {self.ets.qlim}")
        self.tol = 0.5 * work.metres**2
        self.settings = (
            f"ets.ik_LM(T, q0, tol={self.tol:g}, k={K}), else the defaults: Chan's damping, 30 steps, 100 searches, "
            "the limits checked"
        )
        self.start, self.target, self.found = np.empty(0), np.empty(0), None

    def ready(self, start: np.ndarray, targets: np.ndarray, number: int) -> None:
        """A matrix, as it is."""
        self.start, self.target = start, targets[0]

    def solve(self) -> None:
        """One call."""
        self.found = self.ets.ik_LM(self.target, self.start, tol=self.tol, k=K)

    def answer(self) -> tuple[np.ndarray, bool]:
        """As it is."""
        return np.asarray(self.found.q), bool(self.found.success)


if __name__ == "__main__":
    serve(RoboticsToolbox)
