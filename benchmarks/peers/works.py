"""The works: problems made from a seed, the same for every program and on every machine.

Targets are the forward kinematics (Pinocchio's) of configurations drawn evenly from inside the limits, so that each can
be reached. A start is *random*: drawn likewise; *near*: every joint at most 0.2 rad from the drawn configuration;
*neutral*: all joints at 0, or at the limit next to it, whatever the target. A base is *fixed*, *free*, or *bounded*:
carried by six joints with limits (`robots.on_bounded_base`), joints like the others. Out of reach: one to four targets
of each problem are moved to where the limb, stretched straight, ends short of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pinocchio as pin

from benchmarks.peers.judge import Judge, model_of
from benchmarks.peers.protocol import Work
from benchmarks.peers.robots import BASE_REACH, ROBOTS, plain

#: Arms that the method was tuned on, and others that nothing was.
TUNED, NEW = ("panda", "ur5"), ("xarm7", "z1")
NEAR = 0.2
SEEDS = 64
#: Where a free base is drawn: metres about the origin, radians of its rotation vector.
ROOM, TILT = BASE_REACH
#: Humanoids besides the G1.
HUMANOIDS = ("talos", "icub", "romeo")
ARM_TOLERANCE = (1e-4, 1e-3)
BODY_TOLERANCE = (1e-3, 1e-2)


@dataclass(frozen=True)
class Kind:
    """What a work is made of, before its problems are drawn."""

    name: str
    robot: str
    start: str
    count: int
    goals: str = "pose"
    base: str = "fixed"
    path: bool = False
    reachable: bool = True
    seed: int = 0


def _kinds() -> list[Kind]:
    arms = [
        Kind(f"{robot}-{start}", robot, start, 1000, seed=10 * i + j)
        for i, robot in enumerate((*TUNED, *NEW), 1)
        for j, start in enumerate(("random", "near"))
    ]
    bodies = [
        Kind(f"g1-{base}-{start}{suffix}", "g1", start, 500, goals, base, seed=100 + 20 * k + 10 * i + j)
        for k, (goals, suffix) in enumerate((("position", ""), ("pose", "-poses")))
        for i, base in enumerate(("fixed", "free"))
        for j, start in enumerate(("near", "neutral", "random"))
    ]
    humanoids = [
        Kind(f"{robot}-{base}-{start}-poses", robot, start, 500, "pose", base, seed=400 + 20 * k + 10 * i + j)
        for k, robot in enumerate(("g1", *HUMANOIDS))
        for i, base in enumerate(("bounded", "free"))
        for j, start in enumerate(("near", "neutral", "random"))
        if robot != "g1" or base == "bounded"
    ]
    far = Kind("g1-far", "g1", "random", 200, "position", reachable=False, seed=200)
    paths = [
        Kind("panda-path", "panda", "near", 1000, path=True, seed=300),
        Kind("ur5-path", "ur5", "near", 1000, path=True, seed=301),
        Kind("g1-path", "g1", "near", 1000, "position", path=True, seed=302),
        *(Kind(f"{arm}-path", arm, "near", 1000, path=True, seed=303 + i) for i, arm in enumerate(NEW)),
    ]
    return [*arms, *bodies, *humanoids, far, *paths]


KINDS = {kind.name: kind for kind in _kinds()}


def make(name: str) -> Work:
    """The problems of a work."""
    return problems(KINDS[name])


def problems(kind: Kind) -> Work:
    """The problems of a kind, drawn from its seed."""
    work = blank(kind)
    rng = np.random.default_rng(kind.seed)
    drawn = _path(work, rng, kind.count) if kind.path else draw(work, rng, kind.count)
    judge = Judge(work)
    work.targets = np.array([judge.placements(q) for q in drawn])
    work.starts = starts_for(work, kind.start, drawn, rng)
    if kind.path:
        work.starts[:] = drawn[0]
    if not kind.reachable:
        _push_out(work, judge, rng)
    work.seeds = draw(work, rng, SEEDS)
    return work


def blank(kind: Kind) -> Work:
    """The robot, goals and tolerances of a kind, without any problem."""
    robot = ROBOTS[kind.robot]
    bounded = kind.base == "bounded"
    urdf = str(plain(robot, bounded))
    model = model_of(urdf, kind.base)
    metres, radians = BODY_TOLERANCE if len(robot.tips) > 1 else ARM_TOLERANCE
    first = 7 if kind.base == "free" else 0
    return Work(
        name=kind.name,
        robot=kind.robot,
        urdf=urdf,
        root="world" if bounded else robot.root,
        base="fixed" if bounded else kind.base,
        tips=list(robot.tips),
        kinds=[kind.goals] * len(robot.tips),
        joints=list(model.names)[2 if first else 1 :],
        metres=metres,
        radians=radians,
        follow=kind.path,
        reachable=kind.reachable,
        lower=model.lowerPositionLimit[first:].copy(),
        upper=model.upperPositionLimit[first:].copy(),
        starts=np.empty(0),
        targets=np.empty(0),
        seeds=np.empty(0),
    )


def draw(work: Work, rng: np.random.Generator, count: int) -> np.ndarray:
    """Configurations drawn evenly from the limits, and a free base from a box about the origin."""
    joints = rng.uniform(work.lower, work.upper, (count, len(work.lower)))
    if not work.free:
        return joints
    places = rng.uniform(-ROOM, ROOM, (count, 3))
    turns = rng.uniform(-TILT, TILT, (count, 3))
    return np.hstack([places, [_quaternion(turn) for turn in turns], joints])


def _quaternion(vector: np.ndarray) -> np.ndarray:
    """x y z w of a rotation vector."""
    return np.array(pin.Quaternion(pin.exp3(vector)).coeffs())


def starts_for(work: Work, start: str, drawn: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Random, neutral or near starts for drawn configurations."""
    if start == "random":
        return draw(work, rng, len(drawn))
    if start == "neutral":
        neutral = np.clip(np.zeros_like(work.lower), work.lower, work.upper)
        base = np.array([0, 0, 0, 0, 0, 0, 1.0]) if work.free else np.empty(0)
        return np.tile(np.concatenate([base, neutral]), (len(drawn), 1))
    first = work.first_joint
    moved = drawn.copy()
    moved[:, first:] += rng.uniform(-NEAR, NEAR, moved[:, first:].shape)
    moved[:, first:] = np.clip(moved[:, first:], work.lower, work.upper)
    if work.free:
        moved[:, :3] += rng.uniform(-NEAR, NEAR, (len(moved), 3)) / 2
        for row, turn in zip(moved, rng.uniform(-NEAR, NEAR, (len(moved), 3)), strict=True):
            turned = pin.Quaternion(row[3:7]) * pin.Quaternion(pin.exp3(turn))
            row[3:7] = turned.normalized().coeffs()
    return moved


def _path(work: Work, rng: np.random.Generator, count: int) -> np.ndarray:
    """Every joint swings about its middle over half its range (at most 1 rad to a side), once to three times in all."""
    u = np.linspace(0.0, 2.0 * np.pi, count)[:, None]
    middle, half = 0.5 * (work.lower + work.upper), np.minimum(0.5 * (work.upper - work.lower), 2.0)
    swings, phases = rng.integers(1, 4, len(half)), rng.uniform(0.0, 2.0 * np.pi, len(half))
    return middle + 0.5 * half * np.sin(swings * u + phases)


def _push_out(work: Work, judge: Judge, rng: np.random.Generator) -> None:
    """Move one to four of each problem's targets farther from the limb's root than the limb is long."""
    reach = [_limb(judge, work, tip) for tip in work.tips]
    for targets in work.targets:
        for goal in rng.permutation(len(reach))[: rng.integers(1, len(reach) + 1)]:
            root, length = reach[goal]
            away = targets[goal, :3, 3] - root
            targets[goal, :3, 3] = root + away / np.linalg.norm(away) * length * rng.uniform(1.02, 1.5)


def _limb(judge: Judge, work: Work, tip: str) -> tuple[np.ndarray, float]:
    """The first joint that moves a tip, and the sum of the distances from joint to joint up to the tip."""
    model, data = judge.model, judge.data
    judge.placements(pin.neutral(model))
    frame = model.frames[model.getFrameId(tip)]
    points, joint = [data.oMf[model.getFrameId(tip)].translation.copy()], frame.parentJoint
    while joint > 0:
        points.append(data.oMi[joint].translation.copy())
        joint = model.parents[joint]
    lengths = [float(np.linalg.norm(a - b)) for a, b in pairwise(points)]
    return points[-1], sum(lengths)


def chosen(names: list[str]) -> list[str]:
    """The works that these names and beginnings of names mean, in order; all when there are none."""
    return [work for work in KINDS if not names or any(work == n or work.startswith(f"{n}-") for n in names)]
