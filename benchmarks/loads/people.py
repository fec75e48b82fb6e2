"""The loads of people: hands that reach and are dragged, and whatever holds or shapes the rest meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from benchmarks.loads.load import Load, Targets, Wanted

HUMAN = {"human": {"stature": 1.75}}
CONES = {"human": {"stature": 1.75, "swings": "cones"}}
FEET = ("left_foot", "right_foot")
REACHES, AROUND = 60, 120
#: Where hands reach: corners of a box before the right shoulder; the left hand's is its mirror image.
BOX = np.array([0.25, -0.45, 0.9]), np.array([0.55, -0.1, 1.4])
#: Middle and radius of the closed path of a dragged hand.
MIDDLE, RADIUS = np.array([0.35, -0.25, 1.15]), 0.15
#: Targets that no hand comes to from where the feet are.
FAR = np.array([2.2, -0.6, 0.6]), np.array([2.7, 0.2, 1.6])
BALL = ((0.6, 0.7, 1.0), 0.1)
#: A box in front of the right hip, that the arm has to come round.
CASE = ((0.25, -0.3, 0.9), (0.16, 0.16, 0.3))
#: The table of the first example of the README, and a grid of places for its hand.
TABLE = ((0.4, 0.0, 0.72), (0.5, 1.2, 0.04))
GRID = (0.35, 0.45, 0.55), np.linspace(-0.45, 0.2, 6), (1.0, 1.2, 1.4)


@dataclass(frozen=True)
class Case:
    """What is asked for besides the right hand.

    follow: how many of the last goals are given the hand's target too.
    """

    name: str
    goals: tuple[Wanted, ...] = ()
    figure: tuple[tuple[str, object], ...] = tuple(HUMAN.items())
    natural: bool = False
    follow: int = 0
    both: bool = False


_HAND, _OTHER = Wanted("position", "right_hand"), Wanted("position", "left_hand")
_PINS = tuple(Wanted("pin", foot) for foot in FEET)
_SOFT = tuple(Wanted("placement", foot) for foot in FEET)
_BALANCE = Wanted("balance", options={"margin": 0.02, "hard": True})
_AIM = Wanted("aim", "eyes")


def _outside(site: str, hard: bool, **region: object) -> Wanted:
    return Wanted("outside", site, options={"hard": hard, **region})


CASES = (
    Case("hand"),
    Case("hand-natural", natural=True),
    Case("soft-feet", _SOFT),
    Case("soft-feet-natural", _SOFT, natural=True),
    Case("pins", _PINS),
    Case("pins-natural", _PINS, natural=True),
    Case("balance", (*_PINS, _BALANCE)),
    Case("balance-natural", (*_PINS, _BALANCE), natural=True),
    Case("soft-obstacle", (*_SOFT, _outside("*", False, ball=BALL))),
    Case("obstacle", (*_PINS, _BALANCE, _outside("*", True, ball=BALL))),
    Case(
        "box",
        (*_PINS, _BALANCE, _outside("right_forearm", True, box=CASE), _outside("right_hand", True, box=CASE)),
    ),
    Case("both-hands", (_OTHER, *_PINS), both=True),
    Case("both-hands-natural", (_OTHER, *_PINS), natural=True, both=True),
    Case("both-hands-aim", (_OTHER, *_PINS, _AIM), follow=1, both=True),
    Case("levels", (*_PINS, replace(_AIM, level=1)), follow=1),
    Case("posture", (Wanted("posture"),)),
    Case("pins-posture", (*_PINS, Wanted("posture"))),
    Case("discomfort", (Wanted("discomfort"),)),
    Case("pins-least-change", (*_PINS, Wanted("least_change"))),
    Case("cones", _PINS, tuple(CONES.items())),
)
#: Cases whose hand goes out of reach, and to how many targets.
MISSED = {
    "soft-feet": 8,
    "pins": 4,
    "pins-natural": 4,
    "balance": 4,
    "levels": 2,
}


def loads() -> Iterator[Load]:
    """All loads of people."""
    reach = np.random.default_rng(20).uniform(*BOX, (REACHES, 3))
    away = np.random.default_rng(21).uniform(*FAR, (16, 3))
    circle = closed_path(AROUND)
    begin = [
        np.array([0.0, -0.175, 0.77]) + s * (circle[-1] - [0.0, -0.175, 0.77])
        for s in np.linspace(0.1, 1, 10)
    ]
    for case in CASES:
        slow = case.name == "box"
        points = reach[:12] if slow else reach
        yield replace(_load(case, f"reach-{case.name}", points), slow=slow)
        path = _load(case, f"drag-{case.name}", circle)
        yield replace(path, path=True, approach=tuple(targets(case, point) for point in begin))
    for case in CASES:
        if case.name in MISSED:
            yield replace(_load(case, f"miss-{case.name}", away[: MISSED[case.name]]), slow=True)
    yield readme()


def _load(case: Case, name: str, points: np.ndarray) -> Load:
    given = [targets(case, point) for point in points]
    return Load("H", name, dict(case.figure), (_HAND, *case.goals), given, natural=case.natural)


def targets(case: Case, point: np.ndarray) -> Targets:
    """Of every goal its target, when the right hand is to be at a point; soft feet stay where they are by theirs."""
    found: Targets = [point, *([None] * len(case.goals))]
    if case.both:
        found[1] = point * [1.0, -1.0, 1.0]
    for k in range(1, case.follow + 1):
        found[-k] = point
    return found


def closed_path(count: int) -> np.ndarray:
    """Round a circle that nods twice meanwhile, (count, 3)."""
    u = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    return MIDDLE + RADIUS * np.column_stack([np.cos(u), np.sin(u), 0.5 * np.sin(2.0 * u)])


def readme() -> Load:
    """The first example of the README, with its posture, for a grid of the hand's targets."""
    goals = (
        _HAND,
        _AIM,
        *_PINS,
        Wanted("balance", options={"margin": 0.02}),
        _outside("right_*", False, box=TABLE),
    )
    points = [np.array(point) for point in product(*GRID)]
    gaze = np.array([2.0, 0.0, 1.5])
    return Load("H", "readme", HUMAN, goals, [[point, gaze, None, None, None, None] for point in points])
