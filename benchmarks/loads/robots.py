"""The loads of robots: targets and starts drawn by Pinocchio from a seed, as the peers' problems are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pinocchio as pin

from benchmarks.loads.load import Load, Targets, Wanted
from benchmarks.peers.judge import Judge
from benchmarks.peers.protocol import Work
from benchmarks.peers.robots import kept
from benchmarks.peers.setup import ROOT
from benchmarks.peers.works import Kind, blank, draw, problems, starts_for

STARTS = ("near", "neutral", "random")
#: Family, name, robot, goals, base and number of problems of the loads that are drawn for each start.
DRAWN = (
    ("A", "panda", "panda", "pose", "fixed", 200),
    ("B", "ur5", "ur5", "pose", "fixed", 200),
    ("C", "talos30-positions", "talos", "position", "fixed", 100),
    ("C", "talos30-poses", "talos", "pose", "fixed", 100),
    ("C", "talos36-poses", "talos", "pose", "bounded", 100),
    ("C", "talos-free-poses", "talos", "pose", "free", 100),
)
PATHS = (
    ("panda", "panda", "pose", "fixed"),
    ("ur5", "ur5", "pose", "fixed"),
    ("talos30", "talos", "position", "fixed"),
    ("talos36", "talos", "pose", "bounded"),
)
#: Rows that drawn configurations and starts keep.
PANDA_ROWS = ("panda_joint2 + panda_joint4 <= -0.5", "-1.5 <= panda_joint1 + panda_joint3 <= 1.5")
TALOS_ROWS = (
    "-0.5 <= leg_left_4_joint - leg_right_4_joint <= 0.5",
    "-0.8 <= torso_1_joint + arm_left_1_joint <= 0.8",
    "torso_2_joint + leg_left_3_joint + leg_right_3_joint <= 0.3",
)
TIED = ("panda_joint1 = panda_joint3",)
#: Metres and radians from where a free base is to be.
FAR_BASE, FAR_TURN = 4.0, 2.5
#: A leg of three hinges about y, each link hanging down straight from the one before.
LEG = """<robot name="leg"><link name="pelvis"/><link name="thigh"/><link name="shank"/><link name="foot"/>
<link name="sole"/>{}<joint name="end" type="fixed"><parent link="foot"/><child link="sole"/>
<origin xyz="0 0 -0.1"/></joint></robot>"""
HINGE = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><origin xyz="0 0 {3}"/>
<axis xyz="0 1 0"/><limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>"""
LEG_LENGTH = 0.9


def loads() -> Iterator[Load]:
    """All loads of robots."""
    for place, (family, name, robot, goals, base, count) in enumerate(DRAWN):
        for k, start in enumerate(STARTS):
            kind = Kind("", robot, start, count, goals, base, seed=1000 + 10 * place + k)
            yield as_load(family, f"{name}-{start}", problems(kind))
    for k, start in enumerate(STARTS):
        for base, place in (("fixed", 0), ("bounded", 1)):
            kind = Kind("", "talos", start, 16, "position", base, reachable=False, seed=1100 + 10 * place + k)
            yield as_load("D", f"talos{30 + 6 * place}-{start}", problems(kind))
    for k, (name, robot, goals, base) in enumerate(PATHS):
        yield as_load(
            "E", name, problems(Kind("", robot, "near", 200, goals, base, path=True, seed=1200 + k))
        )
    yield from _with_rows()
    yield from _further()
    yield straight_leg()


def as_load(family: str, name: str, work: Work, **changes: object) -> Load:
    """A peers' work as a load; a free base's quaternion becomes a rotation vector."""
    starts = work.starts
    if work.free:
        turned = [pin.log3(pin.Quaternion(row[3:7]).matrix()) for row in starts]
        starts = np.hstack([starts[:, :3], turned, starts[:, 7:]])
    poses = [kind == "pose" for kind in work.kinds]
    goals = tuple(
        Wanted("placement" if pose else "position", tip) for pose, tip in zip(poses, work.tips, strict=True)
    )
    targets: list[Targets] = [
        [frame.copy() if pose else frame[:3, 3].copy() for pose, frame in zip(poses, row, strict=True)]
        for row in work.targets
    ]
    figure = {"urdf": work.urdf, "base": work.base}
    load = Load(family, name, figure, goals, targets, starts, tuple(work.joints), (work.metres, work.radians))
    return replace(load, path=work.follow, **changes)


def _with_rows() -> Iterator[Load]:
    for robot, base, rows in (("panda", "fixed", PANDA_ROWS), ("talos", "bounded", TALOS_ROWS)):
        for k, start in enumerate(STARTS):
            work = _kept(Kind("", robot, start, 100, "pose", base, seed=1300 + k), rows)
            yield as_load("R", f"{robot}-rows-{start}", work, constraints=rows)


def _kept(kind: Kind, rows: tuple[str, ...]) -> Work:
    """Problems whose configurations keep some rows, and whose starts do, unless they are neutral."""
    work, rng = blank(kind), np.random.default_rng(kind.seed)
    judge, keeps = Judge(work), _keeps(rows, work.joints)
    drawn: list[np.ndarray] = []
    starts: list[np.ndarray] = []
    while len(drawn) < kind.count:
        (q,) = draw(work, rng, 1)
        (start,) = starts_for(work, kind.start, np.array([q]), rng)
        if keeps(q) and (kind.start == "neutral" or keeps(start)):
            drawn.append(q)
            starts.append(start)
    work.starts, work.targets = np.array(starts), np.array([judge.placements(q) for q in drawn])
    return work


def _keeps(rows: tuple[str, ...], joints: list[str]) -> Callable[[np.ndarray], bool]:
    """Whether a configuration keeps rows that are written with Python's own signs."""
    codes = [compile(row, row, "eval") for row in rows]
    return lambda q: all(eval(code, {}, dict(zip(joints, q, strict=True))) for code in codes)


def _further() -> Iterator[Load]:
    """Other robots, a base far away and turned, one limb out of reach, tied joints, more rows than joints."""
    for k, (name, robot, start, base) in enumerate(
        (
            ("xarm7-random", "xarm7", "random", "fixed"),
            ("z1-random", "z1", "random", "fixed"),
            ("romeo-near", "romeo", "near", "free"),
            ("g1-random", "g1", "random", "bounded"),
        )
    ):
        yield as_load("X", name, problems(Kind("", robot, start, 100, "pose", base, seed=1400 + k)))
    far = problems(Kind("", "talos", "near", 50, "pose", "free", seed=1410))
    rng = np.random.default_rng(1410)
    for row in far.starts:
        away, axis = rng.normal(size=(2, 3))
        row[:3] += FAR_BASE * away / np.linalg.norm(away)
        turn = pin.Quaternion(pin.exp3(FAR_TURN * axis / np.linalg.norm(axis)))
        row[3:7] = (turn * pin.Quaternion(row[3:7])).normalized().coeffs()
    yield as_load("X", "talos-base-far", far)
    one = problems(Kind("", "talos", "random", 50, "pose", seed=1420))
    one.targets[:, 0, :3, 3] *= 2.0  # the left hand's, from the robot's middle
    yield as_load("X", "talos30-one-limb-out", one)
    tied = problems(Kind("", "panda", "random", 100, "position", seed=1430))
    judge, (first, third) = Judge(tied), (tied.joints.index(f"panda_joint{k}") for k in (1, 3))
    drawn = draw(tied, np.random.default_rng(1430), 100)
    drawn[:, third] = drawn[:, first]
    tied.starts[:, third] = tied.starts[:, first]
    tied.targets = np.array([judge.placements(q) for q in drawn])
    yield as_load("X", "panda-tied", tied, constraints=TIED)
    yield _more_rows()


def _more_rows() -> Load:
    """Two poses of one Panda that it has together: twelve rows, seven joints."""
    work = blank(Kind("", "panda", "near", 100, "pose", seed=1440))
    work.tips, work.kinds = ["panda_link8", "panda_link5"], ["pose", "pose"]
    rng = np.random.default_rng(1440)
    judge, drawn = Judge(work), draw(work, rng, 100)
    work.targets = np.array([judge.placements(q) for q in drawn])
    work.starts = starts_for(work, "near", drawn, rng)
    return as_load("X", "panda-two-poses-near", work)


def straight_leg() -> Load:
    """A stretched leg whose sole is to come nearer along the leg: at the start every gradient is zero."""
    links = (
        ("hip", "pelvis", "thigh", 0),
        ("knee", "thigh", "shank", -0.4),
        ("ankle", "shank", "foot", -0.4),
    )
    path = kept(ROOT / "robots" / "leg.urdf", LEG.format("".join(HINGE.format(*link) for link in links)))
    targets: list[Targets] = [
        [np.array([0.0, 0.0, -share * LEG_LENGTH])] for share in np.linspace(0.3, 0.98, 20)
    ]
    figure = {"urdf": str(path), "base": "fixed"}
    goals = (Wanted("position", "sole"),)
    return Load(
        "S",
        "straight-leg",
        figure,
        goals,
        targets,
        np.zeros((len(targets), 3)),
        tuple(name for name, *_ in links),
    )
