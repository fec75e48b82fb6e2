"""Whether a configuration meets its goals inside the limits, by Pinocchio: one judge for all programs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pinocchio as pin

from benchmarks.peers.protocol import Work

#: Beyond a limit, or of a quaternion's length from 1, by rounding at most.
SLACK = 1e-6


@cache
def model_of(urdf: str, base: str) -> pin.Model:
    """Pinocchio's model of a file, on a fixed or a free base."""
    if base == "free":
        return pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer())
    return pin.buildModelFromUrdf(urdf)


@dataclass(frozen=True)
class Verdict:
    """How far each goal is missed, in metres and radians (0 where no orientation is asked), and the limits too."""

    metres: np.ndarray
    radians: np.ndarray
    beyond: float
    met: bool


class Judge:
    """The judge of one work's answers."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.model = model_of(work.urdf, work.base)
        self.data = self.model.createData()
        self.frames = [self.model.getFrameId(tip) for tip in work.tips]
        names = list(self.model.names)[1:]
        if names[work.free :] != work.joints:
            raise ValueError(f"{work.name}: the joints of {work.urdf} are {names}, not {work.joints}")

    def placements(self, q: np.ndarray) -> np.ndarray:
        """The tips' frames, (goals, 4, 4)."""
        pin.framesForwardKinematics(self.model, self.data, q)
        return np.array([self.data.oMf[frame].homogeneous for frame in self.frames])

    def beyond(self, q: np.ndarray) -> float:
        """How far outside its limits a configuration is, at most; 0 inside."""
        joints = q[self.work.first_joint :]
        out = max(float((self.work.lower - joints).max()), float((joints - self.work.upper).max()), 0.0)
        return max(out, abs(float(np.linalg.norm(q[3:7])) - 1.0)) if self.work.free else out

    def judge(self, q: np.ndarray, targets: np.ndarray) -> Verdict:
        """Measure one answer."""
        goals = len(targets)
        if not np.isfinite(q).all():
            return Verdict(np.full(goals, np.inf), np.full(goals, np.inf), np.inf, False)
        frames, beyond = self.placements(q), self.beyond(q)
        metres = np.linalg.norm(frames[:, :3, 3] - targets[:, :3, 3], axis=1)
        apart = np.linalg.norm(frames[:, :3, :3] - targets[:, :3, :3], axis=(1, 2))
        radians = 2.0 * np.arcsin(np.minimum(1.0, apart / np.sqrt(8.0)))
        radians[[kind == "position" for kind in self.work.kinds]] = 0.0
        close = (metres <= self.work.metres).all() and (radians <= self.work.radians).all()
        return Verdict(metres, radians, beyond, bool(close) and beyond <= SLACK)
