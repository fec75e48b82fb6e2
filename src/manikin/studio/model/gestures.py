"""What it means to drag a part of a person: the goals of the gesture, each with what it makes of where the hand is.

A handle's place is a frame, 4×4. The hips keep their direction and go down into a squat, sideways onto a foot, up onto
the toes; the height counts for more than the place across, so that one sits back where straight down is no way. A point
of a limb moves this limb alone. Elbows and knees move about the line between the ends of their limb, which stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from manikin.figure import Figure, Pose
from manikin.figure.shapes import balls_and_eggs
from manikin.goals import (
    Balance,
    CenterOfMass,
    Goal,
    HalfSpace,
    OnPlane,
    Orientation,
    Outside,
    Pin,
    Placement,
    Position,
    Posture,
    Relative,
)
from manikin.studio.model.document import Document
from manikin.studio.model.parts import FLOOR, SIDES, Part, fingertips, limb_of, parts, soles, standing

GRAB = "studio:grab"
# Beside goals of weight 1 the hand of the user wins.
PULL = 25.0
# Of the hips: their place across beside their height, and their direction beside both.
ACROSS, FACING = 8.0, 8.0
# What a part is kept by that another's gesture would rather not move.
STAYS = 4.0
# A head, a chest or a foot that keeps its direction, softly; a trunk that stays upright while the hips are led, and one
# that does not twist while the chest is.
TURN, UPRIGHT, STRAIGHT = 0.3, 3.0, 3.0
# How little a trunk's own form counts beside all of these. Where it counts for nothing, few and long segments fold back
# and forth by 7 to 40° to bring the chest exactly where it was led while the hips stay to a micrometre.
FORM = 0.02
# And the arms' places at the chest. Where they counted for nothing, arms of robots at the edge of their balance swung
# by up to 0.5 m between two events.
HANGING = 0.05
# Segments of a trunk that has more of them, as the human's vertebrae: it bends evenly by itself.
MANY = 8
# The floor is a little below the soles that stand on it, metres.
UNDER = 0.004
# How much less willing joints are to move that a hand's gesture is not about.
ALOOF = 20.0
# Metres that heels or a foot rise at least while the weight goes over to what still stands.
OVER = 0.06
# Of the way from a sole's edge to its middle: where the weight comes to that goes over to it.
INSIDE = 0.5
UP = (0.0, 0.0, 1.0)
# What of a human would go through the floor first.
TOUCHING = (
    "pelvis",
    "head",
    *(
        f"{side}_{segment}"
        for side in SIDES
        for segment in ("foot", "toes", "shank", "thigh", "hand", "middle_distal", "forearm", "upper_arm")
    ),
)

Follow = Callable[[np.ndarray], Any]


def at_frame(frame: np.ndarray) -> np.ndarray:
    """The whole frame is the target."""
    return frame


def at_point(frame: np.ndarray) -> np.ndarray:
    """Its place is."""
    return frame[:3, 3]


def at_turn(frame: np.ndarray) -> np.ndarray:
    """Its direction is."""
    return frame[:3, :3]


#: What follows the hand itself.
AS_IS = (at_frame, at_point, at_turn)


@dataclass(frozen=True, eq=False)
class Gesture:
    """Goals besides the document's.

    goals: each with what makes its target of the handle's frame; None for one that stays.
    free: the degrees of freedom that move; None for all.
    drop: whether a goal of the document does not count meanwhile.
    """

    goals: Sequence[tuple[Goal, Follow | None]]
    free: frozenset[str] | None = None
    drop: Callable[[Goal], bool] = field(default=lambda goal: False)


def gesture(
    document: Document,
    part: Part | None,
    point: np.ndarray,
    *,
    by_handle: bool = False,
    turned: bool = False,
    limb: Sequence[str] = (),
) -> Gesture:
    """The gesture of dragging a part by its handle, or by a point of the body, which is the site `GRAB`.

    point: where the handle or that point is. turned: whether the handle's direction counts too. limb: the degrees of
    freedom that a point of a limb moves.
    """
    if part is None:
        start = Position(GRAB, point, weight=PULL)
        found = Gesture(((start, at_point),), frozenset(limb) or None)
    else:
        found = _MAKERS[part.kind](document.pose, part, part.site if by_handle else GRAB, point, turned)
    held = {entry.goal.site for entry in document.goals if entry.active and isinstance(entry.goal, Pin)}
    asked = _asked_arms(document)
    own = [
        (goal, follow)
        for goal, follow in found.goals
        if not (isinstance(goal, Pin) and goal.site in held)
        and not (isinstance(goal, Relative) and goal.site in asked)
    ]
    found = replace(found, goals=own)
    keeps = posture(document, part, limb)
    return found if keeps is None else replace(found, goals=(*found.goals, (keeps, None)))


def _asked_arms(document: Document) -> set[str]:
    """Elbows and hands of arms of which a goal of the document is asked."""
    figure, found = document.figure, set()
    sites = {entry.goal.site for entry in document.goals if entry.active and entry.goal.site in figure.sites}
    for part in parts(figure).values():
        if part.kind in ("elbow", "hand"):
            limb = set(limb_of(figure, part))
            if any(limb.intersection(figure.chain("pelvis", site)) for site in sites):
                found.add(part.site)
    return found


def _held(pose: Pose, site: str, weight: float) -> Placement:
    frame = pose.matrix(site)
    return Placement(site, frame[:3, 3], frame[:3, :3], weight=weight)


def _hips(pose: Pose, part: Part, site: str, point: np.ndarray, turned: bool) -> Gesture:
    height = OnPlane(site, point, UP, weight=PULL)
    across = Position(site, point, weight=ACROSS)
    facing = Orientation(part.site, pose.matrix(part.site)[:3, :3], weight=PULL if turned else FACING)
    goals: list[tuple[Goal, Follow | None]] = [(height, at_point), (across, at_point), (facing, at_turn)]
    # Feet that nothing pins would rather stay all the same.
    goals += [(_held(pose, f"{side}_foot", 1.0), None) for side in standing(pose.figure, pose.q)]
    if not turned:
        goals.append((Orientation("chest", pose.matrix("chest")[:3, :3], weight=UPRIGHT), None))
    return Gesture([*goals, *((goal, None) for goal in _arms(pose))])


def _chest(pose: Pose, part: Part, site: str, point: np.ndarray, turned: bool) -> Gesture:
    """Chest or head: the trunk bends over the hips, which stay about where they are and may tilt."""
    goals = [*_end(pose, part, site, point, turned).goals]
    goals.append((Position("pelvis", pose.position("pelvis"), weight=STAYS), None))
    goals += [(goal, None) for goal in (*_form(pose, part.site), *_arms(pose))]
    if not turned:
        goals += [(_unturned(pose, site), None) for site in ("pelvis", "chest")]
    return Gesture(goals)


def _form(pose: Pose, site: str) -> list[Goal]:
    """The few segments of a character's or a robot's trunk up to a site would rather not turn against each other."""
    figure = pose.figure
    joints = dict.fromkeys(figure.dof(name).joint for name in figure.chain("pelvis", site))
    links = [figure.sites["pelvis"].segment, *(figure.joints[name].child for name in joints)]
    found: list[Goal] = []
    if len(links) > MANY:
        return found
    for below, above in pairwise(links):
        turn = pose.matrix(below)[:3, :3].T @ pose.matrix(above)[:3, :3]
        found.append(Relative(above, below, Orientation(above, turn), weight=FORM))
    return found


def _arms(pose: Pose) -> list[Goal]:
    """Arms would rather hang from the chest as they do: what they gain for the balance is little."""
    sites = [f"{side}_{part}" for side in SIDES for part in ("elbow", "hand")]
    chest = np.linalg.inv(pose.matrix("chest"))
    return [
        Relative(site, "chest", (chest @ pose.matrix(site))[:3, 3], weight=HANGING)
        for site in sites
        if site in pose.figure.sites
    ]


def _unturned(pose: Pose, site: str) -> Orientation:
    """The site's left stays to the left: it may tilt forward and back."""
    return Orientation(site, pose.matrix(site)[:3, :3], axes=(0.0, 1.0, 0.0), weight=STRAIGHT)


def _head(pose: Pose, part: Part, site: str, point: np.ndarray, turned: bool) -> Gesture:
    found = _chest(pose, part, site, point, turned)
    return found if turned else Gesture((*found.goals, _looking(pose, part)))


def _looking(pose: Pose, part: Part) -> tuple[Goal, Follow]:
    return Orientation(part.site, pose.matrix(part.site)[:3, :3], weight=TURN), at_turn


def _end(pose: Pose, part: Part, site: str, point: np.ndarray, turned: bool) -> Gesture:
    """A hand, or what else is at the end of a chain: its place, and its direction where that was asked for."""
    goals: list[tuple[Goal, Follow | None]] = [(Position(site, point, weight=PULL), at_point)]
    if turned:
        goals.append((Orientation(part.site, pose.matrix(part.site)[:3, :3], weight=PULL), at_turn))
    return Gesture(goals)


def _foot(pose: Pose, part: Part, site: str, point: np.ndarray, turned: bool) -> Gesture:
    goals = [*_end(pose, part, site, point, turned).goals]
    if not turned:
        goals.append(_looking(pose, part))
    other = tuple(side for side in standing(pose.figure, pose.q) if side != part.side)
    if not other:
        return Gesture(goals)
    goals.append(_over(pose, other, float(point[2])))
    goals.append((Orientation("chest", pose.matrix("chest")[:3, :3], weight=UPRIGHT), None))
    return Gesture(goals, free=_below(pose.figure), drop=_is_feet_balance)


def _below(figure: Figure) -> frozenset[str]:
    """All but the arms, the neck and what hangs from them: they do not balance what legs can."""
    led = {name for name in figure.dofs if figure.dof(name).joint == "root"}
    for site in ("chest", "left_foot", "right_foot", "left_toe", "right_toe"):
        led.update(figure.chain(figure.root, site))
    return frozenset(led)


def _elbow(pose: Pose, part: Part, site: str, point: np.ndarray, turned: bool) -> Gesture:
    """A pole: the arm swings about the line from shoulder to hand, which stay."""
    figure = pose.figure
    goals: list[tuple[Goal, Follow | None]] = [(Position(site, point, weight=PULL), at_point)]
    hand = f"{part.side}_hand"
    if hand in figure.sites:
        goals.append((Pin(hand, at=pose.matrix(hand)), None))
    return Gesture(goals, frozenset(limb_of(figure, part)))


def _knee(pose: Pose, part: Part, site: str, point: np.ndarray, turned: bool) -> Gesture:
    """A pole: the leg swings about the line from hip to foot, which stay; the foot turns on the spot, since no ankle
    turns about its shank."""
    foot = f"{part.side}_foot"
    flat = Pin(foot, axes=("x", "y", "z", "turn_x", "turn_y"), at=pose.matrix(foot))
    return Gesture(
        [
            (Position(site, point, weight=PULL), at_point),
            (flat, None),
            (_held(pose, "pelvis", 4.0 * PULL), None),
        ]
    )


def _pins(goal: Goal, site: str) -> bool:
    return isinstance(goal, Pin) and goal.site == site


_MAKERS: dict[str, Callable[[Pose, Part, str, np.ndarray, bool], Gesture]] = {
    "hips": _hips,
    "chest": _chest,
    "head": _head,
    "hand": _end,
    "foot": _foot,
    "elbow": _elbow,
    "knee": _knee,
}


def on_toes(document: Document, raised: Pose) -> Gesture | None:
    """The hips' gesture upwards where feet are pinned flat: the toes stay, the heels rise and the weight goes over the
    toes. None where no foot is pinned.

    raised: the pose whose hips are as high as flat feet allow: the heels rise from there on.
    """
    pose, figure = document.pose, document.figure
    sides = [
        side
        for side in SIDES
        if any(_pins(entry.goal, f"{side}_foot") for entry in document.goals if entry.active)
    ]
    if not sides:
        return None
    frame = pose.matrix("pelvis")
    goals: list[tuple[Goal, Follow | None]] = [
        (OnPlane("pelvis", frame[:3, 3], UP, weight=PULL), at_point),
        (Position("pelvis", frame[:3, 3], weight=ACROSS), _toes_over(pose, sides, raised, hips=True)),
        (Orientation("pelvis", frame[:3, :3], weight=FACING), at_turn),
    ]
    for side in sides:
        foot = pose.matrix(f"{side}_foot")
        toes = f"{side}_toes"
        if toes in figure.segments:
            goals.append((Pin(toes, at=pose.matrix(toes)), None))
        else:
            goals.append((Pin(f"{side}_toe", axes="position", at=pose.matrix(f"{side}_toe")), None))
        goals.append((Orientation(f"{side}_foot", foot[:3, :3], axes=(0.0, 1.0, 0.0), weight=PULL), None))
        goals.append((Orientation(f"{side}_foot", foot[:3, :3], weight=0.02), None))
    goals.append((_center(raised), _toes_over(pose, sides, raised, hips=False)))
    goals.append((Orientation("chest", pose.matrix("chest")[:3, :3], weight=UPRIGHT), None))
    feet = {f"{side}_foot" for side in sides}
    return Gesture(
        goals,
        free=_below(figure),
        drop=lambda goal: _is_feet_balance(goal) or (isinstance(goal, Pin) and goal.site in feet),
    )


def share(way: float) -> float:
    """How much of the weight has gone over, smoothly, after so much of the way."""
    s = min(max(way, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


def _center(pose: Pose) -> CenterOfMass:
    return CenterOfMass(pose.center_of_mass(), axes=(1.0, 1.0, 0.0), weight=PULL)


def _over(pose: Pose, sides: Sequence[str], height: float) -> tuple[Goal, Follow]:
    """The centre of mass going over these feet as the handle rises from a height."""
    center = pose.center_of_mass()
    below = np.mean([_nearest_over(pose, side, center) for side in sides], axis=0)

    over = max(OVER, 0.5 * float(np.linalg.norm((below - center)[:2])))

    def target(frame: np.ndarray) -> np.ndarray:
        return np.array(center + share((float(frame[2, 3]) - height) / over) * (below - center))

    return _center(pose), target


def _nearest_over(pose: Pose, side: str, center: np.ndarray) -> np.ndarray:
    """The point of a foot's sole that the centre of mass comes to first and that carries it well: `INSIDE` of the way
    from the sole's edge to its middle."""
    middle = 0.5 * (pose.position(f"{side}_heel") + pose.position(f"{side}_toe"))
    corners = support(pose, side)
    across = pose.matrix(f"{side}_foot")[:3, 1] * (1.0, 1.0, 0.0)
    along = np.cross(across, UP)
    half = 0.5 * np.ptp((corners - middle) @ across)
    reach = 0.5 * np.ptp((corners - middle) @ along)
    off = (center - middle) * (1.0, 1.0, 0.0)
    x, y = float(off @ along), float(off @ across)
    part = 1.0 - INSIDE
    return np.asarray(
        middle
        + np.clip(x, -part * reach, part * reach) * along
        + np.clip(y, -part * half, part * half) * across
    )


def _toes_over(pose: Pose, sides: Sequence[str], raised: Pose, *, hips: bool) -> Follow:
    """The centre of mass, or the hips with it, going forward over the toes as the heels rise."""
    center, height = raised.center_of_mass(), float(raised.position("pelvis")[2])
    toes = np.mean(
        [0.6 * pose.position(f"{side}_toe") + 0.4 * pose.position(f"{side}_foot") for side in sides], axis=0
    )
    way = (toes - center) * (1.0, 1.0, 0.0)

    def target(frame: np.ndarray) -> np.ndarray:
        over = share((float(frame[2, 3]) - height) / OVER) * way
        return np.array(frame[:3, 3] + over if hips else center + over)

    return target


def _is_feet_balance(goal: Goal) -> bool:
    return isinstance(goal, Balance) and goal.support is None


def settled(document: Document, goal: Goal) -> Goal | None:
    """A goal of the document as it counts now: a balance that names no support is over the feet that stand; None where
    none does."""
    if not _is_feet_balance(goal) or not parts(document.figure):
        return goal
    figure = document.figure
    pinned = {entry.goal.site for entry in document.goals if entry.active and isinstance(entry.goal, Pin)}
    stand = standing(figure, document.q)
    names = [
        name for side in SIDES if side in stand or f"{side}_foot" in pinned for name in soles(figure, side)
    ]
    return goal.changed(support=tuple(names)) if names else None


def support(pose: Pose, side: str) -> np.ndarray:
    """The corners of a sole in the world, (N, 3)."""
    points = Balance(support=soles(pose.figure, side)).settle(pose).points()
    frames = pose.matrices()
    return np.array([_framed(pose, frames, name)[:3] @ [*point, 1.0] for name, point in points])


def _framed(pose: Pose, frames: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    segment = name.removeprefix("segment:")
    return np.asarray(frames[segment] if segment != name else pose.matrix(name))


def floor(document: Document) -> tuple[Goal, ...]:
    """Nothing of a person goes through the floor, or farther than it is through it already."""
    figure = document.figure
    if not parts(figure):
        return ()
    shaped = document.source.is_human
    depth = max(0.0, FLOOR - UNDER - lowest(document.pose, shaped=shaped))
    ground = HalfSpace((0.0, 0.0, FLOOR - UNDER - depth), UP)
    if shaped:
        return tuple(Outside(name, ground, hard=True) for name in TOUCHING if name in figure.segments)
    return tuple(Outside(name, ground, hard=True, whole=False) for name in contacts(figure))


def lowest(pose: Pose, *, shaped: bool) -> float:
    """The height of the lowest point of the shapes, or else of the sites that would touch the floor."""
    figure = pose.figure
    if not shaped:
        return min(float(pose.position(name)[2]) for name in contacts(figure))
    height = np.inf
    frames = pose.matrices()
    for name in TOUCHING:
        if name not in frames:
            continue
        frame = frames[name]
        balls, eggs = balls_and_eggs(figure, name, "the floor")
        down, above = frame[2, :3], frame[2, 3]
        centers = np.concatenate([balls[:, :3], eggs[:, :3]])
        reach = np.concatenate([balls[:, 6], np.linalg.norm(eggs[:, 3:].reshape(-1, 3, 3) @ down, axis=1)])
        height = min(height, float((centers @ down + above - reach).min(initial=np.inf)))
    return height


def contacts(figure: Figure) -> tuple[str, ...]:
    """Sites at which a figure without shapes would touch the floor."""
    names = [name for side in SIDES for name in soles(figure, side)]
    names += [part.site for part in parts(figure).values() if part.kind != "foot"]
    names += fingertips(figure)
    return tuple(dict.fromkeys(names))


def posture(document: Document, part: Part | None, limb: Sequence[str]) -> Goal | None:
    """What a gesture leaves open: joints stay as they are when it begins, the stiffer ones more, and what the gesture
    is not about `ALOOF` times as much, so that an arm does what an arm can before the trunk moves."""
    figure = document.figure
    if not parts(figure):
        return None
    own = set(limb)
    if part is not None and part.kind in ("hand", "elbow"):
        own = set(limb_of(figure, part))
    weights = np.array([figure.dof(name).stiffness for name in figure.dofs])
    if own:
        weights[[name not in own for name in figure.dofs]] *= ALOOF
    return Posture(document.pose, weights=weights)
