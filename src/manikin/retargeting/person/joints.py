"""The joints of a rig as a person's: the human figure's coordinates, by the same names, and its ranges.

Each joint turns about axes of the upright body. The rotation R of a bone against the one that carries it, both counted
from where they are upright, is taken apart into a swing and a twist about the bone, R = exp(s) · exp(t): abduction and
flexion are the parts of s, rotation is t. Knees and elbows have fewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from typing import Any

import numpy as np

from manikin.figure import Joint, transforms
from manikin.figure.human import spine
from manikin.figure.human.parts import Side
from manikin.figure.human.ranges import LIMBS, REGIONS
from manikin.figure.human.stiffness import LIMBS as STIFF, REGIONS as STIFF_REGIONS
from manikin.retargeting.person.skeleton import SIDES, Skeleton

#: Ranges of what the human figure has not, degrees: rotation of hands and feet, fingers, thumbs.
TURN = (-15.0, 15.0)
FINGER = {"flexion": (-15.0, 95.0), "spread": (-15.0, 15.0), "turn": (-10.0, 10.0)}
FINGERS = {
    **{name: (name,) for name in ("thumb", "index", "middle", "ring")},
    "little": ("little", "pinky"),
}
_HINGES = ("left_elbow", "right_elbow")
THUMB = {"flexion": (-30.0, 60.0), "spread": (-40.0, 40.0), "turn": (-40.0, 40.0)}


@dataclass(frozen=True)
class Turn:
    """One coordinate: its axis in the body's axes, its name, range in degrees and what it means."""

    axis: np.ndarray
    name: str
    range: tuple[float, float]
    stiffness: float
    text: str


@dataclass(frozen=True, eq=False)
class Made:
    """A joint that was made.

    axes: of two swings and a twist, columns, in the body's axes; None of a joint that is fixed or was kept.
    uses: which of the three are its coordinates.
    """

    joint: Joint
    axes: np.ndarray | None = None
    uses: tuple[int, ...] = ()


def joints(bones: Skeleton, upright: dict[str, np.ndarray]) -> list[Made]:
    """All joints of the person, parents first."""
    turns = _turns(bones)
    old = {frozenset((joint.parent, joint.child)): joint for joint in bones.figure.joints.values()}
    fixed = _between(bones, turns)
    found = []
    for child, parent in sorted(bones.parents.items(), key=lambda edge: _depth(bones, edge[0])):
        kept = old.get(frozenset((parent, child)))
        name = child if kept is None else kept.name
        offset = (transforms.inverse(bones.frames[parent]) @ bones.frames[child])[:3, 3]
        if child in turns:
            found.append(_made(turns[child], parent, child, upright, offset))
        elif kept is None or kept.parent != parent or child in fixed:
            found.append(Made(_welded(name, parent, child, upright, offset)))
        else:
            found.append(_as_it_was(bones, kept))
    return found


def _depth(bones: Skeleton, name: str) -> int:
    depth = 0
    while name in bones.parents:
        name, depth = bones.parents[name], depth + 1
    return depth


def _between(bones: Skeleton, turns: dict[str, list[Turn]]) -> set[str]:
    """Bones on the way to those that turn, which do not turn themselves: parts of one bone that rigs cut in pieces."""
    found: set[str] = set()
    for name in turns:
        while name in bones.parents:
            name = bones.parents[name]
            found.add(name)
    return found - set(turns)


def _made(
    turns: list[Turn], parent: str, child: str, upright: dict[str, np.ndarray], offset: np.ndarray
) -> Made:
    axes, uses = _axes(turns)
    options: dict[str, Any] = {
        "dofs": [turn.name for turn in turns],
        "lower": [radians(turn.range[0]) for turn in turns],
        "upper": [radians(turn.range[1]) for turn in turns],
        "stiffness": [turn.stiffness for turn in turns],
        "descriptions": [turn.text for turn in turns],
    }
    ball = len(turns) == 3
    frame = axes if ball else np.eye(3)
    place = transforms.rotation(upright[parent].T @ frame)
    place[:3, 3] = offset
    motion = "ball" if ball else "*".join(f"R({_text(turn.axis)})" for turn in turns)
    name = _joint_name(turns)
    joint = Joint(
        name, parent, child, motion, place, transforms.rotation(upright[child].T @ frame), **options
    )
    return Made(joint, axes, uses)


def _axes(turns: list[Turn]) -> tuple[np.ndarray, tuple[int, ...]]:
    """The axes of a whole joint of which these are coordinates, and which: of a hinge the second, of an elbow the
    second and the third."""
    if len(turns) == 3:
        return np.column_stack([turn.axis for turn in turns]), (0, 1, 2)
    second = turns[0].axis
    third = turns[1].axis if len(turns) == 2 else np.cross([1.0, 0.0, 0.0], second)
    return np.column_stack([np.cross(second, third), second, third]), (1, 2)[: len(turns)]


def _joint_name(turns: list[Turn]) -> str:
    """The first coordinate's, without its movement where there are several of one kind."""
    first = turns[0].name
    return first if len(turns) == 1 or first in _HINGES else first.rsplit("_", 1)[0]


def _text(axis: np.ndarray) -> str:
    return ",".join(repr(float(entry)) for entry in axis)


def _welded(name: str, parent: str, child: str, upright: dict[str, np.ndarray], offset: np.ndarray) -> Joint:
    place = transforms.rotation(upright[parent].T @ upright[child])
    place[:3, 3] = offset
    return Joint(name, parent, child, "fixed", place)


def _as_it_was(bones: Skeleton, joint: Joint) -> Made:
    """A joint of which nothing is known, as of hair: it turns as it did, its bone no longer stretches."""
    slides = any(axis.unit == "m" and axis.follow is None for axis in joint.axes)
    if not slides:
        return Made(joint)
    relative = transforms.inverse(bones.frames[joint.parent]) @ bones.frames[joint.child]
    return Made(Joint(joint.name, joint.parent, joint.child, "ball", relative), np.eye(3), (0, 1, 2))


def _turns(bones: Skeleton) -> dict[str, list[Turn]]:
    """The coordinates of each segment that turns as a person's does."""
    found: dict[str, list[Turn]] = {}
    for side in SIDES:
        found.update(_leg(bones, Side(side)))
    found.update(_trunk(bones))
    for side in SIDES:
        found.update(_arm(bones, Side(side)))
    return found


def _limb(side: Side, direction: tuple[float, float, float], name: str, text: str) -> Turn:
    return Turn(side.axis(direction), side.of(name), LIMBS[name], STIFF.get(name, 1.0), f"{side.name} {text}")


def _other(
    side: Side, direction: tuple[float, float, float], name: str, ends: tuple[float, float], text: str
) -> Turn:
    return Turn(side.axis(direction), side.of(name), ends, 2.0, f"{side.name} {text}")


def _leg(bones: Skeleton, side: Side) -> dict[str, list[Turn]]:
    own = {part: bones.bones[side.of(part)] for part in ("hip", "knee", "ankle")}
    found = {
        own["hip"]: [
            _limb(
                side, (1, 0, 0), "hip_abduction", "hip abduction: 0 standing, positive moves the leg outwards"
            ),
            _limb(
                side, (0, -1, 0), "hip_flexion", "hip flexion: 0 standing, positive raises the thigh forward"
            ),
            _limb(
                side,
                (0, 0, -1),
                "hip_rotation",
                "hip rotation about the thigh: 0 knee forward, positive medial",
            ),
        ],
        own["knee"]: [_limb(side, (0, 1, 0), "knee", "knee flexion: 0 straight, positive flexes")],
        own["ankle"]: [
            _limb(
                side, (0, -1, 0), "ankle_flexion", "ankle dorsiflexion: 0 at rest, positive raises the toes"
            ),
            _limb(
                side,
                (-1, 0, 0),
                "ankle_inversion",
                "foot inversion: 0 at rest, positive turns the sole inwards",
            ),
            _other(
                side,
                (0, 0, -1),
                "ankle_rotation",
                TURN,
                "foot rotation about the shank: 0 at rest, positive medial",
            ),
        ],
    }
    toes = bones.bones.get(side.of("toe"))
    if toes is not None and bones.parents.get(toes) == own["ankle"] and _moves(bones, toes):
        found[toes] = [_limb(side, (0, -1, 0), "toes", "toe extension: 0 flat, positive raises the toes")]
    return found


def _moves(bones: Skeleton, segment: str) -> bool:
    """Whether a segment turns in the rig, or is only the end of the one before."""
    return any(joint.child == segment and joint.steps for joint in bones.figure.joints.values())


def _arm(bones: Skeleton, side: Side) -> dict[str, list[Turn]]:
    if any(side.of(part) not in bones.bones for part in ("shoulder", "elbow", "wrist")):
        return {}
    own = {part: bones.bones[side.of(part)] for part in ("shoulder", "elbow", "wrist")}
    if len(set(own.values())) < 3 or own["shoulder"] == bones.root:
        return {}
    found = {}
    column = _column(bones)
    between = [name for name in bones.path(own["shoulder"], bones.root)[:-1] if name not in column]
    if between:
        clavicle = between[0]
        found[clavicle] = [
            _limb(
                side, (0, 0, -1), "clavicle_protraction", "clavicle protraction: 0 at rest, positive forward"
            ),
            _limb(
                side,
                (1, 0, 0),
                "clavicle_elevation",
                "clavicle elevation: 0 at rest, positive raises the shoulder",
            ),
        ]
    found[own["shoulder"]] = [
        _limb(
            side,
            (1, 0, 0),
            "shoulder_abduction",
            "shoulder abduction: 0 hanging, positive raises the arm sideways",
        ),
        _limb(
            side,
            (0, -1, 0),
            "shoulder_flexion",
            "shoulder flexion: 0 hanging, positive raises the arm forward",
        ),
        _limb(
            side, (0, 0, -1), "shoulder_rotation", "shoulder rotation about the upper arm: positive medial"
        ),
    ]
    found[own["elbow"]] = [
        _limb(side, (0, -1, 0), "elbow", "elbow flexion: 0 straight, positive flexes"),
        _limb(
            side,
            (0, 0, -1),
            "forearm_pronation",
            "forearm pronation: 0 at rest, positive pronates (palm back)",
        ),
    ]
    found[own["wrist"]] = [
        _limb(side, (-1, 0, 0), "wrist_flexion", "wrist flexion: 0 straight, positive bends to the palm"),
        _limb(
            side, (0, -1, 0), "wrist_deviation", "wrist deviation: 0 straight, positive radial (to the thumb)"
        ),
        _other(
            side,
            (0, 0, 1),
            "wrist_rotation",
            TURN,
            "hand rotation about the forearm: 0 at rest, positive lateral",
        ),
    ]
    found.update(_fingers(bones, side, own["wrist"]))
    return found


def _fingers(bones: Skeleton, side: Side, hand: str) -> dict[str, list[Turn]]:
    """The bones of the fingers bend towards the palm."""
    found: dict[str, list[Turn]] = {}
    counts: dict[str, int] = {}
    for name in sorted(bones.parents, key=lambda name: _depth(bones, name)):
        if name == hand or not bones.hangs_from(name, hand) or not _moves(bones, name):
            continue
        finger = next(
            (own for own, words in FINGERS.items() if any(word in name.lower() for word in words)), "finger"
        )
        counts[finger] = counts.get(finger, 0) + 1
        own, ends = f"{finger}_{counts[finger]}", THUMB if finger == "thumb" else FINGER
        found[name] = [
            Turn(
                side.axis(axis),
                side.of(f"{own}_{what}"),
                ends[what],
                2.0,
                f"{side.name} {finger} {counts[finger]} {what}: 0 at rest",
            )
            for what, axis in (("flexion", (-1, 0, 0)), ("spread", (0, -1, 0)), ("turn", (0, 0, 1)))
        ]
    return found


def _column(bones: Skeleton) -> list[str]:
    """The segments from the hips to the head, or to the chest where there is no head."""
    top = bones.bones.get("head", bones.bones.get("chest", bones.root))
    return [bones.root, *(bones.path(top, bones.root) if top != bones.root else [])]


def _trunk(bones: Skeleton) -> dict[str, list[Turn]]:
    """Spine and neck: whole regions' ranges, shared among their joints in equal parts."""
    column = _column(bones)[1:]
    arms = [bones.bones[role] for role in ("left_shoulder", "right_shoulder") if role in bones.bones]
    carried = [
        max((k for k, name in enumerate(column) if bones.hangs_from(arm, name)), default=-1) for arm in arms
    ]
    chest = bones.bones.get("chest")
    last = max(carried, default=-1)
    if last < 0 and chest in column:
        last = column.index(chest)
    regions = {"spine": column[: last + 1], "neck": column[last + 1 :]}
    found = {}
    for region, names in regions.items():
        for k, name in enumerate(names, start=1):
            share = 1.0 / len(names)
            found[name] = [
                Turn(
                    np.array(spine.AXES[movement]),
                    f"{region}_{k}_{movement}",
                    tuple(share * end for end in REGIONS[region][movement]),  # type: ignore[arg-type]
                    STIFF_REGIONS[region][movement] / share,
                    f"{region} {k} {spine.CLINICAL[movement]}: {spine.SENSE[movement]}",
                )
                for movement in ("flexion", "side_bend", "twist")
            ]
    return found
