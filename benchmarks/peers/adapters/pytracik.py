"""TRAC-IK through pytracik: a Newton method with restarts and a sequential quadratic program, side by side."""

from __future__ import annotations

import numpy as np
from trac_ik import TracIK
from trac_ik.trac_ik import pytracik

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
        self.start, self.target, self.found = np.empty(0), (0.0,) * 7, np.empty(0)

    def aim(self, start: np.ndarray, targets: np.ndarray, number: int) -> None:
        """Position and quaternion, computed beforehand."""
        self.start = start
        self.target = (*targets[0, :3, 3].tolist(), *_xyzw(targets[0, :3, :3]).tolist())

    def solve(self) -> None:
        """One call of the compiled function; its Python wrapper would compute the quaternion here."""
        self.found = pytracik.ik(self.chain._ik_solver, self.start, *self.target)

    def answer(self) -> tuple[np.ndarray, bool]:
        """What it found, or the start where it found nothing."""
        met = self.found[0] >= 0
        return (np.array(self.found[1:]) if met else self.start), bool(met)


def _xyzw(matrix: np.ndarray) -> np.ndarray:
    """The quaternion of a rotation: of 4qqᵀ's columns, which the matrix gives, the longest."""
    m, trace = matrix, np.trace(matrix)
    four = np.empty((4, 4))
    four[:3, :3] = m + m.T + (1.0 - trace) * np.eye(3)
    four[3, 3] = 1.0 + trace
    four[3, :3] = four[:3, 3] = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    column = four[:, np.argmax(np.diag(four))]
    return column / np.linalg.norm(column)


if __name__ == "__main__":
    serve(PyTracIK)
