"""Presets: a pose with what belongs to it, the pins and supports that hold it, and goals to go on from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from manikin.errors import ManikinError
from manikin.figure import Pose
from manikin.figure.human import preset as human_preset
from manikin.figure.human.natural_posture import is_human
from manikin.goals import Aim, Balance, Goal, Pin, Position
from manikin.studio.model.document import FEET, Document, Entry, Thing
from manikin.studio.model.parts import soles
from manikin.studio.model.posing import Poser
from manikin.studio.model.stance import at_ease

SEAT = "seat"
TABLE = "table"
#: Those that need to know a body's form.
SHAPED = ("kneel",)
ARM = ("shoulder", "elbow", "forearm", "wrist")


def preset(document: Document, name: str) -> Document:
    """The document in a preset: its pose, pins and supports; goals of the preset before it go, others stay."""
    known = names(document)
    if name not in known:
        raise ManikinError(
            f"{document.figure.name!r} has no preset {name!r}; expected one of {', '.join(known)}"
        )
    if name == "rest":
        return document.changed(q=document.figure.rest)
    return PRESETS[name](document)


def names(document: Document) -> list[str]:
    """The presets of a document's figure."""
    if document.source.is_human:
        return list(PRESETS)
    return [name for name in PRESETS if name not in SHAPED] if is_human(document.figure) else ["rest"]


def _based(
    document: Document, pose: Pose, pins: list[Pin], balance: Balance, things: tuple[Thing, ...] = ()
) -> Document:
    """The pose with these pins and this balance in the place of those of before."""
    kept = [entry for entry in document.goals if not isinstance(entry.goal, (Pin, Balance, Position, Aim))]
    standing = [Entry(pin) for pin in pins] + [Entry(balance)]
    furniture = tuple(thing for thing in document.things if thing.name not in (SEAT, TABLE))
    return document.changed(q=pose.q, goals=(*standing, *kept), things=(*furniture, *things))


def _standing(document: Document) -> Document:
    pose = at_ease(document.figure)
    return _based(document, pose, [Pin(foot) for foot in FEET], Balance(hard=True))


def _sitting(document: Document) -> Document:
    """On a seat under the buttocks, which carries it; the seat does not slide, the pelvis may tilt on it."""
    figure = document.figure
    pose = human_preset(figure, "sit")
    seat = pose.position("seat")
    top = float(seat[2]) - 0.004
    thing = Thing(SEAT, (float(seat[0]) - 0.02, float(seat[1]), 0.5 * top), (0.42, 0.46, top), role="support")
    pins = [*(Pin(foot) for foot in FEET), Pin("seat", axes="position")]
    support = (*soles(figure, "left"), *soles(figure, "right"), "seat")
    return _based(document, pose, pins, Balance(support=support, hard=True), (thing,))


def _at_table(document: Document) -> Document:
    """Sitting, with a table in front that is as high as the elbows, and both hands on it."""
    sat = _sitting(document)
    pose = sat.pose
    elbow = float(pose.position("right_elbow")[2])
    knee = pose.position("right_knee")
    high = max(elbow, float(knee[2]) + 0.16)
    table = Thing(TABLE, (float(knee[0]) + 0.32, 0.0, high - 0.02), (0.7, 1.3, 0.04), role="obstacle")
    above = _hands_at(sat, float(pose.position("right_shoulder")[0]) + 0.2, high + 0.25)
    return _hands_at(above.changed(things=(*sat.things, table)), float(knee[0]) + 0.08, high + 0.055)


def _hands_at(document: Document, x: float, z: float) -> Document:
    """The same with both hands before the shoulders at a distance and a height; they are not held there."""
    pose = document.pose
    goals = tuple(
        Entry(Position(f"{side}_hand", (x, 0.85 * float(pose.position(f"{side}_shoulder")[1]), z)))
        for side in ("left", "right")
    )
    trunk = [name for name in document.figure.dofs if not any(part in name for part in ARM)]
    asked = document.changed(goals=(*document.goals, *goals))
    solution = Poser(asked, fixed=trunk).settle(document.q, restarts=2)
    return document if solution is None else document.changed(q=solution.q)


def _kneeling(document: Document) -> Document:
    pose = human_preset(document.figure, "kneel")
    sites = ("left_knee", "right_knee", "left_toe", "right_toe")
    pins = [Pin(site, axes="position") for site in sites]
    return _based(document, pose, pins, Balance(support=sites, hard=True))


def _reaching(document: Document) -> Document:
    stood = _standing(document)
    size = _stature(stood)
    shoulder = stood.pose.position("right_shoulder")
    target = shoulder + size * np.array([0.36, -0.02, 0.06])
    return _solved(stood, [Position("right_hand", target), Aim("eyes", at=target)])


def _looking(document: Document) -> Document:
    stood = _standing(document)
    eyes = stood.pose.position("eyes")
    return _solved(stood, [Aim("eyes", at=eyes + np.array([1.2, 1.4, 0.7]))])


def _lifting(document: Document) -> Document:
    """Both hands at the sides of a box before the feet."""
    stood = _standing(document)
    size = _stature(stood)
    toe = stood.pose.position("right_toe")
    middle = np.array([float(toe[0]) + 0.1 * size, 0.0, 0.2 * size])
    wide = np.array([0.0, 0.11 * size, 0.0])
    goals = [
        Position("right_hand", middle - wide),
        Position("left_hand", middle + wide),
        Aim("eyes", at=middle),
    ]
    return _solved(stood, goals)


def _stature(document: Document) -> float:
    rest = document.figure.pose()
    return float(rest.position("vertex")[2] - rest.position("left_heel")[2])


def _solved(document: Document, goals: Sequence[Goal]) -> Document:
    asked = document.changed(goals=(*document.goals, *(Entry(goal) for goal in goals)))
    poser = Poser(asked)
    solution = poser.settle(asked.q, restarts=2)
    return asked if solution is None else asked.changed(q=solution.q)


PRESETS: dict[str, Callable[[Document], Document]] = {
    "stand": _standing,
    "sit": _sitting,
    "sit at a table": _at_table,
    "kneel": _kneeling,
    "lift": _lifting,
    "reach": _reaching,
    "look": _looking,
}
