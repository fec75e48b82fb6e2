"""TRAC-IK through pytracik: a Newton method with restarts and a sequential quadratic program, side by side."""

from __future__ import annotations

import numpy as np
from trac_ik import TracIK

from benchmarks.peers.protocol import Refused, Work, serve

#: Seconds after which it gives up; the default, 5 ms, fails on hard targets when its two threads share a core.
TIMEOUT = 0.05


class PyTracIK:
    """``solver_type="Speed"``, the default: the first solution counts.

    epsilon bounds every component of the error in metres and radians: the metres' tolerance over √3 promises both.
    """

    def __init__(self, work: Work) -> None:
        if len(work.tips) > 1 or work.free:
            raise Refused("one chain on a fixed base only")
        epsilon = work.metres / np.sqrt(3.0)
        self.chain = TracIK(work.root, work.tips[0], work.urdf, timeout=TIMEOUT, epsilon=epsilon)
        if not np.allclose(self.chain.joint_limits, [work.lower, work.upper]):
            raise Refused(f"it reads other limits: {self.chain.joint_limits}")
        self.settings = f'"Speed", epsilon={epsilon:.2g}, timeout={TIMEOUT} s; its two threads share the core'
        self.start, self.target, self.found = np.empty(0), np.eye(4), None

    def ready(self, start: np.ndarray, targets: np.ndarray, number: int) -> None:
        """A matrix, as it is."""
        self.start, self.target = start, targets[0]

    def solve(self) -> None:
        """One call, which makes a quaternion of the rotation."""
        self.found = self.chain.ik(self.target[:3, 3], self.target[:3, :3], self.start)

    def answer(self) -> tuple[np.ndarray, bool]:
        """What it found, or the start where it found nothing."""
        return (self.start, False) if self.found is None else (np.array(self.found), True)


if __name__ == "__main__":
    serve(PyTracIK)
