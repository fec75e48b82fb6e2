"""The gestures: what is taken, where it is led, and what a person would expect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.gestures.seen import Answer, Seen
from manikin.studio.model.session import Session

#: Where one looks from: way from the figure to the eye.
FRONT, SIDE = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)
Way = tuple[float, float, float]


@dataclass(frozen=True)
class Gesture:
    """One gesture.

    who: ``"human"``, a character by its number (``"character 1"``), or ``"robot"``.
    take: a part by its handle, ``"ring of"`` a part, or two sites between which the body is taken.
    way: metres of a person whose hips are 0.93 m high, in the plane that is looked at; of a ring degrees about z.
    expect: what a person would expect. check: whether it came about.
    """

    who: str
    take: str | tuple[str, str]
    way: Way
    expect: str
    check: Callable[[Seen], list[Answer]]
    view: Way = FRONT
    prepare: Callable[[Session], None] | None = None
    circle: bool = False
    steps: int = 24

    @property
    def title(self) -> str:
        """Who, what and where to."""
        what = (
            self.take if isinstance(self.take, str) else f"the body between {self.take[0]} and {self.take[1]}"
        )
        led = "round a circle" if self.circle else ", ".join(f"{100.0 * part:+.0f}" for part in self.way)
        return f"{self.who}: {what} {led}".replace("_", " ")


def free_feet(session: Session) -> None:
    """With pins off."""
    session.pin_feet(False)


def free_left(session: Session) -> None:
    session.pin("left foot", False)


def keep_direction(session: Session) -> None:
    session.orient("right hand", True)


def squat(session: Session) -> None:
    """With the hips 25 cm lower and the left foot free."""
    session.pin("left foot", False)
    hips = session.document.pose.position("pelvis")
    session.handle_start("before", "hips", hips)
    for k in range(1, 26):
        session.drag_to("before", hips - [0.0, 0.0, 0.01 * k])
    session.drag_end("before")


def pin_hand(session: Session) -> None:
    session.pin("right hand", True)


def _squat(by: float, knees: float) -> Callable[[Seen], list[Answer]]:
    return lambda seen: [
        seen.falls("pelvis", by, 0.015),
        seen.knees_bend(knees),
        seen.soles_stay(),
        seen.upright(),
        seen.nothing_jumps(),
        seen.within_ranges(),
    ]


def _shift(weight: Callable[[Seen], Answer]) -> Callable[[Seen], list[Answer]]:
    return lambda seen: [
        seen.follows("pelvis", 0.8),
        weight(seen),
        seen.soles_stay(),
        seen.upright(),
        seen.nothing_jumps(),
    ]


def _reach(hand: str, way: Way, lean: float = 15.0) -> Callable[[Seen], list[Answer]]:
    return lambda seen: [
        seen.goes(f"{hand}_hand", way, 0.01),
        seen.soles_stay(),
        seen.upright(lean),
        seen.nothing_jumps(),
        seen.within_ranges(),
    ]


def _step(way: Way) -> Callable[[Seen], list[Answer]]:
    def check(seen: Seen) -> list[Answer]:
        slip = float(np.linalg.norm(seen.moved("right_heel")))
        return [
            seen.goes("left_foot", way, 0.02),
            (f"the right heel moves by {1e3 * slip:.2f} mm", slip <= 0.001),
            seen.weight_over("right", 0.5),
            seen.upright(),
            seen.nothing_jumps(),
        ]

    return check


_SQUAT = "The knees bend over the feet, the soles stay where they are, the trunk stays upright."
_WEIGHT = "The weight goes over to the left foot, both soles stay, the trunk stays upright."
_TOES = "The heels rise, the toes stay where they are."
_HAND = "The hand goes there, by the arm; the feet stay and the trunk hardly moves."
_FOOT = "The foot is lifted, the weight goes over the other one, which stays."
_BOW = "The figure bows: the trunk leans forward, the feet stay."

HUMAN = (
    Gesture("human", "hips", (0, 0, -0.10), _SQUAT, _squat(0.10, 25.0)),
    Gesture("human", "hips", (0, 0, -0.20), _SQUAT, _squat(0.20, 40.0)),
    Gesture("human", "hips", (0, 0, -0.30), _SQUAT, _squat(0.30, 60.0)),
    Gesture("human", "hips", (0, 0.10, 0), _WEIGHT, _shift(lambda seen: seen.weight_over("left"))),
    Gesture(
        "human",
        "hips",
        (0, 0, 0.05),
        _TOES,
        lambda seen: [seen.on_toes(), seen.upright(15.0), seen.nothing_jumps()],
        view=SIDE,
    ),
    Gesture(
        "human",
        "hips",
        (0.08, 0, 0),
        "The hips go forward over the feet, which stay.",
        lambda seen: [seen.follows("pelvis", 0.75), seen.soles_stay(), seen.upright(), seen.nothing_jumps()],
        view=SIDE,
    ),
    Gesture(
        "human",
        "chest",
        (0.25, 0, -0.05),
        _BOW,
        lambda seen: [seen.follows("chest", 0.9), seen.leans(15.0), seen.soles_stay(), seen.nothing_jumps()],
        view=SIDE,
    ),
    Gesture(
        "human",
        "head",
        (0, 0.08, 0),
        "The head goes aside by neck and trunk; hips and feet stay.",
        lambda seen: [
            seen.follows("head", 0.9),
            seen.stays("pelvis", 0.03),
            seen.soles_stay(),
            seen.nothing_jumps(),
        ],
    ),
    Gesture("human", "right hand", (0, -0.25, 0.55), _HAND, _reach("right", (0, -0.25, 0.55))),
    Gesture("human", "right hand", (0.35, 0, 0.30), _HAND, _reach("right", (0.35, 0, 0.30)), view=SIDE),
    Gesture(
        "human",
        "right hand",
        (0, -1.2, 0.4),
        "Out of reach: the arm stretches towards it, the feet stay, and it says why.",
        lambda seen: [
            seen.elbow("right", 25.0),
            seen.soles_stay(),
            seen.nothing_jumps(),
            seen.says("Right hand stays", "behind"),
        ],
    ),
    Gesture(
        "human",
        "right hand",
        (0, -0.20, 0.35),
        "The hand goes there and keeps its direction, as was asked.",
        lambda seen: [
            seen.goes("right_hand", (0, -0.20, 0.35), 0.01),
            seen.turned("right_hand", 0.0, 2.0),
            seen.soles_stay(),
        ],
        prepare=keep_direction,
    ),
    Gesture(
        "human",
        "right elbow",
        (0, -0.10, 0.06),
        "The elbow swings out, the hand stays where it is.",
        lambda seen: [
            seen.follows("right_elbow", 0.5),
            seen.stays("right_hand", 0.005),
            seen.stays("pelvis", 0.005),
        ],
    ),
    Gesture(
        "human",
        "left knee",
        (0, 0.08, 0),
        "In a squat the knee opens outwards, the free foot turns with it on the spot, flat; the hips stay.",
        lambda seen: [
            seen.follows("left_knee", 0.9),
            seen.stays("left_foot", 0.001),
            seen.stays("right_foot", 0.001),
            seen.stays("pelvis", 0.02),
            seen.nothing_jumps(),
        ],
        prepare=squat,
    ),
    Gesture("human", "left foot", (0, 0.05, 0.20), _FOOT, _step((0, 0.05, 0.20)), prepare=free_left),
    Gesture(
        "human",
        ("right_elbow", "right_wrist"),
        (0, -0.15, 0.20),
        "A point of the forearm is taken: this arm goes along, nothing else moves.",
        lambda seen: [
            seen.follows("right_wrist", 0.8),
            seen.stays("pelvis", 0.001),
            seen.stays("chest", 0.001),
            seen.stays("left_hand", 0.001),
            seen.soles_stay(),
        ],
    ),
    Gesture(
        "human",
        "left foot",
        (0, 0.10, 0.10),
        "The foot is pinned: nothing moves, the studio says so, nothing is added to undo.",
        lambda seen: [seen.comes_back(0.0), seen.steps_are(0)],
    ),
    Gesture(
        "human",
        "right hand",
        (0, -0.15, 0.15),
        "The hand is led round and back: every joint is where it was.",
        lambda seen: [seen.comes_back(2.0), seen.nothing_jumps(), seen.soles_stay()],
        circle=True,
        steps=48,
    ),
    Gesture(
        "human",
        "hips",
        (0, 0, -0.60),
        "With pins off too nothing goes through the floor.",
        lambda seen: [seen.above_the_floor(), seen.nothing_jumps()],
        prepare=free_feet,
        steps=40,
    ),
    Gesture(
        "human",
        "hips",
        (0, 0, -0.15),
        "The pinned hand stays where it is while the hips go down.",
        lambda seen: [seen.stays("right_hand", 0.001), seen.falls("pelvis", 0.15, 0.02), seen.soles_stay()],
        prepare=pin_hand,
    ),
)


def _of(who: str, first: bool) -> tuple[Gesture, ...]:
    """Five gestures of a character or a robot."""
    robot = who == "robot"
    toes = Gesture(
        who,
        "hips",
        (0, 0, 0.05),
        _TOES,
        lambda seen: [seen.on_toes(), seen.upright(15.0), seen.nothing_jumps()],
        view=SIDE,
    )
    bow = Gesture(
        who,
        "chest",
        (0.20, 0, -0.05),
        _BOW,
        lambda seen: [seen.follows("chest", 0.8), seen.leans(10.0), seen.soles_stay(), seen.nothing_jumps()],
        view=SIDE,
    )
    return (
        Gesture(who, "hips", (0, 0, -0.20), _SQUAT, _squat(0.20, 30.0)),
        Gesture(
            who,
            "hips",
            (0, 0.08 if robot else 0.10, 0),
            _WEIGHT,
            _shift(lambda seen: seen.weight_goes_along()),
        ),
        Gesture(who, "right hand", (0, -0.15, 0.30), _HAND, _reach("right", (0, -0.15, 0.30))),
        Gesture(who, "left foot", (0, 0.03, 0.12), _FOOT, _step((0, 0.03, 0.12)), prepare=free_left),
        toes if first else bow,
    )


GESTURES = (
    *HUMAN,
    *_of("character 1", True),
    *_of("character 2", False),
    *_of("character 3", False),
    *_of("robot", False),
)
