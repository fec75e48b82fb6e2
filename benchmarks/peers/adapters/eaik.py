"""EAIK: all solutions of six hinges in closed form; of seven with one locked."""

from __future__ import annotations

import numpy as np
from eaik.IK_URDF import UrdfRobot
from eaik.pybindings.EAIK import Robot
from urchin import URDF

from benchmarks.peers.protocol import Refused, Work, serve

LOCKS = 32
TURN = 2.0 * np.pi


class Eaik:
    """The solution nearest to the start among those inside the limits, whole turns added where these allow.

    A seventh joint is locked: first at its start, then at values evenly over its range, nearest to the start first;
    those robots are made beforehand.
    """

    def __init__(self, work: Work) -> None:
        if len(work.tips) > 1 or work.free or len(work.joints) > 7:
            raise Refused("one chain of at most seven hinges only")
        self.lower, self.upper = work.lower, work.upper
        n = len(work.joints)
        plain = UrdfRobot(work.urdf, [(n - 1, 0.0)] if n == 7 else [])
        self.axes, self.offsets = plain.getOriginal_H(), plain.getOriginal_P()
        if not plain.hasKnownDecomposition():
            raise Refused(f"no closed form: {plain.getKinematicFamily()}")
        self.robot = plain._robot
        self.locks = np.linspace(self.lower[-1], self.upper[-1], LOCKS) if n == 7 else np.empty(0)
        self.locked = [self._robot(lock) for lock in self.locks]
        # Its end frame sits in the last joint, turned as the base at zero; ours is the tip.
        urdf = URDF.load(work.urdf, lazy_load_meshes=True)
        home = urdf.link_fk(links=[work.tips[0]])[urdf.link_map[work.tips[0]]]
        self.tip = np.linalg.inv(home) @ plain.fwdKin(np.zeros(n))
        self.settings = "nearest of all solutions inside the limits, whole turns added" + (
            f"; joint 7 locked at its start, then at {LOCKS} values over its range" if n == 7 else ""
        )
        self.start, self.target, self.found = np.empty(0), np.empty(0), None

    def _robot(self, lock: float) -> Robot:
        return Robot(self.axes, self.offsets, np.eye(3), [(len(self.lower) - 1, lock)], True)

    def ready(self, start: np.ndarray, targets: np.ndarray, number: int) -> None:
        """The pose of its end frame."""
        self.start, self.target = start, targets[0] @ self.tip

    def solve(self) -> None:
        """Closed forms until one solution lies inside the limits."""
        if not self.locked:
            self.found = self._nearest(self.robot.calculate_IK(self.target))
            return
        self.found = self._nearest(self._robot(self.start[-1]).calculate_IK(self.target))
        if self.found is not None:
            return
        for i in np.argsort(np.abs(self.locks - self.start[-1])):
            self.found = self._nearest(self.locked[i].calculate_IK(self.target))
            if self.found is not None:
                return

    def _nearest(self, solutions: object) -> np.ndarray | None:
        exact = ~np.asarray(solutions.is_LS, bool)
        q = np.asarray(solutions.Q).reshape(len(exact), -1)[exact]
        if not len(q):
            return None
        # The whole turns that bring each angle nearest to the start, then inside.
        q = q + TURN * np.round((self.start - q) / TURN)
        q = q - TURN * (q > self.upper) + TURN * (q < self.lower)
        q = q[((q >= self.lower) & (q <= self.upper)).all(axis=1)]
        return q[np.abs(q - self.start).max(axis=1).argmin()] if len(q) else None

    def answer(self) -> tuple[np.ndarray, bool]:
        """What it found, or the start where it found nothing."""
        return (self.start, False) if self.found is None else (self.found, True)


if __name__ == "__main__":
    serve(Eaik)
