"""ssik: the solutions of six and seven hinges by algebra, the one nearest to the start."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import ssik
from ssik.prebuilt import franka_panda_ik, ur5_ik, xarm7_ik, z1_ik

from benchmarks.peers.protocol import Refused, Work, serve

#: The solvers that come compiled with it; made from a URDF file they run in Python, thirty times slower.
COMPILED: dict[str, ModuleType] = {
    "panda": franka_panda_ik,
    "ur5": ur5_ik,
    "xarm7": xarm7_ik,
    "z1": z1_ik,
}


class Ssik:
    """``solve(T, max_solutions=1, q_seed=start)``, as its guide advises; limits respected."""

    settings = "its compiled solver of this arm, solve(T, max_solutions=1, q_seed=start), limits respected"

    def __init__(self, work: Work) -> None:
        if work.robot not in COMPILED:
            raise Refused("one chain of six or seven hinges only")
        self.arm = COMPILED[work.robot]
        given = ssik.Manipulator.from_urdf(work.urdf, base=work.root, ee=work.tips[0])
        zero = np.zeros(len(work.joints))
        # From the tip of our file to that of the compiled arm.
        self.tip = np.linalg.inv(given.fk(zero)) @ self.arm.fk(zero)
        for q in work.seeds[:8]:
            if not np.allclose(given.fk(q) @ self.tip, self.arm.fk(q), atol=1e-9):
                raise Refused("its compiled arm has other dimensions")
        if not np.allclose(self._limits(work.robot), [work.lower, work.upper]):
            raise Refused(f"its compiled arm has other limits: {self._limits(work.robot)}")
        self.start, self.target, self.found = np.empty(0), np.empty(0), []

    @staticmethod
    def _limits(name: str) -> np.ndarray:
        limits = np.asarray(ssik.Manipulator.from_prebuilt(name).joint_limits)
        return limits.T if limits.shape[0] != 2 else limits

    def ready(self, start: np.ndarray, targets: np.ndarray, number: int) -> None:
        """The pose of its own tip."""
        self.start, self.target = start, targets[0] @ self.tip

    def solve(self) -> None:
        """One call."""
        self.found = self.arm.solve(self.target, max_solutions=1, q_seed=self.start)

    def answer(self) -> tuple[np.ndarray, bool]:
        """What it found, or the start where it found nothing."""
        return (np.asarray(self.found[0].q), True) if self.found else (self.start, False)


if __name__ == "__main__":
    serve(Ssik)
