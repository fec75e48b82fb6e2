"""Whether a dragged figure comes back: closed paths of the hand, round after round, joint by joint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import metadata

import numpy as np

import manikin as mk
from benchmarks.peers.robots import ROBOTS, plain
from benchmarks.tables import Requirement, Section, Table
from manikin.figure.kinematics import site_matrix

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
#: Two corners between which the middles of a person's paths are drawn.
BOX = ((0.3, -0.35, 1.0), (0.45, -0.1, 1.35))


@dataclass(frozen=True)
class Drift:
    """A figure whose hand is dragged.

    goals: the dragged one first, a Position or a Placement.
    path: draws a closed path of its targets, (count, 3) or (count, 4, 4).
    """

    figure: str
    name: str
    start: mk.Pose
    goals: tuple[mk.Goal, ...]
    path: Callable[[np.random.Generator, int], np.ndarray]


def ellipse(rng: np.random.Generator, count: int) -> np.ndarray:
    """Points about a person's right hand, (count, 3): an ellipse of 5 to 12 cm in any plane, its middle in a box."""
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
    u = np.linspace(0.0, 2.0 * np.pi, count + 1)[1:]
    round_ = np.column_stack([np.cos(u), np.sin(u)]) * rng.uniform(0.05, 0.12, 2)
    return rng.uniform(*BOX) + round_ @ axes


def swing(start: mk.Pose, tip: str, rng: np.random.Generator, count: int) -> np.ndarray:
    """Frames, (count, 4, 4), of an arm whose joints swing about the start by at most 0.3 rad each, and end there.

    So each can be reached inside the limits, next to the one before.
    """
    u = np.linspace(0.0, 2.0 * np.pi, count + 1)[1:, None]
    n = start.figure.n
    phase = rng.uniform(0.0, 2.0 * np.pi, n)
    q = start.q + rng.uniform(0.05, 0.15, n) * (np.sin(u + phase) - np.sin(phase))
    return np.array([site_matrix(start.figure, row, tip) for row in q])


def human_drifts() -> list[Drift]:
    """A person's hand with the feet held in each way, and with a posture besides."""
    rest = mk.human(stature=1.75).pose()
    point = mk.Position("right_hand", rest.position("right_hand"))
    feet = ("left_foot", "right_foot")
    pins = [mk.Pin(foot) for foot in feet]
    held: dict[str, list[mk.Goal]] = {
        "hand, soft feet": [mk.Placement(f, rest.position(f), rest.matrix(f)) for f in feet],
        "hand, hard pins": [*pins],
        "hand, hard pins, balance": [*pins, mk.Balance(margin=0.02, hard=True)],
        "hand, hard pins, posture": [*pins, mk.Posture()],
    }
    return [Drift("human", name, rest, (point, *goals), ellipse) for name, goals in held.items()]


def panda_drifts() -> list[Drift]:
    """A Panda's hand by its position and by its pose, each with a posture besides."""
    robot = ROBOTS["panda"]
    start = mk.load(str(plain(robot))).pose([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.8])
    (tip,) = robot.tips
    frame = start.matrix(tip)
    dragged = {"position": mk.Position(tip, frame[:3, 3]), "pose": mk.Placement(tip, frame[:3, 3], frame)}
    posture = mk.Posture(np.array(start.q))

    def points(rng: np.random.Generator, count: int) -> np.ndarray:
        return swing(start, tip, rng, count)[:, :3, 3]

    paths = {"position": points, "pose": partial(swing, start, tip)}
    return [
        Drift("Panda", f"{name}{more}", start, (goal, *goals), paths[name])
        for name, goal in dragged.items()
        for more, goals in (("", ()), (", posture", (posture,)))
    ]


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


def go_round(problem: mk.Problem, targets: np.ndarray, rounds: int) -> Rounds:
    """Drag the hand to the end of the path, then along it so many times."""
    more = [None] * (len(problem.goals) - 1)
    session = problem.session()
    answers, missed = np.empty((rounds, len(targets), len(session.solve([targets[-1], *more]).q))), 0
    for number in range(rounds):
        for index, target in enumerate(targets):
            found = session.solve([target, *more])
            answers[number, index] = found.q
            missed += not found.reached
    return Rounds(answers, missed)


def add_drift(section: Section, paths: int, rounds: int, count: int) -> None:
    """The table, and a requirement for each of its rows."""
    table = Table("Dragged round and round", COLUMNS)
    section.tables.append(table)
    drifts = human_drifts()
    try:
        metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        section.notes.append("The Panda is not dragged: example-robot-data is not installed.")
    else:
        drifts += panda_drifts()
    for drift in drifts:
        problem, rng = mk.Problem(drift.start, drift.goals), np.random.default_rng(0)
        figure = problem.figure
        angles = np.array([figure.dof(name).unit == "rad" for name in figure.dofs])
        gone = [go_round(problem, drift.path(rng, count), rounds) for _ in range(paths)]
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
        what = f"{drift.figure}, {drift.name}: a joint from where its first round ended, most °"
        section.requirements.append(Requirement(what, float(ends.max()), BACK))
