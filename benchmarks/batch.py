"""Batches on the CPU: poses of a Panda and two hands of a 31-joint torso, beside a loop of single solves and a peer.

Every answer that counts as solved is checked by forward kinematics, in double precision, before it counts. All rates
are of one run, in turns; those of one thread and of two say what the second core gives.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time, thread_time
from typing import Any

import numpy as np

import manikin as mk
from benchmarks.figures import torso31
from benchmarks.peers import setup
from benchmarks.peers.robots import ROBOTS, plain
from benchmarks.tables import Requirement, Section, Table
from benchmarks.timing import in_turns

METRES, RADIANS = 1e-4, 1e-3
_RATES = (
    "start",
    "solve_many, 1 thread",
    "2 threads",
    "a CPU second",
    "second core",
    "two processes",
    "solved",
    "loop of solve",
)
PANDA_COLUMNS = (*_RATES, "solved by it", "a CPU second of it", "Robotics Toolbox", "solved by that")
TORSO_COLUMNS = (*_RATES, "ratio")
#: As far as a near start is from the pose that the target was made of, radians, each joint.
NEAR = 0.1
# Robotics Toolbox runs in an environment of its own, on the same targets and starts, one after the other.
_PEER = """
import json, sys, time
import numpy as np
from roboticstoolbox import Robot
from roboticstoolbox.models.URDF.URDFRobot import URDF_file
work = np.load(sys.argv[1])
links, name, *_ = URDF_file(sys.argv[2])
ets = Robot(links, name=name).ets(start=sys.argv[3], end=sys.argv[4])
targets, starts = work["targets"], work["starts"]
ets.ik_LM(targets[0], starts[0], tol=float(sys.argv[5]), k=0.1)
begin = time.perf_counter()
found = [ets.ik_LM(T, q, tol=float(sys.argv[5]), k=0.1) for T, q in zip(targets, starts)]
seconds = time.perf_counter() - begin
np.save(sys.argv[6], np.array([f.q for f in found]))
print(json.dumps({"seconds": seconds, "claimed": float(np.mean([f.success for f in found]))}))
"""


def _poses(figure: mk.Figure, site: str, count: int, near: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1 if near else 2)
    q = rng.uniform(figure.lower, figure.upper, (count, figure.n))
    targets = figure.forward(q, [site])[:, 0]
    if near:
        return targets, np.clip(q + rng.uniform(-NEAR, NEAR, q.shape), figure.lower, figure.upper)
    return targets, rng.uniform(figure.lower, figure.upper, q.shape)


def _good(figure: mk.Figure, q: np.ndarray, site: str, targets: np.ndarray) -> float:
    """The share of answers inside the limits and tolerances, by forward kinematics."""
    frames = figure.forward(q, [site])[:, 0]
    away = np.linalg.norm(frames[:, :3, 3] - targets[:, :3, 3], axis=1)
    chord = np.linalg.norm((frames - targets)[:, :3, :3], axis=(1, 2)) / np.sqrt(8.0)
    inside = (q >= figure.lower - 1e-9).all(axis=1) & (q <= figure.upper + 1e-9).all(axis=1)
    return float((inside & (away <= METRES) & (2.0 * np.arcsin(np.minimum(chord, 1.0)) <= RADIANS)).mean())


def _peer(
    targets: np.ndarray, starts: np.ndarray, figure: mk.Figure, site: str
) -> tuple[float, float] | None:
    """Solves a second and share solved of Robotics Toolbox's ``ik_LM``; None where it is not set up."""
    python = setup.python_of("roboticstoolbox")
    if not python.exists():
        return None
    robot = ROBOTS["panda"]
    with tempfile.TemporaryDirectory() as folder:
        work, out = Path(folder) / "work.npz", Path(folder) / "q.npy"
        np.savez(work, targets=targets, starts=starts)
        arguments = [work, plain(robot), robot.root, site, 0.5 * METRES**2, out]
        done = subprocess.run(
            [str(python), "-c", _PEER, *map(str, arguments)], capture_output=True, text=True, timeout=900
        )
        if done.returncode:
            return None
        told = json.loads(done.stdout.splitlines()[-1])
        return len(targets) / told["seconds"], _good(figure, np.load(out), site, targets)


def run(quick: bool = False) -> Section:
    """All tables."""
    section = Section("batch", __doc__ or "")
    _panda(section, quick)
    _torso(section, quick)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.0f} at the end" if hasattr(os, "getloadavg") else ""
    section.notes.append(
        f"{cores} cores{load}: what else ran on them is in the rates by the clock. A CPU second and the second core "
        "are by processor time; two processes that share nothing say what the second core can give."
    )
    return section


def _rates(solve: Callable[[int], Any], count: int, rounds: int) -> dict[Any, float]:
    """Problems a second by the number of threads; ``"cpu"``: a second of processor time, on one thread, which does not
    mind what else runs; ``"gain"``: what a second core would give by processor times, the main thread's own being
    serial; ``"processes"``: what the machine itself gives to two processes that share nothing, one thread each.
    """
    cpu: dict[int, float] = {1: np.inf, 2: np.inf}
    serial = np.inf

    def timed(threads: int) -> float:
        nonlocal serial
        begin, own, wall = process_time(), thread_time(), perf_counter()
        solve(threads)
        cpu[threads] = min(cpu[threads], process_time() - begin)
        if threads == 2:
            serial = min(serial, thread_time() - own)
        return perf_counter() - wall

    times = in_turns({str(threads): lambda threads=threads: timed(threads) for threads in (1, 2)}, rounds)
    found: dict[Any, float] = {int(threads): count / seconds for threads, seconds in times.items()}
    found["cpu"] = count / cpu[1]
    found["gain"] = cpu[1] / (serial + 0.5 * (cpu[2] - serial))
    found["processes"] = 2.0 * cpu[1] / _beside(lambda: solve(1), rounds)
    return found


def _beside(solve: Callable[[], Any], rounds: int) -> float:
    """Processor seconds of a solve while another process does nothing but the same."""

    def occupy() -> None:
        while True:
            solve()

    other = multiprocessing.get_context("fork").Process(target=occupy, daemon=True)
    other.start()
    try:
        least = np.inf
        for _ in range(rounds):
            begin = process_time()
            solve()
            least = min(least, process_time() - begin)
        return least
    finally:
        other.terminate()
        other.join()


def _panda(section: Section, quick: bool) -> None:
    figure, site = mk.load(plain(ROBOTS["panda"])), "panda_link8"
    goals = [mk.Placement(site, [0.4, 0.0, 0.4], np.eye(3))]
    table = Table(
        "Panda, full pose, 1e-4 m and 1e-3 rad, limits: solves a second",
        PANDA_COLUMNS,
    )
    for near in (True, False):
        count = 2_000 if quick else 300_000 if near else 100_000
        targets, starts = _poses(figure, site, count, near)
        mk.solve_many(figure, goals, q0=starts[:64], targets=targets[:64])
        rates = _rates(
            lambda threads, s=starts, t=targets: mk.solve_many(
                figure, goals, q0=s, targets=t, threads=threads
            ),
            count,
            1 if quick else 3,
        )
        found = mk.solve_many(figure, goals, q0=starts, targets=targets)
        good = _good(figure, found.q[found.reached], site, targets[found.reached]) * found.reached.mean()
        few = 100 if quick else 3000
        problem = mk.Problem(figure, goals)
        problem.solve(starts[0], targets=[targets[0]])
        begin, used = perf_counter(), process_time()
        single = [problem.solve(starts[k], targets=[targets[k]]) for k in range(few)]
        loop, loop_cpu = few / (perf_counter() - begin), few / (process_time() - used)
        alone = float(np.mean([one.reached for one in single]))
        peer = None if quick else _peer(targets[:2000], starts[:2000], figure, site)
        table.add(
            "near" if near else "random", rates[1], rates[2], rates["cpu"], rates["gain"], rates["processes"],
            good, loop, alone, loop_cpu,
            None if peer is None else peer[0], None if peer is None else peer[1],
        )  # fmt: skip
        name = "near starts" if near else "random starts"
        section.requirements += [
            Requirement(
                f"Panda poses from {name}, solves a second on two threads",
                rates[2],
                1e6 if near else 2.5e5,
                True,
            ),
            Requirement(f"{name}: share solved, beside that of single solves", good - alone, -1e-9, True),
            Requirement(f"{name}: the second core gives", rates["gain"], 1.8, True),
        ]
    section.tables.append(table)


def _torso(section: Section, quick: bool) -> None:
    body = torso31()
    figure, sites = body.figure, [wish.site for wish in body.wishes]
    goals = [mk.Position(site, [0.0, 0.0, 0.0]) for site in sites]
    rng = np.random.default_rng(3)
    count = 2_000 if quick else 100_000
    q = rng.uniform(figure.lower, figure.upper, (count, figure.n))
    targets = [figure.forward(q, [site])[:, 0, :3, 3] for site in sites]
    starts = np.clip(q + rng.uniform(-NEAR, NEAR, q.shape), figure.lower, figure.upper)
    table = Table(
        "31 joints, two hands to points: solves a second",
        TORSO_COLUMNS,
    )
    for name, begun in (("near", starts), ("rest", figure.rest[None])):
        mk.solve_many(figure, goals, q0=begun[:64], targets=[part[:64] for part in targets])
        rates = _rates(
            lambda threads, s=begun: mk.solve_many(figure, goals, q0=s, targets=targets, threads=threads),
            count,
            1 if quick else 3,
        )
        found = mk.solve_many(figure, goals, q0=begun, targets=targets)
        there = figure.forward(found.q, sites)[:, :, :3, 3]
        away = np.linalg.norm(there - np.stack(targets, axis=1), axis=2).max(axis=1)
        good = float((found.reached & (away <= METRES)).mean())
        problem = mk.Problem(figure, goals)
        few = 100 if quick else 3000
        row = begun if len(begun) > 1 else np.repeat(begun, few, axis=0)
        problem.solve(row[0], targets=[part[0] for part in targets])
        begin = perf_counter()
        for k in range(few):
            problem.solve(row[k], targets=[part[k] for part in targets])
        loop = few / (perf_counter() - begin)
        table.add(
            name,
            rates[1],
            rates[2],
            rates["cpu"],
            rates["gain"],
            rates["processes"],
            good,
            loop,
            rates[2] / loop,
        )
        if name == "near":
            section.requirements.append(
                Requirement(
                    "31 joints, two hands, near starts: solves a second on two threads", rates[2], 3e5, True
                )
            )
    section.tables.append(table)
