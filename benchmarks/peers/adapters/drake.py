"""Drake: InverseKinematics, a nonlinear program with the goals as constraints, solved by SNOPT."""

from __future__ import annotations

import numpy as np
from pydrake.math import RotationMatrix
from pydrake.multibody.inverse_kinematics import InverseKinematics
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.solvers import SnoptSolver, SolverOptions

from benchmarks.peers.protocol import Refused, Work, serve

TRIES = 30
INSIDE = 0.9
#: An angle is constrained by its cosine: for a thousandth of a radian SNOPT's default, 1e-6, is no constraint at all.
FEASIBILITY = 1e-8


class Drake:
    """Position and orientation constraints as wide as the tolerances; out of reach, squared distances as cost.

    A constraint's box of ±metres/√3 lies in the ball of the tolerance. The program is rebuilt for new targets, as part
    of the time.
    """

    def __init__(self, work: Work) -> None:
        self.work = work
        self.plant = MultibodyPlant(0.0)
        Parser(self.plant).AddModels(work.urdf)
        if not work.free:
            root = self.plant.GetBodyByName(work.root).body_frame()
            self.plant.WeldFrames(self.plant.world_frame(), root)
        self.plant.Finalize()
        joints = [self.plant.GetJointByName(name) for name in work.joints]
        self.places = np.array([joint.position_start() for joint in joints])
        size = len(work.joints) + 7 * work.free
        if self.plant.num_positions() != size:
            raise Refused(f"it reads {self.plant.num_positions()} coordinates, not {size}")
        limits = [
            self.plant.GetPositionLowerLimits()[self.places],
            self.plant.GetPositionUpperLimits()[self.places],
        ]
        if not np.allclose(limits, [work.lower, work.upper]):
            raise Refused(f"it reads other limits: {limits}")
        if work.free:
            self.base = self.plant.GetBodyByName(work.root).floating_positions_start()
        self.frames = [self.plant.GetBodyByName(tip).body_frame() for tip in work.tips]
        self.solver, self.options = SnoptSolver(), SolverOptions()
        self.options.SetOption(SnoptSolver.id(), "Major feasibility tolerance", FEASIBILITY)
        self.tries = TRIES if work.reachable else 1
        kind = "constraints, looped with restarts" if work.reachable else "squared distances as cost"
        self.settings = f"InverseKinematics, {kind}, SNOPT (feasibility {FEASIBILITY:g})"
        self.guesses: list[np.ndarray] = []
        self.targets = np.empty(0)
        self.ik, self.found, self.met = None, np.empty(0), False

    def ready(self, start: np.ndarray, targets: np.ndarray, number: int) -> None:
        """The start and those after it, in Drake's order."""
        self.targets = targets
        seeds = self.work.seeds
        more = [seeds[(number + attempt) % len(seeds)] for attempt in range(1, self.tries)]
        self.guesses = [self._theirs(q) for q in (start, *more)]

    def _program(self, targets: np.ndarray) -> None:
        """A program for these targets."""
        self.ik = InverseKinematics(self.plant)
        world, half = self.plant.world_frame(), INSIDE * self.work.metres / np.sqrt(3.0)
        for frame, kind, target in zip(self.frames, self.work.kinds, targets, strict=True):
            point = target[:3, 3]
            if not self.work.reachable:
                self.ik.AddPositionCost(world, point, frame, np.zeros(3), np.eye(3))
                continue
            self.ik.AddPositionConstraint(frame, np.zeros(3), world, point - half, point + half)
            if kind != "position":
                turn = RotationMatrix(target[:3, :3])
                self.ik.AddOrientationConstraint(
                    world, turn, frame, RotationMatrix(), INSIDE * self.work.radians
                )

    def _theirs(self, q: np.ndarray) -> np.ndarray:
        given = np.empty(len(q))
        first = self.work.first_joint
        given[self.places] = q[first:]
        if first:
            given[self.base : self.base + 7] = q[[6, 3, 4, 5, 0, 1, 2]]
        return given

    def solve(self) -> None:
        """A new program, from each guess in turn until one succeeds."""
        self._program(self.targets)
        program = self.ik.prog()
        for guess in self.guesses:
            result = self.solver.Solve(program, guess, self.options)
            self.met = result.is_success()
            self.found = result.GetSolution(self.ik.q())
            if self.met:
                return

    def answer(self) -> tuple[np.ndarray, bool]:
        """Back in Pinocchio's order."""
        joints = self.found[self.places]
        if not self.work.free:
            return joints, self.met and self.work.reachable
        base = self.found[self.base : self.base + 7][[4, 5, 6, 1, 2, 3, 0]]
        base[3:] /= np.linalg.norm(base[3:])
        return np.concatenate([base, joints]), self.met and self.work.reachable


if __name__ == "__main__":
    serve(Drake)
