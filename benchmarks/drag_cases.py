"""What is dragged: figures, the goals that hold them meanwhile, and the closed path of the hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata

import numpy as np

import manikin as mk
from benchmarks.peers.robots import ROBOTS, plain

HUMAN_FEET = ("left_foot", "right_foot")
ALONE, SOFT, PINS, BALANCE = "position", "soft feet", "hard pins", "hard pins, balance"
#: As a human is by default.
NATURALLY = "{}, by default"


@dataclass(frozen=True)
class Case:
    """A dragged figure.

    goals: the dragged position first; or levels of goals, the first of which begins with it.
    follow: how many of the last goals follow the hand besides: gazes.
    minded: how many of the goals, from the first, must be met; all by default.
    without: the name of the case that lacks what this one is about, whose time its own is compared with.
    natural: with the posture that people take, as a human is by default; without it is the engine's own time.
    """

    figure: str
    name: str
    start: mk.Pose
    goals: Sequence[mk.Goal] | Sequence[Sequence[mk.Goal]]
    follow: int = 0
    minded: int | None = None
    without: str = ALONE
    natural: bool = False

    def problem(self) -> mk.Problem:
        """Prepared, once."""
        return mk.Problem(self.start, self.goals, natural=self.natural)

    def targets(self, count: int, point: np.ndarray) -> list[np.ndarray | None]:
        """Of every goal of the problem, its target when the hand is to be at a point."""
        moving = {0, *range(count - self.follow, count)}
        return [point if goal in moving else None for goal in range(count)]


def loop_path(center: Sequence[float], size: float, count: int) -> np.ndarray:
    """A closed path in space, (count, 3): round a circle of this radius that nods twice meanwhile."""
    u = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    return np.asarray(center) + size * np.column_stack([np.cos(u), np.sin(u), 0.5 * np.sin(2.0 * u)])


def _soft(pose: mk.Pose, feet: Sequence[str]) -> list[mk.Goal]:
    return [mk.Placement(foot, pose.position(foot), pose.matrix(foot)) for foot in feet]


def held(figure: str, pose: mk.Pose, hand: str, feet: Sequence[str]) -> list[Case]:
    """The hand alone, and with the feet held in each way."""
    point = mk.Position(hand, pose.position(hand))
    pins = [mk.Pin(foot) for foot in feet]
    return [
        Case(figure, ALONE, pose, [point]),
        Case(figure, SOFT, pose, [point, *_soft(pose, feet)]),
        Case(figure, "soft pins", pose, [point, *(mk.Pin(foot, hard=False) for foot in feet)], without=SOFT),
        Case(figure, PINS, pose, [point, *pins], without=SOFT),
    ]


def human_cases() -> list[Case]:
    """Everything that holds or shapes a person whose right hand is dragged."""
    body = mk.human(stature=1.75)
    rest = body.pose()
    point, pins = (
        mk.Position("right_hand", rest.position("right_hand")),
        [mk.Pin(foot) for foot in HUMAN_FEET],
    )
    soft, balance = _soft(rest, HUMAN_FEET), mk.Balance(margin=0.02, hard=True)
    away = mk.Ball([0.6, 0.7, 1.0], 0.1)
    objectives = {"posture": mk.Posture(), "least change": mk.LeastChange(), "discomfort": mk.Discomfort()}
    gaze = mk.Aim("eyes", at=rest.position("right_hand"))

    def case(name: str, *goals: mk.Goal, without: str = ALONE) -> Case:
        return Case("human", name, rest, [point, *goals], without=without)

    holding = [*held("human", rest, "right_hand", HUMAN_FEET), case(BALANCE, *pins, balance, without=SOFT)]
    return [
        *holding,
        *(
            replace(one, name=NATURALLY.format(one.name), without=one.name, natural=True)
            for one in holding
            if one.name in (ALONE, SOFT, PINS, BALANCE)
        ),
        case("soft feet, one obstacle", *soft, mk.Outside("*", away, hard=False), without=SOFT),
        case(
            "hard pins, balance, one obstacle",
            *pins,
            balance,
            mk.Outside("*", away, hard=True),
            without=BALANCE,
        ),
        *(
            case(f"{holds}, {name}", *goals, objective, without=holds)
            for name, objective in objectives.items()
            for holds, goals in ((ALONE, []), (PINS, pins))
        ),
        Case(
            "human",
            "two levels: hard pins and hand, then gaze",
            rest,
            [[point, *pins], [gaze]],
            follow=1,
            minded=3,
            without=PINS,
        ),
    ]


def other_cases() -> list[Case]:
    """A person with cones, and one whose palms stay together: a closed loop."""
    cones = mk.human(stature=1.75, swings="cones").pose()
    together = mk.human(stature=1.75).with_loop("left_hand", "right_hand", "position").pose()
    return [
        *held("human, cones", cones, "right_hand", HUMAN_FEET),
        *held("human, palms together", together, "right_hand", HUMAN_FEET),
    ]


def robot_cases() -> tuple[list[Case], str]:
    """A humanoid robot on a free base; or why there is none."""
    try:
        metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        return [], "The G1 is left out: example-robot-data is not installed."
    robot = ROBOTS["g1"]
    pose = mk.load(str(plain(robot)), base="free").pose()
    _, right, *feet = robot.tips
    return held("G1", pose, right, feet), ""


#: Middle and radius of the hand's path, by figure.
PATHS: Mapping[str, tuple[tuple[float, float, float], float]] = {
    "human": ((0.35, -0.25, 1.15), 0.15),
    "human, cones": ((0.35, -0.25, 1.15), 0.15),
    "human, palms together": ((0.35, 0.0, 1.15), 0.1),
    "G1": ((0.2, -0.2, 0.1), 0.06),
}
