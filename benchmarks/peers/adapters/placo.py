"""PlaCo: one quadratic program a step, in C++, with the limits inside."""

from __future__ import annotations

import numpy as np
import placo

from benchmarks.peers.protocol import Work, serve
from benchmarks.peers.restarts import Stepping

#: Within reach, and out of it, where it keeps whole steps from swinging to and fro.
REGULARIZATION, FAR_REGULARIZATION = 1e-4, 0.1
#: Radians a joint moves in a step, at most; of 0.3, 0.6, 1 and no bound the fastest and surest.
STEP = 0.6


class PlaCo(Stepping):
    """Soft frame or position tasks of weight 1, a little regularisation, and steps bounded by a velocity limit."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.robot = placo.RobotWrapper(work.urdf, placo.Flags.ignore_collisions)
        if list(self.robot.joint_names()) != work.joints:
            raise ValueError(f"other joints: {list(self.robot.joint_names())}")
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(not work.free)
        self.solver.enable_joint_limits(True)
        self.solver.dt = 1.0
        self.robot.set_velocity_limits(STEP)
        self.solver.enable_velocity_limits(True)
        self.tasks, self.parts = [], []
        for tip, kind in zip(work.tips, work.kinds, strict=True):
            if kind == "position":
                task = self.solver.add_position_task(tip, np.zeros(3))
                self.parts.append((task, work.metres))
            else:
                task = self.solver.add_frame_task(tip, np.eye(4))
                self.parts += [(task.position(), work.metres), (task.orientation(), work.radians)]
            task.configure(tip, "soft", *([1.0] if kind == "position" else [1.0, 1.0]))
            self.tasks.append(task)
        regularization = REGULARIZATION if work.reachable else FAR_REGULARIZATION
        self.solver.add_regularization_task(regularization)
        self.settings = (
            f"soft tasks of weight 1, regularisation {regularization:g}, joint limits and {STEP} rad a step in the "
            "program; looped" + (" with restarts" if work.reachable else "")
        )
        self.q = self.robot.state.q.copy()

    def take(self, targets: np.ndarray) -> None:
        """Set the tasks' targets."""
        for task, kind, target in zip(self.tasks, self.work.kinds, targets, strict=True):
            if kind == "position":
                task.target_world = target[:3, 3]
            else:
                task.T_world_frame = target

    def place(self, q: np.ndarray) -> None:
        """A model always has a free base; a fixed one stays at the origin."""
        self.q[:] = 0.0
        self.q[6] = 1.0
        self.q[len(self.q) - len(q) :] = q
        self.robot.state.q = self.q
        self.robot.update_kinematics()

    def where(self) -> np.ndarray:
        """Without the base that does not move."""
        return np.array(self.robot.state.q[0 if self.work.free else 7 :])

    def misses(self) -> list[float]:
        """By its own tasks, which otherwise remember the error before the last step."""
        for part, _ in self.parts:
            part.update()
        return [part.error_norm() / tolerance for part, tolerance in self.parts]

    def step(self) -> bool:
        """Solve the program and go there."""
        try:
            self.solver.solve(True)
        except RuntimeError:
            return False
        self.robot.update_kinematics()
        return True


if __name__ == "__main__":
    serve(PlaCo)
