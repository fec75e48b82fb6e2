"""A Panda's tool along a 1 m line and a figure of eight at 1 kHz, beside PlaCo and Pink in one run.

``python -m benchmarks motion`` runs it among others. The other programs are run by the Pythons of ``.peers`` (`make
peers` sets them up), one quadratic program a sample from the same start: PlaCo with joint and velocity limits in it,
Pink with those and the same limits on acceleration. Misses are measured by this house's forward kinematics for all,
times are the processor's.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from time import process_time

import numpy as np

import manikin as mk
from benchmarks.peers import robots, setup

ACCELERATION = {"panda_joint1": 15.0, "panda_joint2": 7.5, "panda_joint3": 10.0, "panda_joint4": 12.5}
ACCELERATION |= {"panda_joint5": 15.0, "panda_joint6": 20.0, "panda_joint7": 20.0}
START = {"panda_joint2": -0.3, "panda_joint4": -2.2, "panda_joint6": 2.0, "panda_joint7": 0.8}
ROUNDS = 5
_PLACO = """
import json, sys, time
import numpy as np, placo
urdf, tip, path, out = sys.argv[1:5]
data = np.load(path)
robot = placo.RobotWrapper(urdf, placo.Flags.ignore_collisions)
solver = placo.KinematicsSolver(robot)
solver.mask_fbase(True)
solver.enable_joint_limits(True)
solver.enable_velocity_limits(True)
solver.dt = 1e-3
task = solver.add_frame_task(tip, np.eye(4))
task.configure(tip, "soft", 1.0, 1.0)
solver.add_regularization_task(1e-6)
names = list(robot.joint_names())
best, rows = np.inf, None
for _ in range(2):
    for name, value in zip(data["names"], data["start"]):
        if name in names:
            robot.set_joint(str(name), float(value))
    robot.update_kinematics()
    found = []
    begin = time.process_time()
    for target in data["targets"]:
        task.T_world_frame = target
        solver.solve(True)
        robot.update_kinematics()
        found.append([robot.get_joint(str(name)) if name in names else 0.0 for name in data["names"]])
    best, rows = min(best, time.process_time() - begin), np.array(found)
np.savez(out, q=rows, seconds=best)
"""


_PINK = """
import sys, time
import numpy as np, pinocchio as pin
from pink import Configuration, solve_ik
from pink.limits import AccelerationLimit, ConfigurationLimit, VelocityLimit
from pink.tasks import FrameTask
urdf, tip, path, out = sys.argv[1:5]
data = np.load(path)
model = pin.buildModelFromUrdf(urdf)
names = [str(name) for name in data["names"]]
places = [model.joints[model.getJointId(name)].idx_q for name in names]
most = np.full(model.nv, 1e10)
most[places] = np.where(np.isfinite(data["acceleration"]), data["acceleration"], 1e10)
targets = [pin.SE3(target) for target in data["targets"]]
best, rows, dt = np.inf, None, 1e-3
for _ in range(2):
    q = pin.neutral(model)
    q[places] = data["start"]
    configuration = Configuration(model, model.createData(), q)
    slow = AccelerationLimit(model, most)
    limits = [ConfigurationLimit(model), VelocityLimit(model), slow]
    task = FrameTask(tip, position_cost=1.0, orientation_cost=1.0, lm_damping=0.0, gain=1.0)
    found = []
    begin = time.process_time()
    for target in targets:
        task.set_target(target)
        velocity = solve_ik(
            configuration, [task], dt, solver="daqp", damping=1e-9, limits=limits, safety_break=False
        )
        configuration.integrate_inplace(velocity, dt)
        slow.set_last_integration(velocity, dt)
        found.append(configuration.q[places])
    best, rows = min(best, time.process_time() - begin), np.array(found)
np.savez(out, q=rows, seconds=best)
"""
PROGRAMS = {"placo": _PLACO, "pink": _PINK}


def paths(figure: mk.Figure, site: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Times and frames of both paths."""
    frame = figure.pose({name: value for name, value in START.items() if name in figure.dofs}).matrix(site)
    one, two = frame.copy(), frame.copy()
    one[:3, 3], two[:3, 3] = [0.45, -0.5, 0.4], [0.45, 0.5, 0.4]
    turn = np.linspace(0.0, 2.0 * np.pi, 65)[:-1]
    eight = np.tile(frame, (64, 1, 1))
    eight[:, :3, 3] = np.stack([0.5 + 0.12 * np.sin(2 * turn), 0.25 * np.sin(turn), 0.4 + 0 * turn], axis=1)
    line, round_trip = np.arange(0.0, 4.0005, 1e-3), np.arange(0.0, 8.0005, 1e-3)
    return {
        "line of 1 m, 4 s": (line, mk.Line(one, two).over(line)),
        "figure of eight, 8 s": (round_trip, mk.Spline(eight, closed=True).over(round_trip)),
    }


def told(
    figure: mk.Figure, site: str, times: np.ndarray, targets: np.ndarray, q: np.ndarray, seconds: float
) -> dict[str, float]:
    """Samples a second, the worst miss in mm, and the greatest share of speed and acceleration used."""
    v = np.diff(q, axis=0) / np.diff(times)[:, None]
    a = np.diff(v, axis=0) / 1e-3
    most = np.array([ACCELERATION.get(name, np.inf) for name in figure.dofs])
    placed = figure.forward(q, site)[:, 0]
    return {
        "samples_per_second": len(q) / seconds,
        "worst_mm": 1e3 * float(np.linalg.norm(placed[:, :3, 3] - targets[:, :3, 3], axis=1).max()),
        "speed": float((np.abs(v) / figure.velocity).max()),
        "acceleration": float((np.abs(a) / most).max()),
    }


def best(work, rounds: int = ROUNDS):
    """The result of a call, and the least time of several."""
    least, found = np.inf, None
    for _ in range(rounds):
        begin = process_time()
        found = work()
        least = min(least, process_time() - begin)
    return found, least


def peer(
    name: str, urdf: str, site: str, figure: mk.Figure, start: np.ndarray, targets: np.ndarray, python: Path
) -> tuple[np.ndarray, float]:
    """What another program does with the targets from the same start, and the processor time it took."""
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "given.npz", Path(folder) / "out.npz"
        most = np.array([ACCELERATION.get(dof, np.inf) for dof in figure.dofs])
        np.savez(given, targets=targets, start=start, names=np.array(figure.dofs), acceleration=most)
        command = [python, "-c", PROGRAMS[name], urdf, site, given, out]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stderr.strip().splitlines()[-1]}")
        with np.load(out) as found:
            return found["q"], float(found["seconds"])


def rows_of(quick: bool = False) -> dict[tuple[str, str], dict[str, float]]:
    """What each program does on each path, by path and program; those that are set up."""
    plain = setup.ROOT / "robots" / "panda.urdf"
    urdf = str(plain if plain.is_file() else robots.published(robots.ROBOTS["panda"]))
    figure = mk.load(urdf)
    site = next(name for name in ("panda_hand_tcp", "panda_link8") if name in figure.sites)
    pose = figure.pose({name: value for name, value in START.items() if name in figure.dofs})
    rows = {}
    for name, (times, targets) in paths(figure, site).items():
        if quick:
            times, targets = times[:200], targets[:200]
        goal = mk.Placement(site, targets[0, :3, 3], targets[0, :3, :3])
        along = mk.Along(goal, _Given(targets))
        motion, spent = best(lambda a=along, t=times: mk.track(pose, a, t, acceleration=ACCELERATION))
        rows[name, "Manikin, track"] = told(figure, site, times, targets, motion.q, spent)
        problem = mk.Problem(pose, [goal], tolerance=(1e-9, 1e-9))
        first = problem.solve()
        solved, spent = best(lambda p=problem, y=targets, s=first.q: p.solve_path(y, np.array(s)))
        rows[name, "Manikin, solve_path"] = told(figure, site, times, targets, solved.q, spent)
        for program in PROGRAMS:
            version = setup.version(program)
            if version is not None:
                python = setup.python_of(program)
                q, spent = peer(program, urdf, site, figure, np.array(motion.q[0]), targets, python)
                rows[name, f"{program} {version}"] = told(figure, site, times, targets, q, spent)
    return rows


class _Given(mk.Line):
    """Frames as a path of their own, so that they count as smooth and not as recorded."""

    def __init__(self, targets: np.ndarray) -> None:
        super().__init__(targets[0], targets[-1])
        self.targets = targets

    def over(self, times) -> np.ndarray:
        """The targets, one a time."""
        return self.targets
