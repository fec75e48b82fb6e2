"""Pink: one quadratic program a step, in Python over Pinocchio, with the limits inside."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from pink import Configuration, solve_ik
from pink.exceptions import PinkError
from pink.limits import ConfigurationLimit
from pink.tasks import FrameTask

from benchmarks.peers.protocol import Work, serve
from benchmarks.peers.restarts import Stepping

#: Within reach, and out of it, where it keeps whole steps from swinging to and fro.
DAMPING, FAR_DAMPING = 1e-3, 1.0


class Pink(Stepping):
    """Frame tasks of cost 1 a metre and 1 a radian, Levenberg–Marquardt damping, whole steps (dt = 1, gain 1)."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        damping = DAMPING if work.reachable else FAR_DAMPING
        self.settings = (
            f"FrameTask costs 1 and 1, lm_damping={damping:g}, gain 1, DAQP, ConfigurationLimit; looped"
            + (" with restarts" if work.reachable else "")
        )
        root = pin.JointModelFreeFlyer() if work.free else None
        self.model = pin.buildModelFromUrdf(work.urdf, root) if root else pin.buildModelFromUrdf(work.urdf)
        self.data = self.model.createData()
        self.limits = [ConfigurationLimit(self.model, config_limit_gain=1.0)]
        self.tasks = [
            FrameTask(tip, 1.0, 0.0 if kind == "position" else 1.0, lm_damping=damping)
            for tip, kind in zip(work.tips, work.kinds, strict=True)
        ]
        self.configuration = Configuration(self.model, self.data, pin.neutral(self.model))

    def take(self, targets: np.ndarray) -> None:
        """Set the tasks' targets."""
        for task, target in zip(self.tasks, targets, strict=True):
            task.set_target(pin.SE3(target))

    def place(self, q: np.ndarray) -> None:
        """A configuration of its own type."""
        self.configuration = Configuration(self.model, self.data, q)

    def where(self) -> np.ndarray:
        """As it is."""
        return np.array(self.configuration.q)

    def misses(self) -> list[float]:
        """From the frames that the step needs anyway."""
        found = []
        for task, kind in zip(self.tasks, self.work.kinds, strict=True):
            frame = self.configuration.get_transform_frame_to_world(task.frame)
            goal = task.transform_target_to_world
            found.append(np.linalg.norm(frame.translation - goal.translation) / self.work.metres)
            if kind != "position":
                turned = np.linalg.norm(pin.log3(frame.rotation.T @ goal.rotation))
                found.append(turned / self.work.radians)
        return found

    def step(self) -> bool:
        """Solve the program and go there."""
        try:
            velocity = solve_ik(
                self.configuration, self.tasks, 1.0, solver="daqp", limits=self.limits, safety_break=False
            )
        except PinkError:
            return False
        self.configuration.integrate_inplace(velocity, 1.0)
        return True


if __name__ == "__main__":
    serve(Pink)
