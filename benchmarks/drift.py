"""Whether a dragged figure comes back: closed paths of the hand, round after round, joint by joint."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata

import numpy as np

import manikin as mk
from benchmarks.peers.robots import ROBOTS, plain
from benchmarks.tables import Requirement, Section, Table

COLUMNS = (
    "figure",
    "dragged",
    "paths",
    "rounds",
    "not reached, %",
    "end of a round from the first's: median °",
    "95 % °",
    "most °",
    "most m",
    "second round to last, anywhere: most °",
)
#: Degrees that any joint may be away from where its first round ended.
BACK = 1.0


@dataclass(frozen=True)
class Drift:
    """A figure whose hand is dragged.

    box: two corners between which the paths' middles are drawn.
    goals: the dragged one first, a Position or a Placement, which keeps its orientation.
    """

    figure: str
    name: str
    start: mk.Pose
    goals: tuple[mk.Goal, ...]
    box: tuple[tuple[float, float, float], tuple[float, float, float]]


def human_drifts() -> list[Drift]:
    """A person on pinned feet, with balance, with soft feet, and with nothing else asked for."""
    body = mk.human(stature=1.75)
    rest = body.pose()
    point = mk.Position("right_hand", rest.position("right_hand"))
    feet = ("left_foot", "right_foot")
    pins = [mk.Pin(foot) for foot in feet]
    soft = [mk.Placement(foot, rest.position(foot), rest.matrix(foot)) for foot in feet]
    held = {
        "hand, soft feet": soft,
        "hand, hard pins": pins,
        "hand, hard pins, balance": [*pins, mk.Balance(margin=0.02, hard=True)],
    }
    box = ((0.3, -0.35, 1.0), (0.45, -0.1, 1.35))
    return [Drift("human", name, rest, (point, *goals), box) for name, goals in held.items()]


def panda_drifts() -> list[Drift]:
    """A Panda's hand by its position, and by its position and orientation."""
    robot = ROBOTS["panda"]
    figure = mk.load(str(plain(robot)))
    pose = figure.pose([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.8])
    (tip,) = robot.tips
    frame = pose.matrix(tip)
    place = mk.Placement(tip, frame[:3, 3], frame)
    low, high = frame[:3, 3] - 0.1, frame[:3, 3] + 0.1
    box = (tuple(low.tolist()), tuple(high.tolist()))
    return [
        Drift("Panda", "position", pose, (mk.Position(tip, frame[:3, 3]),), box),
        Drift("Panda", "pose", pose, (place,), box),
    ]


def ellipse(rng: np.random.Generator, drift: Drift, count: int) -> np.ndarray:
    """A closed path, (count, 3): an ellipse of 5 to 12 cm in any plane about a point drawn from the box."""
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
    u = np.linspace(0.0, 2.0 * np.pi, count + 1)[1:]
    radii = rng.uniform(0.05, 0.12, 2)
    return (
        rng.uniform(*drift.box)
        + radii[0] * np.outer(np.cos(u), axes[0])
        + radii[1] * np.outer(np.sin(u), axes[1])
    )


@dataclass
class Rounds:
    """A hand dragged round and round: q, (rounds, targets, n), and how many targets were not reached."""

    q: np.ndarray
    missed: int

    def ends(self, columns: np.ndarray) -> float:
        """How far any of these coordinates ends a later round from where it ended the first."""
        return float(np.abs(self.q[1:, -1][:, columns] - self.q[0, -1, columns]).max(initial=0.0))

    def anywhere(self, columns: np.ndarray) -> float:
        """The same all along the path, between the second round and the later ones."""
        return float(np.abs(self.q[2:][:, :, columns] - self.q[1][:, columns]).max(initial=0.0))


def go_round(problem: mk.Problem, path: np.ndarray, rounds: int) -> Rounds:
    """Drag the hand to the path, then along it so many times."""
    more = [None] * (len(problem.goals) - 1)
    dragged = problem.goals[0]

    def target(point: np.ndarray) -> np.ndarray:
        if isinstance(dragged, mk.Position):
            return point
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = dragged.arguments()["orientation"], point
        return frame

    q = np.array(problem.start.q)
    here = problem.figure.forward(q, [dragged.site])[0, :3, 3]
    for share in np.linspace(0.1, 1.0, 10):
        q = problem.solve(q, targets=[target(here + share * (path[-1] - here)), *more]).q
    answers, missed = np.empty((rounds, len(path), len(q))), 0
    for turn in range(rounds):
        for number, point in enumerate(path):
            found = problem.solve(q, targets=[target(point), *more])
            answers[turn, number] = q = found.q
            missed += not found.reached
    return Rounds(answers, missed)


def add_drift(section: Section, paths: int, rounds: int, count: int) -> None:
    """The table, and a requirement for each figure."""
    table = Table("Dragged round and round", COLUMNS)
    section.tables.append(table)
    drifts = human_drifts()
    try:
        metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        section.notes.append("The Panda is not dragged: example-robot-data is not installed.")
    else:
        drifts += panda_drifts()
    worst: dict[str, float] = {}
    for drift in drifts:
        problem, rng = mk.Problem(drift.start, drift.goals), np.random.default_rng(0)
        figure = problem.figure
        angles = np.array([figure.dof(name).unit == "rad" for name in figure.dofs])
        gone = [go_round(problem, ellipse(rng, drift, count), rounds) for _ in range(paths)]
        ends = np.degrees([one.ends(angles) for one in gone])
        table.add(
            drift.figure,
            drift.name,
            paths,
            rounds,
            100.0 * sum(one.missed for one in gone) / (paths * rounds * count),
            float(np.median(ends)),
            float(np.percentile(ends, 95)),
            float(ends.max()),
            max(one.ends(~angles) for one in gone),
            float(np.degrees(max(one.anywhere(angles) for one in gone))),
        )
        worst[drift.figure] = max(worst.get(drift.figure, 0.0), float(ends.max()))
    section.requirements += [
        Requirement(
            f"{figure}: a joint from where its first round ended, {paths} paths, {rounds} rounds, °",
            most,
            BACK,
        )
        for figure, most in worst.items()
    ]
