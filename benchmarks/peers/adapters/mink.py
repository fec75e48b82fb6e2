"""mink: one quadratic program a step, in Python over MuJoCo, with the limits inside."""

from __future__ import annotations

import logging

import mink
import mujoco
import numpy as np

from benchmarks.peers.protocol import Refused, Work, serve
from benchmarks.peers.restarts import Stepping

#: Within reach, and out of it, where it keeps whole steps from swinging to and fro.
LM_DAMPING, FAR_DAMPING = 1e-3, 1.0
DAMPING = 1e-6


class Mink(Stepping):
    """Frame tasks of cost 1 a metre and 1 a radian, Levenberg–Marquardt damping, whole steps (dt = 1, gain 1)."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        damping = LM_DAMPING if work.reachable else FAR_DAMPING
        self.settings = (
            f"FrameTask costs 1 and 1, lm_damping={damping:g}, damping={DAMPING:g}, gain 1, DAQP, "
            "ConfigurationLimit; looped" + (" with restarts" if work.reachable else "")
        )
        # It warns at every step from a start on a limit.
        logging.disable(logging.WARNING)
        spec = mujoco.MjSpec.from_file(work.urdf)
        spec.compiler.fusestatic = False
        if work.free:
            spec.worldbody.first_body().add_freejoint()
        model = spec.compile()
        hinges = range(int(work.free), model.njnt)
        names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i) for i in hinges]
        if sorted(names) != sorted(work.joints):
            raise Refused(f"it reads other joints: {names}")
        # MuJoCo goes through the tree in an order of its own.
        self.to_theirs = np.array([work.joints.index(name) for name in names])
        if not np.allclose(
            model.jnt_range[int(work.free) :].T, [work.lower[self.to_theirs], work.upper[self.to_theirs]]
        ):
            raise Refused(f"it reads other limits: {model.jnt_range}")
        self.limits = [mink.ConfigurationLimit(model, gain=1.0)]
        self.tasks = [
            mink.FrameTask(tip, "body", 1.0, 0.0 if kind == "position" else 1.0, lm_damping=damping)
            for tip, kind in zip(work.tips, work.kinds, strict=True)
        ]
        self.configuration = mink.Configuration(model)
        self.bodies = [model.body(tip).id for tip in work.tips]
        self.points = np.empty((0, 3))
        self.turns: list[np.ndarray] = []
        self.qpos = np.empty(model.nq)

    def take(self, targets: np.ndarray) -> None:
        """Set the tasks' targets."""
        for task, target in zip(self.tasks, targets, strict=True):
            task.set_target(mink.SE3.from_matrix(target))
        self.points = targets[:, :3, 3].copy()
        self.turns = [target[:3, :3].T.copy() for target in targets]

    def place(self, q: np.ndarray) -> None:
        """MuJoCo's quaternions begin with w."""
        first = self.work.first_joint
        if first:
            self.qpos[:7] = q[[0, 1, 2, 6, 3, 4, 5]]
        self.qpos[first:] = q[first:][self.to_theirs]
        self.configuration.update(self.qpos)

    def where(self) -> np.ndarray:
        """Back in Pinocchio's order."""
        qpos, first = self.configuration.q, self.work.first_joint
        q = np.empty_like(qpos)
        if first:
            q[:7] = qpos[[0, 1, 2, 4, 5, 6, 3]]
        q[first:][self.to_theirs] = qpos[first:]
        return q

    def misses(self) -> list[float]:
        """From the frames that the step needs anyway."""
        data = self.configuration.data
        away = data.xpos[self.bodies] - self.points
        found = list(np.sqrt(np.einsum("ij,ij->i", away, away)) / self.work.metres)
        for body, turn, kind in zip(self.bodies, self.turns, self.work.kinds, strict=True):
            if kind != "position":
                cosine = 0.5 * (np.vdot(data.xmat[body].reshape(3, 3), turn.T) - 1.0)
                found.append(np.arccos(min(1.0, cosine)) / self.work.radians)
        return found

    def step(self) -> bool:
        """Solve the program and go there."""
        try:
            velocity = mink.solve_ik(
                self.configuration, self.tasks, 1.0, "daqp", damping=DAMPING, limits=self.limits
            )
        except mink.MinkError:
            return False
        self.configuration.integrate_inplace(velocity, 1.0)
        return True


if __name__ == "__main__":
    serve(Mink)
